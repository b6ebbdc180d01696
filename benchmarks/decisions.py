"""A set of judged decisions of Doudizhu's card play: the regret of any player, in minutes.

    python -m benchmarks decisions a=policy b=fpmcts b.playouts=64
    python -m benchmarks decisions make=2000 worlds=48 file=docs/decisions/doudizhu.jsonl

A line of the file is a position: ``record``, the deal and the moves so far; ``kind``: ``open`` (the
network's likeliest move has less than 90 %), ``endgame`` (some hand has five cards or less) or
``usual``; ``best``, the reference move; and ``losses``, for every legal move how much less it wins
than the reference (share of games) and the standard error of that, over worlds, without that of the
particles. The worlds are those of the search (phases 1 and 2, 640 particles,
``fpmcts.players.judge``). Half as many other worlds choose the reference move, so that losses have
no bias by that choice; a better move has a negative one.

Positions are decisions of games between ``policy`` players with 2 to 12 legal moves: all that are
open, and one in eight of the others.
"""

import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from fpmcts.configuration import pairs
from fpmcts.players import load_player
from fpmcts.players.judge import Judge
from games import make
from games.base.estimate import Estimate, estimate
from games.base.settings import ConfigError
from games.play.table import Table

FILE = Path(__file__).parent.parent / "docs" / "decisions" / "doudizhu.jsonl"
MOST_LEGAL, PLAYOUTS = 12, 64
OPEN, LATE, RARE = 0.9, 5, 8


def positions(policy: Any, first: int) -> Iterator[tuple[str, Table]]:
    """Yields decisions of games between ``policy`` players, by their kind."""
    chance = np.random.default_rng(first)
    for seed in range(first, sys.maxsize):
        table = Table(policy.game, seed=seed)
        while not table.is_over:
            decision = policy.decide(table)
            if 2 <= len(table.legal()) <= MOST_LEGAL:
                shares = list((decision.policy or {}).values())
                kind = "usual"
                if min(table.describe()["cards_left"]) <= LATE:
                    kind = "endgame"
                elif decision.reason == "chosen" and max(shares) < OPEN:
                    kind = "open"
                if kind == "open" or chance.random() < 1.0 / RARE:
                    yield kind, table.copy()
            table.play(decision.action)


def judged(
    judge: Judge, table: Table, worlds: int, seed: int
) -> tuple[str, dict[str, tuple[float, float]]]:
    """Returns the reference move, and each move's loss with its standard error."""
    moves = table.legal()
    drawn = judge.worlds(table, worlds + worlds // 2, seed)
    won = judge.values(table, moves, drawn, seed)
    best = int(won[:, worlds:].mean(axis=1).argmax())
    found = [estimate(won[best, :worlds] - row) for row in won[:, :worlds]]
    losses = {
        move.text: (round(one.mean, 4), round(one.error, 4))
        for move, one in zip(moves, found, strict=True)
    }
    return moves[best].text, losses


def make_set(number: int, worlds: int, file: Path, first: int = 1, seconds: float = 1e9) -> None:
    """Writes judged positions to a file, as many as asked for or as the seconds allow."""
    judge, began = Judge(make("doudizhu"), PLAYOUTS), time.monotonic()
    lines: list[str] = []
    for kind, table in positions(judge.policy, first):
        best, losses = judged(judge, table, worlds, len(lines))
        record = {key: table.record()[key] for key in ("rules", "hands", "bottom", "moves")}
        row = {"kind": kind, "worlds": worlds, "best": best, "losses": losses, "record": record}
        lines.append(json.dumps(row))
        file.write_text("\n".join(lines) + "\n")
        if len(lines) == number or time.monotonic() - began > seconds:
            return


def regret(player: Any, rows: Sequence[dict[str, Any]]) -> tuple[Estimate, float]:
    """Returns the mean loss of a player's moves in a set (share of games), with its standard error
    over positions, and how often it plays the reference move.
    """
    losses, same = [], 0
    for row in rows:
        move = player.decide(Table(player.game, record=row["record"])).move
        losses.append(row["losses"][move][0])
        same += move == row["best"]
    return estimate(np.array(losses)), same / len(rows)


def read(file: Path) -> list[dict[str, Any]]:
    """Returns the positions of a file."""
    return [json.loads(line) for line in file.read_text().splitlines()]


def main(arguments: Sequence[str]) -> int:
    """Runs a command line; returns the exit status. Raises ConfigError."""
    given = dict(pairs(list(arguments)))
    file = Path(given.pop("file", FILE))
    if "make" in given:
        values = {key: yaml.safe_load(text) for key, text in given.items()}
        if unknown := values.keys() - {"make", "worlds", "seconds", "first"}:
            known = "expected make, worlds, seconds, first or file"
            raise ConfigError(f"{min(unknown)}={given[min(unknown)]}: unknown key; {known}")
        worlds, seconds = values.get("worlds", 48), values.get("seconds", 1e9)
        make_set(values["make"], worlds, file, values.get("first", 1), seconds)
        return 0
    labels = [key for key in given if "." not in key]
    if not labels:
        raise ConfigError("decisions: expected a player, such as a=policy, or make=300")
    if not file.is_file():
        raise ConfigError(f"there is no {file}; make=300 makes it")
    rows, game = read(file), make("doudizhu")
    for label in labels:
        options = {
            key.partition(".")[2]: yaml.safe_load(text)
            for key, text in given.items()
            if key.startswith(f"{label}.")
        }
        began = time.monotonic()
        loss, same = regret(load_player(given[label], game, **options), rows)
        print(
            f"{label}={given[label]} {options or ''}: regret {100 * loss.mean:.2f} ± "
            f"{100 * loss.error:.2f} % of games, the reference move {100 * same:.0f} %, "
            f"{len(rows)} positions, {time.monotonic() - began:.0f} s",
            flush=True,
        )
    return 0
