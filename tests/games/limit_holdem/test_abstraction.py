"""Boards up to suits, hand strength, E[HS^2] and its buckets against naive counts; the files of the
tables."""

from itertools import combinations, permutations
from math import comb
from pathlib import Path

import numpy as np
import pytest
from phevaluator.evaluator import _evaluate_cards  # smaller is better

from games.kernels import kernel
from games.limit_holdem import abstraction, boards, squared_strength
from games.limit_holdem.abstraction import TablesError
from games.limit_holdem.boards import (
    NUM_BOARDS,
    NUM_HOLDINGS,
    board_tables,
    canonical_boards,
    moved_holdings,
)
from games.poker import hands
from games.poker.hands import parse_cards

BOARDS = ["2c 7d 9h Js Kc", "As Ks Qs Js Ts", "4c 4d 4h 4s 2c", "5h 6h 7h Kd Kc", "2s 3s 4s Qs Ah"]


@kernel
def number_and_holding(
    tables: boards.BoardTables, masks: int, one: int, two: int
) -> tuple[int, int]:
    number, suits = boards.canonical(tables, masks)
    return number, boards.holding(one, two, suits)


def masks_of(cards: list[int]) -> int:
    return int(sum(hands.tables().bits[card] for card in cards))


def cards_of(masks: int) -> list[int]:
    return [card for card in range(52) if masks & int(hands.tables().bits[card])]


def found(cards: list[int], one: int, two: int) -> tuple[int, int]:
    return number_and_holding(board_tables(), masks_of(cards), one, two)


def naive_points(board: list[int], one: int, two: int) -> int:
    """Returns twice the wins plus the ties against all other holdings."""
    rest = [card for card in range(52) if card not in {one, two, *board}]
    own = _evaluate_cards(one, two, *board)
    others = [_evaluate_cards(a, b, *board) for a, b in combinations(rest, 2)]
    return sum(2 * (own < other) + (own == other) for other in others)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_numbers_of_boards(number: int) -> None:
    """Every number below 1,755, 16,432 and 134,459 (Waugh 2013, "A fast and optimal hand
    isomorphism algorithm") is taken."""
    masks = canonical_boards(number)
    assert len(masks) == NUM_BOARDS[number] == (1, 1_755, 16_432, 134_459)[number]
    assert len(np.unique(masks)) == len(masks) and (masks > 0).all()


@pytest.mark.parametrize("size", [3, 4, 5])
def test_permuted_suits_are_the_same_board_and_the_same_holding(size: int) -> None:
    """The canonical board with the canonical holding is a permutation of both: which ranks of board
    and hand are of one suit is all that is left of suits."""

    def of_one_suit(board: list[int], own: list[int]) -> set[tuple[str, ...]]:
        texts = [(c % 4, f"{c // 4}b") for c in board] + [(c % 4, f"{c // 4}h") for c in own]
        return {tuple(sorted(text for s, text in texts if s == suit)) for suit in range(4)}

    rng = np.random.default_rng(size)
    for _ in range(200):
        cards, numbers = rng.permutation(52)[: size + 2].tolist(), set()
        for suits in permutations(range(4)):
            moved = [c // 4 * 4 + suits[c % 4] for c in cards]
            number, holding = found(moved[2:], moved[0], moved[1])
            numbers.add(number)
            canonical = cards_of(int(canonical_boards(size - 2)[number]))
            kept = of_one_suit(canonical, boards.holding_cards()[holding].tolist())
            assert kept == of_one_suit(cards[2:], cards[:2])
        assert len(numbers) == 1


def test_holdings_and_start_hands() -> None:
    assert len(boards.holding_cards()) == NUM_HOLDINGS == comb(52, 2)
    for number, (one, two) in enumerate(boards.holding_cards().tolist()):
        assert number == two * (two - 1) // 2 + one
    kinds, times = np.unique(boards.start_hands(), return_counts=True)
    assert kinds.tolist() == list(range(169))
    assert np.unique(times, return_counts=True)[1].tolist() == [
        78,
        13,
        78,
    ]  # 4 suited, 6 of a pair, 12 offsuit


@pytest.mark.parametrize("text", BOARDS)
def test_points_on_the_river(text: str) -> None:
    board = parse_cards(text)
    points = np.empty(NUM_HOLDINGS, dtype=np.int16)
    squared_strength.river_points(hands.tables(), masks_of(board), points)
    free = [
        number
        for number, pair in enumerate(boards.holding_cards().tolist())
        if not {*pair} & {*board}
    ]
    assert len(free) == 1081 and points[np.setdiff1d(np.arange(NUM_HOLDINGS), free)].max() == 0
    assert points.sum() == 1081 * 990  # each pair of holdings gives 2 in all
    for number in np.random.default_rng(0).choice(free, 60, replace=False):
        assert points[number] == naive_points(board, *boards.holding_cards()[number].tolist())


@pytest.mark.parametrize("square", [False, True])
def test_sums_over_the_next_card(square: bool) -> None:
    """Of any values of holdings on turns, for all holdings on some flops, card by card."""
    rng = np.random.default_rng(0)
    turns = rng.integers(0, 100, (NUM_BOARDS[2], NUM_HOLDINGS), dtype=np.int16)
    masks = canonical_boards(1)[::400]
    sums = np.empty((len(masks), NUM_HOLDINGS), dtype=np.int64)
    squared_strength.expected_squares(
        hands.tables(), board_tables(), moved_holdings(), masks, turns, square, sums
    )
    for mask, row in zip(masks, sums, strict=True):
        flop = cards_of(int(mask))
        for holding in range(0, NUM_HOLDINGS, 50):
            own = boards.holding_cards()[holding].tolist()
            rest = [card for card in range(52) if card not in flop]
            values = [int(turns[found([*flop, card], *own)]) for card in rest]
            assert row[holding] == sum(value ** (1 + square) for value in values)


def test_buckets_are_cells_of_a_grid() -> None:
    """200 cells over [0, 1]: cell 49 ends below a quarter, cell 50 begins with it; 1 belongs to the
    last."""
    points = np.array([0, 989, 990, 1979, 1980], dtype=np.int64)
    assert squared_strength.buckets(points**2, 3, 200).tolist() == [0, 49, 50, 199, 199]
    half = np.array([squared_strength.MOST[1] // 2])
    assert squared_strength.buckets(half, 1, 1000).tolist() == [500]


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """Tables of one board each, smaller than those of the game."""
    path = tmp_path / "some" / "x.npy"
    rows = (np.arange(9, dtype=kind) for kind in (np.uint8, np.uint16, np.uint16, np.uint8))
    abstraction.save(path, abstraction.Abstraction(*(np.stack([row, row]) for row in rows)))
    return path


def test_files_give_back_what_was_stored(stored: Path) -> None:
    found = abstraction.read(stored)
    assert [array.dtype for array in found] == [np.uint8, np.uint16, np.uint16, np.uint8]
    for array in found:
        assert array.tolist() == [list(range(9))] * 2
        assert type(array) is np.ndarray and array.flags.aligned and array.flags.c_contiguous
    with pytest.raises(ValueError, match="read-only"):
        found.flop[0] = 1


def test_unusable_files(stored: Path, tmp_path: Path) -> None:
    with pytest.raises(TablesError, match="there are no tables at .*nowhere"):
        abstraction.read(tmp_path / "nowhere")
    whole = stored.read_bytes()
    for bad in (whole[:-100] + b"bad" + whole[-97:], whole[:-64], b"", b"\xff" * 99):
        stored.write_bytes(bad)
        with pytest.raises(TablesError, match="x.npy cannot be used.*"):
            abstraction.read(stored)
