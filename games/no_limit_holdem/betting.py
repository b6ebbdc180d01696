"""The betting of no-limit Hold'em as kernels: what may be bet, what a move does, and when a round or the hand ends.

The rules are those of PokerKit 0.7 (``pokerkit.State``), which the tests replay move by move:

- A raise must add at least the largest raise of the round, and the big blind. Who has less may still go all-in.
- An all-in that adds less than the largest raise of the round does not let those raise who have acted since the last full raise,
  until such all-ins together add up to one. An all-in that is the first bet or raise of its round does, however small it is.
- Nobody may raise whom all others left in the hand could not answer, or fold who faces no bet.

A kernel here reads no cards. It takes ``(rules, states, i, …)`` like the generic kernels.
"""

import numpy as np

from games.kernels import kernel, mix64
from games.no_limit_holdem.state import CALL, FIRST_AMOUNT, FIRST_SIZE, FOLD, NUM_ROUNDS, OVER, SHOWN, Rules, States


@kernel
def highest_bet(rules: Rules, states: States, i: int) -> int:
    """Returns the most chips that a seat has put in during this round."""
    bets, highest = states.street_paid[i], np.int64(0)
    for seat in range(bets.size):
        highest = max(highest, np.int64(bets[seat]))
    return highest


@kernel
def pot(rules: Rules, states: States, i: int) -> int:
    """Returns the chips in the pot, those of this round included."""
    paid, total = states.paid[i], np.int64(0)
    for seat in range(paid.size):
        total += paid[seat]
    return total


@kernel
def to_call(rules: Rules, states: States, i: int) -> int:
    """Returns the chips that the seat to move has to put in to call, at most its stack; 0 = it may check."""
    seat = states.seat[i]
    return min(np.int64(states.stacks[i, seat]), highest_bet(rules, states, i) - states.street_paid[i, seat])


@kernel
def raise_bounds(rules: Rules, states: States, i: int) -> tuple[int, int]:
    """Returns the least and the most chips of this round that the seat to move may bet or raise to, (0, 0) where it may not.

    Where the stack is too small for a full raise, both are all-in.
    """
    seat, highest = np.int64(states.seat[i]), highest_bet(rules, states, i)
    own, stack, largest = np.int64(states.street_paid[i, seat]), np.int64(states.stacks[i, seat]), np.int64(states.last_raise[i])
    short = np.int64(states.short_raise[i])
    missing = highest - own
    if stack <= missing or missing < largest or (0 < short < largest and states.acted[i, seat]):
        return np.int64(0), np.int64(0)
    bets, stacks, folded = states.street_paid[i], states.stacks[i], states.folded[i]
    for other in range(bets.size):
        if other != seat and not folded[other] and stacks[other] + bets[other] > highest:
            most = stack + own
            return min(most, highest + max(largest, np.int64(states.big_blind[i]))), most
    return np.int64(0), np.int64(0)


@kernel
def size_amount(rules: Rules, states: States, i: int, size: float, least: int, most: int) -> int:
    """Returns the raise-to, in chips, of a size in pots (``Rules.sizes``) within the bounds of ``raise_bounds``."""
    if size == np.inf:
        return most
    highest = highest_bet(rules, states, i)
    after_call = pot(rules, states, i) + highest - states.street_paid[i, states.seat[i]]
    return min(max(highest + np.int64(size * after_call + 0.5), least), most)


@kernel
def amount_of(rules: Rules, states: States, i: int, action: int) -> int:
    """Returns the raise-to, in chips of this round, of a listed size or of an exact amount; a raise must be allowed."""
    if action >= FIRST_AMOUNT:
        return np.int64(action - FIRST_AMOUNT)
    least, most = raise_bounds(rules, states, i)
    return size_amount(rules, states, i, rules.sizes[action - FIRST_SIZE], least, most)


@kernel
def legal(rules: Rules, states: States, i: int, actions: np.ndarray) -> int:
    """Returns how many of fold, call and the listed sizes are legal, and writes them, ascending, to ``actions`` (int16).

    Of sizes that come to the same amount one is listed: the last one of those that are all-in, the first one elsewhere.
    """
    if states.seat[i] < 0:
        return 0
    count = 0
    if to_call(rules, states, i) > 0:
        actions[0] = FOLD
        count = 1
    actions[count] = CALL
    count += 1
    least, most = raise_bounds(rules, states, i)
    if most == 0:
        return count
    before = np.int64(-1)
    for k in range(rules.sizes.size):
        amount = size_amount(rules, states, i, rules.sizes[k], least, most)
        if amount == before:
            count -= amount == most
            if amount < most:
                continue
        actions[count] = FIRST_SIZE + k
        count += 1
        before = amount
    return count


@kernel
def is_legal(rules: Rules, states: States, i: int, action: int) -> bool:
    """Returns whether an action may be played: one that ``legal`` lists, or any exact amount from the least to the most."""
    if action == FOLD:
        return bool(to_call(rules, states, i) > 0)
    if action == CALL:
        return True
    least, most = raise_bounds(rules, states, i)
    if action >= FIRST_AMOUNT:
        return bool(most > 0 and least <= action - FIRST_AMOUNT <= most)
    if most == 0 or action < 0 or action - FIRST_SIZE >= rules.sizes.size:
        return False
    k, last = action - FIRST_SIZE, rules.sizes.size - 1
    amount = size_amount(rules, states, i, rules.sizes[k], least, most)
    if amount == most:
        return bool(k == last or size_amount(rules, states, i, rules.sizes[k + 1], least, most) > amount)
    return bool(k == 0 or size_amount(rules, states, i, rules.sizes[k - 1], least, most) < amount)


@kernel
def num_left(rules: Rules, states: States, i: int) -> int:
    """Returns how many seats have not folded."""
    folded = states.folded[i]
    count = np.int64(folded.size)
    for seat in range(folded.size):
        count -= folded[seat]
    return count


@kernel
def _next_pending(pending: int, seat: int, seats: int) -> int:
    """Returns the first seat of a mask from ``seat`` on, going round."""
    for k in range(seats):
        other = seat + k
        if other >= seats:
            other -= seats
        if (pending >> other) & 1:
            return other
    return -1


@kernel
def _with_chips(states: States, i: int) -> int:
    """Returns the mask of the seats that are in and have chips behind."""
    folded, stacks, mask = states.folded[i], states.stacks[i], np.int64(0)
    for seat in range(folded.size):
        if not folded[seat] and stacks[seat] > 0:
            mask |= np.int64(1) << seat
    return mask


@kernel
def _finish(rules: Rules, states: States, i: int) -> None:
    """Ends the hand; what nobody has called goes back."""
    bets = states.street_paid[i]
    first, second, owner = np.int64(-1), np.int64(-1), 0
    for seat in range(bets.size):
        if bets[seat] > first:
            first, second, owner = np.int64(bets[seat]), first, seat
        elif bets[seat] > second:
            second = np.int64(bets[seat])
    states.stacks[i, owner] += first - second
    states.paid[i, owner] -= first - second
    states.street_paid[i, owner] -= first - second
    states.put[i, owner, states.round[i]] -= first - second
    if num_left(rules, states, i) > 1:
        states.shown[i] = 5
    states.round[i] = OVER
    states.seat[i] = -1
    states.pending[i] = 0


@kernel
def _close_round(rules: Rules, states: States, i: int) -> None:
    """Begins the next round, or ends the hand where no betting is left."""
    mask = _with_chips(states, i)
    if states.round[i] == NUM_ROUNDS - 1 or mask & (mask - 1) == 0:
        _finish(rules, states, i)
        return
    states.round[i] += 1
    states.shown[i] = SHOWN[states.round[i]]
    bets, acted = states.street_paid[i], states.acted[i]
    for seat in range(bets.size):
        bets[seat] = 0
        acted[seat] = 0
    states.last_raise[i] = 0
    states.short_raise[i] = 0
    states.pending[i] = mask
    states.seat[i] = _next_pending(mask, 0, bets.size)


@kernel
def _pay(states: States, i: int, seat: int, chips: int) -> None:
    states.stacks[i, seat] -= chips
    states.paid[i, seat] += chips
    states.street_paid[i, seat] += chips
    states.put[i, seat, states.round[i]] += chips


@kernel
def _raise_to(rules: Rules, states: States, i: int, amount: int) -> int:
    """Bets or raises to an amount of this round; returns the mask of the seats that have to answer."""
    seat = np.int64(states.seat[i])
    added = amount - highest_bet(rules, states, i)
    _pay(states, i, seat, amount - states.street_paid[i, seat])
    if added >= states.last_raise[i]:
        acted = states.acted[i]
        for other in range(acted.size):
            acted[other] = 0
        states.last_raise[i] = added
    short = np.int64(0) if states.stacks[i, seat] > 0 else states.short_raise[i] + added
    states.short_raise[i] = short if short < states.last_raise[i] else 0
    states.raises[i, seat, states.round[i]] += 1
    states.aggressor[i] = seat
    return _with_chips(states, i) & ~(np.int64(1) << seat)


@kernel
def step(rules: Rules, states: States, i: int, action: int) -> None:
    """Plays a legal action in lane ``i``. The action is not checked."""
    seat = np.int64(states.seat[i])
    pending = np.int64(states.pending[i]) & ~(np.int64(1) << seat)
    code = np.int64(action)
    if action == FOLD:
        states.folded[i, seat] = 1
    elif action == CALL:
        _pay(states, i, seat, to_call(rules, states, i))
        states.calls[i, seat, states.round[i]] += 1
    else:
        amount = amount_of(rules, states, i, action)
        code = FIRST_AMOUNT + amount
        pending = _raise_to(rules, states, i, amount)
    states.acted[i, seat] = 1
    states.history[i] = mix64(states.history[i] + np.uint64(code))
    if action == FOLD and num_left(rules, states, i) == 1:
        _finish(rules, states, i)
    elif pending == 0:
        _close_round(rules, states, i)
    else:
        states.pending[i] = pending
        states.seat[i] = _next_pending(pending, seat, states.stacks.shape[1])


@kernel
def start_row(
    rules: Rules, states: States, i: int, stacks: np.ndarray, antes: np.ndarray, blinds: np.ndarray, big_blind: int
) -> None:
    """Writes the betting of a hand before its first move to lane ``i``; cards are left alone.

    Who has too few chips posts what there is. A hand of players who are all-in by their posts may be over at once.

    Args:
        stacks: int ``[S]``, chips before the posts.
        antes: int ``[S]``, not negative; they count as no bet.
        blinds: int ``[S]``, by the seat that posts it: heads-up the big blind first. A negative one is a post of that size by who
            has none of the blinds, and does not move the place of who acts first.
        big_blind: The least bet.
    """
    seats = stacks.size
    key = np.uint64(seats)
    states.shown[i] = 0
    states.last_raise[i] = 0
    states.short_raise[i] = 0
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
        key = mix64(key + (np.uint64(ante) << np.uint64(32)) + np.uint64(blind))
    states.history[i] = mix64(key + np.uint64(big_blind))
    pending = _first_to_act(rules, states, i, highest)
    states.pending[i] = pending
    if pending == 0:
        _close_round(rules, states, i)
    else:
        states.seat[i] = _next_pending(pending, (opener + 1) % seats, seats)


@kernel
def _first_to_act(rules: Rules, states: States, i: int, highest: int) -> int:
    """Returns the mask of the seats that have something to decide after the posts."""
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


@kernel
def settle(rules: Rules, states: States, i: int, strengths: np.ndarray, out: np.ndarray) -> None:
    """Writes the net chips that each seat wins at the end of a hand to ``out`` (float64 ``[S]``).

    Chips are won pot by pot: the main pot, then a side pot for each amount that somebody is all-in with. Antes belong to the main
    pot. Whose hand wins no part of any pot is taken out first, so pots that the same players are left to share are shared as
    one. Of chips that cannot be shared evenly the winner of the lowest seat gets what is left. As PokerKit does it.

    Args:
        strengths: int32 ``[S]``, of the hands, larger is better; of who has folded it does not matter.
    """
    paid, ante, folded = states.paid[i], states.ante[i], states.folded[i]
    seats = paid.size
    alive, level, top = np.int64(0), np.int64(-1), np.int64(0)
    while True:
        following, best = np.int64(2**40), np.int64(-1)
        for seat in range(seats):
            if not folded[seat] and paid[seat] - ante[seat] > level:
                following = min(following, np.int64(paid[seat] - ante[seat]))
                best = max(best, np.int64(strengths[seat]))
        if best < 0:
            break
        level = following
        for seat in range(seats):
            if not folded[seat] and paid[seat] - ante[seat] >= level and strengths[seat] == best:
                alive |= np.int64(1) << seat
                top = max(top, np.int64(paid[seat] - ante[seat]))
    for seat in range(seats):
        out[seat] = -paid[seat]
    level = np.int64(-1)
    while level < top:
        following, best, winners = np.int64(2**40), np.int64(-1), np.int64(0)
        for seat in range(seats):
            if (alive >> seat) & 1 and paid[seat] - ante[seat] > level:
                following = min(following, np.int64(paid[seat] - ante[seat]))
                if strengths[seat] > best:
                    best, winners = np.int64(strengths[seat]), np.int64(0)
                winners += strengths[seat] == best
        amount, end = np.int64(0), following if following < top else np.int64(2**40)
        for seat in range(seats):
            amount += min(max(paid[seat] - ante[seat] - max(level, 0), 0), end - max(level, 0))
            if level < 0:
                amount += ante[seat]
        share = amount // winners
        rest = amount - share * winners
        for seat in range(seats):
            if (alive >> seat) & 1 and paid[seat] - ante[seat] > level and strengths[seat] == best:
                out[seat] += share + rest
                rest = np.int64(0)
        level = following
