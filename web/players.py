"""The players of the engine's process: a question becomes a table, the table is put before a player, its decision is the answer.

A player is given the table and looks at what the seat to move sees of it; ``agents.agent.Agent.decide`` sees to that.
"""

import json
import time
from collections.abc import Callable
from typing import Any

from agents import load_player
from agents.decision import WINS, Decision
from games import make
from games.interface import Game
from games.table import Table
from web.asking import Answer, Question, Row

MOST_HIDDEN = 4
"""Decimal places of probabilities."""


class Players:
    """Players that are made once and kept."""

    def __init__(self) -> None:
        self._games: dict[str, Game] = {}
        self._players: dict[str, Any] = {}

    def _game(self, name: str) -> Game:
        if name not in self._games:
            self._games[name] = make(name)
        return self._games[name]

    def _player(self, question: Question) -> Any:
        key = json.dumps([question.game, question.kind, question.options], sort_keys=True)
        if key not in self._players:
            self._players[key] = load_player(question.kind, self._game(question.game), **question.options)
        return self._players[key]

    def decide(self, question: Question, report: Callable[[Answer], None], cancel: Callable[[], bool]) -> Answer:
        """Returns the answer to a question.

        Args:
            question: Without a record it is about a new deal.
            report: Is told answers on the way.
            cancel: Whether nobody waits any more.
        """
        game = self._game(question.game)
        table = Table(game, record=question.record) if question.record else Table(game, seed=question.seed)
        player = self._player(question)
        player.seed = question.seed
        total = int(question.options.get("playouts", 0))
        deadline = None if question.seconds is None else time.perf_counter() + question.seconds

        def told(decision: Decision, done: int, of: int) -> None:
            report(_answer(game, decision, done, of))

        decision = player.decide(table, report=told, cancel=cancel, deadline=deadline, moves=question.moves)
        return _answer(game, decision, decision.playouts or 0, total)


def _answer(game: Game, decision: Decision, done: int, total: int) -> Answer:
    """Returns a decision as an answer."""
    rows = None
    if decision.root is not None:
        found = [Row(row.move, row.prior, row.visits, row.mean, row.standard_error) for row in decision.root]
        rows = tuple(sorted(found, key=lambda row: (row.move != decision.move, -row.visits, -(row.prior or 0.0))))
    hidden = None
    if decision.hidden is not None:
        ess = decision.hidden.effective_samples
        chances = [[[round(p, MOST_HIDDEN) for p in counts] for counts in ranks] for ranks in decision.hidden.probabilities]
        names = getattr(game, "rank_names", None)
        hidden = {"ranks": None if names is None else list(names), "p": chances, "ess": ess, "active": ess is not None}
    return Answer(
        move=decision.move,
        unit="wp" if decision.unit == WINS else "points",
        value=decision.value,
        policy=decision.policy,
        rows=rows,
        hidden=hidden,
        done=done,
        total=total,
        seconds=decision.seconds,
    )
