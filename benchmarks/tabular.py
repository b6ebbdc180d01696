"""Tabular algorithms on one core: episodes/s on Kuhn and Leduc, exact best responses, the time of Smooth UCT to a NashConv of
0.036; IS-MCTS and exact best responses on Goofspiel and Phantom Tic-Tac-Toe, in processor time, with and without growth.

The references were measured elsewhere and on other machines: a public C++ Smooth UCT, OpenSpiel's and LiteEFG's best responses,
OpenSpiel's C++ external-sampling MCCFR (for the time to 0.036).
"""

import time
from statistics import median
from typing import Any

from benchmarks.table import Row, median_seconds
from games import make as make_game
from tabular.algorithms import make
from tabular.best_response import best_response_values, nash_conv
from tabular.learner import Learner
from tabular.listed_game import best_response_values as any_best_response_values
from tabular.listed_game import listing

_EPISODES = 5_000_000
_WARM_UP = 20_000_000
_NASH_CONV = 0.036
_BETWEEN = 2_000_000
_LIMIT = 400_000_000
_TARGETS = {("smooth_uct", "kuhn"): 10_000_000, ("smooth_uct", "leduc"): 6_000_000}
_REFERENCES = {
    ("smooth_uct", "kuhn"): {"C++": 2_900_000},
    ("smooth_uct", "leduc"): {"C++": 1_500_000, "numba prototype": 4_700_000},
}
_ISMCTS: tuple[tuple[str, dict[str, Any], dict[str, tuple[int, dict[str, int]]]], ...] = (
    (
        "goofspiel",
        {"cards": 6},
        {
            "uct": (2_000_000, {"paper": 39_000, "its author's Java": 600_000}),
            "exp3": (1_500_000, {"paper": 34_000, "its author's Java": 340_000}),
            "regret_matching": (2_000_000, {"paper": 59_000, "its author's Java": 430_000}),
        },
    ),
    (
        "phantom_tictactoe",
        {"variant": "small"},
        {
            "uct": (2_000_000, {"paper": 51_000}),
            "exp3": (1_500_000, {"paper": 34_000}),
            "regret_matching": (2_500_000, {"paper": 95_000}),
        },
    ),
)
_NASH_CONV_SECONDS = {"goofspiel": 0.5, "phantom_tictactoe": 10.0}
_NAMES = {"smooth_uct": "Smooth UCT", "uct": "UCT", "outcome_sampling": "Outcome Sampling, alternating"}


def iterations_per_second(learner: Learner, first: int = 1_000_000, each: int = 1_000_000) -> float:
    """Returns the rate in processor time, the median of five repetitions after the first so many iterations."""
    learner.run(first)
    rates = []
    for _ in range(5):
        started = time.thread_time()
        learner.run(each)
        rates.append(each / (time.thread_time() - started))
    return median(rates)


def _ismcts_rows() -> list[Row]:
    """Returns the rates of IS-MCTS and the time of NashConv of what it learned."""
    rows: list[Row] = []
    for name, options, selections in _ISMCTS:
        game = make_game(name, **options)
        text = " ".join([name.replace("_", " ").title(), *(str(value) for value in options.values())])
        for selection, (target, reference) in selections.items():
            learner = make("ismcts", game, selection=selection)
            rate = iterations_per_second(learner)
            unit = f"iterations/s ({learner.table.num_rows:,} sets of {learner.table.bytes_per_set:.0f} bytes)"
            rows.append(
                {"name": f"IS-MCTS, {selection}, {text}", "value": rate, "unit": unit, "target": target, "reference": reference}
            )
        listed, policy = listing(game), learner.policy()
        any_best_response_values(listed, policy)
        started = time.thread_time()
        any_best_response_values(listed, policy)
        seconds = time.thread_time() - started
        rows.append(
            {
                "name": f"exact best responses of both players, {text} ({listed.histories:.1e} decisions in all histories)",
                "value": seconds,
                "unit": "s",
                "target": _NASH_CONV_SECONDS[name],
                "reference": None,
            }
        )
    return rows


def episodes_per_second(learner: Learner) -> float:
    """Returns the rate from episode 20 million on, the median of five repetitions of 5 million."""
    learner.run(_WARM_UP)
    return _EPISODES / median_seconds(lambda: learner.run(_EPISODES))


def seconds_to(nash_conv_bound: float, learner: Any) -> float:
    """Returns the seconds until the average policy's NashConv is at most the bound at two checks in a row, checks included.

    It is looked at every 2 million episodes; infinite if 400 million are not enough.
    """
    start, below = time.perf_counter(), 0
    while learner.episodes < _LIMIT:
        learner.run(_BETWEEN)
        below = below + 1 if nash_conv(learner.game, learner.average_policy()) <= nash_conv_bound else 0
        if below == 2:
            return time.perf_counter() - start
    return float("inf")


def run() -> list[Row]:
    """Returns the rates on one core, for the papers' parameters and seed 0."""
    rows: list[Row] = []
    for game in ("kuhn", "leduc"):
        for name, text in _NAMES.items():
            rows.append(
                {
                    "name": f"{text}, {game.capitalize()}",
                    "value": episodes_per_second(make(name, game)),
                    "unit": "episodes/s",
                    "target": _TARGETS.get((name, game)),
                    "reference": _REFERENCES.get((name, game)),
                }
            )
    leduc = make_game("leduc").tables
    uniform = leduc.uniform_policy()
    rows.append(
        {
            "name": "exact best responses of both players, Leduc (5,520 terminal histories)",
            "value": median_seconds(lambda: best_response_values(leduc, uniform)) * 1000,
            "unit": "ms",
            "target": 1,
            "reference": {"LiteEFG": 0.6, "OpenSpiel C++": 60},
        }
    )
    rows.append(
        {
            "name": f"Smooth UCT, Leduc, to a NashConv of {_NASH_CONV} (seed 0)",
            "value": seconds_to(_NASH_CONV, make("smooth_uct", leduc)),
            "unit": "s",
            "target": 15,
            "reference": {"C++ Smooth UCT": 300, "OpenSpiel C++ ES-MCCFR": 30},
        }
    )
    return rows + _ismcts_rows()
