"""The rules of no-limit Hold'em: beside PokerKit on random hands, and cases worked out by hand."""

import json
from pathlib import Path

import numpy as np
import pytest

from games import make
from games.kernels import kernel
from games.no_limit_holdem import translation
from games.no_limit_holdem.state import (
    CALL,
    FIRST_AMOUNT,
    FIRST_SIZE,
    FOLD,
    MOST_CHIPS,
    Rules,
    States,
)
from games.play.table import Table
from tests.games import driver
from tests.games.no_limit_holdem import pokerkit_oracle as oracle
from tests.games.no_limit_holdem.positions import at_table

QUICK, MANY = 400, 20_000
ACES, KINGS, QUEENS, SMALL = "As Ah", "Ks Kh", "Qs Qh", "7c 2d"
BOARD = "Jd 9h 5c 4s 3d"


@kernel
def _nearest(rules: Rules, states: States, action: int) -> int:
    return translation.nearest_listed(rules, states, 0, action)


def check_random_hands(first: int, count: int) -> None:
    """Every second hand has stacks that may be below a blind, uneven antes, straddles."""
    played = np.zeros(2, int)
    with oracle.quick_pokerkit():
        for k in range(first, first + count):
            rng = np.random.default_rng([5, k])
            played += oracle.play(oracle.random_hand(rng, short=k % 2 == 1), rng)
    assert played[0] > 8 * count and played[1] > count / 100


def test_random_hands_as_pokerkit_plays_them() -> None:
    check_random_hands(0, QUICK)


@pytest.mark.slow
def test_many_random_hands_as_pokerkit_plays_them() -> None:
    check_random_hands(QUICK, MANY)


SHORT = [33, 400, 400, 19, 400, 31]
LIMPED = "call call call call check "


@pytest.mark.parametrize(
    ("big", "stacks", "moves", "bounds"),
    [
        # The rule's addendum, example 1: 100, 125, 200; the first faces 100. Without the 200: 25.
        (100, [900, 225, 900, 300, 900], LIMPED + "r100 r125 call r200 call", [300, 800]),
        (100, [900, 225, 900, 300, 900], LIMPED + "r100 r125 call fold call", None),
        # 16 is a raise of 14; all-ins add 3, 12 and 2. Facing 15 and 17: open. Facing 12: closed.
        (2, SHORT, "r16 r19 call r31 fold fold", [45, 400]),
        (2, SHORT, "r16 r19 call r31 fold fold call", None),
        (2, SHORT, "r16 r19 call r31 r33 fold", [47, 400]),
        (2, SHORT, "r16 r19 call r31 r33 fold call", [47, 400]),
        # An all-in of less than the minimum bet does not let a seat that has checked raise.
        (2, [400, 400, 3], "call call check check check r1", None),
    ],
)
def test_reopening_by_tda_rule_47(
    big: int, stacks: list[int], moves: str, bounds: list[int] | None
) -> None:
    blinds = {"small_blind": big // 2, "big_blind": big}
    at = at_table([ACES], BOARD, *moves.split(), players=len(stacks), stacks=stacks, **blinds)
    assert at.describe()["raise"] == bounds


@pytest.mark.parametrize(
    ("hands", "stacks", "moves", "returns"),
    [
        ([ACES, KINGS, QUEENS], [200, 5000, 500], "all-in call call", (400, 100, -500)),
        # Two equal hands share 3 x 101 chips less one; the odd chip goes to the lowest seat.
        (["As Kd", "Ah Kc", SMALL], [101] * 3, "all-in call call", (51, 50, -101)),
        ([ACES, KINGS], [1000, 1000], "r300 fold", (-100, 100)),  # an uncalled bet goes back
    ],
)
def test_returns_by_hand(
    hands: list[str], stacks: list[int], moves: str, returns: tuple[int, ...]
) -> None:
    at = at_table(hands, BOARD, *moves.split(), players=len(hands), stacks=stacks)
    assert at.returns == returns
    shown = [None if "fold" in moves else hand.split() for hand in hands]
    assert at.describe()["hands"] == shown


@pytest.mark.parametrize(
    ("moves", "other", "mean", "error"),
    [
        ("all-in call", "Kd Kc 5c 4s Qc", 653, 94),
        # Two of 44 rivers give the kings the pot.
        ("call call call call all-in call", "Jd 9h 5c 4s Kd", 1000 * 40 / 44, 52),
        ("call call call call call call all-in call", BOARD, 1000, 0),
        ("all-in fold", "Kd Kc 5c 4s Qc", -100, 0),
    ],
)
def test_expected_return_does_not_depend_on_cards_to_come(
    moves: str, other: str, mean: float, error: float
) -> None:
    """Aces against kings. ``error`` is the deviation of a mean over 64 boards."""
    found = []
    for board in (BOARD, other):
        at = at_table([ACES, KINGS], board, *moves.split(), stacks=1000)
        found.append(
            [driver.expected_return(at.game.rules, at.states, 0, seat) for seat in range(2)]
        )
    assert found[0] == found[1] == pytest.approx([mean, -mean], abs=2 * error)


def test_listed_sizes_are_multiples_of_the_pot_after_a_call() -> None:
    """To call 50 into 150: the pot is then 200, and half of it on top of the 100 to match is 200,
    the least raise."""
    shown = at_table([ACES, KINGS], BOARD).describe()
    assert dict(zip(shown["legal"], shown["amounts"], strict=True)) == {
        "fold": None,
        "call": None,
        "least": 200,
        "1 pot": 300,
        "2 pot": 500,
        "all-in": 10_000,
    }


def test_amounts_count_as_the_nearest_listed_size() -> None:
    """Between the pot (A = 1) and twice it (B = 2) the border is (1 + 2 + 4) / (1 + 2 + 2) = 1.4
    pots: 100 + 1.4 x 200 = 380."""
    at = at_table([ACES, KINGS], BOARD)
    found = {
        chips: at.game.action_text(int(_nearest(at.game.rules, at.states, FIRST_AMOUNT + chips)))
        for chips in (200, 210, 300, 380, 381, 500, 9_999, 10_000)
    }
    assert found == {
        200: "least",
        210: "least",
        300: "1 pot",
        380: "1 pot",
        381: "2 pot",
        500: "2 pot",
        9_999: "all-in",
        10_000: "all-in",
    }
    for action in (FOLD, CALL, FIRST_SIZE + 2):
        assert _nearest(at.game.rules, at.states, action) == action


def test_texts() -> None:
    game = make("no_limit_holdem")
    expected = {
        **{"fold": FOLD, " Check ": CALL, "all-in": FIRST_SIZE + 4, "0.5  pot": FIRST_SIZE + 1},
        **{"r250": FIRST_AMOUNT + 250, "bet 250": FIRST_AMOUNT + 250},
    }
    assert {text: game.parse_action(text) for text in expected} == expected
    for text in ("r-5", f"r{MOST_CHIPS + 1}", "0.7 pot", "r99999999999"):
        with pytest.raises(ValueError, match="expected"):
            game.parse_action(text)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"players": 11}, "players=11: expected at least 2 and at most 10"),
        (
            {"stacks": 100, "ante": 10},
            r"stacks=100: expected at least the big blind and the ante \(110\)",
        ),
        ({"small_blind": 101}, "small_blind=101: expected whole chips, 0 to the big blind"),
        ({"bet_sizes": ["least", "huge"]}, "bet_sizes=huge: expected"),
    ],
)
def test_options_that_cannot_be(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message) as raised:
        make("no_limit_holdem", **options)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "change",
    [
        {"hands": [ACES.split()] * 2},
        {"hands": [["As", ""], ["Ah", "KsKh"]]},
        {"public": ["Xx", *BOARD.split()[1:]]},
        {"blinds": [1.5, 2]},
        {"blinds": [0, 0]},
    ],
)
def test_deals_that_are_none(change: dict[str, object]) -> None:
    game = make("no_limit_holdem")
    deal = {"hands": [ACES.split(), KINGS.split()], "public": BOARD.split(), **change}
    with pytest.raises(ValueError, match="expected"):
        game.parse_record({"game": "no_limit_holdem", "deal": deal, "moves": [], "returns": None})


def test_random_stacks_follow_from_the_seed() -> None:
    game = make("no_limit_holdem", players=3, stacks=20_000, least_stack=2_000)
    deals = game.deal(np.arange(1, 2_001, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15))
    stacks = deals.stacks + deals.paid
    assert stacks.min() >= 2_000 and stacks.max() <= 20_000
    assert (
        abs((stacks < np.sqrt(2_000 * 20_000)).mean() - 0.5) < 0.05
    )  # half of them below the middle of the logarithms


def test_a_post_that_does_not_open_is_another_hand() -> None:
    """After a blind of seat 2, seat 0 begins; after its post out of turn, seat 2."""
    at = at_table([ACES, KINGS], BOARD, players=3)
    record = at.record()
    keys = set()
    for post, first in ((100, 0), (-100, 2)):
        deal = {**record["deal"], "blinds": [50, 100, post]}
        other = Table(at.game, record={**record, "deal": deal})
        assert other.seat == first
        keys.add(int(driver.infoset_key(at.game.rules, other.states, 0, 0)))
    assert len(keys) == 2


def test_a_hundred_raises_and_more_are_counted_up_to_127() -> None:
    at = at_table([ACES, KINGS], BOARD, stacks=1000, small_blind=1, big_blind=2)
    for chips in range(4, 4 + 2 * 260, 2):
        at.play(f"r{chips}")
    assert at.states.raises[0, :, 0].tolist() == [127, 127]
    assert driver.observation(at.game, at.states, 0, 0).min() == 0


def test_saved_hands_keep_their_stacks(tmp_path: Path) -> None:
    game = make("no_limit_holdem", players=3, stacks=20_000, least_stack=2_000, ante=10)
    at = Table(game, seed=5)
    for move in ("r400", "call", "0.5 pot", "fold", "all-in", "call"):
        at.play(move)
    again = Table(game, record=at.record())
    assert again.is_over and again.returns == at.returns


@pytest.mark.parametrize("options", [{"big_blind": 200}, {"stacks": 9_999}])
def test_decks_of_other_stakes_are_refused(tmp_path: Path, options: dict[str, int]) -> None:
    game, path = make("no_limit_holdem"), tmp_path / "decks.jsonl"
    path.write_text(json.dumps(game.deal_fields(game.deal(np.array([3], np.uint64)))))
    assert game.read_decks(path).big_blind == 100
    with pytest.raises(ValueError, match="deck 1: big blind 100, largest stack 10000: expected"):
        make("no_limit_holdem", **options).read_decks(path)
