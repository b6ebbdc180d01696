"""What the models see of a decision: the public betting and board as numbers, and the statistics of the players.

No hole card is read, and of the board only what lies on the table. Amounts are in big blinds or shares of the pot. Trees ask
only for the order of values, so nothing is scaled. Source of the list: the text, section 2, and the authors' program (seed 001):
progress of the round, pot, stack, deficit, pot odds, players, and statistics of the player and of the table.
"""

from enum import IntEnum

import numpy as np

from games.kernels import kernel
from games.no_limit_holdem.betting import pot, situation
from games.no_limit_holdem.state import Rules, States
from opponent_models.statistics import STATISTICS


class Feature(IntEnum):
    """Columns of the features of a decision."""

    ROUND = 0
    TO_CALL = 1  # big blinds
    POT_ODDS = 2  # to call / (pot + to call)
    POT = 3  # big blinds
    STACK = 4  # of the mover, big blinds
    STACK_TO_POT = 5  # what can still be won or lost against the deepest of the others, in pots
    PLAYERS = 6  # not folded
    TO_ACT = 7  # others who may still act in this round if nobody raises
    SEATS = 8
    SEAT = 9
    FROM_BUTTON = 10  # 0 = the button
    BEHIND = 11  # players not folded who sit between the mover and the button, button included
    RAISES = 12  # in this round
    CALLERS = 13  # others with the most chips of this round but for who put them in first
    OWN_RAISES = 14
    OWN_CALLS = 15
    RAISES_BEFORE_FLOP = 16
    RAISES_LAST_ROUND = 17
    OWN_RAISES_LAST_ROUND = 18
    OWN_RAISES_BEFORE_FLOP = 19
    AGGRESSOR_DISTANCE = 20  # seats from the mover to the last aggressor: 0 = the mover, -1 = none
    AGGRESSOR_FROM_BUTTON = 21
    AGGRESSOR_IS_IN = 22
    LAST_RAISE = 23  # the least raise as a share of the pot
    STREET_PAID = 24  # by the mover, big blinds
    PAID = 25
    ALL_IN = 26  # others without chips behind
    RAISE_COST = 27  # chips for the least raise as a share of the stack; NO_RAISE = none is allowed
    OTHERS_STACK = 28  # the least stack behind of the others who are in, big blinds
    RAISES_EARLIER = 29  # in all rounds before the last one
    HIGH_CARD = 30  # of the board, 0 for the deuce
    PAIRED = 31  # most cards of a rank
    SUITED = 32  # most cards of a suit
    CONNECTED = 33  # most different ranks within a straight's reach
    SECOND_CARD = 34  # the second highest rank
    LAST_OVER = 35  # the last card is above all before it
    LAST_PAIRS = 36  # the last card pairs the board
    LAST_SUITS = 37  # cards of the last one's suit
    BROADWAY = 38  # cards from the ten up
    FACED_BETS = 39  # raises of the others in this round since the mover acted, or of all
    CALLERS_LAST_ROUND = 40
    POT_AT_ROUND = 41  # pot at the start of the round, big blinds
    BET_SHARE = 42  # to call as a share of the pot before the bet
    PLAYERS_BEFORE_FLOP = 43  # who put chips in of free will
    BET_LAST_ROUND = (
        44  # the most that a seat put in during the last round, as a share of the pot at its start
    )
    BET_BEFORE_FLOP = 45  # big blinds


NO_RAISE = 9.0
NUM_FEATURES = 46
"""Columns without statistics."""
NUM_OTHERS = 8
NUM_COLUMNS = NUM_FEATURES + STATISTICS + NUM_OTHERS
"""All columns: features, the mover's statistics, then of others: the table's average of VPIP, PFR, AF, AFq, WtSD, and VPIP, PFR
and AFq of the last aggressor (the table's average where there is none)."""


@kernel
def _board(states: States, i: int, num_cards: int, out: np.ndarray) -> None:
    """Writes the features of the board, HIGH_CARD to BROADWAY."""
    high, second, mask, most, suited, broadway = -1, -1, 0, 0, 0, 0
    suits, ranks = 0, 0  # counts, four bits each
    for k in range(num_cards):
        card = np.int64(states.board[i, k])
        rank, suit = card // 4, card % 4
        ranks += 1 << (4 * rank)
        suits += 1 << (4 * suit)
        most = max(most, (ranks >> (4 * rank)) & 15)
        suited = max(suited, (suits >> (4 * suit)) & 15)
        mask |= 1 << rank
        broadway += rank >= 8
        if k == num_cards - 1:
            out[35] = rank > high
            out[36] = ((ranks >> (4 * rank)) & 15) > 1
            out[37] = (suits >> (4 * suit)) & 15
        if rank > high:
            high, second = rank, high
        elif rank > second:
            second = rank
    wheel = (mask << 1) | (mask >> 12)
    connected = 0
    for low in range(10):
        window = (wheel >> low) & 31
        connected = max(
            connected,
            (window & 1)
            + ((window >> 1) & 1)
            + ((window >> 2) & 1)
            + ((window >> 3) & 1)
            + (window >> 4),
        )
    out[30], out[31], out[32], out[33], out[34], out[38] = (
        high,
        most,
        suited,
        connected,
        second,
        broadway,
    )


@kernel
def features(rules: Rules, states: States, i: int, seat: int, out: np.ndarray) -> None:
    """Writes what a seat's decision looks like in lane ``i`` to ``out``, float32 ``[>= NUM_FEATURES]``, without statistics.

    ``seat`` is that to move; at a showdown any seat, which then has nothing to call.
    """
    seats, round_, over = (
        states.stacks.shape[1],
        min(np.int64(states.round[i]), 3),
        states.seat[i] < 0,
    )
    stack, chips, cost, top, least = (
        np.int64(states.stacks[i, seat]),
        np.int64(0),
        np.int64(0),
        np.int64(0),
        np.int64(0),
    )
    if over:
        chips, top = pot(rules, states, i), np.int64(states.street_paid[i].max())
    else:
        here = situation(rules, states, i)
        chips, cost, top, least = here.pot, here.to_call, here.highest, here.least
    big, size = 1.0 / np.float64(states.big_blind[i]), np.float64(chips)
    players, to_act, behind, raises, callers, all_in, deepest, shallowest, street = (
        0,
        0,
        0,
        0,
        -1,
        0,
        0,
        1 << 30,
        0,
    )
    first, last, earlier, last_calls, entered, last_put, last_most, first_most = (
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
    )
    raised, called, puts, bets = (
        states.raises[i],
        states.calls[i],
        states.put[i],
        states.street_paid[i],
    )
    folded, acted, stacks = states.folded[i], states.acted[i], states.stacks[i]
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
    out[1] = cost * big
    out[2] = cost / (size + cost)
    out[3] = size * big
    out[4] = stack * big
    out[5] = min(stack, max(deepest, 0)) / max(size, 1.0)
    out[6] = players
    out[7] = to_act
    out[8] = seats
    out[9] = seat
    out[10] = seats - 1 - seat
    out[11] = behind
    out[12] = raises
    out[13] = max(callers, 0)
    out[14] = states.raises[i, seat, round_]
    out[15] = states.calls[i, seat, round_]
    out[16] = first
    out[17] = last
    out[18] = states.raises[i, seat, round_ - 1] if round_ > 0 else 0
    out[19] = states.raises[i, seat, 0]
    out[20] = (
        -1 if aggressor < 0 else aggressor - seat if aggressor >= seat else aggressor - seat + seats
    )
    out[21] = seats - 1 - aggressor if aggressor >= 0 else -1
    out[22] = aggressor >= 0 and states.folded[i, aggressor] == 0
    out[23] = states.last_raise[i] / max(size, 1.0)
    out[24] = states.street_paid[i, seat] * big
    out[25] = states.paid[i, seat] * big
    out[26] = all_in
    out[27] = (least - states.street_paid[i, seat]) / max(stack, 1) if least > 0 else NO_RAISE
    out[28] = shallowest * big
    out[29] = earlier
    for k in range(30, 39):
        out[k] = 0.0
    if round_ > 0:
        _board(states, i, round_ + 2, out)
    out[39] = raises - states.raises[i, seat, round_]
    out[40] = last_calls
    out[41] = (size - street) * big
    out[42] = cost / max(size - cost, 1.0)
    out[43] = entered
    out[44] = (
        last_most / max(np.float64(size - street - last_put), 1.0 / big) if round_ > 0 else 0.0
    )
    out[45] = first_most * big


@kernel
def with_statistics(
    states: States, i: int, seat: int, statistics: np.ndarray, out: np.ndarray
) -> None:
    """Writes the columns of statistics for a seat in lane ``i`` to ``out``, float32 ``[NUM_COLUMNS]``.

    Args:
        statistics: float32 ``[S, STATISTICS]``.
        out: Changed in place from NUM_FEATURES on.
    """
    at = NUM_FEATURES
    own = statistics[seat]
    for k in range(STATISTICS):
        out[at + k] = own[k]
    at += STATISTICS
    seats, others, folded = states.stacks.shape[1], 0, states.folded[i]
    vpip = pfr = af = afq = wtsd = 0.0
    for other in range(seats):
        if other != seat and not folded[other]:
            others += 1
            vpip += statistics[other, 0]
            pfr += statistics[other, 1]
            af += statistics[other, 2]
            afq += statistics[other, 3]
            wtsd += statistics[other, 4]
    share = 1.0 / max(others, 1)
    vpip, pfr, afq = vpip * share, pfr * share, afq * share
    out[at], out[at + 1], out[at + 2], out[at + 3], out[at + 4] = (
        vpip,
        pfr,
        af * share,
        afq,
        wtsd * share,
    )
    aggressor = np.int64(states.aggressor[i])
    if aggressor >= 0 and aggressor != seat:
        vpip, pfr, afq = (
            statistics[aggressor, 0],
            statistics[aggressor, 1],
            statistics[aggressor, 3],
        )
    out[at + 5], out[at + 6], out[at + 7] = vpip, pfr, afq
