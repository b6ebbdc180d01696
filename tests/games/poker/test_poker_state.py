"""Poker as search and learning see it: every complete play of some deals against the oracle,
observations, views, texts."""

from pathlib import Path

import numpy as np
import pytest

from games.kernels import streams
from games.kernels.rows import take
from games.poker.betting import Action
from games.poker.game import LimitPoker
from tests.evaluation.poker_games import poker
from tests.games import driver
from tests.games.poker import poker_oracle as oracle

NAMES = ["kuhn", "leduc"]


def mover_observation(game: LimitPoker, states: object, i: int) -> bytes:
    return driver.observation(game, states, i, driver.current_seat(game.rules, states, i)).tobytes()


@pytest.mark.parametrize("name", NAMES)
def test_every_play_of_random_deals(name: str) -> None:
    """Rules and payoffs as the oracle's; the mover's observation says its information set, no
    less and no more."""
    game = poker(name)
    texts, listed = game.tables.infoset_texts(), game.information_states()
    text_of = {mover_observation(game, listed, i): texts[i] for i in range(len(texts))}
    assert len(text_of) == len(texts)
    start = game.deal(streams(1, 12))
    row = game.empty(1)
    for i in range(12):
        cards = tuple(oracle.CARDS[name][card] for card in start.cards[i])
        for moves in oracle.plays(name):
            driver.copy_row(game.rules, start, i, row, 0)
            for k, move in enumerate(moves):
                position = oracle.replay(name, moves[:k])
                assert driver.current_seat(game.rules, row, 0) == position.player
                assert (
                    "".join("fcr"[a] for a in driver.legal_actions(game, row, 0)) == position.legal
                )
                ranks = tuple(card[0] for card in cards)
                assert text_of[mover_observation(game, row, 0)] == oracle.seen(
                    ranks, position.player, position
                )
                driver.step(game.rules, row, 0, Action("fcr".index(move)))
            assert driver.current_seat(game.rules, row, 0) == -1
            won = oracle.wins(name, oracle.replay(name, moves), cards)
            assert [driver.team_return(game.rules, row, 0, seat) for seat in range(2)] == [
                won,
                -won,
            ]


def test_deals_are_uniform() -> None:
    game = poker("leduc")
    batch = game.deal(streams(3, 20_000))
    # 120 deals, each as often as any other: chi-squared with 119 degrees of freedom exceeds 200
    # once in 200,000.
    _, counts = np.unique(batch.cards, axis=0, return_counts=True)
    assert len(counts) == 120
    assert np.sum((counts - 20_000 / 120) ** 2) / (20_000 / 120) < 200


def test_a_view_says_what_its_seat_knows() -> None:
    game = poker("leduc")
    states = game.start([[5, 2, 3]])
    moves = [Action.CALL, Action.RAISE, Action.CALL]
    for move in moves:
        driver.step(game.rules, states, 0, move)
    told = game.describe_view(game.view(states, np.array([0])), 0, np.array(moves))
    assert told == {
        "game": "leduc",
        "seat": 0,
        "hand": ["Kh"],
        "public": ["Qh"],
        "moves": ["call", "raise", "call"],
        "paid": [3.0, 3.0],
        "legal": ["call", "raise"],
    }


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2: .*expected"),
        ('{"hands": [["Js"], ["Js"]], "public": ["Kh"]}', "line 2: .*all different"),
        ('{"hands": [["Js"], ["Qs"]]}', "line 2: .*public None: expected 2 hands of 1 and"),
    ],
)
def test_files_that_are_no_decks(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "decks.jsonl"
    path.write_text('{"hands": [["Js"], ["Qs"]], "public": ["Kh"]}\n' + line + "\n")
    with pytest.raises(ValueError, match=message):
        poker("leduc").read_decks(path)
    path.write_text("\n")
    with pytest.raises(ValueError, match="no deals"):
        poker("leduc").read_decks(path)


def test_the_curves_of_finished_games() -> None:
    game = poker("kuhn")
    states = take(game.start([[2, 0], [0, 1], [1, 0]]), np.arange(3))
    for i, moves in enumerate([(1, 1), (2, 0), (2, 1)]):
        for move in moves:
            driver.step(game.rules, states, i, move)
    assert game.final_curves(states) == {
        "showdown_share": pytest.approx(2 / 3),
        "chips_won_by_the_first_player": pytest.approx((1 + 1 + 2) / 3),
    }
