"""Imperfect-information Goofspiel: exact numbers, the kernels beside plain Python, worlds by
counting, bad input."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from games import make
from games.kernels import streams
from games.kernels.rows import States, take
from games.play.interface import Game
from tests.games import driver, hidden_cards
from tests.games.goofspiel.goofspiel_oracle import Node, histories, roots

OPTIONS = [
    {"cards": 2},
    {"cards": 4, "lowest_prize": 1},
    {"cards": 5, "prizes": "ascending", "scoring": "points"},
    {"cards": 6, "prizes": "random"},
    {"cards": 13, "prizes": "random", "scoring": "points", "lowest_prize": 1},
]


@pytest.mark.parametrize(
    ("cards", "prizes", "infosets", "decisions", "ends"),
    [
        (2, "descending", 2, 3, 4),
        (3, "descending", 16, 31, 36),
        (4, "descending", 162, 501, 576),
        (3, "random", 90, 186, 216),
    ],
)
def test_numbers_of_information_sets_and_histories(
    cards: int, prizes: str, infosets: int, decisions: int, ends: int
) -> None:
    """Of both seats together, counted in plain Python; every state of the kernels is that of its
    history."""
    game = make("goofspiel", cards=cards, prizes=prizes)
    starts, chances = game.starts()
    assert chances.sum() == pytest.approx(1)
    every = [node for root in roots(cards, prizes, 0) for node in histories(root)]
    running = [node for node in every if node.seat >= 0]
    known = {node.known(node.seat, prizes == "random") for node in running}
    assert (len(known), len(running), len(every) - len(running)) == (infosets, decisions, ends)
    by_order = {
        tuple(game.record(starts, i, np.zeros(0))["deal"]["prizes"]): i for i in range(len(chances))
    }
    keys = set()
    for node in every:
        state = take(starts, np.array([by_order[node.prizes]]))
        check(game, play(game, state, node.bids), node)
        if node.seat >= 0:
            keys.add(int(driver.infoset_key(game.rules, state, 0, node.seat)))
    assert len(keys) == infosets


def play(game: Game, state: States, bids: tuple[tuple[int, ...], tuple[int, ...]]) -> States:
    """Plays bids (values) in turns, in place."""
    low = int(game.action_text(0))
    for turn in range(sum(map(len, bids))):
        driver.step(game.rules, state, 0, bids[turn % 2][turn // 2] - low)
    return state


def check(game: Game, state: States, node: Node) -> None:
    """Checks seat, legal moves and returns of a state against those of its history."""
    low = min(node.prizes)
    assert driver.current_seat(game.rules, state, 0) == node.seat
    if node.seat >= 0:
        assert (driver.legal_actions(game, state, 0) + low).tolist() == node.hand(node.seat)
        return
    points = node.points()
    won = float(points if game.spec.max_return > 1 else (points > 0) - (points < 0))
    assert [driver.team_return(game.rules, state, 0, seat) for seat in range(2)] == [won, -won]


@given(st.sampled_from(OPTIONS), st.integers(0, 2**32), st.data())
def test_games_are_those_of_plain_python(
    options: dict[str, Any], seed: int, data: st.DataObject
) -> None:
    game = make("goofspiel", **options)
    state = game.deal(streams(seed, 1))
    node = Node(tuple(game.record(state, 0, np.zeros(0))["deal"]["prizes"]))
    while node.seat >= 0:
        check(game, state, node)
        card = data.draw(st.sampled_from(node.hand(node.seat)))
        driver.step(game.rules, state, 0, card - min(node.prizes))
        node = node.after(card)
    check(game, state, node)


def test_random_prizes_to_come_are_dealt_anew() -> None:
    game = make("goofspiel", cards=6, prizes="random")
    _, _, state = hidden_cards.positions(game, 1)[4]
    worlds = game.empty(200)
    view = game.view(state, np.array([0]))
    words = hidden_cards.truth(game, state, 0)
    assert all(driver.fill_world(game.rules, view, 0, 0, words, worlds, j) for j in range(200))
    driver.deal_rest(game.rules, worlds, 0, 200, streams(1, 1), 0)
    orders = [game.record(worlds, j, np.zeros(0))["deal"]["prizes"] for j in range(200)]
    seen = game.record(state, 0, np.zeros(0))["deal"]["prizes"][:3]
    assert all(order[:3] == seen and sorted(order) == list(range(6)) for order in orders)
    assert len({tuple(order) for order in orders}) == 6  # 3! orders of what is left


def test_what_cannot_be_listed() -> None:
    with pytest.raises(
        ValueError, match="362,880 deals cannot be listed; expected game.cards of at most 8"
    ):
        make("goofspiel", cards=9, prizes="random").starts()


@pytest.mark.parametrize("prizes", [[5, 4, 3], [0, 1, 2, 3, 4, 5], None])
def test_records_of_other_games(prizes: Any) -> None:
    game = make("goofspiel", cards=6)
    with pytest.raises(ValueError, match="expected"):
        game.parse_record(
            {"game": "goofspiel", "deal": {"prizes": prizes}, "moves": [], "returns": None}
        )
