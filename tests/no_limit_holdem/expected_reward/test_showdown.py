"""Hands of others by bins, and what a showdown is worth: against counting, and against the game's
own settlement.
"""

import numpy as np
import pytest

from fpmcts.no_limit_holdem.expected_reward.showdown import (
    BINS,
    HANDS,
    Boards,
    drawn_net,
    empty_boards,
    expected_net,
    fill_boards,
)
from fpmcts.no_limit_holdem.opponents.dataset import rank_bin
from games import make
from games.kernels import streams
from games.play.table import Table
from games.poker.hands import parse_cards, tables
from tests.games.limit_holdem.hand_strengths import strengths

OWN = np.array(parse_cards("AsKs"), np.int8)


def filled(board: str, count: int, own: np.ndarray = OWN) -> tuple[Boards, int]:
    known, shown = parse_cards(board), np.full(5, -1, np.int8)
    shown[: len(known)] = known
    boards = empty_boards(count)
    return boards, fill_boards(tables(), own, shown, len(known), boards, streams(1, 1))


def test_bins_and_strengths_are_those_of_the_models_and_of_the_hand_tables() -> None:
    boards, count = filled("Qs7d2c", 3)
    assert count == 3
    for row in range(count):
        board, hands = boards.cards[row], boards.hands[row]
        assert (np.diff(boards.strengths[row]) >= 0).all()
        assert len({tuple(hand) for hand in hands.tolist()}) == HANDS
        assert not np.isin(hands, [*OWN, *board]).any()
        assert (
            boards.strengths[row]
            == strengths(np.concatenate([hands, np.tile(board, (HANDS, 1))], axis=1))
        ).all()
        for k in range(0, HANDS, 41):
            own_bin = int(np.searchsorted(boards.first[row], k, "right")) - 1
            assert rank_bin(tables(), board, hands[k]) == own_bin
        mine = strengths(np.concatenate([OWN, board])[None])[0]
        assert boards.own[row] == mine
        for b in range(BINS):
            some = boards.strengths[row, boards.first[row, b] : boards.first[row, b + 1]]
            assert boards.beaten[row, b] == pytest.approx(
                (some < mine).mean() if len(some) else 0.0
            )
            assert boards.tied[row, b] == pytest.approx((some == mine).mean() if len(some) else 0.0)


def test_all_river_cards_are_taken_where_there_is_room() -> None:
    boards, count = filled("Qs7d2c9h", 100)
    assert count == 46
    assert len({int(card) for card in boards.cards[:count, 4]}) == 46
    assert filled("Qs7d2c9h3d", 100)[1] == 1


@pytest.mark.parametrize(
    ("stacks", "antes"),
    [
        ([3000, 3000], [0, 0]),
        ([1000, 3000, 2000], [0, 0, 0]),
        ([1000, 3000, 2000], [0, 0, 600]),
        ([1000, 3000, 2000], [1000, 300, 300]),  # an ante that is all of a stack
        ([500, 4000, 4000, 1500], [0, 0, 0, 0]),
    ],
)
@pytest.mark.parametrize("board", ["Qs7d2c9h3d", "AhKdAc2s2d", "TsJsQsAd2d"])
def test_expected_net_is_the_mean_of_settled_draws(
    stacks: list[int], antes: list[int], board: str
) -> None:
    """Side pots, unequal antes and ties included; card removal among the others is all that
    differs.
    """
    table = Table(make("no_limit_holdem", players=len(stacks), stacks=stacks), seed=5)
    while not table.is_over:  # everybody is all-in before the flop
        table.play(table.legal()[-1].text)
    game, states = table.game, table.states
    states.ante[0] = antes
    boards, _ = filled(board, 1)
    seats, rng = len(stacks), np.random.default_rng(6)
    bins = rng.dirichlet(np.ones(BINS), seats)
    money = states.paid[0], states.ante[0], states.folded[0]
    exact = expected_net(boards, 0, bins, *money, 1, np.zeros(seats + 1))
    draws = np.array(
        [
            drawn_net(
                game.rules,
                states,
                boards,
                0,
                bins,
                1,
                200,
                streams(2, 1, k),
                np.zeros(seats, np.int32),
                np.zeros(seats),
            )
            for k in range(200)
        ]
    )
    error = draws.std() / np.sqrt(len(draws))
    assert exact == pytest.approx(draws.mean(), abs=5 * error + 0.02 * sum(stacks))
