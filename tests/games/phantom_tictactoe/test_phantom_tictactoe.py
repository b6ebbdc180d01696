"""Phantom Tic-Tac-Toe: exact numbers, the kernels beside plain Python, worlds as histories, bad
input."""

from typing import Any

import numpy as np
import pytest

from games import make
from games.kernels.generic import HIDDEN_MOVE
from games.play.table import Table
from tests.games import driver, hidden_cards
from tests.games.phantom_tictactoe.phantom_oracle import Node, begin, worlds

OPTIONS = [{}, {"variant": "small"}, {"reveal": False}, {"variant": "small", "reveal": False}]


def start(options: dict[str, Any]) -> Node:
    return begin(options.get("variant") == "small", options.get("reveal", True))


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_games_are_those_of_plain_python(options: dict[str, Any]) -> None:
    """Seats, legal moves, what each seat sees of moves, returns."""
    game, rng = make("phantom_tictactoe", **options), np.random.default_rng(5)
    for _ in range(100):
        node, state = start(options), game.deal(np.zeros(1, np.uint64))
        while node.seat >= 0:
            assert driver.current_seat(game.rules, state, 0) == node.seat
            assert driver.legal_actions(game, state, 0).tolist() == node.legal()
            square = int(rng.choice(node.legal()))
            is_told = square not in node.marks[1 - node.seat] or not node.reveal
            assert driver.seen_move(game.rules, state, 0, square, node.seat) == square
            assert (
                driver.seen_move(game.rules, state, 0, square, 1 - node.seat) == HIDDEN_MOVE
            ) == is_told
            driver.step(game.rules, state, 0, square)
            node = node.after(square)
        assert driver.current_seat(game.rules, state, 0) == -1
        returns = [0.0, 0.0] if node.winner < 0 else [1.0 - 2 * node.winner, 2 * node.winner - 1.0]
        assert [driver.team_return(game.rules, state, 0, seat) for seat in range(2)] == returns


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_worlds_are_all_histories_that_fit(options: dict[str, Any]) -> None:
    """Against plain Python, which tries every history."""
    game, checked = make("phantom_tictactoe", **options), 0
    for seed in range(2):
        for _, moves, state in hidden_cards.positions(game, seed)[1:5]:
            node = start(options)
            for move in moves:
                node = node.after(move)
            for seat in range(2):
                expected = sorted(worlds(node, seat))
                view = game.view(state, np.array([seat]))
                every = hidden_cards.listed(game, view, seat, room=40_000)
                assert every is not None
                found = [
                    tuple(int(word) >> 4 * k & 15 for k in range(9) if int(word) >> 4 * k & 15)
                    for word in every[:, 0]
                ]
                assert (
                    sorted(tuple(square - 1 for square in squares) for squares in found) == expected
                )
                assert np.exp(
                    -driver.log_prior_hidden(game.rules, view, 0, seat, every[0])
                ) == pytest.approx(len(expected))
                checked += 1
    assert checked > 10


def test_records_of_games_with_other_options() -> None:
    record = Table(make("phantom_tictactoe", variant="small"), seed=1).record()
    assert record["deal"] == {"variant": "small", "reveal": True}
    with pytest.raises(ValueError, match="expected .*full.* the options of this game"):
        make("phantom_tictactoe").parse_record(record)
