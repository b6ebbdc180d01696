"""Tabular algorithms on one core: episodes/s on Kuhn and Leduc, exact best responses, the time of Smooth UCT to a NashConv of
0.036.

The references were measured elsewhere and on other machines: a public C++ Smooth UCT, OpenSpiel's and LiteEFG's best responses,
OpenSpiel's C++ external-sampling MCCFR (for the time to 0.036).
"""

import time

from benchmarks.table import Row, median_seconds
from games import make as make_game
from tabular.algorithms import make
from tabular.best_response import best_response_values, nash_conv
from tabular.learner import TabularLearner

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
_NAMES = {"smooth_uct": "Smooth UCT", "uct": "UCT", "outcome_sampling": "Outcome Sampling, alternating"}


def episodes_per_second(learner: TabularLearner) -> float:
    """Returns the rate from episode 20 million on, the median of five repetitions of 5 million."""
    learner.run(_WARM_UP)
    return _EPISODES / median_seconds(lambda: learner.run(_EPISODES))


def seconds_to(nash_conv_bound: float, learner: TabularLearner) -> float:
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
    return rows
