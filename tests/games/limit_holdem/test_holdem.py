"""Limit Hold'em: the betting tree, payoffs by hand, deals and outcomes against the cards, bad
input."""

from dataclasses import replace

import numpy as np
import pytest

from games import make
from games.kernels import kernel, streams
from games.limit_holdem import deals as holdem_deals
from games.limit_holdem import game as holdem
from games.limit_holdem.boards import (
    NUM_BOARDS,
    NUM_HOLDINGS,
    board_tables,
    canonical,
    holding,
    start_hands,
)
from games.limit_holdem.deals import HoldemDeals, MadeHandDeals
from games.limit_holdem.game import RULES, SevenCards
from games.play.deals import OWN, bucket, bucket_of, deal, outcome
from games.play.question import ask
from games.play.table import Table
from games.play.tables import PublicTree, sequences
from games.poker import betting, hands
from games.poker.betting import outcome_of
from games.poker.game import LimitPoker
from games.poker.showdown import outcome_table
from tests.games import driver
from tests.games.limit_holdem.hand_strengths import strengths


@kernel
def dealt(cards: object, seeds: np.ndarray, found: np.ndarray, outcomes: np.ndarray) -> None:
    """Writes the buckets of each hand and the outcome of a deal for each seed."""
    scratch = np.empty(found.shape[1] + OWN, dtype=np.int64)
    for i in range(len(seeds)):
        deal(cards, seeds[i], scratch)
        for hand in range(found.shape[1]):
            found[i, hand] = bucket(cards, scratch, hand)
        outcomes[i] = outcome(cards, scratch)


@kernel
def drawn(seeds: np.ndarray, cards: np.ndarray) -> None:
    for i in range(len(seeds)):
        holdem_deals.deal_cards(seeds[i], cards[i])


@kernel
def seen_buckets(deals: object, cards: np.ndarray, num_players: int, found: np.ndarray) -> None:
    """Writes the buckets of each hand, from the cards that its player sees in each round; the
    others become 51."""
    for i in range(len(cards)):
        for hand in range(found.shape[1]):
            view, player, public = cards[i].copy(), hand // 4, (0, 3, 4, 5)[hand % 4]
            for k in range(view.size):
                if k // 2 != player and not 2 * num_players <= k < 2 * num_players + public:
                    view[k] = 51
            found[i, hand] = bucket_of(deals, view, player, num_players, hand % 4)


@kernel
def place(masks: int, one: int, two: int, boards: object) -> int:
    number, suits = canonical(boards, masks)
    return number * NUM_HOLDINGS + holding(one, two, suits)


def test_the_order_of_cards_dealt_at_once_changes_no_information_set() -> None:
    game = make("limit_holdem", abstraction="made_hands")
    states = game.deal(np.arange(1, dtype=np.uint64))
    states.node[0] = np.argmax(game.betting.round == 3)
    cards, key = states.cards[0].copy(), driver.infoset_key(game.rules, states, 0, 1)
    for order, is_same in (
        ([0, 1, 3, 2, 4, 5, 6, 7, 8], True),
        ([0, 1, 2, 3, 6, 4, 5, 7, 8], True),
        ([0, 1, 2, 3, 4, 5, 6, 8, 7], False),  # turn and river
        ([0, 1, 2, 4, 3, 5, 6, 7, 8], False),  # an own card and one of the flop
    ):
        states.cards[0] = cards[order]
        assert (driver.infoset_key(game.rules, states, 0, 1) == key) == is_same


def test_a_record_may_list_cards_dealt_at_once_in_any_order() -> None:
    game = make("limit_holdem", abstraction="made_hands")
    record = Table(game, seed=3).record()
    public = record["public"]
    other = {
        **record,
        "hands": [hand[::-1] for hand in record["hands"]],
        "public": [*public[2::-1], *public[3:]],
    }
    one, two = (ask(Table(game, record=fields), 0) for fields in (record, other))
    assert one.seed == two.seed


FEWER_RAISES = replace(RULES[3], max_raises=(1, 2, 1, 1))
"""Three players, whose tree with all raises has millions of nodes."""


def tree_of(players: int) -> PublicTree:
    return betting.build(RULES[2] if players == 2 else FEWER_RAISES)


def test_nodes_of_two_players() -> None:
    """Known: 1.38e13 information sets with all hands up to suits (Bowling et al. 2015, "Heads-up
    limit hold'em poker is solved").

    169, 1,286,792, 55,190,538 and 2,428,287,420 hands (Waugh 2013). In each round ten decisions and
    nine sequences that continue; before the flop eight and seven, since the big blind is the first
    bet.
    """
    two = tree_of(2)
    nodes = np.bincount(two.round)
    assert nodes.tolist() == [8, 7 * 10, 7 * 9 * 10, 7 * 9 * 9 * 10]
    assert (
        sum(
            n * k
            for n, k in zip(
                nodes.tolist(), (169, 1_286_792, 55_190_538, 2_428_287_420), strict=True
            )
        )
        // 10**10
        == 1380
    )
    _, ends = sequences(two)
    folds = [sequence for sequence in ends if sequence.endswith("f")]
    assert (
        len(folds) == 7 + 7 * 8 + 7 * 9 * 8 + 7 * 9 * 9 * 8
        and len(ends) - len(folds) == 7 * 9 * 9 * 9
    )
    assert two.payoffs.max() == 24 and (two.pot + two.potential).max() == 48
    # Heinrich & Silver 2015, 4.3: k = 0.5 and C = 24 result in "values of c in [10, 24]".
    exploration = np.minimum(24, two.pot + 0.5 * two.potential)
    assert (exploration.min(), exploration.max()) == (10, 24)


def walk(tree: PublicTree, moves: str) -> int:
    """Returns the node after moves of "f", "c", "r"; ``~t`` at an end."""
    node = 0
    for move in moves:
        assert node >= 0, "the hand is over"
        slot = tree.actions[node].tolist().index("fcr".index(move))
        node = int(tree.child[node, slot])
    return node


@pytest.mark.parametrize(
    ("players", "moves", "mover"),
    [
        (2, "", 1),  # the dealer has the small blind and begins
        (2, "cc", 0),  # then the other player
        (3, "", 2),  # the dealer; the blinds follow
        (3, "ccc", 0),
        (3, "cfc", 1),  # the small blind is out
    ],
)
def test_order_of_action(players: int, moves: str, mover: int) -> None:
    tree = tree_of(players)
    assert tree.player[walk(tree, moves)] == mover


@pytest.mark.parametrize(
    ("players", "moves", "strengths", "payoffs"),
    [
        (2, "f", (1, 2), (0.5, -0.5)),
        (2, "rc" + "rc" * 3, (2, 1), (7, -7)),  # 2 + 1 + 2 + 2
        (2, "rrrc" + "rrrrc" * 3, (1, 1), (0, 0)),
        (3, "ff", (1, 2, 3), (-0.5, 0.5, 0)),
        (3, "ccc" + "ccc" * 3, (5, 5, 1), (0.5, 0.5, -1)),
        (
            3,
            "fcc" + "cc" * 3,
            (5, 9, 9),
            (-1, 1, 0),
        ),  # the dealer's hand would have tied, but it has folded
        (3, "rfc" + "cc" * 3, (9, 4, 4), (-0.5, 0.25, 0.25)),
    ],
)
def test_payoffs_by_hand(
    players: int, moves: str, strengths: tuple[int, ...], payoffs: tuple[float, ...]
) -> None:
    tree = tree_of(players)
    end = walk(tree, moves)
    assert end < 0
    assert tuple(tree.payoffs[~end, outcome_of(strengths)].tolist()) == payoffs


def test_random_cards_are_different_and_uniform() -> None:
    """200,000 deals: every card at every place within 5 standard errors (11 places, 52 cards: a
    false alarm in 3,000)."""
    cards = np.empty((200_000, 11), dtype=np.int8)
    drawn(streams(0, len(cards)), cards)
    assert (np.diff(np.sort(cards, axis=1)) > 0).all()
    times = np.array([np.bincount(cards[:, k], minlength=52) for k in range(11)])
    expected = len(cards) / 52
    assert abs(times - expected).max() < 5 * np.sqrt(expected * 51 / 52)


@pytest.mark.parametrize("players", [2, 3])
def test_outcomes_agree_with_the_strengths(players: int) -> None:
    """The deal's outcome and that of its cards, from the strengths of ``hands``, which has an
    oracle of its own."""
    seeds, sizes = streams(1, 5_000), np.array(holdem.MADE_HANDS)
    deals = MadeHandDeals(hands.tables(), start_hands(), sizes, outcome_table(players))
    cards = np.empty((len(seeds), 2 * players + 5), dtype=np.int8)
    drawn(seeds, cards)
    found, outcomes = (
        np.empty((len(seeds), 4 * players), dtype=np.int64),
        np.empty(len(seeds), dtype=np.int64),
    )
    dealt(deals, seeds, found, outcomes)
    looked_up = np.empty_like(found)
    seen_buckets(deals, cards, players, looked_up)
    np.testing.assert_array_equal(looked_up, found)
    hands_of = [
        np.column_stack([cards[:, 2 * p : 2 * p + 2], cards[:, -5:]]) for p in range(players)
    ]
    every = np.column_stack([strengths(hand) for hand in hands_of]).astype(int)
    assert outcomes.tolist() == [outcome_of(tuple(row)) for row in every.tolist()]
    river = (every - 1) * 20 // hands.NUM_STRENGTHS
    assert np.array_equal(found[:, 3::4], river)
    flops = np.column_stack([strengths(hand[:, :5]) for hand in hands_of]).astype(int)
    assert np.array_equal(found[:, 1::4], (flops - 1) * 20 // hands.NUM_STRENGTHS)


def test_buckets_are_looked_up_by_board_and_holding() -> None:
    """Tables in which the entries of these cards are their own places, and all others are 0."""
    seeds = streams(4, 300)
    cards, found = np.empty((300, 9), dtype=np.int8), np.empty((300, 8), dtype=np.int64)
    outcomes, looked_up, expected = np.empty(300, np.int64), found.copy(), found.copy()
    drawn(seeds, cards)
    rounds = [np.zeros(boards * NUM_HOLDINGS, np.int32) for boards in NUM_BOARDS[1:]]
    for row, buckets in zip(cards.tolist(), expected, strict=True):
        for hand in range(8):
            one, two = sorted(row[hand // 4 * 2 : hand // 4 * 2 + 2])
            if hand % 4 == 0:
                buckets[hand] = start_hands()[two * (two - 1) // 2 + one]
            else:
                masks = sum(int(hands.tables().bits[card]) for card in row[4 : 6 + hand % 4])
                buckets[hand] = place(masks, one, two, board_tables())
                rounds[hand % 4 - 1][buckets[hand]] = buckets[hand]
    tables = holdem.bucket_tables.Abstraction(start_hands(), *rounds)
    deals = HoldemDeals(hands.tables(), board_tables(), tables, outcome_table(2))
    dealt(deals, seeds, found, outcomes)
    seen_buckets(deals, cards, 2, looked_up)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(looked_up, expected)
    for row, order in zip(cards.tolist(), outcomes.tolist(), strict=True):
        assert order == outcome_of(tuple(strengths([[*row[:2], *row[4:]], row[2:]]).tolist()))


class ThreePlayers(LimitPoker):
    def __init__(self) -> None:
        names = tuple(hands.card_texts(range(hands.NUM_CARDS)))
        public = {"num_private": 2, "public": (0, 3, 4, 5), "num_suits": 4}
        super().__init__("three", FEWER_RAISES, SevenCards(hands.tables()), names, **public)


def test_the_end_of_a_hand() -> None:
    """Folded hands stay hidden; at a showdown they are shown, with the whole board."""
    table = Table(ThreePlayers(), seed=1)
    for text in ("fold", "raise", "call", *["call"] * 6):
        table.play(text)
    told = table.describe(0)
    assert table.is_over and [hand is None for hand in told["hands"]] == [False, False, True]
    assert told["hands"][0] == told["hand"] and len(told["public"]) == 5
    assert told["paid"] == [2.0, 2.0, 0.0]
    table = Table(table.game, seed=1)
    for text in ("fold", "raise", "fold"):
        table.play(text)
    told = table.describe(1)
    assert told["hands"] == [None] * 3 and told["hand"] == table.record()["hands"][1]
    assert (told["public"], told["paid"], told["returns"]) == ([], [2.0, 1.0, 0.0], [1.0, -1.0, 0])
