"""Deals of Texas Hold'em: the board, then two cards for each player, from 64 random bits.

With tables (``abstraction.Abstraction``) a bucket is found by three sums over the board's cards and
one lookup. Nothing is allocated: cards are used as they are drawn.
"""

from typing import NamedTuple

import numpy as np

from games.kernels import kernel, mix64, prefetch
from games.limit_holdem.abstraction import Abstraction
from games.limit_holdem.boards import NUM_HOLDINGS, SAME_SUITS, BoardTables, canonical, holding
from games.play import deals
from games.play.deals import OWN
from games.poker.hands import (
    EMPTY_KEY,
    NUM_STRENGTHS,
    HandTables,
    strength_of,
    strength_with,
    sums,
)
from games.poker.showdown import with_hand

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_THREE_CARDS = np.uint64(52**3)
_CARDS = np.uint64(52)
_ONE = np.uint64(1)


class HoldemDeals(NamedTuple):
    """Deals with the buckets of tables.

    Attributes:
        hands: Tables of hand strengths.
        boards: Tables of canonical boards.
        buckets: Buckets by board and holding, each array flat.
        outcome: int8 ``[3 ** (P * (P - 1) / 2)]``, ``showdown.outcome_table(P)``.
    """

    hands: HandTables
    boards: BoardTables
    buckets: Abstraction
    outcome: np.ndarray


class MadeHandDeals(NamedTuple):
    """Deals with buckets by the strength of the made hand, without tables: for tests and
    experiments.

    Attributes:
        hands: Tables of hand strengths.
        preflop: uint8 ``[1326]``, the starting hand of each holding.
        sizes: int64 ``[4]``, buckets in each round; from the flop on they divide the strengths
            evenly.
        outcome: As in ``HoldemDeals``.
    """

    hands: HandTables
    preflop: np.ndarray
    sizes: np.ndarray
    outcome: np.ndarray


@kernel(inline="always")
def next_card(state: np.uint64, pool: np.uint64, used: int) -> tuple[np.uint64, np.uint64, int]:
    """Returns a random stream, the rest of its last number, and a uniformly random card that is not
    in ``used`` (bits).

    A number gives three cards; the probability of each of the 52**3 triples is exact to within
    2**-28.
    """
    while True:
        if pool <= _ONE:
            state += _GOLDEN
            pool = (
                ((mix64(state) >> np.uint64(18)) * _THREE_CARDS) >> np.uint64(46)
            ) + _THREE_CARDS
        card = np.int64(pool % _CARDS)
        pool //= _CARDS
        if not (used >> card) & 1:
            return state, pool, card


@kernel
def deal_cards(bits: np.uint64, cards: np.ndarray) -> None:
    """Draws the cards of a deal from 64 random bits.

    Args:
        bits: Random bits; the same ones give ``deals.deal`` the same cards.
        cards: int8 ``[2 * P + 5]``, written: two cards for each player, then the board.
    """
    state, pool, used = bits, _ONE, 0
    own = len(cards) - 5
    for k in range(len(cards)):
        state, pool, card = next_card(state, pool, used)
        used |= 1 << card
        cards[own + k if k < 5 else k - 5] = card


@kernel(inline="always")
def _looked_up(buckets: Abstraction, round_number: int, place: int) -> int:
    """Returns a bucket of a round by its index over boards and holdings."""
    if round_number == 3:
        return np.int64(buckets.river[place])
    if round_number == 2:
        return np.int64(buckets.turn[place])
    if round_number == 1:
        return np.int64(buckets.flop[place])
    return np.int64(buckets.preflop[place])


@kernel
def _deal(deals: HoldemDeals, bits: np.uint64, dealt: np.ndarray) -> None:
    """Draws the cards; stores the index of each hand's bucket, and each player's sums over the
    seven cards.
    """
    hands, boards, found = deals.hands, deals.boards, deals.buckets
    num_hands = len(dealt) - OWN
    state, pool, used = bits, _ONE, 0
    key, masks = np.int64(EMPTY_KEY), np.int64(0)
    flop, flop_suits, turn, turn_suits = 0, 0, 0, 0
    for k in range(5):
        state, pool, card = next_card(state, pool, used)
        used |= 1 << card
        key += hands.keys[card]
        masks |= hands.bits[card]
        if k == 2:
            flop, flop_suits = canonical(boards, masks)
        elif k == 3:
            turn, turn_suits = canonical(boards, masks)
    river, river_suits = canonical(boards, masks)
    for player in range(num_hands >> 2):
        state, pool, one = next_card(state, pool, used)
        used |= 1 << one
        state, pool, two = next_card(state, pool, used)
        used |= 1 << two
        place = player << 2
        dealt[place] = holding(one, two, SAME_SUITS)
        dealt[place + 1] = flop * NUM_HOLDINGS + holding(one, two, flop_suits)
        dealt[place + 2] = turn * NUM_HOLDINGS + holding(one, two, turn_suits)
        dealt[place + 3] = river * NUM_HOLDINGS + holding(one, two, river_suits)
        prefetch(found.turn, dealt[place + 2])
        prefetch(found.river, dealt[place + 3])
        dealt[num_hands + 2 * player] = key + hands.keys[one] + hands.keys[two]
        dealt[num_hands + 2 * player + 1] = masks | hands.bits[one] | hands.bits[two]


@kernel
def _bucket(deals: HoldemDeals, dealt: np.ndarray, hand: int) -> int:
    """Looks up a bucket."""
    return _looked_up(deals.buckets, hand & 3, np.uint64(dealt[hand]))


@kernel
def _outcome(deals: HoldemDeals | MadeHandDeals, dealt: np.ndarray) -> int:
    """Compares the strengths of the hands."""
    num_hands = len(dealt) - OWN
    index, first, second = 0, 0, 0
    for player in range(num_hands >> 2):
        strength = strength_of(
            deals.hands, dealt[num_hands + 2 * player], dealt[num_hands + 2 * player + 1], 7
        )
        index, first, second = with_hand(player, strength, index, first, second)
    return np.int64(deals.outcome[index])


@kernel
def _bucket_of(
    deals: HoldemDeals, cards: np.ndarray, player: int, num_players: int, round_number: int
) -> int:
    """Looks up the bucket of a player's cards."""
    number, suits, board = 0, SAME_SUITS, 2 * num_players
    if round_number > 0:
        masks = sums(deals.hands, cards, board, board + round_number + 2)[1]
        number, suits = canonical(deals.boards, masks)
    held = holding(np.int64(cards[2 * player]), np.int64(cards[2 * player + 1]), suits)
    return _looked_up(deals.buckets, round_number, number * NUM_HOLDINGS + held)


@kernel
def _made_bucket_of(
    deals: MadeHandDeals, cards: np.ndarray, player: int, num_players: int, round_number: int
) -> int:
    """Returns the bucket of a player's made hand."""
    one, two = np.int64(cards[2 * player]), np.int64(cards[2 * player + 1])
    if round_number == 0:
        return np.int64(deals.preflop[holding(one, two, SAME_SUITS)])
    board = 2 * num_players
    key, masks = sums(deals.hands, cards, board, board + round_number + 2)
    strength = strength_with(deals.hands, key, masks, one, two, round_number + 4)
    return (strength - 1) * deals.sizes[round_number] // NUM_STRENGTHS


@kernel
def _deal_made_hands(deals: MadeHandDeals, bits: np.uint64, dealt: np.ndarray) -> None:
    """Draws the same cards as ``_deal``; stores the buckets, and each player's sums over the seven
    cards.
    """
    num_hands = len(dealt) - OWN
    board = num_hands >> 1  # two cards for each player's four hands
    cards = np.empty(board + 5, dtype=np.int8)
    deal_cards(bits, cards)
    key, masks = sums(deals.hands, cards, board, board + 5)
    for hand in range(num_hands):
        dealt[hand] = _made_bucket_of(deals, cards, hand >> 2, num_hands >> 2, hand & 3)
    for player in range(num_hands >> 2):
        own_key, own_masks = sums(deals.hands, cards, 2 * player, 2 * player + 2)
        dealt[num_hands + 2 * player] = key + own_key - EMPTY_KEY
        dealt[num_hands + 2 * player + 1] = masks | own_masks


@kernel
def _kept_bucket(deals: MadeHandDeals, dealt: np.ndarray, hand: int) -> int:
    """Returns a stored bucket."""
    return dealt[hand]


deals.register_deals(HoldemDeals, _deal, _bucket, _outcome, _bucket_of)
deals.register_deals(MadeHandDeals, _deal_made_hands, _kept_bucket, _outcome, _made_bucket_of)
