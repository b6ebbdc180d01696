"""Core-minutes until Doudizhu is played well, from nothing: ``python -m benchmarks speedrun``.

The rules, so that entries of any two commits compare:

- The run is the default one, ``python train.py game=doudizhu``, of three seeds on two threads.
- The clock is that of the run: wall time of its steps, without compilation, times two.
- After every ``EVERY`` core-minutes, while the clock stands, the saved ``policy`` plays RHCP on
  ``DECKS`` decks that no run trains on, the same ones each time. A level is reached when the mean
  is at least as high; the decks are the same for all, and the mean has an error of about 0.4.
- A seed ends with its last level. ``network alone`` is the policy then, without the rule that plays
  proven wins.

Runs lie in ``runs/speedrun-SEED``; an interrupted one resumes. ``runs/speedrun/figure.png`` shows
the measurements of all.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from fpmcts import Run, match
from fpmcts.plots import Panel, PlotLine, check_plots, draw
from games.base.estimate import Estimate
from games.base.files import write

from .measure import Row

SEEDS, THREADS = (0, 1, 2), 2
LEVELS = 65.0, 70.0, 74.0, 76.4
"""Shares of games won in per cent; the last one is DouZero's (Zha et al. 2021, table 1)."""
EVERY, LONGEST = 10.0, 240.0
"""Core-minutes between two measurements, and after which a seed is given up."""
DECKS, SEED = 4_000, 20_261_129
NOTES = "speedrun.json"


def won(run: Run, **options: object) -> tuple[float, float]:
    """Returns the share of games that the saved policy wins against RHCP, and its standard error,
    in per cent.
    """
    wp: Estimate = match(run.game, run.player("policy", **options), "rhcp", DECKS, SEED).wp
    return 100.0 * wp.mean, 100.0 * wp.error


def folder_of(seed: int) -> Path:
    """Returns the run of a seed."""
    return Path(f"runs/speedrun-{seed}")


def measurements(seed: int) -> list[list[float]]:
    """Returns the measurements of a seed: core-minutes, share of games won, its error."""
    notes = folder_of(seed) / NOTES
    return json.loads(notes.read_text()) if notes.exists() else []


def draw_measurements() -> None:
    """Draws the measurements of all seeds."""
    lines = {
        f"seed {seed}": PlotLine(*np.array(found).T)
        for seed in SEEDS
        if (found := measurements(seed))
    }
    panel = Panel("Games won against RHCP, %", "none", across="Core-minutes")
    folder = Path("runs/speedrun")
    folder.mkdir(exist_ok=True)
    draw(folder, "policy, from nothing", [panel], lines, {"decks": DECKS})


def rows_of(seed: int) -> Iterator[Row]:
    """Yields the core-minutes to each level, and the network alone at the end. Measurements of
    former sessions are read from the folder of the run.
    """
    folder, levels, found = folder_of(seed), list(LEVELS), measurements(seed)

    def reached(spent: float, share: float) -> Iterator[Row]:
        while levels and share >= levels[0]:
            yield Row(f"seed {seed}, {levels.pop(0)} % against RHCP", spent, "core-min")

    for spent, share, _ in found:
        yield from reached(spent, share)
    run = Run(
        folder,
        game="doudizhu",
        seed=seed,
        threads=THREADS,
        budget={"minutes": LONGEST / THREADS},
        evaluation={"decks": 0, "search_decks": 0},
    )
    for _ in run if levels else ():
        spent = THREADS * run.seconds / 60
        if spent >= EVERY + (found[-1][0] if found else 0.0):
            found.append([spent, *won(run)])
            write(folder / NOTES, json.dumps(found))
            yield from reached(*found[-1][:2])
        if not levels:
            break
    spent = THREADS * run.seconds / 60
    if not found:  # the run was over before its first measurement
        found.append([spent, *won(run)])
    yield Row(f"seed {seed}, policy after {spent:.0f} core-min", found[-1][1], "%")
    yield Row(f"seed {seed}, network alone", won(run, solve=False)[0], "%")


def run() -> Iterator[Row]:
    """Yields the rows of all seeds."""
    check_plots()
    for seed in SEEDS:
        yield from rows_of(seed)
        draw_measurements()
