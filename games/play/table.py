"""A table: one game, one move at a time, from Python.

    game = make("doudizhu")
    table = Table(game, seed=7)
    table.play("34567")
    table.describe(table.seat)

A table knows everything; a seat may know only ``view``, ``seen`` and ``describe``. Players get no
more than these (``games.play.agent.Agent.decide``).
"""

from collections.abc import Mapping
from operator import index
from typing import Any, NamedTuple, Self

import numpy as np

from games.kernels import Stream, deal_seeds
from games.kernels.generic import current_seat, team_return
from games.kernels.rows import States, copied, num_rows
from games.play.choice import make
from games.play.history import History
from games.play.interface import Game, Records
from games.play.notebook import html_table

WIDTH = 100
"""Columns of ``print(table)``."""


class Move(NamedTuple):
    """A move.

    Attributes:
        action: Its id.
        text: Its text, as a person reads and types it.
        seat: The seat that plays it.
    """

    action: int
    text: str
    seat: int


class IllegalMove(ValueError):  # noqa: N818 (the name says it)
    """An illegal move; the message has its text, the seat and the legal moves."""


class Table:
    """A game played move by move.

    Args:
        game: The game, or its name.
        seed: Deals by a number >= 0. These deals never occur in training or evaluation.
        deal: Starts from a deal: one row of States, before the first move.
        record: Continues a saved game: the fields that ``record`` returns.

    Attributes:
        game: The game.
        seat: The seat to move, -1 once the game is over.
        moves: All moves so far.
        knows_moves: Whether these are all since the deal; False after ``without_moves``.

    Raises:
        ValueError: Not exactly one of seed, deal and record is given, or it does not belong to this
            game.
    """

    knows_moves = True

    def __init__(
        self,
        game: Game | str,
        *,
        seed: int | None = None,
        deal: States | None = None,
        record: Mapping[str, object] | None = None,
    ) -> None:
        if sum(given is not None for given in (seed, deal, record)) != 1:
            raise ValueError("a table starts from one of seed=, deal= and record=")
        self.game = game = make(game)
        actions: list[int] = []
        if seed is not None:
            if seed < 0:
                raise ValueError(f"seed={seed}: expected a number >= 0")
            deal = game.deal(deal_seeds(seed, 1, Stream.TABLE))
        elif record is not None:
            deal, actions = game.parse_record(record)
        if not hasattr(deal, "_fields"):
            raise ValueError(
                "deal: expected a row of states, as games.kernels.rows.take(states, [3]) is"
            )
        assert deal is not None
        if num_rows(deal) != 1:
            raise ValueError(f"deal: {num_rows(deal)} rows; expected one")
        self._deal = copied(deal)
        # An invalid deck fails to parse as its own record.
        parsed, _ = game.parse_record(game.record(self._deal, 0, np.zeros(0, np.int16)))
        if not all(np.array_equal(*pair) for pair in zip(self._deal, parsed, strict=True)):
            raise ValueError("deal: expected a state before the first move, with all cards in it")
        self._begin(actions)

    @classmethod
    def without_moves(cls, game: Game, states: States) -> Self:
        """Returns a table that starts in a state (one row) after unknown moves; it has no
        record.
        """
        table = object.__new__(cls)
        table.game, table._deal, table.knows_moves = game, copied(states), False
        table._begin([])
        return table

    def _begin(self, actions: list[int]) -> None:
        """Starts from the deal and plays moves known to be legal."""
        self._states = copied(self._deal)
        self._history = History(self.game, 1)
        self.moves: tuple[Move, ...] = ()
        self._look()
        for action in actions:
            self._step(action)

    def _look(self) -> None:
        """Finds the seat to move and its legal moves."""
        self.seat = int(current_seat(self.game.rules, self._states, 0))
        states = self._states
        self._legal = [] if self.is_over else self.game.legal_actions(states, 0).tolist()

    def _step(self, action: int) -> Move:
        """Plays a legal action. Raises IllegalMove if the game would become longer than is possible
        with ordinary deals.
        """
        if len(self.moves) == self.game.spec.max_moves:
            raise IllegalMove(
                f"{self.game.action_text(action)!r}: {len(self.moves)} moves were played, the "
                "most that a game may have"
            )
        move = Move(action, self.game.action_text(action), self.seat)
        self._history.play(self._states, np.zeros(1, np.int64), np.array([action], np.int16))
        self.moves = (*self.moves, move)
        self._look()
        return move

    @property
    def is_over(self) -> bool:
        """Returns whether the game is over."""
        return self.seat < 0

    @property
    def returns(self) -> tuple[float, ...] | None:
        """Returns the return of each seat in the game's unit (points, chips); None while the game
        runs.
        """
        if not self.is_over:
            return None
        seats, rules = range(self.game.spec.num_seats), self.game.rules
        return tuple(float(team_return(rules, self._states, 0, seat)) for seat in seats)

    @property
    def states(self) -> States:
        """Returns a copy of the full state (one row), hidden cards included."""
        return copied(self._states)

    @property
    def deal(self) -> States:
        """Returns a copy of the state before the first move."""
        return copied(self._deal)

    def legal(self) -> list[Move]:
        """Returns the legal moves of the seat to move; none once the game is over.

        If moves carry amounts, these are the ones that players consider; ``play`` accepts all that
        the rules allow.
        """
        return [Move(action, self.game.action_text(action), self.seat) for action in self._legal]

    def play(self, move: str | int) -> Move:
        """Plays a move, given as a person types it or as an action, and returns it.

        Raises:
            IllegalMove: It is not a move, or not legal here. Nothing is changed.
            TypeError: It is neither a text nor an integer.
        """
        if self.is_over:
            raise IllegalMove(f"{move!r}: the game is over; expected no move")
        try:
            action = self.game.parse_action(move) if isinstance(move, str) else index(move)
        except ValueError as error:
            raise IllegalMove(f"{error}. {self._expected()}") from error
        if not self.game.is_legal(self.view(self.seat), action):
            text = f"{move!r}" if isinstance(move, str) else f"action {move}"
            raise IllegalMove(f"{text} is not legal. {self._expected()}")
        return self._step(action)

    def _expected(self) -> str:
        """Returns the seat to move and the legal moves, in words."""
        legal = self.game.legal_words(self.view(self.seat), 0)
        return f"S{self._mover()[1:]} is to move; legal: {legal}"

    def _mover(self) -> str:
        """Returns the seat to move, in words."""
        seat, name = f"seat {self.seat}", self.game.spec.seat_names[self.seat]
        return seat if name == seat else f"{seat} ({name})"

    def undo(self, count: int = 1) -> None:
        """Takes back the last moves.

        Raises:
            ValueError: The count is below 1 or above the number of moves.
        """
        if not self.moves:
            raise ValueError(f"undo({count}): no move was played yet")
        if not 1 <= count <= len(self.moves):
            raise ValueError(f"undo({count}): expected 1 to {len(self.moves)}, the moves so far")
        self._begin([move.action for move in self.moves[:-count]])

    def view(self, seat: int) -> States:
        """Returns the cards that a seat sees: one row, the rest erased."""
        return self.game.view(self._states, np.array([self._checked(seat)]))

    def seen(self, seat: int) -> Records:
        """Returns the moves as a seat saw them: one row."""
        moves, lengths = self._history.of(self._checked(seat))
        return Records(moves.copy(), lengths.copy())

    def _checked(self, seat: int) -> int:
        """Returns a valid seat. Raises ValueError."""
        if not 0 <= seat < self.game.spec.num_seats:
            raise ValueError(f"seat {seat}: expected 0 to {self.game.spec.num_seats - 1}")
        return int(seat)

    def describe(self, seat: int | None = None) -> dict[str, Any]:
        """Returns what a seat knows, as JSON fields, at any time.

        Args:
            seat: If None, the seat to move, and seat 0 once the game is over.

        Returns:
            The fields of ``Game.describe_view``; ``to_move``, the seat, None once the game is over;
            ``returns``, None before.
        """
        seat = self._checked(max(self.seat, 0) if seat is None else seat)
        shown = self._states if self.is_over else self.view(seat)
        moves, lengths = self._history.of(seat)
        fields = self.game.describe_view(shown, 0, moves[0, : lengths[0]], seat)
        returns = None if self.returns is None else list(self.returns)
        if not self.knows_moves:
            fields["moves"] = None
        return {**fields, "to_move": None if self.is_over else self.seat, "returns": returns}

    def summary(self) -> str:
        """Returns where the game stands, in one line."""
        moves = f"{len(self.moves)} move{'' if len(self.moves) == 1 else 's'}"
        if self.returns is not None:
            return f"{self.game.spec.name}, over after {moves}; returns {_words(self.returns)}"
        seat = self._mover()
        return f"{self.game.spec.name}, {moves} played; {seat} is to move"

    def rows(self) -> list[dict[str, str]]:
        """Returns what the seat to move knows, as rows of texts: ``field`` and ``value``."""
        shown = self.describe()
        for name in ("game", "seat", "to_move", "returns"):
            del shown[name]
        return [{"field": name, "value": _words(value)} for name, value in shown.items()]

    def __str__(self) -> str:
        lines = [f"  {row['field']:14}{row['value']}".rstrip() for row in self.rows()]
        short = (line if len(line) <= WIDTH else f"{line[: WIDTH - 2]} …" for line in lines)
        return "\n".join([self.summary(), *short])

    def __repr__(self) -> str:
        return f"<Table: {self.summary()}>"

    def _repr_html_(self) -> str:
        return html_table(self.summary(), self.rows())

    def record(self) -> dict[str, Any]:
        """Returns the game so far as JSON fields, as ``evaluate.py save=`` writes it; ``Table(game,
        record=…)`` resumes from it. Raises ValueError if the moves are not known.
        """
        if not self.knows_moves:
            raise ValueError("a position without its moves has no record")
        return self.game.record(self._deal, 0, self._history.records.moves[0, : len(self.moves)])

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self.copy()  # the game itself is shared

    def copy(self) -> Self:
        """Returns an independent table at the same point of the game."""
        other = object.__new__(type(self))
        other.game, other._deal, other.knows_moves = self.game, self._deal, self.knows_moves
        other._begin([move.action for move in self.moves])
        return other


def _words(value: object) -> str:
    """Returns a field of ``describe`` in words; - stands for nothing."""
    if isinstance(value, list | tuple):
        return ", ".join(map(_words, value))
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_words(own)}" for name, own in value.items())
    return "-" if value in (None, "") else str(value)
