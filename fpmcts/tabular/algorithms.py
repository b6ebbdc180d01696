"""The tabular algorithms by name, with their options and the games that each can learn.

Example::

    learner = make("smooth_uct", "leduc", seed=0, exploration=16.0)
    learner.run(10_000_000)
    nash_conv(learner.game, learner.average_policy())
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from fpmcts.tabular.cfr_plus import CFRPlus, CFRPlusOptions, HashedCFRPlus
from fpmcts.tabular.hashed_learner import IsMctsOptions, hashed_sampling, hashed_uct, ismcts
from fpmcts.tabular.outcome_sampling import OutcomeSampling, OutcomeSamplingOptions
from fpmcts.tabular.self_play import SmoothUCTOptions, TabularSelfPlay, UCTAgainstRandom, UCTOptions
from games import make as make_game
from games.base.settings import build
from games.play.interface import Game


class TabularAlgorithm(NamedTuple):
    """An algorithm.

    Attributes:
        options: The dataclass of its options.
        dense: Makes it on the dense tables of a game, given its name, the tables, a seed and the
            options; None: not supported.
        hashed: Makes it on any game, given its name, the game, a seed and the options; None: not
            supported.
        seats: Required number of seats; None: any.
        listed: Whether the deals must be few enough to be listed.
        needs: The requirements in words.
    """

    options: type
    dense: Callable[..., Any] | None
    hashed: Callable[..., Any] | None
    seats: int | None = None
    listed: bool = False
    needs: str = "dense tables, as poker has"

    def maker(self, game: Game) -> Callable[..., Any] | None:
        """Returns its constructor for a game, or None if it cannot learn the game."""
        if self.seats not in (None, game.spec.num_seats) or (self.listed and not has_starts(game)):
            return None
        return self.dense if self.dense is not None and game.has_tables else self.hashed


def has_starts(game: Game) -> bool:
    """Returns whether the deals of a game can be listed."""
    try:
        return bool(game.starts())
    except ValueError:
        return False


_TWO = "a game of two players"
ALGORITHMS: dict[str, TabularAlgorithm] = {
    "ismcts": TabularAlgorithm(IsMctsOptions, None, ismcts),
    "smooth_uct": TabularAlgorithm(SmoothUCTOptions, TabularSelfPlay, hashed_uct),
    "uct": TabularAlgorithm(UCTOptions, TabularSelfPlay, hashed_uct),
    "uct_against_random": TabularAlgorithm(UCTOptions, UCTAgainstRandom, None),
    "outcome_sampling": TabularAlgorithm(
        OutcomeSamplingOptions, OutcomeSampling, hashed_sampling, 2, needs=_TWO
    ),
    "cfr_plus": TabularAlgorithm(
        CFRPlusOptions, CFRPlus, HashedCFRPlus, 2, True, f"{_TWO} whose deals can be listed"
    ),
}
"""The algorithms by name, as in ``algorithm=NAME``."""


def make(name: str, game: Game | str, seed: int = 0, **options: object) -> Any:
    """Returns an algorithm on a game, before its first episode: a
    ``fpmcts.tabular.learner.TableLearner``.

    Args:
        name: A key of ``ALGORITHMS``.
        game: A game, or its name.
        seed: Seed of all random numbers.
        options: Fields of the algorithm's dataclass.

    Raises:
        ValueError: The algorithm, the game or an option is unknown, a value is out of range, or the
            algorithm cannot learn the game.
    """
    if name not in ALGORITHMS:
        raise ValueError(f"algorithm {name!r}: expected one of {', '.join(ALGORITHMS)}")
    entry = ALGORITHMS[name]
    played = make_game(game)
    if (maker := entry.maker(played)) is None:
        able = ", ".join(other for other, entry in ALGORITHMS.items() if entry.maker(played))
        raise ValueError(
            f"algorithm {name} cannot learn {played.spec.name}: it needs {entry.needs}; those "
            f"that can: {able or 'none'}"
        )
    known = played.tables if maker is entry.dense else played
    return maker(name, known, seed, build(entry.options, options, "algorithm."))
