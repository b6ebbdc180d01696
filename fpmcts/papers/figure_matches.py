"""Matches between the runs of a figure: snapshots of greedy policies, curves of what they win, and
a table of the last ones.

Source: Heinrich & Silver 2015, 4.3, figure 3 and tables 2 and 3.
"""

import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fpmcts.cluster.pools import ThreadPool, Tick
from fpmcts.evaluation.units import Store
from fpmcts.papers.drawing import Line
from fpmcts.papers.job import Stopping
from fpmcts.progress import Progress
from fpmcts.tabular.learner import DenseLearner
from fpmcts.tabular.matches import ALWAYS_CALL, RANDOM, Result, symmetric_play
from games.tables import Tables
from networks.checkpoint import CheckpointError

SNAPSHOTS_PER_DECADE, FIRST_SNAPSHOT = 5, 1_000_000
FIXED: Mapping[str, np.ndarray] = {"random": RANDOM, "always call": ALWAYS_CALL}
"""Opponents that learn nothing."""


class Match(NamedTuple):
    """One player of the first policy against all others of the second; ``mark``: episodes of
    both.
    """

    first: str
    second: str
    mark: int


def _number(episodes: int) -> int:
    """Returns how many marks of the geometric grid of snapshots are not beyond a number of
    episodes.
    """
    grid = SNAPSHOTS_PER_DECADE * math.log10(max(episodes, 1) / FIRST_SNAPSHOT)
    return max(-1, math.floor(grid + 1e-9)) + 1


def keep_snapshot(folder: Path, learner: DenseLearner, last: int) -> None:
    """Writes the greedy policy, a byte per information state, where a mark of the grid was passed,
    and at the last episode.
    """
    taken = [episodes for episodes in snapshots(folder) if episodes < learner.episodes]
    if _number(learner.episodes) == _number(max(taken, default=0)) and learner.episodes < last:
        return
    path = folder / f"greedy-{learner.episodes}.npy"
    temporary = path.with_suffix(".tmp")
    try:
        with temporary.open("wb") as file:
            np.save(file, learner.greedy_slots())
        os.replace(temporary, path)
    except OSError as error:
        raise CheckpointError(f"cannot write {path}: {error}") from error


def snapshots(folder: Path) -> list[int]:
    """Returns the numbers of episodes of the snapshots in a folder, ascending."""
    return sorted(int(path.stem.partition("-")[2]) for path in folder.glob("greedy-*.npy"))


def name(match: Match, num_players: int) -> str:
    """Returns a text such as ``UCT against random``, with numbers where there are more than two
    players.
    """
    if num_players == 2:
        return f"{match.first} against {match.second}"
    return f"1 {match.first} against {num_players - 1} {match.second}"


def play_matches(
    game: Tables,
    folders: Mapping[str, Path],
    store: Store,
    deals: int,
    final_deals: int,
    threads: int,
    progress: Progress,
    stopping: Stopping,
) -> tuple[dict[str, Line], dict[str, dict[str, Result]]] | None:
    """Returns lines and the final table (row, column); None if it was stopped.

    Args:
        game: The game.
        folders: Folder of the run of each label.
        store: Keeps the results of matches.
        deals: Of a match at a mark.
        final_deals: Of a match of the table.
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
    between = [
        (a, b)
        for a in labels
        for b in labels
        if a != b and (game.num_players > 2 or labels.index(a) < labels.index(b))
    ]
    against = [(a, b) for a in labels for b in FIXED]
    units = [(Match(a, b, mark), deals, 0) for mark in marks for a, b in between + against]
    units += [(Match(a, b, marks[-1]), final_deals, 1) for a, b in between + against]

    def player(label: str, mark: int) -> np.ndarray:
        return FIXED[label] if label in FIXED else np.load(folders[label] / f"greedy-{mark}.npy")

    def play(unit: tuple[Match, int, int], tick: Tick) -> Result | None:
        match, count, seed = unit
        if stopping():
            return None
        players = [player(label, match.mark) for label in (match.first, match.second)]
        return symmetric_play(game, players, [0] + [1] * (game.num_players - 1), count, seed)[0]

    results = {
        (Match(*match), count, seed): Result(*result)
        for (match, count, seed), result in store.finished()
    }
    missing = [unit for unit in units if unit not in results]
    for k, result in ThreadPool([play] * threads).run(missing):
        if result is None:
            continue
        store.add(missing[k], result)
        results[missing[k]] = result
        progress("matches", sum(unit in results for unit in units), len(units), "matches")
    if any(unit not in results for unit in units):
        return None
    lines = {}
    for pairs, panel in ((between, 0), (against, 1)):
        for a, b in pairs:
            of_pair = [results[Match(a, b, mark), deals, 0] for mark in marks]
            means, errors = (np.array([result[k] for result in of_pair]) for k in (0, 1))
            lines[name(Match(a, b, 0), game.num_players)] = Line(
                np.array(marks), means, errors, panel
            )
    last = {(a, b): results[Match(a, b, marks[-1]), final_deals, 1] for a, b in between + against}
    if game.num_players == 2:  # what one wins the other loses
        last |= {(b, a): result._replace(mean=-result.mean) for (a, b), result in last.items()}
    return lines, {b: {a: last[a, b] for a in labels if a != b} for b in [*labels, *FIXED]}


def table_lines(table: Mapping[str, Mapping[str, Result]], num_players: int) -> list[str]:
    """Returns the final table as text, one line for each match-up."""
    others = "" if num_players == 2 else f"{num_players - 1} x "
    return [
        f"{column} against {others}{row}: {result.mean:.2f} ± {result.error:.2f} mbb/h on "
        f"{result.deals:,} deals"
        for row, columns in table.items()
        for column, result in columns.items()
    ]


def table_facts(table: Mapping[str, Mapping[str, Result]]) -> dict[str, Any]:
    """Returns the final table for ``figure.json``."""
    return {
        row: {column: result._asdict() for column, result in columns.items()}
        for row, columns in table.items()
    }
