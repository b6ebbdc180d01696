"""The generic kernels: what compiled code asks of any game.

They are declared here and implemented by each game with ``numba.extending.overload``, dispatched on the type of ``rules`` (a
NamedTuple). Kernels of the upper layers call them by these names and so compile for each game. They are callable from compiled
code only. ``register_all`` makes the kernels of a game the implementations of those of the same names; some have a default.
"""

import inspect
from collections.abc import Callable
from typing import Any

import numba.core.types
import numpy as np
from numba.extending import overload

from games.batches import Rules, States
from games.kernels import kernel


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


def forced_win(rules: Rules, states: States, i: int) -> int:
    """Returns what ``sure_win`` does, or a sure win that takes longer to find: for players' own decisions, not for simulations.

    A game need not register its own: ``sure_win``.
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


def nearest_listed(rules: Rules, states: States, i: int, action: int) -> int:
    """Returns the action of ``legal`` that stands for one that may be played in lane ``i``: policies know those that are listed.

    A game registers its own together with ``is_legal``. Where it does not: the action itself.
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

    Where a game does not register it: evenly from what ``list_hidden`` lists.

    Args:
        rng: uint64 streams; ``rng[lane]`` is changed in place.
    """
    raise TypeError("generic kernel: callable from compiled code only")


def log_prior_hidden(rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray) -> float:
    """Returns the log-probability (nats) with which ``draw_hidden`` draws the words of a world (uint64 ``[W]``) at a view.

    In a view of the start of the game this is the probability of the deal: what the words say of moves that are made later does
    not count there, since inference weighs moves by the policies of who made them.

    Where a game does not register it: all that ``list_hidden`` lists are equally likely. Register both or none of the two.
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

    It may be one that ``seat`` does not see at all (``seen_move`` says UNSEEN_MOVE); the next call then has the same ``seen``.

    Args:
        seen: What ``seat`` saw of the next move of its record: the action, or a negative number where it did not see which.
        hidden: uint64 ``[W]``, the words of the world as they were drawn, which tell the moves that were not seen.

    Where a game does not register it: all moves are seen.
    """
    raise TypeError("generic kernel: callable from compiled code only")


def deal_rest(rules: Rules, worlds: States, first: int, count: int, rng: np.ndarray, lane: int) -> None:
    """Deals, in the lanes ``first`` .. ``first + count - 1`` (worlds of one view), what chance has still to deal.

    Where a game does not register it: nothing.
    """
    raise TypeError("generic kernel: callable from compiled code only")


def public_cards(rules: Rules, states: States, i: int) -> int:
    """Returns how many cards chance has dealt openly since the beginning.

    Where a game does not register it: 0, nothing is dealt during the game.
    """
    raise TypeError("generic kernel: callable from compiled code only")


def count_hidden(rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray, counts: np.ndarray) -> None:
    """Writes what each of the other seats holds in the world of view ``i`` and hidden words (uint64 ``[W]``).

    Args:
        counts: int8 ``[num_seats - 1, kinds]``, every element is written: the number of things of each of ``spec.hidden_kinds``
            that the seats hold, in turn, from the one after ``seat`` on; 0 to ``spec.hidden_most``.

    Where a game does not register it, ``spec.hidden_kinds`` must be empty.
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


GENERIC = {name: value for name, value in list(globals().items()) if getattr(value, "__module__", "") == __name__}
"""Every generic kernel by its name."""
REQUIRED = (
    legal, step, current_seat, team_return, observe, infoset_key, list_hidden, fill_world, hidden_of, start_view,
)  # fmt: skip
"""Those that have no default."""


def is_type(numba_type: Any, named_tuple: type) -> bool:
    """Returns whether a numba type is the given NamedTuple class, for dispatch in ``overload``."""
    kinds = (numba.core.types.NamedTuple, numba.core.types.NamedUniTuple)  # the latter where all fields are of one type
    return isinstance(numba_type, kinds) and numba_type.instance_class is named_tuple


def register_all(rules_type: type, *kernels: Any) -> None:
    """Makes the compiled kernels of a game the implementations of the generic ones of the same names.

    Args:
        rules_type: The NamedTuple of the game's rules, the first argument of all of them.

    Raises:
        ValueError: A kernel has the name of no generic one, or is not compiled.
    """
    for own in kernels:
        function = getattr(own, "py_func", None)
        if function is None or function.__name__ not in GENERIC:
            name = getattr(function or own, "__name__", own)
            what = "not compiled; write @kernel above it" if function is None else f"expected one of {', '.join(GENERIC)}"
            raise ValueError(f"kernel {name}: {what}")
        register(GENERIC[function.__name__], rules_type, own)


def missing_kernels(rules_type: type) -> list[str]:
    """Returns the names of the generic kernels that a game must have and has not registered."""
    return [generic.__name__ for generic in REQUIRED if rules_type not in _registered.get(generic, [])]


def register(generic: Callable[..., Any], first_type: type, implementation: Any) -> None:
    """Makes a compiled kernel the implementation of a generic one where the first argument is of a NamedTuple type.

    Numba wants the function that chooses to have the very signature of the function that it chooses. An implementation that is
    ``@kernel(forceinline=True)`` becomes part of each kernel that calls it: a call hands over seven words for every array.
    """
    _registered.setdefault(generic, []).append(first_type)

    def choose(*arguments: Any) -> Callable[..., Any] | None:
        return implementation.py_func if is_type(arguments[0], first_type) else None

    choose.__signature__ = inspect.signature(implementation.py_func)  # type: ignore[attr-defined]
    options = {"forceinline": True} if implementation.targetoptions.get("forceinline") else {}
    overload(generic, jit_options=options)(choose)


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
def _itself(rules: Rules, states: States, i: int, action: int) -> int:
    return action


@kernel
def _one(rules: Rules, states: States, i: int) -> float:
    return 1.0


@kernel
def _no_public_cards(rules: Rules, states: States, i: int) -> int:
    return 0


@kernel
def _no_sure_win(rules: Rules, states: States, i: int) -> int:
    return -1


@kernel
def _only_sure_wins(rules: Rules, states: States, i: int) -> int:
    return sure_win(rules, states, i)


register_default(public_cards, _no_public_cards)
register_default(seen_move, _every_move_is_seen)
register_default(is_legal, _is_listed)
register_default(nearest_listed, _itself)
register_default(stake, _one)
register_default(sure_win, _no_sure_win)
register_default(forced_win, _only_sure_wins)


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
def may_be_played(rules: Rules, states: States, i: int, action: int) -> bool:
    """Returns ``is_legal``, for Python to call."""
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
