"""The worlds of every game: see ``tests.games.hidden_cards``."""

from functools import cached_property

import numpy as np
import pytest

from games import make
from games.kernels import streams
from games.kernels.rows import States
from games.play.interface import Game
from games.play.tables import Tables
from games.poker.betting import BettingRules
from games.poker.game import LimitPoker
from games.poker.state import Strengths
from tests.games import driver, hidden_cards


class NoTables(LimitPoker):
    @cached_property
    def tables(self) -> Tables:
        raise NotImplementedError


@pytest.fixture(scope="module")
def positions(game: Game) -> list[tuple[States, list[int], States]]:
    found = [position for seed in range(3) for position in hidden_cards.positions(game, seed)]
    return found[:: max(1, len(found) // 16)]


def test_worlds(game: Game, positions: list[tuple[States, list[int], States]]) -> None:
    """They are consistent with the view, do not depend on the truth, and replay from the start."""
    for deal, moves, state in positions:
        for seat in range(game.spec.num_seats):
            hidden_cards.check_worlds(game, state, seat)
            hidden_cards.check_independence(game, state, seat)
            hidden_cards.check_replay(game, deal, moves, state, seat)


def test_worlds_are_drawn_as_the_prior_says(
    game: Game, positions: list[tuple[States, list[int], States]]
) -> None:
    tried = [hidden_cards.check_draws(game, state, 0, most=300) for _, _, state in positions]
    assert any(tried) or game.spec.name.endswith("holdem")  # too many worlds to list


def test_three_players_and_two_cards() -> None:
    """Hands of two others in one code: named, sorted, and in turn from the searching seat on."""
    rules = BettingRules(forced=(1, 1, 1), raises=(1,), max_raises=(1,), first=(0,))
    game = NoTables(
        "three", rules, Strengths(np.zeros((8, 8), np.int32)), tuple("23456789"), num_private=2
    )
    state = game.deal(streams(3, 1))
    for seat in range(3):
        words = hidden_cards.truth(game, state, seat)
        counts = np.zeros((2, len(game.spec.hidden_kinds)), np.int8)
        driver.count_hidden(game.rules, game.view(state, np.array([seat])), 0, seat, words, counts)
        for k in range(2):
            other = (seat + 1 + k) % 3
            cards = sorted(state.cards[0, 2 * other : 2 * other + 2].tolist())
            names = "".join(game.card_names[card] for card in cards)
            assert [game.spec.hidden_kinds[kind] for kind in np.flatnonzero(counts[k])] == [names]
        hidden_cards.check_worlds(game, state, seat)


def test_a_hand_with_a_card_of_the_table_is_no_world() -> None:
    game = make("leduc")
    state = game.start(np.array([[0, 1, 2]]))
    for _ in range(2):
        driver.step(game.rules, state, 0, 1)
    view, row = game.view(state, np.array([0])), game.empty(1)
    assert view.cards[0, 2] == 2
    possible = [
        driver.fill_world(game.rules, view, 0, 0, np.array([card], np.uint64), row, 0)
        for card in range(6)
    ]
    assert possible == [False, True, False, True, True, True]
