"""Batches of poker states: every complete play of some deals against the oracle."""

import numpy as np
import pytest

from games import poker
from games.kernels import streams
from games.poker import state
from games.poker.betting import Action
from tests.games import poker_oracle as oracle


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_every_play_of_random_deals(name: str) -> None:
    game = poker.make(name)
    start = state.deal(game.deals, streams(1, 50))
    row = state.deal(game.deals, streams(2, 1))
    actions = np.empty(3, dtype=np.int16)
    for i in range(50):
        cards = tuple(oracle.CARDS[name][card] for card in start.cards[i])
        for moves in oracle.plays(name):
            state.copy_row(game.betting, start, i, row, 0)
            for k, move in enumerate(moves):
                position = oracle.replay(name, moves[:k])
                assert state.current_seat(game.betting, row, 0) == position.player
                count = state.legal(game.betting, row, 0, actions)
                assert "".join("fcr"[a] for a in actions[:count]) == position.legal
                state.step(game.betting, row, 0, Action("fcr".index(move)))
            assert state.current_seat(game.betting, row, 0) == -1
            assert state.legal(game.betting, row, 0, actions) == 0
            won = oracle.wins(name, oracle.replay(name, moves), cards)
            assert [state.team_return(game.betting, row, 0, seat) for seat in range(2)] == [won, -won]


def test_a_deal_depends_on_its_seed_alone() -> None:
    game = poker.make("leduc")
    seeds = streams(3, 20_000)
    batch = state.deal(game.deals, seeds)
    for i in (0, 7, 19_999):
        alone = state.deal(game.deals, seeds[i : i + 1])
        assert alone.cards[0].tolist() == batch.cards[i].tolist()
        assert alone.outcome[0] == batch.outcome[i]
    # 120 deals, each as often as any other: chi-squared with 119 degrees of freedom exceeds 200 once in 200,000.
    _, counts = np.unique(batch.cards, axis=0, return_counts=True)
    assert len(counts) == 120
    assert np.sum((counts - 20_000 / 120) ** 2) / (20_000 / 120) < 200
