"""What every game offers: generic kernels, a specification, and the Python face of a game.

The generic kernels below are declared here and implemented by each game with ``numba.extending.overload``, dispatched on the
type of ``rules`` (a NamedTuple). Kernels of the upper layers call them by these names and so compile for each game. They are
callable from compiled code only.
"""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

import numba.core.types
import numpy as np
from numba.extending import overload

from games.kernels import kernel

Rules = Any
"""The read-only tables of a game: a NamedTuple, different for each game."""
States = Any
"""A batch of states: a NamedTuple of arrays with a leading batch axis, different for each game."""


def legal(rules: Rules, states: States, i: int, actions: np.ndarray) -> int:
    """Returns the number of legal actions of lane ``i``; writes them, ascending, to ``actions`` (int16 ``[max_legal]``)."""
    raise TypeError("generic kernel: callable from compiled code only")


def step(rules: Rules, states: States, i: int, action: int) -> None:
    """Plays a legal action in lane ``i``. The action is not checked."""
    raise TypeError("generic kernel: callable from compiled code only")


def current_seat(rules: Rules, states: States, i: int) -> int:
    """Returns the seat to move, -1 when the game is over."""
    raise TypeError("generic kernel: callable from compiled code only")


def team_return(rules: Rules, states: States, i: int, seat: int) -> float:
    """Returns the return of the seat's team in the game's unit (points, chips); the game must be over."""
    raise TypeError("generic kernel: callable from compiled code only")


def stake(rules: Rules, states: States, i: int) -> float:
    """Returns the unit in which a network states its value at this state."""
    raise TypeError("generic kernel: callable from compiled code only")


def observe(rules: Rules, states: States, i: int, seat: int, out: np.ndarray) -> None:
    """Writes the information state of a seat to ``out`` (int8 ``[C, L]``), every element of it."""
    raise TypeError("generic kernel: callable from compiled code only")


def public_key(rules: Rules, states: States, i: int) -> np.uint64:
    """Returns a 64-bit hash of the public history since the deal."""
    raise TypeError("generic kernel: callable from compiled code only")


def sure_win(rules: Rules, states: States, i: int) -> int:
    """Returns an action of the seat to move that wins in every world it cannot tell apart, or -1."""
    raise TypeError("generic kernel: callable from compiled code only")


def copy_row(rules: Rules, source: States, i: int, target: States, j: int) -> None:
    """Copies lane ``i`` of ``source`` over lane ``j`` of ``target``."""
    raise TypeError("generic kernel: callable from compiled code only")


def is_type(numba_type: Any, named_tuple: type) -> bool:
    """Returns whether a numba type is the given NamedTuple class, for dispatch in ``overload``."""
    kinds = (numba.core.types.NamedTuple, numba.core.types.NamedUniTuple)  # the latter where all fields are of one type
    return isinstance(numba_type, kinds) and numba_type.instance_class is named_tuple


def register(generic: Callable[..., Any], first_type: type, implementation: Any) -> None:
    """Makes a compiled kernel the implementation of a generic one where the first argument is of a NamedTuple type.

    Numba wants the function that chooses to have the very signature of the function that it chooses.
    """

    def choose(*arguments: Any) -> Callable[..., Any] | None:
        return implementation.py_func if is_type(arguments[0], first_type) else None

    choose.__signature__ = inspect.signature(implementation.py_func)  # type: ignore[attr-defined]
    overload(generic)(choose)


class ScoreUnit(NamedTuple):
    """What the mean return of a match is told in.

    Attributes:
        name: In texts and tables.
        key: In JSON.
        per_return: What a return of 1 is in this unit.
        digits: Decimal places in tables; elsewhere one more.
        tells_wins: Whether the share of games won is told as well, and first. In poker it means little: who folds well loses
            most hands, and cheaply.
    """

    name: str
    key: str
    per_return: float
    digits: int
    tells_wins: bool


class GameSpec(NamedTuple):
    """The sizes and conventions of a game.

    Attributes:
        name: As in ``game=NAME``.
        num_seats: Number of players.
        teams: Team of each seat; the seats of one team share their return.
        num_actions: Size of the action set; action ids fit int16.
        observation_shape: (C, L): planes and positions of an observation.
        observation_scale: float32 ``[C]``, what the int8 planes are multiplied by before the network.
        policy_size: Number of policy outputs that the decoder sums over.
        max_legal: Upper bound on the number of legal actions in any state.
        max_moves: Upper bound on the number of moves in a game.
        max_return: Largest absolute return, in the game's unit.
        has_hidden_head: Whether networks predict the hidden cards (``hidden_targets`` of the game).
        team_names: What the game calls its teams.
        seat_names: What it calls its seats.
        score: How matches are told.
        mixes: Whether a good player must at times choose at random, since whoever knew its moves would exploit them.
    """

    name: str
    num_seats: int
    teams: tuple[int, ...]
    num_actions: int
    observation_shape: tuple[int, int]
    observation_scale: np.ndarray
    policy_size: int
    max_legal: int
    max_moves: int
    max_return: float
    has_hidden_head: bool
    team_names: tuple[str, ...]
    seat_names: tuple[str, ...]
    score: ScoreUnit
    mixes: bool

    @property
    def num_teams(self) -> int:
        """Returns the number of teams."""
        return max(self.teams) + 1


class Game(Protocol):
    """The Python face of a game; the kernels above do the work."""

    spec: GameSpec
    rules: Rules
    decoder: np.ndarray
    """int16 ``[num_actions, K]``: the logit of action a is the sum of the policy outputs at ``decoder[a, k]``; -1 = none."""

    def deal(self, seeds: np.ndarray) -> States:
        """Returns random deals; row i depends on ``seeds[i]`` (uint64 ``[B]``) alone."""
        ...

    def empty(self, count: int) -> States:
        """Returns ``count`` rows of zeros."""
        ...

    def view(self, states: States, seats: np.ndarray) -> States:
        """Returns a copy in which what ``seats[i]`` (int ``[B]``) cannot see in row i is erased."""
        ...

    def action_text(self, action: int) -> str:
        """Returns the text of an action that a person can read and type."""
        ...

    def parse_action(self, text: str) -> int:
        """Returns the action of a text. Raises ValueError naming the text and what was expected."""
        ...

    def describe_view(self, views: States, row: int, moves: np.ndarray) -> dict[str, Any]:
        """Returns what the seat to move in a row knows, in words and numbers that JSON can hold, for players outside.

        Every game has the fields ``game`` (its name), ``seat`` (to move), ``moves`` (so far) and ``legal``; the moves in both are
        texts of ``action_text``. The other fields are the game's own. Nothing depends on cards that the seat cannot see.

        Args:
            views: Rows as ``view`` returns them.
            row: The row; its game must not be over.
            moves: int ``[n]``, the moves since the deal.
        """
        ...

    def record(self, deals: States, row: int, moves: np.ndarray) -> dict[str, Any]:
        """Returns a game for JSON: the deal in a row, the moves (int ``[n]``) in texts, and the result; it can be replayed."""
        ...

    def read_decks(self, path: Path | str) -> States:
        """Returns the decks of a file: the states before the first move, in its order.

        Raises:
            ValueError: The file cannot be read as decks; the message names it, the line or entry, and what was expected.
            OSError: It cannot be opened.
        """
        ...

    def cards_left(self, states: States) -> np.ndarray:
        """Returns how many cards (int64 ``[B]``) the seat to move has still to play; 0 where cards are not played."""
        ...

    def final_curves(self, finals: States) -> dict[str, float]:
        """Returns means over games that are over, by name: what the games of self-play looked like."""
        ...

    def hidden_targets(self, states: States, seats: np.ndarray) -> tuple[np.ndarray, ...]:
        """Returns what the hidden-hand head learns from, where ``spec.has_hidden_head``; see the game."""
        ...


@kernel
def _seats_to_move(rules: Rules, states: States, seats: np.ndarray) -> None:
    for i in range(seats.size):
        seats[i] = current_seat(rules, states, i)


def seats_to_move(game: Game, states: States) -> np.ndarray:
    """Returns the seat to move of every row (int64 ``[B]``), -1 where the game is over."""
    seats = np.empty(num_rows(states), np.int64)
    _seats_to_move(game.rules, states, seats)
    return seats


Batch = TypeVar("Batch", bound=tuple)  # type: ignore[type-arg]


def take(batch: Batch, rows: np.ndarray | slice) -> Batch:
    """Returns the given rows of a NamedTuple of arrays, nested ones included (a copy for an index array, a view for a slice)."""
    return type(batch)(*(take(field, rows) if isinstance(field, tuple) else field[rows] for field in batch))


def put(batch: Batch, rows: np.ndarray | slice, values: Batch) -> None:
    """Writes rows of a NamedTuple of arrays in place, nested ones included."""
    for field, value in zip(batch, values, strict=True):
        if isinstance(field, tuple):
            put(field, rows, value)
        else:
            field[rows] = value


def concatenate(batches: list[Batch]) -> Batch:
    """Returns the rows of several batches of one type, in order, nested ones included."""
    columns = zip(*batches, strict=True)
    return type(batches[0])(
        *(concatenate(list(c)) if isinstance(c[0], tuple) else np.concatenate(c) for c in columns)  # type: ignore[type-var]
    )


def num_rows(batch: Batch) -> int:
    """Returns the number of rows of a NamedTuple of arrays."""
    first = batch[0]
    return num_rows(first) if isinstance(first, tuple) else len(first)


class Records(NamedTuple):
    """The public record of N games.

    Attributes:
        moves: int16 ``[N, max_moves]``, the moves since the deal, passes included; -1 after the last.
        lengths: int16 ``[N]``, the number of moves so far.
    """

    moves: np.ndarray
    lengths: np.ndarray
