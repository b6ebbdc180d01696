"""Search against the naive oracle, on random games."""

from functools import cache

import numpy as np
import pytest

from fpmcts.search.result import SearchResult
from fpmcts.search.search import SearchSettings
from games.kernels.rows import take
from tests.search.oracle import Node, Oracle, Stream, Verdict
from tests.search.searching import (
    Position,
    as_pairs,
    make_search,
    oracle_search,
    search,
    settings,
    tree_of,
    worlds,
)
from tests.search.toy_game import End, Move, Rules, Tables, ToyGame, make_rules, random_rules


@cache
def large_rules(seed: int) -> Rules:
    """Returns a random game of 100 nodes and more, with at least two moves at the root."""
    for attempt in range(100 * seed, 100 * seed + 100):
        rules = random_rules(attempt, depth=8)
        if rules.allowed[0, 0].sum() >= 2 and 100 <= len(rules.seat) <= 2000:
            return rules
    raise AssertionError("no game")


def random_game(seed: int) -> tuple[ToyGame, Tables]:
    """Returns a random game and random networks."""
    game = ToyGame(large_rules(seed))
    return game, Tables(game, seed)


def positions(game: ToyGame) -> list[Position]:
    """Returns the root with two cards, and up to three decisions each of seats 1 and 2 within two
    moves of it.
    """
    rules = game.rules
    near = [int(c) for c in rules.child[0] if c >= 0]
    near += [int(c) for node in near for c in rules.child[node] if c >= 0]
    here = [
        (node, card) for node in near for card in range(4) if rules.allowed[node, card].sum() >= 2
    ]
    return [(0, 0), (0, 3)] + [
        p for seat in (1, 2) for p in [p for p in here if rules.seat[p[0]] == seat][:3]
    ]


def assert_same_result(result: SearchResult, k: int, verdict: Verdict) -> None:
    n = int(result.num_legal[k])
    assert result.actions[k, :n].tolist() == verdict.actions
    assert (result.actions[k, n:] == -1).all()
    assert result.visits[k, :n].tolist() == verdict.visits
    np.testing.assert_allclose(result.q[k, :n], verdict.q, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(result.target[k, :n], verdict.target, rtol=1e-5, atol=1e-7)
    assert not result.target[k, n:].any()
    np.testing.assert_allclose(result.value[k], verdict.value, rtol=1e-5, atol=1e-6)
    assert result.choice[k] == verdict.choice


def assert_same_tree(got: dict[int, Node], expected: dict[int, Node]) -> None:
    assert got.keys() == expected.keys()
    for node, u in expected.items():
        assert got[node].visits == u.visits
        assert got[node].value == pytest.approx(u.value, abs=1e-6)
        assert got[node].edges.keys() == u.edges.keys()
        for action, edge in u.edges.items():
            ours = got[node].edges[action]
            assert (ours.visits, len(ours.returns)) == (edge.visits, len(edge.returns))
            assert ours.prior == pytest.approx(edge.prior, rel=1e-6)
            if edge.returns:
                assert ours.q == pytest.approx(edge.q, abs=1e-9)


def compare(
    game: ToyGame,
    tables: Tables,
    given: SearchSettings,
    seed: int,
    win_only: bool,
    edges_per_node: int = 24,
) -> float:
    """Compares several positions; returns the mean number of nodes of their trees."""
    given_positions = positions(game)
    result, searcher = search(
        game,
        tables,
        given,
        given_positions,
        seed=seed,
        win_only=win_only,
        edges_per_node=edges_per_node,
    )
    room = game.spec.max_legal + edges_per_node * (given.playouts + 2)
    num_nodes = 0
    answers = oracle_search(
        game, tables, given, given_positions, seed=seed, win_only=win_only, room=room
    )
    for k, (verdict, oracle) in enumerate(answers):
        assert_same_result(result, k, verdict)
        assert_same_tree(tree_of(searcher, k, game), oracle.tree)
        assert result.dropped[k] == oracle.dropped
        num_nodes += len(oracle.tree)
    return num_nodes / len(answers)


@pytest.mark.parametrize("solve", [True, False])
@pytest.mark.parametrize("win_only", [True, False])
@pytest.mark.parametrize("target", ["visits", "advantages"])
def test_same_tree_as_the_oracle(target: str, win_only: bool, solve: bool) -> None:
    """With leaves that are played out, to the end or with a decay, and without; with first moves
    drawn from the policy, and without.
    """
    num_nodes = []
    for seed in range(6):
        given = settings(
            target,
            70,
            solve=solve,
            rollout=(0.0, 0.7, 1.0)[seed % 3],
            prior_floor=(1e-9, 0.02)[seed % 2],
            draw_first=seed >= 3,
        )
        num_nodes.append(compare(*random_game(seed), given, seed, win_only))
    assert np.mean(num_nodes) > 4  # the games are not trivial


@pytest.mark.parametrize("count", [1, 12])
def test_any_number_of_worlds(count: int) -> None:
    """One world, and all six of them twice."""
    game, tables = random_game(7)
    given = settings(playouts=50, worlds=count)
    rows = np.concatenate([np.arange(count) % 6 + 6 * k for k in range(4)])
    states = take(worlds(game, [(0, card) for card in range(4)]), rows)
    seeds = np.arange(1, 5, dtype=np.uint64)
    result = make_search(game, tables, given, 4).run(states, seeds.copy(), np.arange(4))
    for k, seed in enumerate(seeds):
        mine = take(states, slice(k * count, (k + 1) * count))
        oracle = Oracle(game, tables, given, win_only=False)
        assert_same_result(result, k, oracle.search(as_pairs(mine), Stream(int(seed))))


def test_leaves_that_find_no_room_are_backed_up_all_the_same() -> None:
    """Room for the root, and for about one edge per simulation; the oracle drops the same
    leaves.
    """
    dropped = 0
    for seed in range(4):
        game, tables = random_game(seed)
        for edges_per_node, playouts in ((0, 60), (1, 12)):
            given = settings(playouts=playouts)
            compare(game, tables, given, seed, win_only=False, edges_per_node=edges_per_node)
            dropped += search(game, tables, given, positions(game), edges_per_node=edges_per_node)[
                0
            ].dropped.sum()
    assert dropped > 100


def test_one_seat_may_move_all_the_time() -> None:
    """Paths as long as the game."""
    start: Move | End = End(1.0)
    for _ in range(12):
        start = Move(0, [start, End(0.5)])
    game = ToyGame(make_rules(start, num_cards=4, num_actions=2))
    assert game.spec.max_moves == 12
    tables = Tables(game)
    for node in range(12):
        tables.set_probabilities(node, [0.9, 0.1])
    assert compare(game, tables, settings(playouts=150), 0, win_only=False) == 12
