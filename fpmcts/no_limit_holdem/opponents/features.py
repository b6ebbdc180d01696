"""Features of a decision: the public betting and board as numbers, and the statistics of the
players.

No hole card is read, and only dealt board cards are. Amounts are in big blinds or shares of the
pot. Trees depend only on the order of values, so nothing is scaled.

Source of the list: Van den Broeck, Driessens & Ramon 2009, section 2, and the authors' program:
progress of the round, pot, stack, deficit, pot odds, players, and statistics of the player and of
the table.
"""

import numpy as np

from fpmcts.no_limit_holdem.opponents.statistics import STATISTICS
from games.kernels import kernel
from games.no_limit_holdem.betting import pot, situation
from games.no_limit_holdem.state import HIDDEN, Rules, States

NUM_FEATURES = 46
"""Columns without statistics; comments in ``_features`` and ``_board`` describe them."""
NUM_COLUMNS = NUM_FEATURES + STATISTICS + 8
"""All columns: features, the mover's statistics, then others' statistics: the table's average VPIP,
PFR, AF, AFq and WtSD, and VPIP, PFR and AFq of the last aggressor (the table's average if there is
none).
"""
TO_CALL, RAISE_COST = 1, 27
NO_RAISE = 9.0
"""RAISE_COST where no raise is allowed."""


@kernel
def _board(states: States, i: int, num_cards: int, out: np.ndarray) -> None:
    """Writes the features of the board, columns 30 to 38. Cards missing from a record are skipped;
    if all are, the columns stay 0 as before the flop.
    """
    high = second = -1
    mask = most = suited = broadway = 0
    suits = ranks = 0  # counts, four bits each
    for k in range(num_cards):
        card = np.int64(states.board[i, k])
        if card == HIDDEN:
            continue
        rank, suit = card // 4, card % 4
        ranks += 1 << (4 * rank)
        suits += 1 << (4 * suit)
        most = max(most, (ranks >> (4 * rank)) & 15)
        suited = max(suited, (suits >> (4 * suit)) & 15)
        mask |= 1 << rank
        broadway += rank >= 8
        if k == num_cards - 1:
            out[35] = rank > high  # the last card is above all before it
            out[36] = ((ranks >> (4 * rank)) & 15) > 1  # it pairs the board
            out[37] = (suits >> (4 * suit)) & 15  # cards of its suit
        if rank > high:
            high, second = rank, high
        elif rank > second:
            second = rank
    if mask == 0:
        return
    wheel = (mask << 1) | (mask >> 12)
    connected = 0
    for low in range(10):
        count = 0
        for k in range(5):
            count += (wheel >> (low + k)) & 1
        connected = max(connected, count)
    out[30] = high  # rank, 0 for the deuce
    out[31] = most  # cards of a rank
    out[32] = suited  # most cards of a suit
    out[33] = connected  # most different ranks within a straight's reach
    out[34] = second
    out[38] = broadway  # cards from the ten up


@kernel
def _features(rules: Rules, states: States, i: int, seat: int, out: np.ndarray) -> None:
    """Writes the columns without statistics."""
    seats, round_ = states.stacks.shape[1], min(np.int64(states.round[i]), 3)
    stack = np.int64(states.stacks[i, seat])
    chips = cost = top = least = np.int64(0)
    if states.seat[i] < 0:
        chips, top = pot(rules, states, i), np.int64(states.street_paid[i].max())
    else:
        here = situation(rules, states, i)
        chips, cost, top, least = here.pot, here.to_call, here.highest, here.least
    big, size = 1.0 / np.float64(states.big_blind[i]), np.float64(chips)
    players = to_act = behind = raises = all_in = deepest = street = 0
    callers, shallowest = -1, 1 << 30
    first = last = earlier = last_calls = entered = last_put = last_most = first_most = 0
    raised, called, puts = states.raises[i], states.calls[i], states.put[i]
    bets, stacks = states.street_paid[i], states.stacks[i]
    folded, acted = states.folded[i], states.acted[i]
    for other in range(seats):
        raised_first, bet = np.int64(raised[other, 0]), np.int64(bets[other])
        first += raised_first
        raises += raised[other, round_]
        entered += raised_first + called[other, 0] > 0
        street += bet
        first_most = max(first_most, np.int64(puts[other, 0]))
        if round_ > 0:
            last += raised[other, round_ - 1]
            last_calls += called[other, round_ - 1]
            put = np.int64(puts[other, round_ - 1])
            last_put += put
            last_most = max(last_most, put)
            for k in range(round_ - 1):
                earlier += raised[other, k]
        if folded[other]:
            continue
        players += 1
        callers += bet == top and top > 0
        if other != seat:
            behind += other > seat
            left = np.int64(stacks[other])
            to_act += left > 0 and (bet < top or not acted[other])
            all_in += left == 0
            deepest = max(deepest, left + bet - top + cost)
            shallowest = min(shallowest, left)
    aggressor = np.int64(states.aggressor[i])
    out[0] = round_
    out[1] = cost * big  # TO_CALL
    out[2] = cost / (size + cost)  # pot odds
    out[3] = size * big  # pot
    out[4] = stack * big
    out[5] = min(stack, max(deepest, 0)) / max(size, 1.0)  # what can still be won or lost, in pots
    out[6] = players  # not folded
    out[7] = to_act  # others who may still act in this round if nobody raises
    out[8] = seats
    out[9] = seat
    out[10] = seats - 1 - seat  # from the button
    out[11] = behind  # players between the mover and the button, button included
    out[12] = raises  # in this round
    out[13] = max(callers, 0)  # others with the most chips of this round but the first with them
    out[14] = raised[seat, round_]
    out[15] = called[seat, round_]
    out[16] = first  # raises before the flop
    out[17] = last  # raises in the last round
    out[18] = raised[seat, round_ - 1] if round_ > 0 else 0
    out[19] = raised[seat, 0]
    out[20] = -1 if aggressor < 0 else (aggressor - seat + seats) % seats  # 0: the mover
    out[21] = seats - 1 - aggressor if aggressor >= 0 else -1  # from the button
    out[22] = aggressor >= 0 and folded[aggressor] == 0
    out[23] = states.last_raise[i] / max(size, 1.0)
    out[24] = bets[seat] * big
    out[25] = states.paid[i, seat] * big
    out[26] = all_in  # others without chips behind
    out[27] = (least - bets[seat]) / max(stack, 1) if least > 0 else NO_RAISE  # RAISE_COST
    out[28] = shallowest * big  # the smallest remaining stack of the other active players
    out[29] = earlier  # raises in all rounds before the last one
    for k in range(30, 39):
        out[k] = 0.0
    if round_ > 0:
        _board(states, i, round_ + 2, out)
    out[39] = raises - raised[seat, round_]  # of the others in this round
    out[40] = last_calls  # in the last round
    out[41] = (size - street) * big  # pot at the start of the round
    out[42] = cost / max(size - cost, 1.0)  # to call as a share of the pot before the bet
    out[43] = entered  # players who put in chips of free will before the flop
    # The most that a seat put in during the last round, as a share of the pot at its start.
    before = max(np.float64(size - street - last_put), 1.0 / big)
    out[44] = last_most / before if round_ > 0 else 0.0
    out[45] = first_most * big  # the same before the flop, in big blinds


@kernel
def columns(
    rules: Rules, states: States, i: int, seat: int, statistics: np.ndarray, out: np.ndarray
) -> None:
    """Writes the features of a seat's decision in lane ``i``.

    Args:
        seat: The seat to move, or any seat at a showdown, which then has nothing to call.
        statistics: float32 ``[S, STATISTICS]``.
        out: float32 ``[NUM_COLUMNS]``, changed in place.
    """
    _features(rules, states, i, seat, out)
    own, folded, at = statistics[seat], states.folded[i], NUM_FEATURES + STATISTICS
    for k in range(STATISTICS):
        out[NUM_FEATURES + k] = own[k]
    others = 0
    vpip = pfr = af = afq = wtsd = 0.0
    for other in range(len(folded)):
        if other != seat and not folded[other]:
            others += 1
            vpip += statistics[other, 0]
            pfr += statistics[other, 1]
            af += statistics[other, 2]
            afq += statistics[other, 3]
            wtsd += statistics[other, 4]
    share = 1.0 / max(others, 1)
    vpip, pfr, afq = vpip * share, pfr * share, afq * share
    out[at], out[at + 1], out[at + 2] = vpip, pfr, af * share
    out[at + 3], out[at + 4] = afq, wtsd * share
    aggressor = np.int64(states.aggressor[i])
    if aggressor >= 0 and aggressor != seat:
        last = statistics[aggressor]
        vpip, pfr, afq = last[0], last[1], last[3]
    out[at + 5], out[at + 6], out[at + 7] = vpip, pfr, afq
