"""The players in the engine's process: a question becomes a table, and the decision of a player at
that table becomes the answer.

A player gets the table, but ``games.play.agent.Agent.decide`` ensures that it sees only the view of
the seat to move.
"""

import json
import logging
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from threading import Thread
from typing import Any

import numpy as np
import torch

from fpmcts.players.lookup import Host, entrants_of
from fpmcts.players.luck import DEALS, Luck, before_the_deal, luck_of, made_at, repeated
from fpmcts.players.warmup import compile_searches
from fpmcts.web.engine.asking import (
    Answer,
    Earlier,
    EngineQuestion,
    Hear,
    Waiting,
)
from fpmcts.web.tables.rulebook import base_of
from games import Choice
from games.base.estimate import Estimate
from games.kernels.rows import concatenate
from games.play.agent import Agent, observers
from games.play.interface import Game, empty_records
from games.play.position import table_at
from games.play.table import Table

log = logging.getLogger(__name__)
MOST_PLAYERS = 50
"""Maximum number of players kept; each number of playouts needs its own player."""


class Answering:
    """Answers questions with players that are loaded once and kept."""

    def __init__(self) -> None:
        # Batches are small, so two threads only wait for each other, and the server needs a core.
        torch.set_num_threads(1)
        self._hosts: dict[str, Host] = {}
        self._players: dict[tuple[str, str], Any] = {}
        self._starts: dict[tuple[str, str, int], list[Estimate]] = {}
        self._compiling: dict[str, Thread] = {}
        self._met: dict[int, Earlier] = {}

    def _host(self, game: str) -> Host:
        """Returns the host of a game, whose players share what they have loaded."""
        if game not in self._hosts:
            self._hosts[game] = Host(Choice.from_text(game).make(), {}, lanes=1)
        return self._hosts[game]

    def _player(self, question: EngineQuestion) -> Any:
        """Returns the player of a question."""
        game, label = question.game, json.dumps([question.kind, question.options], sort_keys=True)
        if (game, label) not in self._players:
            host = self._host(game)
            entrants = entrants_of(question.kind, host.game, question.options)
            host.entrants = {**host.entrants, **entrants, label: entrants[question.kind]}
            self._players[game, label] = host.make(label)
            if len(self._players) > MOST_PLAYERS:
                gone = self._players.pop(next(iter(self._players)))
                self._met.pop(id(gone), None)  # the number may be another player's next
        return self._players[game, label]

    def _is_compiled(
        self, question: EngineQuestion, hear: Hear, cancel: Callable[[], bool]
    ) -> bool:
        """Compiles the kernels that searching a game needs, on all cores and once per machine;
        returns False if the answer is no longer wanted.

        It continues in separate processes while this one answers questions that do not need those
        kernels.
        """
        game = question.game
        if game not in self._compiling:
            self._compiling[game] = Thread(
                target=compile_searches, args=(self._host(game).game, "puct", log.info), daemon=True
            )
            self._compiling[game].start()
        began, last = time.monotonic(), -1
        while game in self._compiling and self._compiling[game].is_alive():
            if cancel():
                return False
            self._compiling[game].join(0.05)
            if (seconds := int(time.monotonic() - began)) > last:
                last = seconds
                hear(Answer(waits=Waiting(base_of(game), seconds)))
        return True

    def decide(self, question: EngineQuestion, hear: Hear, cancel: Callable[[], bool]) -> Answer:
        """Returns the answer to a question.

        Args:
            question: The question; one without a record is a rehearsal.
            hear: Called with intermediate answers.
            cancel: Returns whether the answer is no longer wanted.
        """
        game = self._host(question.game).game
        if question.kind == "fpmcts" and not self._is_compiled(question, hear, cancel):
            return Answer()
        if question.position is not None:
            table = table_at(game, question.position)
        elif question.record:
            table = Table(game, record=question.record)
        else:
            table = rehearsal(game, question.seed, question.luck is not None)
        if question.luck is not None:
            return Answer(luck=asdict(self._luck(question, table, question.luck, cancel)))
        player = self._player(question)
        player.seed = question.seed
        self._acquaint(player, game, question.earlier)
        total = int(question.options.get("playouts", 0))
        deadline = None if question.seconds is None else time.perf_counter() + question.seconds
        decision = player.decide(
            table,
            report=lambda found, done, of: hear(Answer(found, done, of)),
            cancel=cancel,
            deadline=deadline,
            moves=question.moves,
        )
        done = decision.playouts or 0
        return Answer(decision, done, max(done, total))

    def _acquaint(self, player: Agent, game: Game, earlier: Earlier | None) -> None:
        """Shows only the earlier games of a table to a player that learns during a match."""
        earlier = earlier or Earlier((), ())
        for observer in observers([player]):
            if self._met.get(id(player)) != earlier:
                observer.forget()
                if earlier.records:
                    parsed = [game.parse_record(record) for record in earlier.records]
                    records = empty_records(len(parsed), game.spec.max_moves)
                    for row, (_, moves) in enumerate(parsed):
                        records.moves[row, : len(moves)] = moves
                        records.lengths[row] = len(moves)
                    observer.meet(np.array(earlier.seating[:-1]))
                    observer.observe(concatenate([deal for deal, _ in parsed]), records)
                self._met[id(player)] = earlier
            if earlier.seating:
                observer.meet(np.array(earlier.seating[-1:]))

    def _luck(
        self, question: EngineQuestion, table: Table, num: int, cancel: Callable[[], bool]
    ) -> Luck:
        """Returns the luck of the cards in a finished game, from the analyst's tables or from games
        played by its policy.

        With its policy, all cards count as dealt at the start.
        """
        if question.kind == "tabular":
            found: Luck = self._player(question).luck(table, num, question.seed, cancel)
            return found
        kept = {name: value for name, value in question.options.items() if name == "checkpoint"}
        policy = replace(question, kind="policy", options={**kept, "temperature": 1.0})
        player, game = self._player(policy), self._host(question.game).game
        wins, key = bool(getattr(player, "win_only", False)), (question.game, str(kept), num)
        if key not in self._starts:
            self._starts[key] = before_the_deal(game, player, DEALS * num, wins, cancel)
        start = self._starts[key]
        return luck_of(
            game,
            player,
            table,
            start,
            repeated(table.deal, num),
            (),
            made_at(table, num // 2),  # their errors are smaller than that of the deal
            question.seed,
            wins,
            cancel,
        )


def rehearsal(game: Game, seed: int, over: bool = False) -> Table:
    """Returns a table for warming up: a deal after some moves (more with larger seeds), or a
    finished game if ``over``.
    """
    table = Table(game, seed=seed)
    while not table.is_over and (over or len(table.moves) < 4 * seed):
        moves = table.legal()
        table.play(moves[-1 if over else len(moves) // 2].action)
    if table.is_over and not over:
        table.undo()
    return table
