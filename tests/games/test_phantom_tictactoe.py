"""Phantom Tic-Tac-Toe: exact numbers, the kernels beside plain Python, worlds as histories, bad
input."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from games import make
from games.batches import States, take
from games.generic import HIDDEN_MOVE
from games.interface import Game
from games.table import Table
from tests.games import driver, hidden_cards
from tests.games.phantom_oracle import (
    Node,
    begin,
    best_response_to_uniform,
    count_histories,
    worlds,
)

OPTIONS = [{}, {"variant": "small"}, {"reveal": False}, {"variant": "small", "reveal": False}]


def start(options: dict[str, Any]) -> Node:
    return begin(options.get("variant") == "small", options.get("reveal", True))


def test_numbers_of_the_small_game() -> None:
    """After the two forced attempts. Found by adding up histories, and by walking through all that
    a seat can know."""
    assert count_histories(small=True) == (
        144_458_977,
        139_261_152,
        {0: 86_791_152, 1: 7_118_064, -1: 45_351_936},
    )
    answers = [best_response_to_uniform(seat, small=True) for seat in range(2)]
    assert answers == [(pytest.approx(0.942708333), 373_929), (pytest.approx(0.495238095), 80_665)]


@pytest.mark.slow
def test_numbers_of_the_full_game() -> None:
    """NashConv of uniform play: OpenSpiel's exact value. About 10 ** 10 ends: Lisy 2014, 4.2."""
    assert count_histories(small=False)[:2] == (10_105_432_147, 9_829_101_024)
    (first, num_first), (second, num_second) = (
        best_response_to_uniform(seat, small=False) for seat in range(2)
    )
    assert first + second == pytest.approx(1.577464, abs=1e-6)
    assert (num_first, num_second) == (3_683_314, 2_307_355)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_games_are_those_of_plain_python(options: dict[str, Any]) -> None:
    """Seats, legal moves, what each seat sees of moves, returns; and keys are equal exactly when a
    seat cannot tell."""
    game, rng = make("phantom_tictactoe", **options), np.random.default_rng(5)
    keys: list[set[tuple[Any, int]]] = [set(), set()]
    for _ in range(150):
        node, state = start(options), game.deal(np.zeros(1, np.uint64))
        while node.seat >= 0:
            assert driver.current_seat(game.rules, state, 0) == node.seat
            assert driver.legal_actions(game, state, 0).tolist() == node.legal()
            for seat in range(2):
                keys[seat].add(
                    (node.known(seat), int(driver.infoset_key(game.rules, state, 0, seat)))
                )
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
    for pairs in keys:
        assert len(pairs) == len(dict(pairs)) == len({key for _, key in pairs})


def positions(game: Game, seed: int) -> list[tuple[States, list[int], States]]:
    """Running positions of a random game: the deal, the moves, the state."""
    rng, deal, state = (
        np.random.default_rng(seed),
        game.deal(np.zeros(1, np.uint64)),
        game.deal(np.zeros(1, np.uint64)),
    )
    moves: list[int] = []
    found = []
    while driver.current_seat(game.rules, state, 0) >= 0:
        found.append((deal, list(moves), take(state, np.array([0]))))
        moves.append(int(rng.choice(driver.legal_actions(game, state, 0))))
        driver.step(game.rules, state, 0, moves[-1])
    return found


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_worlds(options: dict[str, Any]) -> None:
    """They agree with the view, do not depend on the truth, and can be replayed, attempts that
    nobody saw included."""
    game = make("phantom_tictactoe", **options)
    for deal, moves, state in positions(game, 1)[:9]:
        for seat in range(2):
            hidden_cards.check_worlds(game, state, seat)
            hidden_cards.check_independence(game, state, seat)
            hidden_cards.check_replay(game, deal, moves, state, seat)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_worlds_are_all_histories_that_fit(options: dict[str, Any]) -> None:
    """Against plain Python, which tries every history."""
    game, checked = make("phantom_tictactoe", **options), 0
    for seed in range(4):
        for _, moves, state in positions(game, seed)[1:6]:
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
    assert checked > 30


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_worlds_are_drawn_evenly(options: dict[str, Any]) -> None:
    """The far end of chi-squared under even draws: 5 standard deviations and 5."""
    game, tried = make("phantom_tictactoe", **options), 0
    for _, _, state in [position for seed in range(4) for position in positions(game, seed)]:
        for seat in range(2):
            view = game.view(state, np.array([seat]))
            every = hidden_cards.listed(game, view, seat)
            if every is None or not 2 <= len(every) <= 500:
                continue
            drawn = Counter(
                hidden_cards.drawn(game, view, seat, 30 * len(every), seed=tried)[:, 0].tolist()
            )
            assert set(drawn) <= set(every[:, 0].tolist())
            squares = sum((drawn[word] - 30) ** 2 / 30 for word in every[:, 0].tolist())
            assert abs(squares - (len(every) - 1)) < 5 * np.sqrt(2 * len(every)) + 5
            tried += 1
    assert tried > 8


@given(st.permutations(range(9)), st.booleans())
def test_the_other_does_not_see_failed_attempts(squares: list[int], fails_first: bool) -> None:
    """O tries the square that X has taken, or does not: X sees the same, but that O has put a
    mark."""
    told = []
    for with_fail in (False, True):
        table = Table(make("phantom_tictactoe"), seed=1)
        table.play(squares[0])
        if with_fail:
            before = [table.describe(0), [f.tolist() for f in table.view(0)]]
            table.play(squares[0])
            assert [
                table.describe(0),
                [f.tolist() for f in table.view(0)],
            ] == before and table.seat == 1
            assert table.describe(1)["taken"] == [str(squares[0] + 1)]
        table.play(squares[1 + fails_first])
        told.append(
            (table.describe(0), table.seen(0).moves.tolist(), [f.tolist() for f in table.view(0)])
        )
    assert told[0] == told[1] and told[0][0]["moves"] == [str(squares[0] + 1), None]


def test_a_table_from_start_to_end() -> None:
    table = Table(make("phantom_tictactoe"), seed=1)
    for square in "551":  # O tries the centre in vain
        table.play(square)
    assert table.describe(1)["board"] == ["O . .", ". X .", ". . ."]
    assert table.describe(0)["board"] == [". . .", ". X .", ". . ."]
    for square in "128347":
        table.play(square)
    assert table.is_over and table.returns == (1.0, -1.0)
    shown = table.describe(1)
    assert shown["board"] == ["O X X", "O X .", "X O ."] and shown["attempts"] == [
        "5",
        "1",
        "8",
        "4",
    ]
    assert shown["hands"] == [["2", "3", "5", "7"], ["1", "4", "8"]]


def test_records_of_games_with_other_options() -> None:
    record = Table(make("phantom_tictactoe", variant="small"), seed=1).record()
    assert record["deal"] == {"variant": "small", "reveal": True}
    with pytest.raises(ValueError, match="expected .*full.* the options of this game"):
        make("phantom_tictactoe").parse_record(record)
