"""The tabular algorithms by name: options, and which games each can learn.

Example::

    learner = make("smooth_uct", "leduc", seed=0, exploration=16.0)
    learner.run(10_000_000)
    nash_conv(learner.game, learner.average_policy())
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from fpmcts.tabular.cfr_plus import CFRPlus, CFRPlusOptions, HashedCFRPlus
from fpmcts.tabular.hashed_learner import IsMctsOptions, hashed_sampling, hashed_uct, ismcts
from fpmcts.tabular.learner import Learner, PokerLearner
from fpmcts.tabular.outcome_sampling import OutcomeSampling, OutcomeSamplingOptions
from fpmcts.tabular.self_play import SelfPlay, SmoothUCTOptions, UCTAgainstRandom, UCTOptions
from games import make as make_game
from games.interface import Game
from games.settings import build
from games.tables import Tables


class Entry(NamedTuple):
    """An algorithm.

    Attributes:
        options: The dataclass of its options.
        dense: Makes it on the tables of a poker game, from its name, them, a seed and the options;
            None: it has no use for them.
        hashed: Makes it on any game, from its name, the game, a seed and the options; None: it
            needs the tables of a poker game.
        knows: Whether it can learn a game, or the tables of one.
        needs: What it asks of a game, in words.
    """

    options: type
    dense: Callable[[str, Tables, int, Any], PokerLearner] | None
    hashed: Callable[[str, Game, int, Any], Learner] | None
    knows: Callable[[Game | Tables], bool]
    needs: str


def _any(game: Game | Tables) -> bool:
    return True


def _two_players(game: Game | Tables) -> bool:
    return (game.num_players if isinstance(game, Tables) else game.spec.num_seats) == 2


def _two_players_and_a_tree(game: Game | Tables) -> bool:
    if isinstance(game, Tables):
        return _two_players(game) and game.has_tree
    try:
        return _two_players(game) and bool(game.starts())
    except ValueError:
        return False


ALGORITHMS: dict[str, Entry] = {
    "ismcts": Entry(IsMctsOptions, None, ismcts, _any, "any game"),
    "smooth_uct": Entry(SmoothUCTOptions, SelfPlay, hashed_uct, _any, "any game"),
    "uct": Entry(UCTOptions, SelfPlay, hashed_uct, _any, "any game"),
    "uct_against_random": Entry(UCTOptions, UCTAgainstRandom, None, _any, "a poker game"),
    "outcome_sampling": Entry(
        OutcomeSamplingOptions,
        OutcomeSampling,
        hashed_sampling,
        _two_players,
        "a game of two players",
    ),
    "cfr_plus": Entry(
        CFRPlusOptions,
        CFRPlus,
        HashedCFRPlus,
        _two_players_and_a_tree,
        "a game of two players whose deals can be listed",
    ),
}
"""The algorithms by name, as in ``algorithm=NAME``."""


def knowing(game: Game | Tables) -> list[str]:
    """Returns the names of the algorithms that can learn a game."""
    return [name for name in ALGORITHMS if _maker(name, game) is not None]


def _maker(name: str, game: Game | Tables) -> Callable[[int, Any], Learner] | None:
    """Returns what makes an algorithm on a game from a seed and options: on its tables where it has
    them; None: nothing does.
    """
    entry = ALGORITHMS[name]
    tables: Tables | None = None
    if isinstance(game, Tables):
        tables = game
    elif game.has_tables:
        tables = game.tables
    if entry.dense is not None and tables is not None:
        return partial(entry.dense, name, tables) if entry.knows(tables) else None
    if entry.hashed is not None and not isinstance(game, Tables):
        return partial(entry.hashed, name, game) if entry.knows(game) else None
    return None


def make(name: str, game: Game | Tables | str, seed: int = 0, **options: Any) -> Any:
    """Returns an algorithm on a game, before its first episode: a
    ``fpmcts.tabular.learner.Learner``.

    Args:
        name: A key of ``ALGORITHMS``.
        game: A game, the tables of one, or its name.
        seed: Of all random numbers.
        options: Fields of the algorithm's dataclass.

    Raises:
        ValueError: An unknown algorithm, game or option, a value out of range, or an algorithm that
            cannot learn the game.
    """
    if name not in ALGORITHMS:
        raise ValueError(f"algorithm {name!r}: expected one of {', '.join(ALGORITHMS)}")
    entry = ALGORITHMS[name]
    played = make_game(game) if isinstance(game, str) else game
    if (maker := _maker(name, played)) is None:
        others = ", ".join(knowing(played)) or "none"
        called = played.name if isinstance(played, Tables) else played.spec.name
        raise ValueError(
            f"algorithm {name} does not know {called}: it needs {entry.needs}; those that know it: "
            f"{others}"
        )
    return maker(seed, build(entry.options, options, "algorithm."))
