"""Doudizhu states: deals, the course of a game, the stakes, and what the seats can infer."""

import numpy as np

from games.doudizhu.cards import COPIES, HAND_SIZES, Seat, parse_cards, unpack
from games.kernels import streams
from games.kernels.rows import take
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


def test_the_landlord_wins_from_both() -> None:
    states = play(endgame("34", "5", "66"), "4", "pass", "pass", "3")
    assert states.winner[0] == Seat.LANDLORD
    assert [driver.team_return(GAME.rules, states, 0, seat) for seat in Seat] == [1, -1, -1]


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


def test_the_landlords_bottom_cards_are_known() -> None:
    states = GAME.deal(streams(5, 1))
    states.bottom[0] = parse_cards("557")
    states.hands[0, 0] = parse_cards("33445556778899TTJQKA")
    play(states, "5")
    known = unpack(parse_cards("57"))  # one of the fives counts as played
    unseen, fewest, most, _, _ = GAME.hidden_targets(
        take(states, np.zeros(3, dtype=int)), np.arange(3)
    )
    np.testing.assert_array_equal(fewest, [0 * known, 0 * known, known])
    np.testing.assert_array_equal(unseen - most, [0 * known, known, 0 * known])


def test_the_key_knows_the_bottom_cards() -> None:
    row, other = GAME.deal(streams(0, 1)), GAME.deal(streams(0, 1))
    other.bottom[0] = GAME.deal(streams(1, 1)).bottom[0]
    for seat in Seat:
        assert driver.infoset_key(GAME.rules, row, 0, seat) != driver.infoset_key(
            GAME.rules, other, 0, seat
        )


def test_a_view_says_what_is_to_beat() -> None:
    """docs/external-players.md has whole views, which a test of players reads."""
    states = play(endgame("33345", "66", "88887"), "3334", "pass")
    view = GAME.describe_view(states, 0, np.zeros(0, np.int16))
    assert (view["to_beat"], view["to_beat_seat"], view["bombs"]) == ("3334", 0, 0)
    assert view["role"] == "peasant before the landlord"
    view = GAME.describe_view(play(states, "8888", "pass", "pass"), 0, np.zeros(0, np.int16))
    assert (view["to_beat"], view["to_beat_seat"], view["bombs"]) == (None, None, 1)
    assert (view["hand"], view["cards_left"], view["legal"]) == ("7", [1, 2, 1], ["7"])
