# mypy: disable-error-code="empty-body"
"""The generic kernels: what compiled code asks of any game.

They are declared here, implemented by each game, and chosen by the type of ``rules`` (see ``games.dispatch``). ``register_all``
makes the kernels of a game the implementations of those of the same names; some have a default.
"""

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba.extending import overload

from games.batches import Rules, States
from games.dispatch import GenericKernel, has_own, register, register_default
from games.kernels import kernel


@GenericKernel
def legal(rules: Rules, states: States, i: int, actions: np.ndarray) -> int:
    """Returns the number of legal actions of lane ``i``; writes them, ascending, to ``actions`` (int16 ``[max_legal]``)."""


@GenericKernel
def step(rules: Rules, states: States, i: int, action: int) -> None:
    """Plays a legal action in lane ``i``. The action is not checked."""


@GenericKernel
def current_seat(rules: Rules, states: States, i: int) -> int:
    """Returns the seat to move, -1 when the game is over."""


@GenericKernel
def team_return(rules: Rules, states: States, i: int, seat: int) -> float:
    """Returns the return of the seat's team in the game's unit (points, chips); the game must be over."""


@GenericKernel
def stake(rules: Rules, states: States, i: int) -> float:
    """Returns the unit in which a network states its value at this state. A game need not register its own: 1."""


@GenericKernel
def observe(rules: Rules, states: States, i: int, seat: int, out: np.ndarray) -> None:
    """Writes the information state of a seat to ``out`` (int8 ``[C, L]``), every element of it."""


@GenericKernel
def infoset_key(rules: Rules, states: States, i: int, seat: int) -> np.uint64:
    """Returns a 64-bit hash of what a seat knows: equal for two states exactly when the seat cannot tell them apart.

    It reads what the seat sees only, so a state and the seat's view of it have the same key. Where the game is over, histories
    that pay alike may share a key.
    """


@GenericKernel
def sure_win(rules: Rules, states: States, i: int) -> int:
    """Returns an action of the seat to move that wins in every world it cannot tell apart, or -1.

    A game need not register its own: -1.
    """


@GenericKernel
def forced_win(rules: Rules, states: States, i: int) -> int:
    """Returns what ``sure_win`` does, or a sure win that takes longer to find: for players' own decisions, not for simulations.

    A game need not register its own: ``sure_win``.
    """


@GenericKernel
def copy_row(rules: Rules, source: States, i: int, target: States, j: int) -> None:
    """Copies lane ``i`` of ``source`` over lane ``j`` of ``target``. A game need not register its own."""


HIDDEN_MOVE = -2
"""In records: the seat saw that a move was made, but not which."""
UNSEEN_MOVE = -3
"""What ``seen_move`` says where a seat sees nothing of a move; its record then does not have the move at all."""
MOST_ACTIONS = 2**15
"""Action ids fit int16, so no state has more."""


@GenericKernel
def seen_move(rules: Rules, states: States, i: int, action: int, seat: int) -> int:
    """Returns what a seat sees of a move that is about to be played in lane ``i``: the action, HIDDEN_MOVE or UNSEEN_MOVE.

    A game whose moves are all public has no need to register its own.
    """


@GenericKernel
def is_legal(rules: Rules, states: States, i: int, action: int) -> bool:
    """Returns whether an action may be played in lane ``i``, which must not be over.

    A game registers its own where more may be played than ``legal`` lists, such as bets of any amount.
    """


@GenericKernel
def nearest_listed(rules: Rules, states: States, i: int, action: int) -> int:
    """Returns the action of ``legal`` that stands for one that may be played in lane ``i``: policies know those that are listed.

    A game registers its own together with ``is_legal``. Where it does not: the action itself.
    """


# Hidden cards. A *world* is a full state that a seat cannot tell from the true one. What it adds to the seat's view is written
# as ``spec.hidden_words`` words of 64 bits, the *hidden words*, in a code of the game's own: the hands of the others, their
# sealed bids, the squares of moves that were not seen. One world has one code, since words are compared to tell worlds apart.
# Only ``inference`` calls these kernels. Each reads of lane ``i`` what ``seat`` sees and nothing else, except ``hidden_of``.


@GenericKernel
def list_hidden(rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray) -> int:
    """Returns how many worlds a seat cannot rule out in lane ``i``, -1 if they do not fit; lists the words of each, once.

    Args:
        hidden: uint64 ``[room, W]``, changed in place; what stands after the last world, or after -1, means nothing.
    """


@GenericKernel
def draw_hidden(
    rules: Rules, views: States, i: int, seat: int, rng: np.ndarray, lane: int, hidden: np.ndarray
) -> None:
    """Draws the words of a world for every row of ``hidden`` (uint64 ``[n, W]``), with the probabilities of ``log_prior_hidden``.

    Where a game does not register it: evenly from what ``list_hidden`` lists.

    Args:
        rng: uint64 streams; ``rng[lane]`` is changed in place.
    """


@GenericKernel
def log_prior_hidden(rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray) -> float:
    """Returns the log-probability (nats) with which ``draw_hidden`` draws the words of a world (uint64 ``[W]``) at a view.

    In a view of the start of the game this is the probability of the deal: what the words say of moves that are made later does
    not count there, since inference weighs moves by the policies of who made them.

    Where a game does not register it: all that ``list_hidden`` lists are equally likely. Register both or none of the two.
    """


@GenericKernel
def fill_world(
    rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray, worlds: States, j: int
) -> bool:
    """Writes the world of view ``i`` and hidden words (uint64 ``[W]``) to lane ``j`` of ``worlds``.

    What chance has still to deal stays hidden, see ``deal_rest``.

    Returns:
        Whether the seat cannot rule the world out; if it can, lane ``j`` means nothing.
    """


@GenericKernel
def hidden_of(rules: Rules, states: States, i: int, seat: int, hidden: np.ndarray) -> None:
    """Writes the hidden words (uint64 ``[W]``) of the full state in lane ``i`` as they are for a seat."""


@GenericKernel
def start_view(rules: Rules, views: States, i: int, seat: int, starts: States, j: int) -> None:
    """Writes the view of a seat before the first move of the game in lane ``i`` to lane ``j`` of ``starts``.

    It shows what the seat knows by now of what chance has dealt (cards that came to the table), so that a game can be replayed
    from it.
    """


@GenericKernel
def start_hidden(rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray) -> None:
    """Turns the hidden words (uint64 ``[W]``) of a world of view ``i`` into those of the same world at the start of the game.

    Where a game does not register it: they are the same.
    """


@GenericKernel
def reveal(rules: Rules, views: States, i: int, seat: int, earlier: States, j: int) -> None:
    """Adds to an earlier view (lane ``j`` of ``earlier``) what chance has dealt openly up to view ``i``, see ``start_view``.

    Where a game does not register it: nothing is dealt during the game.
    """


@GenericKernel
def played_move(
    rules: Rules, worlds: States, i: int, seat: int, seen: int, hidden: np.ndarray
) -> int:
    """Returns the action that comes next in lane ``i``, a world that is replayed; -1 if there is none.

    It may be one that ``seat`` does not see at all (``seen_move`` says UNSEEN_MOVE); the next call then has the same ``seen``.

    Args:
        seen: What ``seat`` saw of the next move of its record: the action, or a negative number where it did not see which.
        hidden: uint64 ``[W]``, the words of the world as they were drawn, which tell the moves that were not seen.

    Where a game does not register it: all moves are seen.
    """


@GenericKernel
def deal_rest(
    rules: Rules, worlds: States, first: int, count: int, rng: np.ndarray, lane: int
) -> None:
    """Deals, in the lanes ``first`` .. ``first + count - 1`` (worlds of one view), what chance has still to deal.

    Where a game does not register it: nothing.
    """


@GenericKernel
def public_cards(rules: Rules, states: States, i: int) -> int:
    """Returns how many cards chance has dealt openly since the beginning.

    Where a game does not register it: 0, nothing is dealt during the game.
    """


@GenericKernel
def count_hidden(
    rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray, counts: np.ndarray
) -> None:
    """Writes what each of the other seats holds in the world of view ``i`` and hidden words (uint64 ``[W]``).

    Args:
        counts: int8 ``[num_seats - 1, kinds]``, every element is written: the number of things of each of ``spec.hidden_kinds``
            that the seats hold, in turn, from the one after ``seat`` on; 0 to ``spec.hidden_most``.

    Where a game does not register it, ``spec.hidden_kinds`` must be empty.
    """


@GenericKernel
def shortest_hand(rules: Rules, views: States, i: int) -> int:
    """Returns the number of cards in the shortest hand, which all can see.

    Where a game does not register it: -1, hands do not run out, and inference is of use from the first move.
    """


@GenericKernel
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
    """Draws words like ``draw_hidden``, from the prior as a network corrects it. Of games with ``spec.has_hidden_head`` alone.

    Args:
        logits: float32 ``[counts, L]``, the answer of the head for hidden cards.
    """


@GenericKernel
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
    """Writes the log-probability (nats, float64 ``[n]``) with which ``draw_corrected`` draws the words in each row.

    Args:
        hidden: uint64 ``[n, W]``. exists: bool ``[n]``, the rows to do; the others are left alone.
    """


GENERIC = {
    name: value for name, value in list(globals().items()) if isinstance(value, GenericKernel)
}
"""Every generic kernel by its name."""
REQUIRED = (
    legal,
    step,
    current_seat,
    team_return,
    observe,
    infoset_key,
    list_hidden,
    fill_world,
    hidden_of,
    start_view,
)
"""Those that have no default."""


def register_all(rules_type: type, *kernels: Any) -> None:
    """Makes the compiled kernels of a game the implementations of the generic ones of the same names.

    Args:
        rules_type: The NamedTuple of the game's rules, the first argument of all of them.

    Raises:
        ValueError: A kernel has the name of no generic one, or is not compiled.
    """
    for own in kernels:
        name = getattr(own, "__name__", own)
        if not (hasattr(own, "py_func") or numba.config.DISABLE_JIT):
            raise ValueError(f"kernel {name}: not compiled; write @kernel above it")
        if name not in GENERIC:
            raise ValueError(f"kernel {name}: expected one of {', '.join(GENERIC)}")
        register(GENERIC[name], rules_type, own)


def missing_kernels(rules_type: type) -> list[str]:
    """Returns the names of the generic kernels that a game must have and has not registered."""
    return [generic.__name__ for generic in REQUIRED if rules_type not in generic.implementations]


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
    """Returns the names of the arrays in a NamedTuple or its numba type, with dots before those of nested ones."""
    found: list[str] = []
    for name, part in zip(getattr(states, "instance_class", states)._fields, states, strict=True):
        nested = isinstance(part, tuple | numba.types.BaseTuple)
        found += _array_names(part, f"{prefix}{name}.") if nested else [prefix + name]
    return found


def _written_out(states: Any) -> Callable[..., Any]:
    """Returns a copy of every array, for games without a ``copy_row``: numba cannot loop over fields of unlike types."""
    lines = [f"    target.{name}[j] = source.{name}[i]" for name in _array_names(states)]
    made: dict[str, Any] = {"Any": Any}
    head = "def copy(rules: Any, source: Any, i: Any, target: Any, j: Any):"  # numba compares it with that of _choose_copy_row
    exec("\n".join([head, *lines]), made)  # noqa: S102 (names of fields)
    function: Callable[..., Any] = made["copy"]
    return function


def _copy_row(rules: Rules, source: States, i: int, target: States, j: int) -> None:
    _written_out(source)(rules, source, i, target, j)


copy_row.implementations[None] = _copy_row


@overload(copy_row)
def _choose_copy_row(
    rules: Any, source: Any, i: Any, target: Any, j: Any
) -> Callable[..., Any] | None:
    return None if has_own(copy_row, rules) else _written_out(source)


@kernel
def _same_hidden(rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray) -> None:
    pass


@kernel
def _reveal_nothing(
    rules: Rules, views: States, i: int, seat: int, earlier: States, j: int
) -> None:
    pass


@kernel
def _seen_move(
    rules: Rules, worlds: States, i: int, seat: int, seen: int, hidden: np.ndarray
) -> int:
    return seen


@kernel
def _deal_nothing(
    rules: Rules, worlds: States, first: int, count: int, rng: np.ndarray, lane: int
) -> None:
    pass


@kernel
def _no_hand(rules: Rules, views: States, i: int) -> int:
    return -1


register_default(start_hidden, _same_hidden)
register_default(reveal, _reveal_nothing)
register_default(played_move, _seen_move)
register_default(deal_rest, _deal_nothing)
register_default(shortest_hand, _no_hand)
