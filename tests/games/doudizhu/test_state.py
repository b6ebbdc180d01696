"""Doudizhu states: deals, the course of a game, the stakes, and what the seats can infer."""

import numpy as np

from games.doudizhu.cards import COPIES, HAND_SIZES, Seat, unpack
from games.kernels import streams
from tests.games import driver
from tests.games.doudizhu.positions import GAME, endgame, play, random_game


def test_deals_are_decks_and_uniform() -> None:
    """The mean count of each rank in each hand, 60 hypergeometric means: |z| < 4.5 fails by chance
    once in 2,400 seeds."""
    num = 20_000
    states = GAME.deal(streams(2, num))
    assert (unpack(states.hands).sum(axis=1) == COPIES).all()
    assert (unpack(states.bottom) <= unpack(states.hands[:, 0])).all()
    for cards, size in zip((*states.hands.T, states.bottom), (*HAND_SIZES, 3), strict=True):
        assert (unpack(cards).sum(axis=1) == size).all()
        share = size / 54
        variance = COPIES * share * (1 - share) * (54 - COPIES) / 53
        z = (unpack(cards).mean(axis=0) - COPIES * share) / np.sqrt(variance / num)
        assert np.abs(z).max() < 4.5


def test_bombs_and_the_rocket_double_the_stake() -> None:
    states = play(
        endgame("33334", "67LB", "55557"), "3333", "pass", "5555", "pass", "LB", "pass", "pass"
    )
    assert driver.stake(GAME.rules, states, 0) == 8
    play(states, "6", "pass", "pass", "7")
    assert driver.current_seat(GAME.rules, states, 0) == -1
    assert [driver.team_return(GAME.rules, states, 0, seat) for seat in Seat] == [-8, 8, 8]


def test_hidden_targets_bound_the_next_hand() -> None:
    for seed in range(10):
        states, moves = random_game(seed)
        for move in moves:
            driver.step(GAME.rules, states, 0, move)
            for seat in Seat:
                unseen, fewest, most, truth, sizes = (
                    row[0] for row in GAME.hidden_targets(states, np.array([seat]))
                )
                others = unpack(states.hands[0, [(seat + 1) % 3, (seat + 2) % 3]])
                np.testing.assert_array_equal(unseen, others.sum(axis=0))
                np.testing.assert_array_equal(truth, others[0])
                assert (
                    (0 <= fewest).all()
                    and (fewest <= truth).all()
                    and (truth <= most).all()
                    and (most <= unseen).all()
                )
                assert sizes == truth.sum()


def test_the_key_knows_the_bottom_cards() -> None:
    row, other = GAME.deal(streams(0, 1)), GAME.deal(streams(0, 1))
    other.bottom[0] = GAME.deal(streams(1, 1)).bottom[0]
    for seat in Seat:
        assert driver.infoset_key(GAME.rules, row, 0, seat) != driver.infoset_key(
            GAME.rules, other, 0, seat
        )
