"""RHCP: the table of values, hands worked out by hand, and the brute force of ``rhcp_oracle``."""

import numpy as np
import pytest

from games import make
from games.doudizhu.cards import COPIES, cards_text, pack, parse_cards
from games.doudizhu.legal import leads
from games.doudizhu.moves import MAX_LEGAL, Category, move_text, parse_move, rule_set
from games.doudizhu.players import rhcp_groups, rhcp_kernels
from games.doudizhu.players.rhcp import RHCP
from games.play.interface import Records
from tests.games.doudizhu.players import rhcp_oracle as oracle
from tests.games.doudizhu.players.positions import positions
from tests.tables import rows

RULES = rule_set("standard")
AGENT = RHCP().at(make("doudizhu"))


def test_groups_are_the_moves_but_for_repeated_kickers() -> None:
    """A move, here every fifth, is a group of its own category, length and top, but the planes in
    which a solo kicker repeats a rank.
    """
    for move in range(1, len(RULES.cards), 5):
        found = rhcp_groups.classify(RULES.cards[move])
        if RULES.category[move] == Category.PLANE_SOLOS and found[0] == Category.PASS:
            kickers = move_text("standard", move)[3 * RULES.length[move] :]
            assert len(set(kickers)) < len(kickers)
        else:
            assert found == (RULES.category[move], RULES.length[move], RULES.top[move])


@pytest.mark.parametrize(
    ("hand", "target", "move", "why"),
    rows(
        """
3456778    |        | 345678 | leaves one solo
3334456    |        | 33344  | leaves 56, score -23; 3335 leaves 446, -24
888JJJB    |        | 888JJ  | 888J, 888B and 888JJ all leave score -6; the last wins
LB3        |        | LB     | the rest takes one round
LB34       |        | 3      | the rest takes two
33334444B  |        | B      | no rank is held one to three times
33334444LB |        | 3333   | two jokers are not alone; without the rocket it is two rounds
352 | 4 | 5 | leaves 32, score -16; the 2 leaves 35, -26; all and a round more: -35
34567      | 6      | pass   | 7 leaves four solos, -50; all cards and a round more: -16
TTTT3      | A      | TTTT   | leaves -14, as good as 14 - 7 - 21
JJJJ3      | A      | pass   | leaves -14, worse than 15 - 7 - 21, and -7 is not positive
JJJJA      | 2      | JJJJ   | leaves -3, worse than 15 + 4 - 21 = -2, but 4 is positive
9TJQKA2LB  | 33     | LB     | the sum is 5 + 5 + 20
444455     | 333367 | 444455 | the whole hand answers four + two
"""
    ),
)
def test_by_hand(hand: str, target: str, move: str, why: str) -> None:
    states = positions([(1, hand, target)])
    moves = AGENT.act(np.zeros(1, np.int64), states, Records(np.zeros((1, 1)), np.zeros(1)))
    assert moves[0] == parse_move("standard", move), why


def random_hand(rng: np.random.Generator, ranks: int, size: int) -> np.ndarray:
    """Returns the counts of up to ``size`` cards of a deck of some of the ranks; few ranks make
    rich hands.
    """
    deck = np.repeat(
        np.arange(15),
        np.where(np.isin(np.arange(15), rng.choice(15, ranks, replace=False)), COPIES, 0),
    )
    return np.bincount(rng.choice(deck, min(size, len(deck)), replace=False), minlength=15)


def test_leads_and_values_equal_brute_force() -> None:
    rng = np.random.default_rng(1)
    memo = rhcp_kernels.new_memo(8)  # small, so that hands replace each other all the time
    for k in range(80):
        counts = random_hand(
            rng, 15 if k % 2 else int(rng.integers(4, 10)), int(rng.integers(1, 21))
        )
        hand, cards = tuple(counts.tolist()), np.uint64(pack(counts))
        assert rhcp_kernels.hand_value(memo, cards, 0) == oracle.value(hand), oracle.text(hand)
        assert cards_text(rhcp_kernels.lead(memo, cards)) == oracle.text(oracle.lead(hand)), (
            oracle.text(hand)
        )


def test_replies_equal_brute_force() -> None:
    """The move to beat is drawn by category, and mostly below a move that the hand holds."""
    rng = np.random.default_rng(2)
    memo = rhcp_kernels.new_memo(8)
    scratch = np.empty(MAX_LEGAL, np.int16)
    for k in range(100):
        counts = random_hand(
            rng, 15 if k % 2 else int(rng.integers(4, 10)), int(rng.integers(2, 21))
        )
        hand, cards = tuple(counts.tolist()), np.uint64(pack(counts))
        moves = np.flatnonzero(RULES.category == 1 + k % 14)
        own = scratch[: leads(RULES, cards, scratch)]
        own = own[np.isin(own, moves)]
        if own.size and k % 5:
            move = rng.choice(own)
            below = moves[
                (RULES.length[moves] == RULES.length[move]) & (RULES.top[moves] < RULES.top[move])
            ]
            moves = below if below.size else moves
        target = rng.choice(moves)
        category, length, top = RULES.category[target], RULES.length[target], RULES.top[target]
        expected = oracle.reply(
            hand, (oracle.name_of(Category(category)), int(length), int(top) + 3)
        )
        found = rhcp_kernels.reply(memo, cards, category, length, top)
        assert cards_text(found) == oracle.text(expected), (
            oracle.text(hand),
            move_text("standard", target),
        )


def test_every_card_counts_for_the_place_in_the_memo() -> None:
    """Hands that differ in jokers alone are values that a decision needs at the same time."""
    memo = rhcp_kernels.new_memo()
    hands = [parse_cards("3445TJQ" + more) for more in ("", "2", "22", "L", "B", "LB")]
    assert len({int(rhcp_kernels._slot(memo, hand)) for hand in hands}) == len(hands)


def test_candidates_fit() -> None:
    """The hands with the most groups: trios in a row and kickers of many ranks, against the bound
    that sizes the memo.
    """
    scratch = np.zeros(rhcp_kernels.NUM_CANDIDATES, np.uint64)
    for hand in (
        "333444555666789TJQKA",
        "3334445556789TJQKA2B",
        "33344455566677789TJQ",
        "333444555666778899TT",
    ):
        assert rhcp_groups.lead_candidates(parse_cards(hand), scratch, 0) <= 512
        assert np.count_nonzero(scratch) <= 700
        scratch[:] = 0
