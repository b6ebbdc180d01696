# mypy: disable-error-code="empty-body"
"""The generic kernels: the interface of every game for compiled code.

They are declared here, implemented by each game, and chosen by the type of ``rules`` (see
``games.kernels.dispatch``). ``register_all`` makes a game's kernels the implementations of the
generic ones with the same names. An ``@optional`` one has a body as the default for games that
register none.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numba
import numpy as np
from numba.extending import overload

from games.kernels import copy_line, kernel, random_below
from games.kernels.dispatch import GenericKernel, P, R, has_own, register
from games.kernels.rows import Rules, States, put, take


def optional(declared: Callable[P, R]) -> GenericKernel[P, R]:
    """Decorates a generic kernel whose body is the default for games that register none."""
    generic = GenericKernel(declared)
    register(generic, None, kernel(declared))
    return generic


@GenericKernel
def legal(rules: Rules, states: States, i: int, actions: np.ndarray) -> int:
    """Returns the number of legal actions of lane ``i``; writes them, ascending, to ``actions``
    (int16 ``[max_legal]``).
    """


@GenericKernel
def step(rules: Rules, states: States, i: int, action: int) -> None:
    """Plays a legal action in lane ``i``. The action is not checked."""


@GenericKernel
def current_seat(rules: Rules, states: States, i: int) -> int:
    """Returns the seat to move, -1 when the game is over."""


@optional
def role(rules: Rules, states: States, i: int) -> int:
    """Returns the role in which the seat to move decides, which says what network answers it:
    below ``spec.num_roles``; by default the seat, -1 when the game is over.
    """
    return current_seat(rules, states, i)


@GenericKernel
def team_return(rules: Rules, states: States, i: int, seat: int) -> float:
    """Returns the return of the seat's team in the game's unit (points, chips); the game must be
    over.
    """


@optional
def expected_return(rules: Rules, states: States, i: int, seat: int) -> float:
    """Returns ``team_return``, or its mean over what chance decided after the last decision.

    Searches and training read it. It does not depend on the actual outcome of that chance, and the
    teams' returns keep their sum.
    """
    return team_return(rules, states, i, seat)


@optional
def stake(rules: Rules, states: States, i: int) -> float:
    """Returns the unit in which a network states its value at this state."""
    return 1.0


@GenericKernel
def observe(rules: Rules, states: States, i: int, seat: int, out: np.ndarray) -> None:
    """Writes a seat's observation to all of ``out`` (int8 ``[C, L]``)."""


@GenericKernel
def infoset_key(rules: Rules, states: States, i: int, seat: int) -> np.uint64:
    """Returns a 64-bit hash of what a seat knows: equal for two states exactly when the seat cannot
    tell them apart.

    It reads what the seat sees only, so a state and the seat's view of it have the same key. Once
    the game is over, the key may be that of other histories, even with other payoffs.
    """


@optional
def sure_win(rules: Rules, states: States, i: int) -> int:
    """Returns an action of the seat to move that wins in every world it cannot tell apart, or
    -1.
    """
    return -1


@optional
def forced_win(rules: Rules, states: States, i: int) -> int:
    """Returns the result of ``sure_win``, or a sure win that takes longer to find: for players'
    decisions, not for simulations.
    """
    return sure_win(rules, states, i)


@GenericKernel
def copy_row(rules: Rules, source: States, i: int, target: States, j: int) -> None:
    """Copies lane ``i`` of ``source`` over lane ``j`` of ``target``. A game need not register its
    own.
    """


@optional
def erase(rules: Rules, states: States, i: int, seat: int) -> None:
    """Makes lane ``i`` the view of a seat, for games that do not override ``Game.view``."""
    raise NotImplementedError("a game needs the kernel erase, or a view of its own")


HIDDEN_MOVE = -2
"""In records: the seat saw that a move was made, but not which."""
UNSEEN_MOVE = -3
"""Result of ``seen_move`` if a seat sees nothing of a move; its record then lacks the move."""
MOST_ACTIONS = 2**15
"""Maximum legal actions of a state, since action ids fit int16."""


@optional
def seen_move(rules: Rules, states: States, i: int, action: int, seat: int) -> int:
    """Returns a move that is about to be played in lane ``i`` as a seat sees it: the action,
    HIDDEN_MOVE or UNSEEN_MOVE.
    """
    return action


@optional
def is_legal(rules: Rules, states: States, i: int, action: int) -> bool:
    """Returns whether an action may be played in lane ``i``, which must not be over.

    A game registers its own where more may be played than ``legal`` lists, such as bets of any
    amount.
    """
    actions = np.empty(MOST_ACTIONS, np.int16)
    count = legal(rules, states, i, actions)
    at = np.searchsorted(actions[:count], action)
    return bool(at < count and actions[at] == action)


@optional
def nearest_listed(rules: Rules, states: States, i: int, action: int) -> int:
    """Returns the action listed by ``legal`` that represents any legal one in lane ``i``, for
    policies, which know only listed ones.

    A game registers its own together with ``is_legal``.
    """
    return action


# Hidden cards. A *world* is a full state that a seat cannot tell from the true one. What it adds to
# the seat's view is stored in ``spec.hidden_words`` words of 64 bits, the *hidden words*, in the
# game's own encoding: the hands of the others, their sealed bids, the squares of unseen moves. The
# encoding is unique, since worlds are compared by their words. Only ``inference`` calls these
# kernels, while a game runs. Each reads only what ``seat`` sees in lane ``i``, except
# ``hidden_of``.


@GenericKernel
def list_hidden(rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray) -> int:
    """Returns the number of worlds that a seat cannot rule out in lane ``i``, -1 if they do not
    fit; lists the words of each, once.

    Args:
        hidden: uint64 ``[room, W]``, changed in place; rows after the last world, or after -1 is
            returned, are undefined.
    """


MOST_LISTED = 2**15


@kernel
def _listed(rules: Rules, views: States, i: int, seat: int, num_words: int) -> np.ndarray:
    """Returns the words of all worlds (uint64 ``[n, W]``)."""
    room = 64
    while room <= MOST_LISTED:
        hidden = np.empty((room, num_words), np.uint64)
        total = list_hidden(rules, views, i, seat, hidden)
        if total >= 0:
            return hidden[:total]
        room *= 8
    raise ValueError(
        "over 32,768 worlds: a game with so many registers draw_hidden and log_prior_hidden of "
        "its own"
    )


@optional
def draw_hidden(
    rules: Rules, views: States, i: int, seat: int, rng: np.ndarray, lane: int, hidden: np.ndarray
) -> None:
    """Draws the words of a world for every row of ``hidden`` (uint64 ``[n, W]``), with the
    probabilities of ``log_prior_hidden``.

    By default uniformly from the worlds of ``list_hidden``.

    Args:
        rng: uint64 streams; ``rng[lane]`` is changed in place.
    """
    listed = _listed(rules, views, i, seat, hidden.shape[1])
    for k in range(hidden.shape[0]):
        hidden[k] = listed[random_below(rng, lane, listed.shape[0])]


@optional
def log_prior_hidden(rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray) -> float:
    """Returns the log-probability (nats) with which ``draw_hidden`` draws the words of a world
    (uint64 ``[W]``) at a view.

    In a view of the start of the game this is the probability of the deal: later moves in the words
    do not count, since inference weights moves by their makers' policies.

    By default all worlds of ``list_hidden`` are equally likely. Register both kernels or neither.
    """
    return -np.log(len(_listed(rules, views, i, seat, hidden.size)))


@GenericKernel
def fill_world(
    rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray, worlds: States, j: int
) -> bool:
    """Writes the world of view ``i`` and hidden words (uint64 ``[W]``) to lane ``j`` of ``worlds``.

    Cards that chance has still to deal stay hidden, see ``deal_rest``.

    Returns:
        Whether the seat cannot rule the world out; if it can, lane ``j`` is undefined.
    """


@GenericKernel
def hidden_of(rules: Rules, states: States, i: int, seat: int, hidden: np.ndarray) -> None:
    """Writes the hidden words (uint64 ``[W]``) of the full state in lane ``i`` as they are for a
    seat.
    """


@GenericKernel
def start_view(rules: Rules, views: States, i: int, seat: int, starts: States, j: int) -> None:
    """Writes the view of a seat before the first move of the game in lane ``i`` to lane ``j`` of
    ``starts``.

    It includes the chance events that the seat has learned since (public cards), so that a game can
    be replayed from it.
    """


@optional
def start_hidden(rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray) -> None:
    """Turns the hidden words (uint64 ``[W]``) of a world of view ``i`` into those of the same world
    at the start of the game.
    """
    pass


@optional
def reveal(rules: Rules, views: States, i: int, seat: int, earlier: States, j: int) -> None:
    """Adds to an earlier view (lane ``j`` of ``earlier``) the public chance events up to view
    ``i``, see ``start_view``.
    """
    pass


@optional
def played_move(
    rules: Rules, worlds: States, i: int, seat: int, seen: int, hidden: np.ndarray
) -> int:
    """Returns the action that comes next in lane ``i``, a world that is replayed; -1 if there is
    none.

    It may be one that ``seat`` does not see at all (UNSEEN_MOVE); the next call then has the same
    ``seen``.

    Args:
        seen: The next move in the record of ``seat``: the action, or a negative number if it did
            not see which.
        hidden: uint64 ``[W]``, the words of the world as drawn, which determine the unseen moves.
    """
    return seen


@optional
def deal_rest(
    rules: Rules, worlds: States, first: int, count: int, rng: np.ndarray, lane: int
) -> None:
    """Deals the rest of the cards in the lanes ``first`` .. ``first + count - 1`` (worlds of one
    view).
    """
    pass


@optional
def public_cards(rules: Rules, states: States, i: int) -> int:
    """Returns the number of public cards dealt so far."""
    return 0


@optional
def count_hidden(
    rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray, counts: np.ndarray
) -> None:
    """Writes the holdings of each other seat in the world of view ``i`` and hidden words (uint64
    ``[W]``).

    Args:
        counts: int8 ``[num_seats - 1, kinds]``, every element is written: the number of things of
            each of ``spec.hidden_kinds`` that the seats hold, in turn, from the one after ``seat``
            on; 0 to ``spec.hidden_most``.

    If a game does not register it, ``spec.hidden_kinds`` must be empty.
    """
    counts[:] = 0


@optional
def shortest_hand(rules: Rules, views: States, i: int) -> int:
    """Returns the number of cards in the shortest hand, which all can see.

    By default -1: hands do not run out, and inference is useful from the first move.
    """
    return -1


@optional
def draw_corrected(
    rules: Rules,
    views: States,
    i: int,
    seat: int,
    logits: np.ndarray,
    rng: np.ndarray,
    lane: int,
    hidden: np.ndarray,
) -> None:
    """Draws words like ``draw_hidden``, from the prior corrected by a network; only for games with
    ``spec.has_hidden_head``.

    Args:
        logits: float32 ``[counts, L]``, the output of the head for hidden cards.
    """
    raise NotImplementedError


@optional
def log_corrected(
    rules: Rules,
    views: States,
    i: int,
    seat: int,
    logits: np.ndarray,
    hidden: np.ndarray,
    exists: np.ndarray,
    out: np.ndarray,
) -> None:
    """Writes the log-probability (nats, float64 ``[n]``) with which ``draw_corrected`` draws the
    words in each row.

    Args:
        hidden: uint64 ``[n, W]``.
        exists: bool ``[n]``, the rows to compute; the others are not changed.
    """
    raise NotImplementedError


GENERIC = {
    name: value for name, value in list(globals().items()) if isinstance(value, GenericKernel)
}
"""Every generic kernel by its name."""


def register_all(rules_type: type, *kernels: Any) -> None:
    """Makes the compiled kernels of a game the implementations of the generic ones of the same
    names.

    Args:
        rules_type: The NamedTuple of the game's rules, the first argument of all of them.
        kernels: The kernels; or modules, whose functions with the names of generic ones are taken
            unless a later argument replaces them.

    Raises:
        ValueError: A kernel does not have the name of a generic one, or is not compiled.
    """
    chosen = dict[str, Any]()
    for own in kernels:
        if isinstance(own, ModuleType):
            chosen |= {
                name: kernel
                for name, kernel in vars(own).items()
                if name in GENERIC and kernel.__module__ == own.__name__
            }
            continue
        name = getattr(own, "__name__", own)
        if not (hasattr(own, "py_func") or numba.config.DISABLE_JIT):
            raise ValueError(f"kernel {name}: not compiled; write @kernel above it")
        if name not in GENERIC:
            raise ValueError(f"kernel {name}: expected one of {', '.join(GENERIC)}")
        chosen[name] = own
    for name, own in chosen.items():
        register(GENERIC[name], rules_type, own)


def missing_kernels(rules_type: type) -> list[str]:
    """Returns the names of the generic kernels that a game must have and has not registered."""
    return [
        name
        for name, generic in GENERIC.items()
        if not {None, rules_type} & set(generic.implementations)
    ]


def _copied(states: Any, name: str = "") -> list[str]:
    """Returns the lines that copy a row of every array in a NamedTuple or its numba type."""
    lines: list[str] = []
    for field, part in zip(getattr(states, "instance_class", states)._fields, states, strict=True):
        here = f"{name}.{field}"
        if isinstance(part, tuple | numba.types.BaseTuple):
            lines += _copied(part, here)
        elif part.ndim > 1:
            lines += [f" copy_line(target{here}, j, source{here}, i)"]
        else:
            lines += [f" target{here}[j] = source{here}[i]"]
    return lines


def _written_out(states: Any) -> Callable[..., Any]:
    """Returns a copy of every array, for games without a ``copy_row``: numba cannot loop over
    fields of unlike types.
    """
    made: dict[str, Any] = {"Any": Any, "copy_line": copy_line}
    # Numba compares the signature with that of _choose_copy_row.
    head = "def copy(rules: Any, source: Any, i: Any, target: Any, j: Any):"
    exec("\n".join([head, *_copied(states)]), made)  # noqa: S102 (names of fields)
    return made["copy"]


def _copy_row(rules: Rules, source: States, i: int, target: States, j: int) -> None:
    # Kernels run this instead of the function below; named here, it is part of their keys in the
    # cache.
    assert _written_out is not None
    put(target, j, take(source, i))


copy_row.implementations[None] = _copy_row


@overload(copy_row, jit_options={"forceinline": True})
def _choose_copy_row(
    rules: Any, source: Any, i: Any, target: Any, j: Any
) -> Callable[..., Any] | None:
    return None if has_own(copy_row, rules) else _written_out(source)
