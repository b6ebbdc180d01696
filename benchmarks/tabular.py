"""Tabular algorithms on one core: episodes, exact best responses, and the time to a NashConv.

The references were measured elsewhere and on other machines: a public C++ Smooth UCT, OpenSpiel's
and LiteEFG's best responses, OpenSpiel's C++ external-sampling MCCFR (for the time to 0.036), the
papers of IS-MCTS and of Smooth UCT.
"""

import time
from collections.abc import Iterator
from functools import partial
from typing import Any

from fpmcts.tabular.algorithms import make
from fpmcts.tabular.best_response import best_response_values, nash_conv
from fpmcts.tabular.listed_game import best_response_values as any_best_response_values
from fpmcts.tabular.listed_game import listing
from games import make as make_game

from .measure import Row, median_seconds, rate

NASH_CONV = 0.036
EPISODES: tuple[tuple[str, str, int, int, float | None, dict[str, float]], ...] = (
    ("smooth_uct", "kuhn", 20_000_000, 5_000_000, 10_000_000, {"C++": 2_900_000}),
    ("uct", "kuhn", 20_000_000, 5_000_000, None, {}),
    ("outcome_sampling", "kuhn", 20_000_000, 5_000_000, None, {}),
    ("smooth_uct", "leduc", 20_000_000, 5_000_000, 6_000_000, {"C++": 1_500_000}),
    ("uct", "leduc", 20_000_000, 5_000_000, None, {}),
    ("outcome_sampling", "leduc", 20_000_000, 5_000_000, None, {}),
    ("smooth_uct", "limit_holdem", 5_000_000, 2_000_000, 1_000_000, {"paper": 51_000}),
    ("uct", "limit_holdem", 5_000_000, 2_000_000, 1_000_000, {"paper": 51_000}),
)
"""Algorithm, game, episodes before and while it is timed, target and references."""
ISMCTS: tuple[tuple[str, dict[str, Any], dict[str, tuple[int, int]], float], ...] = (
    (
        "goofspiel",
        {"cards": 6},
        {
            "uct": (2_000_000, 39_000),
            "exp3": (1_500_000, 34_000),
            "regret_matching": (2_000_000, 59_000),
        },
        0.5,
    ),
    (
        "phantom_tictactoe",
        {"variant": "small"},
        {
            "uct": (2_000_000, 51_000),
            "exp3": (1_500_000, 34_000),
            "regret_matching": (2_500_000, 95_000),
        },
        10.0,
    ),
)
"""Game, options, target and the paper's rate by selection, target in seconds of best responses."""


def seconds_to(bound: float, learner: Any) -> float:
    """Returns the seconds until NashConv is at most the bound at two checks in a row.

    Checks come every 2 million episodes and count; infinite if 400 million are not enough.
    """
    start, below = time.perf_counter(), 0
    while learner.episodes < 400_000_000:
        learner.run(2_000_000)
        below = below + 1 if nash_conv(learner.game, learner.average_policy()) <= bound else 0
        if below == 2:
            return time.perf_counter() - start
    return float("inf")


def run() -> Iterator[Row]:
    """Yields the rates on one core, for the papers' parameters and seed 0."""
    for name, game, before, count, target, reference in EPISODES:
        learner = make(name, make_game(game, **({"players": 2} if game == "limit_holdem" else {})))
        learner.run(before)
        yield rate(
            f"{name}, {game}", "episodes", count, partial(learner.run, count), target, reference
        )
    leduc = make_game("leduc").tables
    seconds = median_seconds(partial(best_response_values, leduc, leduc.uniform_policy()))
    reference = {"LiteEFG": 0.6, "OpenSpiel C++": 60}
    yield Row("exact best responses of both players, leduc", 1000 * seconds, "ms", 1, reference)
    seconds = seconds_to(NASH_CONV, make("smooth_uct", "leduc"))
    reference = {"C++ Smooth UCT": 300, "OpenSpiel C++ ES-MCCFR": 30}
    yield Row(f"smooth_uct, leduc, to a NashConv of {NASH_CONV}", seconds, "s", 15, reference)
    for game, options, selections, most in ISMCTS:
        made = make_game(game, **options)
        for selection, (target, paper) in selections.items():
            learner = make("ismcts", made, selection=selection)
            function = partial(learner.run, 1_000_000)
            yield rate(
                f"ismcts, {selection}, {game}",
                "iterations",
                1_000_000,
                function,
                target,
                {"paper": paper},
            )
        function = partial(any_best_response_values, listing(made), learner.policy())
        yield Row(
            f"exact best responses of both players, {game}", median_seconds(function), "s", most
        )
