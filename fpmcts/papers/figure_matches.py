"""Matches between the runs of a figure: snapshots of greedy policies, curves of what they win, and
a table of the last ones.

Source: Heinrich & Silver 2015, 4.3, figure 3 and tables 2 and 3.
"""

from collections.abc import Mapping
from dataclasses import astuple
from itertools import combinations, permutations, product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from fpmcts.cluster.pools import Stopping, ThreadPool, Tick
from fpmcts.cluster.store import ResultFile
from fpmcts.plots import PlotLine
from fpmcts.progress import Progress
from fpmcts.tabular.learner import DenseLearner
from fpmcts.tabular.matches import ALWAYS_CALL, RANDOM, symmetric_play
from fpmcts.training.tabular import mark_after
from games.base.estimate import Estimate
from games.base.files import replacing
from games.kernels import PARSING
from games.play.tables import Tables
from networks.checkpoint import CheckpointError

SNAPSHOTS_PER_DECADE, FIRST_SNAPSHOT = 5, 1_000_000
FIXED: Mapping[str, np.ndarray] = {"random": RANDOM, "always call": ALWAYS_CALL}
"""Opponents that learn nothing."""


class Match(NamedTuple):
    """One player of the first policy against all others of the second, both after ``mark``
    episodes.
    """

    first: str
    second: str
    mark: int
    deals: int
    seed: int


def keep_snapshot(folder: Path, learner: DenseLearner, last: int) -> None:
    """Writes the greedy policy, a byte per information set, where a mark of the grid was passed,
    and at the last episode.
    """
    taken = [episodes for episodes in snapshots(folder) if episodes < learner.episodes]
    mark = mark_after(max(taken, default=0), FIRST_SNAPSHOT, SNAPSHOTS_PER_DECADE)
    if learner.episodes < min(mark, last):
        return
    path = folder / f"greedy-{learner.episodes}.npy"
    try:
        with replacing(path) as temporary, temporary.open("wb") as file:
            np.save(file, learner.greedy_slots())
    except OSError as error:
        raise CheckpointError(f"cannot write {path}: {error}") from error


def snapshots(folder: Path) -> list[int]:
    """Returns the numbers of episodes of the snapshots in a folder, ascending."""
    return sorted(int(path.stem.partition("-")[2]) for path in folder.glob("greedy-*.npy"))


def name(first: str, second: str, num_players: int) -> str:
    """Returns a text such as ``UCT against random``, with numbers where there are more than two
    players.
    """
    if num_players == 2:
        return f"{first} against {second}"
    return f"1 {first} against {num_players - 1} {second}"


def play_matches(
    game: Tables,
    folders: Mapping[str, Path],
    store: ResultFile,
    deals: tuple[int, int],
    threads: int,
    progress: Progress,
    stopping: Stopping,
) -> tuple[dict[str, PlotLine], dict[str, dict[str, Estimate]]] | None:
    """Returns lines and the final table (row, column); None if it was stopped.

    Args:
        game: The game.
        folders: Folder of the run of each label.
        store: Keeps the results of matches.
        deals: Of a match at a mark, and of one of the table.
        threads: Matches side by side.
        progress: Called after each match.
        stopping: Whether to begin no more matches.
    """
    labels = list(folders)
    marks = sorted(set.intersection(*(set(snapshots(folder)) for folder in folders.values())))
    if not marks:
        raise CheckpointError(
            f"no policies to play with in {', '.join(map(str, folders.values()))}; run the figure "
            "from the start"
        )
    between = list((combinations if game.num_players == 2 else permutations)(labels, 2))
    against = list(product(labels, FIXED))
    matches = [Match(*pair, mark, deals[0], 0) for mark in marks for pair in between + against]
    matches += [Match(*pair, marks[-1], deals[1], 1) for pair in between + against]

    def player(label: str, mark: int) -> np.ndarray:
        if label in FIXED:
            return FIXED[label]
        with PARSING:
            snapshot: np.ndarray = np.load(folders[label] / f"greedy-{mark}.npy")
        return snapshot

    def play(match: Match, tick: Tick) -> tuple[float, ...]:
        players = [player(label, match.mark) for label in (match.first, match.second)]
        seating = [0] + [1] * (game.num_players - 1)
        return astuple(symmetric_play(game, players, seating, match.deals, match.seed)[0])

    def show(done: int) -> None:
        progress("matches", done, len(matches), "matches")

    pool, units = ThreadPool([play] * threads), {match: match for match in matches}
    kept = dict(pool.results(units, dict.fromkeys(units, 1), show, store, stopping))
    if any(match not in kept for match in matches):
        return None
    results = {}
    for match in matches:
        mean, error, count = kept[match]
        results[match] = Estimate(mean, error, int(count))
    lines = {}
    for panel, pairs in enumerate((between, against)):
        for pair in pairs:
            found = [results[Match(*pair, mark, deals[0], 0)] for mark in marks]
            means, errors = np.array([(one.mean, one.error) for one in found]).T
            lines[name(*pair, game.num_players)] = PlotLine(np.array(marks), means, errors, panel)
    last = {pair: results[Match(*pair, marks[-1], deals[1], 1)] for pair in between + against}
    if game.num_players == 2:  # what one wins the other loses
        last |= {(b, a): result.scaled(-1.0) for (a, b), result in last.items()}
    return lines, {b: {a: last[a, b] for a in labels if a != b} for b in [*labels, *FIXED]}


def table_lines(table: Mapping[str, Mapping[str, Estimate]], num_players: int) -> list[str]:
    """Returns the final table as text, one line for each match-up."""
    others = "" if num_players == 2 else f"{num_players - 1} x "
    return [
        f"{column} against {others}{row}: {result.mean:.2f} ± {result.error:.2f} mbb/h on "
        f"{result.count:,} deals"
        for row, columns in table.items()
        for column, result in columns.items()
    ]
