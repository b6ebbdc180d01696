"""Chances in limit Hold'em, as a local best response needs them, against hands counted naively."""

from itertools import combinations

import numpy as np
import pytest

from games import make
from games.kernels import streams
from games.poker.game import LimitPoker
from games.poker.hands import parse_cards
from games.poker.players.showdown_equity import equities
from games.poker.state import HIDDEN
from tests.games.limit_holdem.hand_strengths import strengths

HANDS = np.array(list(combinations(range(52), 2)), np.int8)


@pytest.fixture(scope="module")
def game() -> LimitPoker:
    made = make("limit_holdem", abstraction="made_hands")
    assert isinstance(made, LimitPoker)
    return made


def chances(game: LimitPoker, own: str, board: str, most: int) -> np.ndarray:
    """Returns what ``equities`` says of every hand that shares no card with what seat 1 sees; NaN
    for the others.
    """
    seen = [HIDDEN, HIDDEN, *parse_cards(own), *parse_cards(board)]
    view = np.array([seen + [HIDDEN] * (9 - len(seen))], np.int8)
    possible = ~np.isin(HANDS, view).any(axis=1)
    out = np.empty((1, len(HANDS)))
    first, weights = np.zeros(1, np.int64), possible[None].astype(float)
    equities(game.rules, view, np.ones(1, np.int8), HANDS, weights, most, streams(1, 1), first, out)
    assert not out[0, ~possible].any()
    return np.where(possible, out[0], np.nan)


def naive_chance(own: list[int], hand: list[int], board: list[int]) -> float:
    """Returns the share of showdowns won, a tie counting half, over all ways to complete the
    board.
    """
    left = [card for card in range(52) if card not in (*own, *hand, *board)]
    boards = [[*board, *rest] for rest in combinations(left, 5 - len(board))]
    mine, theirs = (
        strengths(np.array([[*cards, *b] for b in boards])).astype(int) for cards in (own, hand)
    )
    return float(np.mean((mine > theirs) + 0.5 * (mine == theirs)))


@pytest.mark.parametrize(
    ("board", "boards", "hands"),
    [("Ah 7c 7d 2s Jh", 1, 1000), ("Ah 7c 7d 2s", 46, 25), ("Ah 7c 7d", 1081, 25)],
)
def test_chances_are_exact_where_all_boards_are_looked_at(
    game: LimitPoker, board: str, boards: int, hands: int
) -> None:
    """46 cards are left to the one who sees six, 1,081 pairs to the one who sees five; a hand takes
    its own from them.
    """
    own, found = "Ks Qs", chances(game, "Ks Qs", board, boards)
    for number in np.random.default_rng(0).choice(len(HANDS), hands, replace=False):
        if not np.isnan(found[number]):
            expected = naive_chance(parse_cards(own), HANDS[number].tolist(), parse_cards(board))
            assert found[number] == pytest.approx(expected, abs=1e-12)


@pytest.mark.slow
def test_chances_from_random_boards(game: LimitPoker) -> None:
    """Aces against kings before the flop: 0.8195 (known; within 0.01 for any suits) and 5 standard
    errors of 20,000 boards.
    """
    kings = (HANDS == sorted(parse_cards("Ks Kh"))).all(axis=1)
    found = chances(game, "As Ah", "", 20_000)[kings]
    assert found == pytest.approx(0.8195, abs=0.01 + 0.0136)
