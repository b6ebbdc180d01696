"""Single-observer IS-MCTS against a plain implementation with dictionaries, its invariances, and
its place among the players.
"""

import math
from typing import Any

import numpy as np
import pytest

from fpmcts.players import load_player, single_observer
from fpmcts.players.single_observer import CHUNK, Edges
from fpmcts.players.tree_search import Clock, Place
from games import make
from games.agent import Agent
from games.batches import take
from games.interface import empty_records, seats_to_move
from games.kernels import Stream, deal_seeds, random_below, random_float, streams
from games.table import Table
from inference.positions import make_positions
from inference.prior import prior_worlds
from tests.games import driver

GAMES = ("kuhn", "leduc", "doudizhu", "examples.sealed_bids")


def searched(agent: Any, view: Any, rng: np.ndarray) -> tuple[Edges, int]:
    """Returns the tree and the iterations of a search for a view of one row."""
    legal, none = driver.legal_actions(agent.game, view, 0), np.zeros(0, np.int16)
    positions = make_positions(agent.game, np.zeros(1, np.int64), view)
    place = Place(
        view, positions, none, 0, rng, streams(0, 1), legal, legal, legal, agent.new_tree()
    )
    done = agent.search(place, Clock(agent.iterations))
    return place.tree, done


def naive(
    game: Any, worlds: Any, count: int, seat: int, wins_only: bool, c: float, rng: np.ndarray
) -> dict[Any, list[float]]:
    """Returns {(information set, action): [visits, available, total]} after an iteration in each
    world.
    """
    edges: dict[Any, list[float]] = {}
    low, high = math.inf, -math.inf
    for world in range(count):
        state = take(worlds, np.array([world]))
        path, in_tree = [], True
        while (mover := driver.current_seat(game.rules, state, 0)) >= 0:
            legal = driver.legal_actions(game, state, 0).tolist()
            if not in_tree:
                driver.step(game.rules, state, 0, legal[random_below(rng, 0, len(legal))])
                continue
            key = int(driver.infoset_key(game.rules, state, 0, seat))
            chosen, untried = -1, 0
            for action in legal:
                if (key, action) not in edges:
                    untried += 1
                    if random_below(rng, 0, untried) == 0:
                        chosen = action
            if untried:
                in_tree = False
            else:
                best, ties = -math.inf, 0
                for action in legal:
                    visits, available, total = edges[key, action]
                    bound = total / visits + c * max(high - low, 1e-9) * math.sqrt(
                        math.log(available) / visits
                    )
                    ties = ties + 1 if bound == best else 1 if bound > best else ties
                    if bound > best or (bound == best and random_float(rng, 0) * ties < 1.0):
                        best, chosen = bound, action
            for action in legal:
                if (key, action) in edges:
                    edges[key, action][1] += 1
            if untried:
                edges[key, chosen] = [0, 1, 0.0]
            path.append((key, chosen, mover))
            driver.step(game.rules, state, 0, chosen)
        for key, action, mover in path:
            result = driver.team_return(game.rules, state, 0, mover)
            result = float(np.sign(result)) if wins_only else result
            low, high = min(low, result, -result), max(high, result, -result)
            edges[key, action][0] += 1
            edges[key, action][2] += result
    return edges


@pytest.mark.parametrize("name", ["kuhn", "leduc", "examples.sealed_bids"])
def test_against_dictionaries(name: str) -> None:
    game: Any = make(name)
    view = game.view(game.deal(deal_seeds(5, 1, Stream.PLAY)), np.zeros(1, np.int64))
    agent, ours, theirs = load_player("ismcts", game, iterations=200), streams(9, 1), streams(9, 1)
    edges, done = searched(agent, view, ours)
    worlds, positions = game.empty(CHUNK), make_positions(game, np.zeros(1, np.int64), view)
    prior_worlds(game.rules, positions, theirs, 200, game.spec.hidden_words, worlds)
    expected = naive(game, worlds, 200, 0, agent.wins_only, 0.7, theirs)
    assert done == 200 and int(edges.used[0]) == len(expected)
    for (key, action), (visits, available, total) in expected.items():
        place = single_observer.find(
            edges, np.uint64(single_observer.edge_key(np.uint64(key), action))
        )
        assert place >= 0
        assert (edges.visits[place], edges.available[place]) == (visits, available)
        assert edges.totals[place] == pytest.approx(total)
    assert ours[0] == theirs[0]


def test_a_table_that_grows_keeps_its_edges() -> None:
    game: Any = make("leduc")
    view = game.view(game.deal(deal_seeds(5, 1, Stream.PLAY)), np.zeros(1, np.int64))
    edges, _ = searched(load_player("ismcts", game, iterations=3000), view, streams(1, 1))
    count = int(edges.used[0])
    assert len(edges.keys) > 1024 >= count / 2 > 0 and (edges.keys != 0).sum() == count
    larger = single_observer.empty_edges(4 * len(edges.keys))
    single_observer.grow(edges, larger)
    for place in np.flatnonzero(edges.keys):
        there = single_observer.find(larger, edges.keys[place])
        assert (larger.visits[there], larger.totals[there]) == (
            edges.visits[place],
            edges.totals[place],
        )


@pytest.mark.parametrize("name", GAMES)
def test_hidden_cards_change_nothing(name: str) -> None:
    """The same view from another deal, another batch, and another place in the batch: the same
    move.
    """
    game: Any = make(name)
    deals = game.deal(deal_seeds(3, 6, Stream.PLAY))
    seats = seats_to_move(game, deals)
    views, records = game.view(deals, seats), empty_records(6, game.spec.max_moves)
    agent: Agent = load_player("ismcts", game, iterations=300)
    agent.start(6, 4)
    together = agent.act(np.arange(6), views, records)
    agent.start(6, 4)
    alone = [
        agent.act(np.array([k]), take(views, np.array([k])), records)[0] for k in reversed(range(6))
    ]
    np.testing.assert_array_equal(together, alone[::-1])


def test_it_finds_what_is_plain() -> None:
    """Kuhn: the king always calls a bet, the jack never does."""
    game = make("kuhn")
    for seed in range(40):
        table = Table(game, seed=seed)
        table.play("bet")
        card = table.view(1).cards[0, 1]
        if card == 1:
            continue
        decision = load_player("ismcts", game, iterations=2000).decide(table)
        assert decision.playouts == 2000 and decision.policy is not None
        assert decision.policy["call"] > 0.9 if card == 2 else decision.policy["fold"] > 0.9
