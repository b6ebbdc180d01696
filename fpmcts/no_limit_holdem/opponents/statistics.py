"""Statistics of players from hand to hand: counted by kernels, smoothed for the models.

Counts are float32 ``[S, COUNTS]``, a row for each player in the seat order of the current hand.
``count_action`` is called with every action before it is played, ``count_hand`` once at the end of
a hand, ``smooth`` before the next: so a model knows only earlier hands. The caller multiplies the
counts of earlier hands by ``keep``, so that they cover about the last ``1 / (1 - keep)`` hands
without storing them. The text keeps "a limited number of past games" (section 2).

A statistic is ``(prior * m + count) / (m + n)`` over n cases, with m = 4, and m = 5 for aggression;
``prior`` is its mean over all players that the model was learned from.

Source: Van den Broeck, Driessens & Ramon 2009, section 2 ("the text") and the authors' program.
"""

from enum import IntEnum

import numpy as np

from games.kernels import kernel
from games.no_limit_holdem.betting import to_call
from games.no_limit_holdem.state import Rules, States

WINDOW = 10_000
"""Hands that statistics cover by default."""
NUM_CONTEXTS = 9
"""Before the flop: no raise, one, more; then on flop, turn and river: nothing to call, a bet to
call.
"""
HANDS, ENTERED, RAISED, FLOPS, SHOWDOWNS, CONTEXTS = 0, 1, 2, 3, 4, 5
_ENTERS, _RAISES = CONTEXTS + 3 * NUM_CONTEXTS, CONTEXTS + 3 * NUM_CONTEXTS + 1
COUNTS = _RAISES + 1
"""Columns of counts: hands dealt, entered, raised before the flop, flops and showdowns seen; fold,
call and raise by context; then two marks of the current hand: 1 enters, 2 folds before the flop;
raises.
"""


class Statistic(IntEnum):
    """Columns of smoothed statistics; from FOLD on, the share of folds in six contexts; from RAISE
    on, the share of raises in nine.
    """

    VPIP = 0
    PFR = 1
    AF = 2
    AFQ = 3
    WTSD = 4
    FOLD = 5
    RAISE = 11
    HANDS = 20


STATISTICS = 21
"""Columns of smoothed statistics: VPIP (enters a pot of free will), PFR (raises before the flop),
AF (bets and raises to calls after the flop), AFq (their share of all but checks), WtSD (shows down
after a flop), shares by context, how much is known.
"""
M, M_AGGRESSION = 4.0, 5.0


@kernel
def context_of(rules: Rules, states: States, i: int) -> int:
    """Returns the context of the seat to move, below NUM_CONTEXTS."""
    round_ = np.int64(states.round[i])
    if round_ == 0:
        raises = 0
        for seat in range(states.stacks.shape[1]):
            raises += states.raises[i, seat, 0]
        return min(raises, 2)
    return 1 + 2 * round_ + (1 if to_call(rules, states, i) > 0 else 0)


@kernel
def count_action(rules: Rules, states: States, i: int, kind: int, counts: np.ndarray) -> None:
    """Counts an action of the seat to move in lane ``i``, before it is played.

    Args:
        kind: 0 fold, 1 check or call, 2 bet or raise.
        counts: float32 ``[S, COUNTS]``, changed in place.
    """
    seat = states.seat[i]
    counts[seat, CONTEXTS + 3 * context_of(rules, states, i) + kind] += 1.0
    if states.round[i] == 0:
        if kind == 2 or (kind == 1 and to_call(rules, states, i) > 0):
            counts[seat, _ENTERS] = 1.0
        if kind == 0:
            counts[seat, _ENTERS] += 2.0
        if kind == 2:
            counts[seat, _RAISES] = 1.0


@kernel
def count_hand(states: States, i: int, counts: np.ndarray) -> None:
    """Counts a finished hand in lane ``i``, after all its actions have been counted, in ``counts``
    (float32 ``[S, COUNTS]``).
    """
    left = 0
    for seat in range(len(counts)):
        left += 1 - states.folded[i, seat]
    for seat in range(len(counts)):
        enters, raises = counts[seat, _ENTERS], counts[seat, _RAISES]
        counts[seat, HANDS] += 1.0
        counts[seat, ENTERED] += enters % 2.0
        counts[seat, RAISED] += raises
        if states.shown[i] >= 3 and enters < 2.0:
            counts[seat, FLOPS] += 1.0
            if left > 1 and not states.folded[i, seat]:
                counts[seat, SHOWDOWNS] += 1.0
        counts[seat, _ENTERS] = counts[seat, _RAISES] = 0.0


@kernel
def shares(
    counts: np.ndarray, prior: np.ndarray, m: float, m_aggression: float, out: np.ndarray
) -> None:
    """Writes the statistics of one player, smoothed towards ``prior``, both float32
    ``[STATISTICS]``; counts are ``[COUNTS]``.
    """
    bets, calls, folds = 0.0, 0.0, 0.0
    for context in range(3, NUM_CONTEXTS):
        bets += counts[CONTEXTS + 3 * context + 2]
        folds += counts[CONTEXTS + 3 * context]
        if context % 2 == 0:
            calls += counts[CONTEXTS + 3 * context + 1]
    out[0] = (prior[0] * m + counts[ENTERED]) / (m + counts[HANDS])
    out[1] = (prior[1] * m + counts[RAISED]) / (m + counts[HANDS])
    out[2] = (prior[2] * m_aggression + bets) / (m_aggression + calls)
    out[3] = (prior[3] * m_aggression + bets) / (m_aggression + bets + calls + folds)
    out[4] = (prior[4] * m + counts[SHOWDOWNS]) / (m + counts[FLOPS])
    fold = 5
    for context in range(NUM_CONTEXTS):
        at = CONTEXTS + 3 * context
        n = counts[at] + counts[at + 1] + counts[at + 2]
        if context < 3 or context % 2 == 0:
            out[fold] = (prior[fold] * m + counts[at]) / (m + n)
            fold += 1
        out[11 + context] = (prior[11 + context] * m + counts[at + 2]) / (m + n)
    out[20] = counts[HANDS] / (counts[HANDS] + 100.0)


@kernel
def smooth(counts: np.ndarray, prior: np.ndarray, out: np.ndarray) -> None:
    """Writes the statistics of all players.

    Args:
        counts: float32 ``[S, COUNTS]``.
        prior: float32 ``[STATISTICS]``, the model's prior.
        out: float32 ``[S, STATISTICS]``, changed in place.
    """
    for seat in range(len(counts)):
        shares(counts[seat], prior, M, M_AGGRESSION, out[seat])


def new_counts(players: int) -> np.ndarray:
    """Returns the counts of unknown players, float32 ``[players, COUNTS]``."""
    return np.zeros((players, COUNTS), dtype=np.float32)


def prior_of(counts: np.ndarray) -> np.ndarray:
    """Returns the statistics of all players together, float32 ``[STATISTICS]``; a statistic without
    cases is 1/2 (AF: 1).
    """
    empty = np.full(STATISTICS, 0.5, dtype=np.float32)
    empty[Statistic.AF], empty[Statistic.HANDS] = 1.0, 0.0
    out = np.empty(STATISTICS, dtype=np.float32)
    shares(counts.sum(axis=0).astype(np.float32), empty, 1.0, 1.0, out)
    out[Statistic.HANDS] = 0.0
    return out
