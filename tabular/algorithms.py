"""The table of tabular algorithms: what there is, with which options, and which games each can learn.

Example::

    learner = make("smooth_uct", "leduc", seed=0, exploration=16.0)
    learner.run(10_000_000)
    nash_conv(learner.game, learner.average_policy())
"""

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple

from games import make as make_game
from games.poker.tables import PokerTables
from tabular.cfr_plus import CFRPlus, CFRPlusOptions
from tabular.learner import TabularLearner
from tabular.outcome_sampling import OutcomeSampling, OutcomeSamplingOptions
from tabular.self_play import UCT, SmoothUCT, SmoothUCTOptions, UCTOptions


class Entry(NamedTuple):
    """An algorithm.

    Attributes:
        options: The dataclass of its options; its docstring gives their ranges.
        make: Makes it from a game, a seed and the options.
        knows: Whether it can learn a game.
        needs: What it asks of a game, in words.
    """

    options: type
    make: Callable[[PokerTables, int, Any], TabularLearner]
    knows: Callable[[PokerTables], bool]
    needs: str


def _any(game: PokerTables) -> bool:
    return True


def _two_players(game: PokerTables) -> bool:
    return game.num_players == 2


def _two_players_and_a_tree(game: PokerTables) -> bool:
    return _two_players(game) and game.has_tree


ALGORITHMS: dict[str, Entry] = {
    "smooth_uct": Entry(SmoothUCTOptions, SmoothUCT, _any, "a poker game"),
    "uct": Entry(UCTOptions, UCT, _any, "a poker game"),
    "outcome_sampling": Entry(OutcomeSamplingOptions, OutcomeSampling, _two_players, "a game of two players"),
    "cfr_plus": Entry(CFRPlusOptions, CFRPlus, _two_players_and_a_tree, "a game of two players with a full game tree"),
}
"""The algorithms by name, as in ``algorithm=NAME``."""


def knowing(game: PokerTables) -> list[str]:
    """Returns the names of the algorithms that can learn a game."""
    return [name for name, entry in ALGORITHMS.items() if entry.knows(game)]


def make(name: str, game: PokerTables | str, seed: int = 0, **options: Any) -> TabularLearner:
    """Returns an algorithm on a game, before its first episode.

    Args:
        name: A key of ``ALGORITHMS``.
        game: The tables of a game, or its name.
        seed: Of all random numbers.
        options: Fields of the algorithm's dataclass.

    Raises:
        ValueError: An unknown algorithm, game or option, a value out of range, or an algorithm that cannot learn the game.
    """
    if name not in ALGORITHMS:
        raise ValueError(f"algorithm {name!r}: expected one of {', '.join(ALGORITHMS)}")
    entry = ALGORITHMS[name]
    tables: PokerTables = make_game(game).tables if isinstance(game, str) else game
    if not entry.knows(tables):
        others = ", ".join(knowing(tables)) or "none"
        raise ValueError(f"algorithm {name} does not know {tables.name}: it needs {entry.needs}; those that know it: {others}")
    known = [field.name for field in dataclasses.fields(entry.options)]
    unknown = sorted(set(options) - set(known))
    if unknown:
        raise ValueError(f"options of {name}: got {', '.join(unknown)}; expected {', '.join(known) or 'none'}")
    return entry.make(tables, seed, entry.options(**options))
