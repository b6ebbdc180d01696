"""Forced wins: an adversary who sees everything cannot stop one; by hand, and in whole games."""

import numpy as np
import pytest

from games.doudizhu.cards import pack, unpack
from games.doudizhu.moves import MAX_LEGAL, parse_move
from games.doudizhu.state import States
from games.kernels import streams
from tests.games import driver
from tests.games.doudizhu.positions import GAME, endgame, play, random_endgame
from tests.games.doudizhu.solver.test_sure_win import (
    TEAMS,
    is_won,
    worlds,
)


@pytest.mark.parametrize("count", [300, pytest.param(3_000, marks=pytest.mark.slow)])
def test_an_adversary_cannot_stop_a_forced_win(count: int) -> None:
    rng, proved = np.random.default_rng(10), [0, 0, 0]
    for k in range(count):
        mover = k % 3
        states = random_endgame(rng, mover, most=7, most_others=4)
        if (
            driver.sure_win(GAME.rules, states, 0) >= 0
            or driver.forced_win(GAME.rules, states, 0) < 0
        ):
            continue
        proved[mover] += 1
        hands = unpack(states.hands[0]).astype(int)
        after, before = (mover + 1) % 3, (mover + 2) % 3
        unseen = hands[after] + hands[before]
        for theirs in worlds(unseen, hands[after].sum()):
            world = States(*(field.copy() for field in states))
            world.hands[0, [after, before]] = pack(np.array([theirs, unseen - theirs]))
            assert is_won(world, mover, driver.forced_win)
    assert min(proved) > 2


@pytest.mark.parametrize(
    ("position", "is_won"),
    [
        # A two wins either solo back, the other two is high, and one solo is left.
        ("4522 KKQ AAJ pass", True),
        ("4522 KKQ LAJ pass", False),  # a joker beats the two
        ("4522 K AAJ pass", False),  # a player with one card sheds it by beating the lead
        # Two twos for two of the solos, the third is the last.
        ("45622 KKQQ AAJJ pass", True),
        ("456722 KKQQ AAJJ pass", False),
        ("4522 KKKK AAJ pass", False),  # a bomb
        ("44552 KKQ AAJ pass", False),  # a two is no pair
        ("445522 KKQ AAJ pass", True),
        ("4522 KKQ AAJ Q", True),  # a two, and so on with the other
        ("4562 KKQQ AAJJ Q", False),
        ("333455AAB JJT QQT pass", True),
    ],
)
def test_by_hand(position: str, is_won: bool) -> None:
    *hands, target = position.split()
    states = endgame(*hands)
    states.target[0] = parse_move("standard", target)
    assert (driver.forced_win(GAME.rules, states, 0) >= 0) == is_won


def test_a_partner_may_go_out() -> None:
    """The peasant before the landlord leads the four: the landlord cannot beat the two that wins it
    back, and the other peasant's only card, whichever it is, ends the game."""
    states = endgame("KKQ", "A", "4522")
    states.seat[0] = 2
    assert driver.forced_win(GAME.rules, states, 0) >= 0
    states = endgame("A", "KKQ", "4522")
    states.seat[0] = 2
    assert driver.forced_win(GAME.rules, states, 0) == -1, "nor may the landlord"


def test_who_claims_a_win_has_won() -> None:
    """Whole games of players who move at random until they can prove a win: nobody, partners
    included, takes it away."""
    rng, claims = np.random.default_rng(6), 0
    states = GAME.deal(streams(6, 200))
    for i in range(200):
        claimed = -1
        while (seat := driver.current_seat(GAME.rules, states, i)) >= 0:
            move = driver.forced_win(GAME.rules, states, i)
            if move >= 0 and claimed < 0 and driver.sure_win(GAME.rules, states, i) < 0:
                claimed = seat
            assert seat != claimed or move >= 0, "a forced win must continue to the end"
            legal = np.zeros(MAX_LEGAL, np.int16)
            count = driver.legal(GAME.rules, states, i, legal)
            driver.step(
                GAME.rules, states, i, move if move >= 0 else int(rng.choice(legal[:count]))
            )
        claims += claimed >= 0
        assert claimed < 0 or TEAMS[states.winner[i]] == TEAMS[claimed]
    assert claims > 25


def test_over_is_no_win() -> None:
    over = play(endgame("3", "4", "5"), "3")
    assert driver.sure_win(GAME.rules, over, 0) == driver.forced_win(GAME.rules, over, 0) == -1
