"""What every game offers: generic kernels, a specification, and the Python face of a game.

The generic kernels below are declared here and implemented by each game with ``numba.extending.overload``, dispatched on the
type of ``rules`` (a NamedTuple). Kernels of the upper layers call them by these names and so compile for each game. They are
callable from compiled code only.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
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
    """Returns the unit in which a network states its value at this state. A game need not register its own: 1."""
    raise TypeError("generic kernel: callable from compiled code only")


def observe(rules: Rules, states: States, i: int, seat: int, out: np.ndarray) -> None:
    """Writes the information state of a seat to ``out`` (int8 ``[C, L]``), every element of it."""
    raise TypeError("generic kernel: callable from compiled code only")


def infoset_key(rules: Rules, states: States, i: int, seat: int) -> np.uint64:
    """Returns a 64-bit hash of what a seat knows: equal for two states exactly when the seat cannot tell them apart.

    It reads what the seat sees only, so a state and the seat's view of it have the same key. Where the game is over, histories
    that pay alike may share a key.
    """
    raise TypeError("generic kernel: callable from compiled code only")


def sure_win(rules: Rules, states: States, i: int) -> int:
    """Returns an action of the seat to move that wins in every world it cannot tell apart, or -1.

    A game need not register its own: -1.
    """
    raise TypeError("generic kernel: callable from compiled code only")


def copy_row(rules: Rules, source: States, i: int, target: States, j: int) -> None:
    """Copies lane ``i`` of ``source`` over lane ``j`` of ``target``. A game need not register its own."""
    raise TypeError("generic kernel: callable from compiled code only")


HIDDEN_MOVE = -2
"""In records: the seat saw that a move was made, but not which."""
UNSEEN_MOVE = -3
"""What ``seen_move`` says where a seat sees nothing of a move; its record then does not have the move at all."""
MOST_ACTIONS = 2**15
"""Action ids fit int16, so no state has more."""


def seen_move(rules: Rules, states: States, i: int, action: int, seat: int) -> int:
    """Returns what a seat sees of a move that is about to be played in lane ``i``: the action, HIDDEN_MOVE or UNSEEN_MOVE.

    A game whose moves are all public has no need to register its own.
    """
    raise TypeError("generic kernel: callable from compiled code only")


def is_legal(rules: Rules, states: States, i: int, action: int) -> bool:
    """Returns whether an action may be played in lane ``i``, which must not be over.

    A game registers its own where more may be played than ``legal`` lists, such as bets of any amount.
    """
    raise TypeError("generic kernel: callable from compiled code only")


# Hidden cards. A *world* is a full state that a seat cannot tell from the true one. What it adds to the seat's view is written
# as ``spec.hidden_words`` words of 64 bits, the *hidden words*, in a code of the game's own: the hands of the others, their
# sealed bids, the squares of moves that were not seen. One world has one code, since words are compared to tell worlds apart.
# Only ``inference`` calls these kernels. Each reads of lane ``i`` what ``seat`` sees and nothing else, except ``hidden_of``.


def list_hidden(rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray) -> int:
    """Returns how many worlds a seat cannot rule out in lane ``i``, -1 if they do not fit; lists the words of each, once.

    Args:
        hidden: uint64 ``[room, W]``, changed in place; what stands after the last world, or after -1, means nothing.
    """
    raise TypeError("generic kernel: callable from compiled code only")


def draw_hidden(rules: Rules, views: States, i: int, seat: int, rng: np.ndarray, lane: int, hidden: np.ndarray) -> None:
    """Draws the words of a world for every row of ``hidden`` (uint64 ``[n, W]``), with the probabilities of ``log_prior_hidden``.

    Args:
        rng: uint64 streams; ``rng[lane]`` is changed in place.
    """
    raise TypeError("generic kernel: callable from compiled code only")


def log_prior_hidden(rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray) -> float:
    """Returns the log-probability (nats) with which ``draw_hidden`` draws the words of a world (uint64 ``[W]``) at a view.

    In a view of the start of the game this is the probability of the deal: what the words say of moves that are made later does
    not count there, since inference weighs moves by the policies of who made them.
    """
    raise TypeError("generic kernel: callable from compiled code only")


def fill_world(rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray, worlds: States, j: int) -> bool:
    """Writes the world of view ``i`` and hidden words (uint64 ``[W]``) to lane ``j`` of ``worlds``.

    What chance has still to deal stays hidden, see ``deal_rest``.

    Returns:
        Whether the seat cannot rule the world out; if it can, lane ``j`` means nothing.
    """
    raise TypeError("generic kernel: callable from compiled code only")


def hidden_of(rules: Rules, states: States, i: int, seat: int, hidden: np.ndarray) -> None:
    """Writes the hidden words (uint64 ``[W]``) of the full state in lane ``i`` as they are for a seat."""
    raise TypeError("generic kernel: callable from compiled code only")


def start_view(rules: Rules, views: States, i: int, seat: int, starts: States, j: int) -> None:
    """Writes the view of a seat before the first move of the game in lane ``i`` to lane ``j`` of ``starts``.

    It shows what the seat knows by now of what chance has dealt (cards that came to the table), so that a game can be replayed
    from it.
    """
    raise TypeError("generic kernel: callable from compiled code only")


def start_hidden(rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray) -> None:
    """Turns the hidden words (uint64 ``[W]``) of a world of view ``i`` into those of the same world at the start of the game.

    Where a game does not register it: they are the same.
    """
    raise TypeError("generic kernel: callable from compiled code only")


def reveal(rules: Rules, views: States, i: int, seat: int, earlier: States, j: int) -> None:
    """Adds to an earlier view (lane ``j`` of ``earlier``) what chance has dealt openly up to view ``i``, see ``start_view``.

    Where a game does not register it: nothing is dealt during the game.
    """
    raise TypeError("generic kernel: callable from compiled code only")


def played_move(rules: Rules, worlds: States, i: int, seat: int, seen: int, hidden: np.ndarray) -> int:
    """Returns the action that comes next in lane ``i``, a world that is replayed; -1 if there is none.

    Args:
        seen: What ``seat`` saw of the move: the action, or a negative number where it did not see which.
        hidden: uint64 ``[W]``, the words of the world as they were drawn, which tell the moves that were not seen.

    Where a game does not register it: all moves are seen.
    """
    raise TypeError("generic kernel: callable from compiled code only")


def deal_rest(rules: Rules, worlds: States, first: int, count: int, rng: np.ndarray, lane: int) -> None:
    """Deals, in the lanes ``first`` .. ``first + count - 1`` (worlds of one view), what chance has still to deal.

    Where a game does not register it: nothing.
    """
    raise TypeError("generic kernel: callable from compiled code only")


def count_hidden(rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray, counts: np.ndarray) -> None:
    """Writes what each of the other seats holds in the world of view ``i`` and hidden words (uint64 ``[W]``).

    Args:
        counts: int8 ``[num_seats - 1, kinds]``, every element is written: the number of things of each of ``spec.hidden_kinds``
            that the seats hold, in turn, from the one after ``seat`` on; 0 to ``spec.hidden_most``.
    """
    raise TypeError("generic kernel: callable from compiled code only")


def shortest_hand(rules: Rules, views: States, i: int) -> int:
    """Returns the number of cards in the shortest hand, which all can see.

    Where a game does not register it: -1, hands do not run out, and inference is of use from the first move.
    """
    raise TypeError("generic kernel: callable from compiled code only")


def draw_corrected(
    rules: Rules, views: States, i: int, seat: int, logits: np.ndarray, rng: np.ndarray, lane: int, hidden: np.ndarray
) -> None:
    """Draws words like ``draw_hidden``, from the prior as a network corrects it. Of games with ``spec.has_hidden_head`` alone.

    Args:
        logits: float32 ``[counts, L]``, the answer of the head for hidden cards.
    """
    raise TypeError("generic kernel: callable from compiled code only")


def log_corrected(
    rules: Rules, views: States, i: int, seat: int, logits: np.ndarray, hidden: np.ndarray, exists: np.ndarray, out: np.ndarray
) -> None:
    """Writes the log-probability (nats, float64 ``[n]``) with which ``draw_corrected`` draws the words in each row.

    Args:
        hidden: uint64 ``[n, W]``. exists: bool ``[n]``, the rows to do; the others are left alone.
    """
    raise TypeError("generic kernel: callable from compiled code only")


def is_type(numba_type: Any, named_tuple: type) -> bool:
    """Returns whether a numba type is the given NamedTuple class, for dispatch in ``overload``."""
    kinds = (numba.core.types.NamedTuple, numba.core.types.NamedUniTuple)  # the latter where all fields are of one type
    return isinstance(numba_type, kinds) and numba_type.instance_class is named_tuple




def register(generic: Callable[..., Any], first_type: type, implementation: Any) -> None:
    """Makes a compiled kernel the implementation of a generic one where the first argument is of a NamedTuple type.

    Numba never keeps on disk what it compiles for ``overload``: so that is a call of the kernel, which is kept. The function that
    chooses must have the very signature of the function that it chooses.
    """
    _registered.setdefault(generic, []).append(first_type)
    signature = inspect.signature(implementation.py_func)
    scope: dict[str, Any] = {"implementation": implementation, "__name__": implementation.py_func.__module__}
    names = ", ".join(signature.parameters)
    exec(f"def call({names}):\n    return implementation({names})", scope)

    def choose(*arguments: Any) -> Callable[..., Any] | None:
        return scope["call"] if is_type(arguments[0], first_type) else None

    choose.__signature__ = inspect.signature(scope["call"])  # type: ignore[attr-defined]
    overload(generic)(choose)


_registered: dict[Callable[..., Any], list[type]] = {}
"""The types of rules for which a generic kernel has an implementation."""


def register_default(generic: Callable[..., Any], implementation: Any) -> None:
    """Makes a compiled kernel the implementation of a generic one for all games that register none."""

    def choose(*arguments: Any) -> Callable[..., Any] | None:
        own = any(is_type(arguments[0], known) for known in _registered.get(generic, []))
        return None if own else implementation.py_func

    choose.__signature__ = inspect.signature(implementation.py_func)  # type: ignore[attr-defined]
    overload(generic)(choose)


@kernel
def _every_move_is_seen(rules: Rules, states: States, i: int, action: int, seat: int) -> int:
    return action


@kernel
def _is_listed(rules: Rules, states: States, i: int, action: int) -> bool:
    actions = np.empty(MOST_ACTIONS, np.int16)
    count = legal(rules, states, i, actions)
    at = np.searchsorted(actions[:count], action)
    return bool(at < count and actions[at] == action)


@kernel
def _one(rules: Rules, states: States, i: int) -> float:
    return 1.0


@kernel
def _no_sure_win(rules: Rules, states: States, i: int) -> int:
    return -1


register_default(seen_move, _every_move_is_seen)
register_default(is_legal, _is_listed)
register_default(stake, _one)
register_default(sure_win, _no_sure_win)


def _array_names(states: Any, prefix: str = "") -> list[str]:
    """Returns the names of the arrays in the numba type of a NamedTuple, with dots before those of nested ones."""
    found: list[str] = []
    for name, kind in zip(states.instance_class._fields, states.types, strict=True):
        nested = isinstance(kind, numba.core.types.BaseNamedTuple)
        found += _array_names(kind, f"{prefix}{name}.") if nested else [prefix + name]
    return found


def _choose_copy_row(rules: Any, source: Any, i: Any, target: Any, j: Any) -> Callable[..., Any] | None:
    """Writes out a copy of every array, for games without a ``copy_row``: numba cannot loop over fields of unlike types."""
    if any(is_type(rules, known) for known in _registered.get(copy_row, [])):
        return None
    lines = [f"    target.{name}[j] = source.{name}[i]" for name in _array_names(source)]
    made: dict[str, Any] = {}
    exec("\n".join(["def copy(rules, source, i, target, j):", *lines]), made)  # noqa: S102 (names of fields)
    function: Callable[..., Any] = made["copy"]
    return function


_choose_copy_row.__signature__ = inspect.signature(lambda rules, source, i, target, j: None)  # type: ignore[attr-defined]
overload(copy_row)(_choose_copy_row)


@kernel
def _may_be_played(rules: Rules, states: States, i: int, action: int) -> bool:
    return is_legal(rules, states, i, action)


@kernel
def _same_hidden(rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray) -> None:
    pass


@kernel
def _reveal_nothing(rules: Rules, views: States, i: int, seat: int, earlier: States, j: int) -> None:
    pass


@kernel
def _seen_move(rules: Rules, worlds: States, i: int, seat: int, seen: int, hidden: np.ndarray) -> int:
    return seen


@kernel
def _deal_nothing(rules: Rules, worlds: States, first: int, count: int, rng: np.ndarray, lane: int) -> None:
    pass


@kernel
def _no_hand(rules: Rules, views: States, i: int) -> int:
    return -1


register_default(start_hidden, _same_hidden)
register_default(reveal, _reveal_nothing)
register_default(played_move, _seen_move)
register_default(deal_rest, _deal_nothing)
register_default(shortest_hand, _no_hand)


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


POINTS = ScoreUnit(name="points", key="points", per_return=1.0, digits=2, tells_wins=True)


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
        team_names: What the game calls its teams.
        seat_names: What it calls its seats.
        score: How matches are told.
        mixes: Whether a good player must at times choose at random, since whoever knew its moves would exploit them.
        stake_factors: What the value head ``win_stakes`` tells apart: the sizes that a return can have, in units of the stake,
            ascending and above 0; a return counts as the nearest by ratio. () = networks tell the mean alone.
        hidden_counts: How many cards of one position (of the observation) a seat may hide, 0 to ``hidden_counts - 1``: networks
            predict how many it is (``hidden_targets`` of the game). 0 = they do not.
        has_private_moves: Whether some seat sees some move only in part, or not at all (``seen_move``).
        hidden_words: W, words of 64 bits that tell a world from a view (``list_hidden``).
        hidden_kinds: Names of the things that other seats may hold unseen (``count_hidden``): ranks, or whole hands.
        hidden_most: The most that a seat may hold of one kind.
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
    team_names: tuple[str, ...]
    seat_names: tuple[str, ...]
    score: ScoreUnit = POINTS
    mixes: bool = False
    stake_factors: tuple[float, ...] = ()
    hidden_counts: int = 0
    has_private_moves: bool = False
    hidden_words: int = 1
    hidden_kinds: tuple[str, ...] = ()
    hidden_most: int = 1

    @property
    def num_teams(self) -> int:
        """Returns the number of teams."""
        return max(self.teams) + 1

    @property
    def has_hidden_head(self) -> bool:
        """Returns whether networks predict hidden cards."""
        return self.hidden_counts > 0


class Game(Protocol):
    """The Python face of a game; the kernels above do the work. ``games.base.BaseGame`` has defaults for most of it."""

    spec: GameSpec
    rules: Rules
    decoder: np.ndarray
    """int16 ``[num_actions, K]``: the logit of action a is the sum of the policy outputs at ``decoder[a, k]``; -1 = none."""
    has_tables: bool = False
    """Whether tabular algorithms can learn the game."""
    has_tree: bool = False
    """Whether it is so small that its policies can be measured exactly, over all information states (``information_states``)."""

    @property
    def tables(self) -> Any:
        """Returns the game as tabular algorithms see it (``games.poker.tables.PokerTables``), where ``has_tables``."""
        ...

    def check_for_networks(self) -> None:
        """Raises ValueError where the game was made with options that networks cannot follow."""
        ...

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

    def is_legal(self, view: States, move: str | int) -> bool:
        """Returns whether the seat to move in a view (one row, of a running game) may play a move: a text, or an action."""
        try:
            action = self.parse_action(move) if isinstance(move, str) else int(move)
        except ValueError:
            return False
        return 0 <= action < self.spec.num_actions and bool(_may_be_played(self.rules, view, 0, action))

    def describe_view(self, views: States, row: int, moves: np.ndarray, seat: int | None = None) -> dict[str, Any]:
        """Returns what a seat knows, in words and numbers that JSON can hold.

        Every game has the fields ``game`` (its name), ``seat`` (whose view it is), ``moves`` (so far) and ``legal`` (none where
        the seat is not to move); the moves in both are texts of ``action_text``, None a move of which the seat saw only that it
        was made. The other fields are the game's own. Nothing depends on cards that the seat cannot see. Once the game is over
        there is ``hands``, one for each seat: what is then face up, None where it is not.

        Args:
            views: Rows as ``view`` returns them; of games that are over the states themselves, to tell what is then face up.
            row: The row.
            moves: int ``[n]``, the moves since the deal, as the seat saw them (``Records``).
            seat: Whose view it is; None: that of the seat to move.
        """
        ...

    def record(self, deals: States, row: int, moves: np.ndarray) -> dict[str, Any]:
        """Returns a game for JSON: the deal in a row, the moves (int ``[n]``) in texts, and the result; it can be replayed."""
        ...

    def parse_record(self, fields: Mapping[str, Any]) -> tuple[States, list[int]]:
        """Returns the deal (one row) and the moves of a record of this game. Fields that ``record`` does not write are notes.

        Raises:
            ValueError: It is no record of this game, the deal is no deck, or a move or the result is not that of the rules.
        """
        ...

    def read_decks(self, path: Path | str) -> States:
        """Returns the decks of a file: the states before the first move, in its order.

        Raises:
            ValueError: The file cannot be read as decks; the message names it, the line or entry, and what was expected.
            OSError: It cannot be opened.
        """
        ...

    def information_states(self) -> States:
        """Returns a view for each information state, in the order of ``tables``, where ``has_tree``."""
        ...

    def cards_left(self, states: States) -> np.ndarray:
        """Returns how many cards (int64 ``[B]``) the seat to move has still to play; 0 where cards are not played."""
        ...

    def final_curves(self, finals: States) -> dict[str, float]:
        """Returns means over games that are over, by name: what the games of self-play looked like."""
        ...

    def hidden_targets(self, states: States, seats: np.ndarray) -> tuple[np.ndarray, ...]:
        """Returns what the hidden head learns about the seat after ``seats[i]`` in row i, where ``spec.hidden_counts``.

        Returns:
            Int arrays by position (L, as in observations): unseen, fewest, most, truth, each ``[B, L]``: the cards of a position
            that the seat does not see, bounds on how many of them the next seat holds, and how many it does; and ``[B]``, how
            many cards it holds in all.
        """
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
    """The moves of N games, as they were or as a seat saw them.

    Attributes:
        moves: int16 ``[N, max_moves]``, the moves since the deal, passes included; -1 after the last. As a seat saw them:
            HIDDEN_MOVE for a move of which it saw only that it was made; moves that it did not see are left out.
        lengths: int16 ``[N]``, the number of moves so far.
    """

    moves: np.ndarray
    lengths: np.ndarray


def empty_records(num_games: int, max_moves: int) -> Records:
    """Returns the records of games in which nothing was played."""
    return Records(np.full((num_games, max_moves), -1, np.int16), np.zeros(num_games, np.int16))


def move_texts(game: Game, moves: Iterable[int]) -> list[str | None]:
    """Returns the texts of moves as a seat saw them, None for a hidden one."""
    return [None if move == HIDDEN_MOVE else game.action_text(int(move)) for move in moves]
