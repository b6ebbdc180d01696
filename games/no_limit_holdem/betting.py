"""The betting of no-limit Hold'em as kernels: legal amounts, the effect of a move, and the end of a
round or the hand.

The rules are those of PokerKit 0.7 (``pokerkit.State``), which the tests replay move by move, but
for the second:

- A raise must add at least a full raise: the larger of the big blind and the round's largest raise.
  A player with less may still go all-in.
- A player who has acted in the round may raise again only if it faces at least a full raise. So
  all-ins that add less reopen the betting together, as soon as they add up to one for that player.
  Source: rule 47A of the Tournament Directors Association, 2022. PokerKit lets a third short all-in
  close it again, and a first bet or raise below the big blind reopen it.
- A player may not raise if none of the others left in the hand could answer, nor fold without a bet
  to call.

A kernel here reads no cards. It takes ``(rules, states, i, …)`` like the generic kernels.
"""

from typing import NamedTuple

import numpy as np

from games.kernels import borrowed, kernel, mix64
from games.no_limit_holdem.state import (
    CALL,
    FIRST_AMOUNT,
    FIRST_SIZE,
    FOLD,
    MOST_COUNTED,
    NUM_BOARD,
    NUM_ROUNDS,
    OVER,
    Rules,
    States,
)


class Situation(NamedTuple):
    """The situation of the seat to move, in chips.

    Attributes:
        highest: Largest amount that a seat has put in during this round.
        pot: Chips in the pot.
        to_call: Chips to call, at most the stack.
        after_call: The pot after a full call; sizes are multiples of it.
        least, most: Bounds of the amount to raise to in this round; 0 where no raise is allowed.
    """

    highest: int
    pot: int
    to_call: int
    after_call: int
    least: int
    most: int


@kernel(forceinline=True)
def situation(rules: Rules, states: States, i: int) -> Situation:
    """Returns the situation of the seat to move, in one pass over the seats."""
    row = borrowed(states)
    seat = np.int64(row.seat[i])
    bets, stacks, folded, paid = row.street_paid[i], row.stacks[i], row.folded[i], row.paid[i]
    highest, total, reach = np.int64(0), np.int64(0), np.int64(0)
    for other in range(bets.size):
        bet = np.int64(bets[other])
        highest = max(highest, bet)
        total += paid[other]
        reach = max(reach, (bet + stacks[other]) * (other != seat) * (1 - folded[other]))
    own, stack = np.int64(bets[seat]), np.int64(stacks[seat])
    missing, full = highest - own, max(np.int64(row.last_raise[i]), np.int64(row.big_blind[i]))
    least, most = np.int64(0), np.int64(0)
    if stack > missing and reach > highest and (missing >= full or row.acted[i, seat] == 0):
        most = stack + own
        least = min(most, highest + full)
    return Situation(highest, total, min(stack, missing), total + missing, least, most)


@kernel
def pot(rules: Rules, states: States, i: int) -> int:
    """Returns the chips in the pot, including those of this round."""
    paid, total = states.paid[i], np.int64(0)
    for seat in range(paid.size):
        total += paid[seat]
    return total


@kernel
def to_call(rules: Rules, states: States, i: int) -> int:
    """Returns the chips that the seat to move has to put in to call, at most its stack; 0 = it may
    check.
    """
    return situation(rules, states, i).to_call


@kernel
def raise_bounds(rules: Rules, states: States, i: int) -> tuple[int, int]:
    """Returns the minimum and maximum chips that the seat to move may bet or raise to in this
    round, (0, 0) if it may not.

    If the stack is too small for a full raise, both are all-in.
    """
    here = situation(rules, states, i)
    return here.least, here.most


@kernel(forceinline=True)
def size_amount(here: Situation, size: float) -> int:
    """Returns the raise-to, in chips, of a size in pots (``Rules.sizes``) where a raise is
    allowed.
    """
    if size == np.inf:
        return here.most
    return min(max(here.highest + np.int64(size * here.after_call + 0.5), here.least), here.most)


@kernel(forceinline=True)
def amount_in(rules: Rules, here: Situation, action: int) -> int:
    """Returns ``amount_of`` in a situation."""
    if action >= FIRST_AMOUNT:
        return np.int64(action - FIRST_AMOUNT)
    return size_amount(here, rules.sizes[action - FIRST_SIZE])


@kernel
def amount_of(rules: Rules, states: States, i: int, action: int) -> int:
    """Returns the raise-to, in chips of this round, of a listed size or of an exact amount; a raise
    must be allowed.
    """
    return amount_in(rules, situation(rules, states, i), action)


@kernel(forceinline=True)
def list_actions(rules: Rules, here: Situation, actions: np.ndarray) -> int:
    """Returns the number of actions listed in a situation, and writes them as ``legal`` does."""
    count = 0
    if here.to_call > 0:
        actions[0] = FOLD
        count = 1
    actions[count] = CALL
    count += 1
    if here.most == 0:
        return count
    before, sizes = np.int64(-1), borrowed(rules).sizes
    for k in range(sizes.size):
        amount = size_amount(here, sizes[k])
        if amount == before:
            count -= amount == here.most
            if amount < here.most:
                continue
        actions[count] = FIRST_SIZE + k
        count += 1
        before = amount
    return count


@kernel(forceinline=True)
def legal(rules: Rules, states: States, i: int, actions: np.ndarray) -> int:
    """Returns the number of legal actions among fold, call and the listed sizes, and writes these,
    ascending, to ``actions`` (int16).

    Of sizes with the same amount only one is listed: the last if they are all-in, else the first.
    """
    tables, row = borrowed(rules), borrowed(states)
    if row.seat[i] < 0:
        return 0
    return list_actions(tables, situation(tables, row, i), actions)


@kernel
def is_legal(rules: Rules, states: States, i: int, action: int) -> bool:
    """Returns whether an action may be played: one that ``legal`` lists, or any exact amount within
    the bounds of a raise.
    """
    here = situation(rules, states, i)
    if action >= FIRST_AMOUNT:
        return bool(here.most > 0 and here.least <= action - FIRST_AMOUNT <= here.most)
    listed = np.empty(FIRST_AMOUNT, np.int16)
    for k in range(list_actions(rules, here, listed)):
        if listed[k] == action:
            return True
    return False


@kernel(forceinline=True)
def num_left(rules: Rules, states: States, i: int) -> int:
    """Returns the number of seats that have not folded."""
    folded = borrowed(states).folded[i]
    count = np.int64(folded.size)
    for seat in range(folded.size):
        count -= folded[seat]
    return count


@kernel
def _next_pending(pending: int, seat: int, seats: int) -> int:
    """Returns the first seat of a mask from ``seat`` on, cyclically."""
    for k in range(seats):
        other = seat + k
        if other >= seats:
            other -= seats
        if (pending >> other) & 1:
            return other
    return -1


@kernel(forceinline=True)
def _with_chips(states: States, i: int) -> int:
    """Returns the mask of the seats that have not folded and have chips behind."""
    row = borrowed(states)
    folded, stacks, mask = row.folded[i], row.stacks[i], np.int64(0)
    for seat in range(folded.size):
        mask |= np.int64((folded[seat] == 0) & (stacks[seat] > 0)) << seat
    return mask


@kernel
def _finish(rules: Rules, states: States, i: int) -> None:
    """Ends the hand and returns uncalled chips."""
    row = borrowed(states)
    bets = row.street_paid[i]
    first, second, owner = np.int64(-1), np.int64(-1), 0
    for seat in range(bets.size):
        if bets[seat] > first:
            first, second, owner = np.int64(bets[seat]), first, seat
        elif bets[seat] > second:
            second = np.int64(bets[seat])
    row.stacks[i, owner] += first - second
    row.paid[i, owner] -= first - second
    row.street_paid[i, owner] -= first - second
    row.put[i, owner, row.round[i]] -= first - second
    if num_left(rules, states, i) > 1:
        row.shown[i] = NUM_BOARD
    row.round[i] = OVER
    row.seat[i] = -1
    row.pending[i] = 0


@kernel(forceinline=True)
def _close_round(rules: Rules, states: States, i: int) -> bool:
    """Begins the next round; if no betting is left, does nothing and returns False."""
    row, mask = borrowed(states), _with_chips(states, i)
    if row.round[i] == NUM_ROUNDS - 1 or mask & (mask - 1) == 0:
        return False
    row.round[i] += 1
    row.shown[i] = row.round[i] + 2
    bets, acted = row.street_paid[i], row.acted[i]
    for seat in range(bets.size):
        bets[seat] = 0
        acted[seat] = 0
    row.last_raise[i] = 0
    row.pending[i] = mask
    row.seat[i] = _next_pending(mask, 0, bets.size)
    return True


@kernel(forceinline=True)
def step(rules: Rules, states: States, i: int, action: int) -> None:
    """Plays a legal action in lane ``i``. The action is not checked."""
    tables, row = borrowed(rules), borrowed(states)
    seat = np.int64(row.seat[i])
    pending, part, code = (
        np.int64(row.pending[i]) & ~(np.int64(1) << seat),
        row.round[i],
        np.int64(action),
    )
    if action == FOLD:
        row.folded[i, seat] = 1
    else:
        here = situation(tables, row, i)
        amount = min(here.highest, np.int64(row.street_paid[i, seat]) + row.stacks[i, seat])
        if action == CALL:
            row.calls[i, seat, part] = min(np.int64(row.calls[i, seat, part]) + 1, MOST_COUNTED)
        else:
            amount = amount_in(tables, here, action)
            code = FIRST_AMOUNT + amount
            row.raises[i, seat, part] = min(np.int64(row.raises[i, seat, part]) + 1, MOST_COUNTED)
            row.aggressor[i] = seat
        added, chips = amount - here.highest, amount - row.street_paid[i, seat]
        row.stacks[i, seat] -= chips
        row.paid[i, seat] += chips
        row.street_paid[i, seat] = amount
        row.put[i, seat, part] += chips
        if action != CALL:
            row.last_raise[i] = max(np.int64(row.last_raise[i]), added)
            pending = _with_chips(row, i) & ~(np.int64(1) << seat)
    row.acted[i, seat] = 1
    row.history[i] = mix64(row.history[i] + np.uint64(code))
    if action == FOLD and num_left(tables, row, i) == 1:
        _finish(tables, row, i)
    elif pending != 0:
        row.pending[i] = pending
        row.seat[i] = _next_pending(pending, seat, row.stacks.shape[1])
    elif not _close_round(tables, row, i):
        _finish(tables, row, i)


@kernel
def start_row(
    rules: Rules,
    states: States,
    i: int,
    stacks: np.ndarray,
    antes: np.ndarray,
    blinds: np.ndarray,
    big_blind: int,
) -> None:
    """Writes the betting of a hand before its first move to lane ``i``; cards are not changed.

    A player with too few chips posts all of them. If the posts put players all-in, the hand may be
    over at once.

    Args:
        stacks: int ``[S]``, chips before the posts.
        antes: int ``[S]``, not negative; they do not count as bets.
        blinds: int ``[S]``, by the seat that posts it: heads-up the big blind first. A negative one
            is a post of that size by a player in neither blind; it does not change which player
            acts first.
        big_blind: The minimum bet.
    """
    seats = stacks.size
    key = np.uint64(seats)
    states.shown[i] = 0
    states.last_raise[i] = 0
    states.big_blind[i] = big_blind
    states.round[i] = 0
    states.aggressor[i] = -1
    opener, opening, highest = 0, np.int64(-(2**40)), np.int64(0)
    for seat in range(seats):
        ante = min(np.int64(antes[seat]), np.int64(stacks[seat]))
        blind = min(abs(np.int64(blinds[seat])), stacks[seat] - ante)
        signed = blind if blinds[seat] > 0 else -blind if blinds[seat] < 0 else np.int64(0)
        if signed >= opening:
            opener, opening = seat, signed
        highest = max(highest, blind)
        states.stacks[i, seat] = stacks[seat] - ante - blind
        states.paid[i, seat] = ante + blind
        states.street_paid[i, seat] = blind
        states.ante[i, seat] = ante
        states.blind[i, seat] = signed
        states.folded[i, seat] = 0
        states.acted[i, seat] = 0
        for part in range(NUM_ROUNDS):
            states.put[i, seat, part] = blind if part == 0 else 0
            states.calls[i, seat, part] = 0
            states.raises[i, seat, part] = 0
        key = mix64(key + np.uint64(stacks[seat]))
        key = mix64(key + (np.uint64(ante) << np.uint64(32)) + np.uint64(signed))
    states.history[i] = mix64(key + np.uint64(big_blind))
    pending = _first_to_act(rules, states, i, highest)
    states.pending[i] = pending
    if pending == 0:
        if not _close_round(rules, states, i):
            _finish(rules, states, i)
    else:
        states.seat[i] = _next_pending(pending, (opener + 1) % seats, seats)


@kernel
def _first_to_act(rules: Rules, states: States, i: int, highest: int) -> int:
    """Returns the mask of the seats that have a decision after the posts."""
    bets, stacks = states.street_paid[i], states.stacks[i]
    first, second = np.int64(-1), np.int64(-1)
    for seat in range(bets.size):
        total = np.int64(bets[seat]) + stacks[seat]
        if total > first:
            first, second = total, first
        elif total > second:
            second = total
    pending, only = np.int64(0), -1
    for seat in range(bets.size):
        if stacks[seat] > 0 and second > bets[seat]:
            pending |= np.int64(1) << seat
            only = seat
    if pending & (pending - 1) == 0 and only >= 0 and bets[only] >= highest:
        return np.int64(0)
    return pending
