# mypy: disable-error-code="empty-body"
"""Selection at an information set: which action an iteration tries, what it learns, and the
resulting policy.

A *selection* is a NamedTuple of parameters; the kernels below are chosen by its type, as a game's
are by its rules, so one search kernel is compiled for each. A row (``fpmcts.tabular.hash_table``)
has ``width`` words for each action and one of its own:

=====================  =====================  ================================================
selection              the row's own word     words of an action
=====================  =====================  ================================================
``UCT``, ``Smooth``    bonus for the next     all sums of rewards, then all 1 / sqrt(n_i)
                                              (float32), then all n_i (uint32)
``Exp3``               R                      x̂_i | w_i = exp(γ x̂_i / K - R) | sum of p_i
``RegretMatching``     D                      R_i + D | sum of p_i
=====================  =====================  ================================================

No information set occurs twice in an iteration, so counts may rise when an action is chosen; sums
of rewards wait for the result. The caller passes all random numbers, 64 bits each; equal
probabilities are exact to within 2**-32.

Sources: Lisy, "Alternative selection functions for Information Set Monte Carlo Tree Search", 2014,
algorithms 2 to 4; Heinrich & Silver, "Smooth UCT search in computer poker", 2015, equations 1 and
2.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from fpmcts.tabular.hash_table import HEADER, Rows, count_visit, num_actions_of, visits_of
from fpmcts.tabular.walks import below, fraction
from games.kernels import kernel
from games.kernels.dispatch import GenericKernel, register

UNTRIED = np.float32(1e30)
"""Used for 1 / sqrt(0): any bonus times this exceeds all rewards."""
LEAST_ROOT = 1e-9
"""Used for sqrt(ln 1), so that untried actions come first then, too."""
LISTED = 4096
"""Visit counts whose roots and logarithms are tabulated."""
_HALF = np.uint64(32)
_FURTHEST = 300.0
"""The weights of Exp3 are rescaled to at most 1 when an exponent leaves ± this."""


class UCT(NamedTuple):
    """UCT: the action of highest ``x̄_i + s / sqrt(n_i)``, a random one among those within a
    margin.

    Attributes:
        factor: s is this times sqrt(ln n).
        margin: Margin of ties, in rewards.
        ahead: 1: n counts the current visit (Lisy); 0: it does not (Heinrich & Silver).
        gain: A reward is the return times this,
        shift: plus this.
        roots: float32 ``[LISTED]``, 1 / sqrt(n).
        logs: float64 ``[LISTED]``, sqrt(ln n).
        gamma, eta, d: Parameters of ``Smooth``, as in equation 2.
        width: Words for each action.
    """

    factor: float
    margin: float
    ahead: int
    gain: float
    shift: float
    roots: np.ndarray
    logs: np.ndarray
    gamma: float = 1.0
    eta: float = 1.0
    d: float = 0.0
    width: int = 2


class Smooth(UCT):
    """Smooth UCT: with probability ``max(gamma, eta / (1 + d sqrt(n)))`` select as UCT, otherwise
    from the mean of all selections.
    """


class RunningUCT(UCT):
    """UCT with the ties that a single scan over the actions finds.

    An action within the margin of the best *so far* joins the list of ties; one better by more than
    the margin starts it anew. So the list may keep actions further below the best than the margin.
    Lisy 2014 mentions only exact ties; with these, UCT falls and rises as in the paper's figure 2.
    The authors' published program does not have them: its curve falls to the end.
    """


class Exp3(NamedTuple):
    """Exp3.

    Attributes:
        gamma: Exploration.
        gain, shift, width: As in ``UCT``.
    """

    gamma: float
    gain: float
    shift: float
    width: int = 3


class RegretMatching(NamedTuple):
    """Regret Matching; the attributes are those of ``Exp3``."""

    gamma: float
    gain: float
    shift: float
    width: int = 2


def roots() -> tuple[np.ndarray, np.ndarray]:
    """Returns the tables ``roots`` and ``logs`` of ``UCT``."""
    first, second = np.empty(LISTED, np.float32), np.empty(LISTED)
    _list_roots(first, second)
    return first, second


@kernel
def _root(visits: int) -> np.float32:
    """Returns 1 / sqrt(n)."""
    return np.float32(1.0 / math.sqrt(np.float64(visits)))


@kernel
def _log_root(visits: int) -> float:
    """Returns sqrt(ln n), ``LEAST_ROOT`` for n up to 1."""
    return math.sqrt(math.log(np.float64(visits))) if visits > 1 else LEAST_ROOT


@kernel
def _list_roots(first: np.ndarray, second: np.ndarray) -> None:
    first[0] = UNTRIED
    for n in range(first.size):
        if n > 0:
            first[n] = _root(n)
        second[n] = _log_root(n)


@GenericKernel
def begin(selection: object, rows: object, place: int, num_actions: int) -> bool:
    """Returns whether a row is visited for the first time, and initialises it if so."""


@GenericKernel
def select(
    selection: object,
    rows: object,
    place: int,
    node: int,
    num_actions: int,
    bits: np.uint64,
    chances: np.ndarray,
    depth: np.uint64,
) -> int:
    """Returns the slot of the action to try, and counts the visit.

    Args:
        node: The position, where the game has a betting tree.
        bits: 64 random bits.
        chances: float64; ``chances[depth]`` receives the probability of the slot, if ``credit``
            needs it.
        depth: As above.
    """


@GenericKernel
def credit(
    selection: object, rows: object, place: int, slot: int, chance: float, result: float
) -> None:
    """Learns from the return of the mover's team after a slot was tried with probability
    ``chance``.
    """


@GenericKernel
def weights(selection: object, rows: Rows, place: int, num_actions: int, out: np.ndarray) -> None:
    """Writes the unnormalised policy of an information set: n_i, or the sum of p_i."""


@GenericKernel
def values(selection: object, rows: Rows, place: int, num_actions: int, out: np.ndarray) -> None:
    """Writes the mean reward of each action, -inf if untried; the ``weights`` where no rewards are
    kept.
    """


@GenericKernel
def _best(selection: object, rows: object, place: int, num_actions: int, bits: np.uint64) -> int:
    """Returns the slot that UCT tries, by the low half of 64 random bits."""


@kernel(forceinline=True)
def _begin_uct(selection: UCT, rows: Rows, place: int, num_actions: int) -> bool:
    if visits_of(rows, place) > 0:
        return False
    for slot in range(num_actions):
        rows.singles[2 * (place + HEADER + num_actions) + slot] = UNTRIED
    rows.words[place + 2] = selection.factor * LEAST_ROOT
    return True


@kernel(inline="always")
def _value(rows: Rows, place: int, num_actions: int, slot: int) -> float:
    """Returns the mean reward of an action and its bonus."""
    first = place + HEADER
    root = np.float64(rows.singles[2 * (first + num_actions) + slot])
    return root * (rows.words[first + slot] * root + rows.words[place + 2])


@kernel(forceinline=True)
def _best_uct(selection: UCT, rows: Rows, place: int, num_actions: int, bits: np.uint64) -> int:
    """Returns a uniformly random slot among those within the margin of the highest value, without
    branching on values.
    """
    best = -np.inf
    for slot in range(num_actions):
        best = max(best, _value(rows, place, num_actions, slot))
    least, ties = best - selection.margin, 0
    marks = np.int64(0)  # a bit for each of the first 64 slots
    for slot in range(num_actions):
        tied = np.int64(_value(rows, place, num_actions, slot) >= least)
        marks |= tied << slot
        ties += tied
    left = below(bits, ties)
    if num_actions > 62:
        met, chosen = 0, 0
        for slot in range(num_actions):
            met += np.int64(_value(rows, place, num_actions, slot) >= least)
            chosen += np.int64(met <= left)
        return chosen
    for _ in range(left):
        marks &= marks - 1
    chosen = 0
    while (marks >> chosen) & 1 == 0:
        chosen += 1
    return chosen


@kernel(inline="always")
def _count_action(selection: UCT, rows: Rows, place: int, num_actions: int, slot: int) -> None:
    """Counts a visit and an action, and updates the numbers derived from the counts."""
    at = 2 * (place + HEADER + num_actions) + slot
    tried = np.int64(rows.counts[at + num_actions]) + 1
    rows.counts[at + num_actions] = np.uint32(tried)
    rows.singles[at] = selection.roots[tried] if tried < LISTED else _root(tried)
    count_visit(rows, place)
    visits = visits_of(rows, place) + selection.ahead
    rows.words[place + 2] = selection.factor * (
        selection.logs[visits] if visits < LISTED else _log_root(visits)
    )


@kernel(forceinline=True)
def _select_uct(
    selection: UCT,
    rows: Rows,
    place: int,
    node: int,
    num_actions: int,
    bits: np.uint64,
    chances: np.ndarray,
    depth: np.uint64,
) -> int:
    slot = int(_best(selection, rows, place, num_actions, bits))
    _count_action(selection, rows, place, num_actions, slot)
    return slot


@kernel(forceinline=True)
def _select_smooth(
    selection: UCT,
    rows: Rows,
    place: int,
    node: int,
    num_actions: int,
    bits: np.uint64,
    chances: np.ndarray,
    depth: np.uint64,
) -> int:
    visits = visits_of(rows, place)
    share = max(
        selection.gamma, selection.eta / (1.0 + selection.d * math.sqrt(np.float64(visits)))
    )
    if visits == 0 or np.float64(bits >> _HALF) < share * 4294967296.0:
        slot = int(_best(selection, rows, place, num_actions, bits))
    else:
        mark, reached, slot = below(bits, visits), 0, 0
        for k in range(num_actions - 1):
            reached += np.int64(rows.counts[2 * (place + HEADER + num_actions) + num_actions + k])
            slot += np.int64(mark >= reached)
    _count_action(selection, rows, place, num_actions, slot)
    return slot


@kernel(forceinline=True)
def _best_running(selection: UCT, rows: Rows, place: int, num_actions: int, bits: np.uint64) -> int:
    """Returns a uniformly random slot of the list of ``RunningUCT``."""
    margin = selection.margin
    best, ties, begun = -np.inf, np.int64(0), np.int64(0)
    for slot in range(num_actions):
        value = _value(rows, place, num_actions, slot)
        if value > best + margin:
            ties, begun = np.int64(0), np.int64(slot)
        ties += np.int64(value >= best - margin)
        best = max(best, value)
    left = below(bits, ties)
    best, met, chosen = -np.inf, np.int64(0), begun
    for slot in range(begun, num_actions):
        value = _value(rows, place, num_actions, slot)
        met += np.int64(value >= best - margin)
        chosen += np.int64(met <= left)
        best = max(best, value)
    return chosen


@kernel(forceinline=True)
def _credit_sum(
    selection: UCT, rows: Rows, place: int, slot: int, chance: float, result: float
) -> None:
    rows.words[place + HEADER + slot] += result * selection.gain + selection.shift


@kernel
def _weights_uct(selection: UCT, rows: Rows, place: int, num_actions: int, out: np.ndarray) -> None:
    for slot in range(num_actions):
        out[slot] = rows.counts[2 * (place + HEADER + num_actions) + num_actions + slot]


@kernel
def _values_uct(selection: UCT, rows: Rows, place: int, num_actions: int, out: np.ndarray) -> None:
    for slot in range(num_actions):
        tried = rows.counts[2 * (place + HEADER + num_actions) + num_actions + slot]
        out[slot] = rows.words[place + HEADER + slot] / tried if tried > 0 else -np.inf


@kernel(forceinline=True)
def _begin_exp3(selection: Exp3, rows: Rows, place: int, num_actions: int) -> bool:
    if visits_of(rows, place) > 0:
        return False
    for slot in range(num_actions):
        rows.words[place + HEADER + 3 * slot + 1] = 1.0
    return True


@kernel(forceinline=True)
def _select_exp3(
    selection: Exp3,
    rows: Rows,
    place: int,
    node: int,
    num_actions: int,
    bits: np.uint64,
    chances: np.ndarray,
    depth: np.uint64,
) -> int:
    first = place + HEADER
    total = 0.0
    for slot in range(num_actions):
        total += rows.words[first + 3 * slot + 1]
    share, explore, keep = 1.0 / total, selection.gamma / num_actions, 1.0 - selection.gamma
    mark, reached, chosen = fraction(bits), 0.0, 0
    for slot in range(num_actions):
        p = rows.words[first + 3 * slot + 1] * share
        rows.words[first + 3 * slot + 2] += p
        reached += keep * p + explore
        chosen += np.int64(mark >= reached)
    chosen = min(chosen, num_actions - 1)
    chances[depth] = keep * rows.words[first + 3 * chosen + 1] * share + explore
    count_visit(rows, place)
    return chosen


@kernel(forceinline=True)
def _credit_exp3(
    selection: Exp3, rows: Rows, place: int, slot: int, chance: float, result: float
) -> None:
    first, num_actions = place + HEADER, num_actions_of(rows, place)
    rate = selection.gamma / num_actions
    rows.words[first + 3 * slot] += (result * selection.gain + selection.shift) / chance
    exponent = rate * rows.words[first + 3 * slot] - rows.words[place + 2]
    if -_FURTHEST < exponent < _FURTHEST:
        rows.words[first + 3 * slot + 1] = math.exp(exponent)
        return
    highest = -np.inf
    for k in range(num_actions):
        highest = max(highest, rate * rows.words[first + 3 * k])
    rows.words[place + 2] = highest
    for k in range(num_actions):
        rows.words[first + 3 * k + 1] = math.exp(rate * rows.words[first + 3 * k] - highest)


@kernel(forceinline=True)
def _begin_regrets(selection: RegretMatching, rows: Rows, place: int, num_actions: int) -> bool:
    return visits_of(rows, place) == 0


@kernel(forceinline=True)
def _select_regrets(
    selection: RegretMatching,
    rows: Rows,
    place: int,
    node: int,
    num_actions: int,
    bits: np.uint64,
    chances: np.ndarray,
    depth: np.uint64,
) -> int:
    first, common = place + HEADER, rows.words[place + 2]
    total = 0.0
    for slot in range(num_actions):
        total += max(rows.words[first + 2 * slot] - common, 0.0)
    none = np.float64(total <= 0.0)  # where no regret is positive, all have weight 1
    share = 1.0 / (total + none * num_actions)
    explore, keep = selection.gamma / num_actions, 1.0 - selection.gamma
    mark, reached, chosen = fraction(bits), 0.0, 0
    for slot in range(num_actions):
        p = (max(rows.words[first + 2 * slot] - common, 0.0) + none) * share
        rows.words[first + 2 * slot + 1] += p
        reached += keep * p + explore
        chosen += np.int64(mark >= reached)
    chosen = min(chosen, num_actions - 1)
    chances[depth] = (
        keep * (max(rows.words[first + 2 * chosen] - common, 0.0) + none) * share + explore
    )
    count_visit(rows, place)
    return chosen


@kernel(forceinline=True)
def _credit_regrets(
    selection: RegretMatching, rows: Rows, place: int, slot: int, chance: float, result: float
) -> None:
    reward = result * selection.gain + selection.shift
    rows.words[place + 2] += reward
    rows.words[place + HEADER + 2 * slot] += reward / chance


@kernel
def mean_policy(selection: Any, rows: Rows, place: int, num_actions: int, out: np.ndarray) -> None:
    """``weights`` and ``values`` of rows that keep the sum of p_i in the last word of an action."""
    for slot in range(num_actions):
        out[slot] = rows.words[place + HEADER + selection.width * (slot + 1) - 1]


_UCT = (_credit_sum, _weights_uct, _values_uct)
_KERNELS = {
    UCT: (_begin_uct, _select_uct, *_UCT),
    Smooth: (_begin_uct, _select_smooth, *_UCT),
    RunningUCT: (_begin_uct, _select_uct, *_UCT),
    Exp3: (_begin_exp3, _select_exp3, _credit_exp3, mean_policy, mean_policy),
    RegretMatching: (_begin_regrets, _select_regrets, _credit_regrets, mean_policy, mean_policy),
}
for _kind, _implementation in ((UCT, _best_uct), (Smooth, _best_uct), (RunningUCT, _best_running)):
    register(_best, _kind, _implementation)
for _kind, _own in _KERNELS.items():
    for _generic, _implementation in zip(
        (begin, select, credit, weights, values), _own, strict=True
    ):
        register(_generic, _kind, _implementation)
