"""Finds puzzles: ``fpmcts puzzles FILE [key=value …]``.

  fpmcts puzzles mine.jsonl                             in games of our networks, until Ctrl-C
  fpmcts puzzles mine.jsonl game=doudizhu:bidding=rob,doubling=true number=20 seconds=600
  fpmcts puzzles mine.jsonl games=played.jsonl          your mistakes: games saved by the page, or
                                                        by fpmcts evaluate save=FILE
  fpmcts play puzzles=mine.jsonl                        shows them

A puzzle is a decision with one clearly best move, which the network does not find obvious, or the
game's "easy" player misses. Each is judged in 1,000 worlds of the search, against every move that
is not far behind in 96 (losses and their errors: fpmcts/players/judge.py); where all hands are
short, the endgame solver must agree.
The same command continues a file. number= is how many to find in all (default 100), seconds= how
long to search, first= the seed of the first game.
"""

import json
import time
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path

import numpy as np

from fpmcts.configuration import pairs
from fpmcts.players import load_player
from fpmcts.players.judge import Judge
from fpmcts.web.errors import Json, RefusedError, parse_json
from fpmcts.web.review.comparing import classify
from fpmcts.web.review.judging import PUZZLES
from fpmcts.web.tables.lobby import numbered_lines
from fpmcts.web.tables.puzzles import read
from fpmcts.web.tables.rulebook import Rulebook, positions
from games.base.estimate import Estimate, estimate
from games.base.files import write
from games.base.help import say
from games.base.settings import ConfigError
from games.kernels.rows import States, take
from games.play.decision import CHOSEN
from games.play.table import Table

OBVIOUS = 0.9
"""The largest probability of a move without search at which a decision may be a puzzle."""
LEAST_MOVES = 10
"""Moves before a puzzle: fewer say little about the hidden hands."""
LEGAL = range(3, 13)
"""Numbers of legal moves: of two, one is guessed; many take long."""
SOME, FEW, MANY = 32, 96, 1000
"""Worlds in which all moves are valued, a first and a second time, and those of which one may be
the best.
"""
SOLVED = 32
"""Worlds that the solver is given."""


class Finder:
    """Finds puzzles of one game.

    Args:
        games: The games.
        name: The game's name, with its options.
    """

    def __init__(self, games: Rulebook, name: str) -> None:
        self._info, self.game = games.info(name), games.game(name)
        if self.game.spec.mixes:
            raise ConfigError(f"game={name}: good play is random there; expected one without that")
        self.judge = Judge(self.game, MANY)
        strength = games.pages[self._info.base].get("strength", {}).get(name, {})
        easy = (player for player, known in strength.items() if known["level"] == "easy")
        self._easy = [load_player(player, self.game) for player in easy]

    def played(self, seed: int) -> Table:
        """Returns a game that the networks play."""
        table = Table(self.game, seed=seed)
        while not table.is_over:
            table.play(self.judge.policy.decide(table).action)
        return table

    def puzzle(self, table: Table, seed: int) -> Json | None:
        """Returns the fields of a puzzle at a table; None if there is none."""
        moves = table.legal()
        if len(table.moves) < LEAST_MOVES or len(moves) not in LEGAL:
            return None
        decision = self.judge.policy.decide(table)
        easy = {player.decide(table).move for player in self._easy}
        sure = max((decision.policy or {"": 1.0}).values()) > OBVIOUS
        if decision.reason != CHOSEN or (sure and easy <= {decision.move}):
            return None
        low, clear = self._info.classes[:2]
        worlds = self.judge.worlds(table, FEW + MANY, seed)
        for number in (SOME, FEW):
            values = self.judge.values(table, moves, take(worlds, slice(number)), seed)
            best = int(values.mean(axis=1).argmax())
            losses = self._losses(values, best)
            others = [k for k in range(len(moves)) if k != best]
            if any(losses[k].mean < low for k in others):
                return None
        near = [best, *(k for k in others if losses[k].low < clear)]
        if len(near) == 1:
            near.append(min(others, key=lambda k: losses[k].mean))
        drawn = take(worlds, slice(FEW, None))
        again = self.judge.values(table, [moves[k] for k in near], drawn, seed)
        losses |= dict(zip(near, self._losses(again, 0).values(), strict=True))
        if any(classify(losses[k], self._info.classes) not in PUZZLES for k in others):
            return None
        solved = self._solved(table, worlds, best)
        if solved not in (None, best) or (sure and moves[best].text in easy):
            return None
        digits = 1 if self.judge.win_only else 3
        return {
            "game": self._info.name,
            "theme": self.game.theme(table.describe(), moves[best].text),
            "best": moves[best].text,
            "losses": {
                moves[k].text: [round(losses[k].mean, digits), round(losses[k].error, digits)]
                for k in others
            },
            "worlds": MANY,
            "solved": solved is not None,
            "record": {"players": ["policy"] * self.game.spec.num_seats, **table.record()},
        }

    def _losses(self, values: np.ndarray, best: int) -> dict[int, Estimate]:
        """Returns how much worse each move is than the best one, in the unit of reviews."""
        scale = 100.0 if self.judge.win_only else 1.0
        return {k: estimate(scale * (values[best] - row)) for k, row in enumerate(values)}

    def _solved(self, table: Table, worlds: States, best: int) -> int | None:
        """Returns the move that solving open hands prefers; None if they are too long."""
        endgame, view = self.game.endgame(not self.judge.win_only, False), table.view(table.seat)
        if endgame is None or not endgame.is_near(view)[0]:
            return None
        actions = np.array([[move.action for move in table.legal()]], np.int16)
        choice, num = actions[:, best], np.array([actions.shape[1]], np.int32)
        some, none = take(worlds, slice(SOLVED)), np.zeros(actions.shape, np.float32)
        found = endgame.choose(some, actions, none, num, choice)
        return int(np.flatnonzero(actions[0] == found[0])[0])


def own_games(games: Rulebook, file: Path) -> Iterator[tuple[str, int, Table]]:
    """Yields name, line and game of each record of a file. Raises ConfigError."""
    for line, text in numbered_lines(file.read_text("utf-8")):
        try:
            name, table = games.read(parse_json(text))
        except RefusedError as refused:
            raise ConfigError(f"games={file}: line {line}: {refused.text}") from refused
        yield name, line, table


def main(arguments: Sequence[str], command: str = "fpmcts puzzles") -> int:
    """Runs a command line; returns the exit status. Raises ConfigError."""
    if not arguments or {"-h", "--help"} & {*arguments}:
        say((__doc__ or "").replace("fpmcts puzzles", command))
        return 0
    file, given = Path(arguments[0]), dict(pairs(list(arguments[1:])))
    if unknown := given.keys() - {"game", "games", "number", "seconds", "first"}:
        keys = "expected game, games, number, seconds or first"
        raise ConfigError(f"{min(unknown)}={given[min(unknown)]}: unknown key; {keys}")
    try:
        most, first = int(given.get("number", 100)), int(given.get("first", 1))
        end = time.monotonic() + float(given.get("seconds", "inf"))
    except ValueError as error:
        raise ConfigError(f"{error}; expected a number") from error
    source = given.get("games", given.get("game", "doudizhu"))
    rows = read(file) if file.exists() else []
    games, mine = Rulebook([] if "games" in given else [source]), "games" in given
    finders: dict[str, Finder] = {}

    def finder(name: str) -> Finder:
        if name not in finders:
            finders[name] = Finder(games, name)
        return finders[name]

    played = ((source, seed, finder(source).played(seed)) for seed in count(first))
    known = [row["from"] for row in rows if row["from"][0] == source]
    for name, number, table in own_games(games, Path(source)) if mine else played:
        for ply, (move, position) in enumerate(zip(table.moves, positions(table), strict=False)):
            if len(known) >= most or time.monotonic() > end:
                return 0
            at = [source, number, ply]
            if known and at <= max(known):
                continue
            row = finder(name).puzzle(position, 1000 * number + ply)
            if row is not None and not (mine and row["best"] == move.text):
                rows.append(row | {"from": at})
                known.append(at)
                write(file, "".join(f"{json.dumps(each)}\n" for each in rows))
                say(f"{len(known)}: {name}, {row['theme']}, {row['best']}")
    return 0
