"""Moves that not every seat sees: the search neither merges what the searcher can tell apart nor
tells apart what it cannot.
"""

import numpy as np
import pytest

from tests.fpmcts.searching import oracle_search, search, settings, tree_of
from tests.fpmcts.test_search_oracle import assert_same_result, assert_same_tree
from tests.fpmcts.toy_game import End, Move, Tables, ToyGame, make_rules, sealed_rules

ROOTS = pytest.mark.parametrize("root", ["puct", "gumbel"])


def node_after(game: ToyGame, *moves: int) -> int:
    node = 0
    for move in moves:
        node = int(game.rules.child[node, move])
    return node


def matching_pennies() -> ToyGame:
    """Returns a game in which seat 1 hides a coin from seat 0, who guesses it after move 0: 1 if
    right, else -1.
    """
    guess = [
        Move(0, [End(1.0 if side == called else -1.0) for called in range(2)]) for side in range(2)
    ]
    return ToyGame(
        make_rules(
            Move(0, [Move(1, guess, hidden_from=(0,)), End(-2.0)]), num_cards=4, num_actions=2
        )
    )


def own_bid() -> ToyGame:
    """Returns a game in which seat 0 bids unseen by the others and must repeat the bid in the end:
    1 if it does, else -1.
    """
    again = [
        Move(1, [Move(0, [End(1.0 if k == bid else -1.0) for k in range(2)]), End(-1.0)])
        for bid in range(2)
    ]
    return ToyGame(make_rules(Move(0, again, hidden_from=(1, 2)), num_cards=4, num_actions=2))


def test_what_the_searcher_cannot_tell_apart_is_one_node() -> None:
    """The coin is fair; with a node for each side the search would guess right every time and
    expect 1.
    """
    game = matching_pennies()
    result, searcher = search(game, Tables(game), settings(playouts=400), [(0, 1)])
    assert abs(result.q[0, 0]) < 0.2
    nodes = tree_of(searcher, 0, game)
    assert set(nodes) == {0, node_after(game, 0, 0)}
    assert sum(e.visits for e in nodes[node_after(game, 0, 0)].edges.values()) > 300


def test_what_the_searcher_can_tell_apart_is_not_merged() -> None:
    """The bids differ in its own eyes alone; one node for both would get 0 on average."""
    game = own_bid()
    tables = Tables(game)
    for bid in range(2):
        tables.set_probabilities(node_after(game, bid), [1.0, 0.0])
    result, searcher = search(game, tables, settings(playouts=400), [(0, 1)])
    assert set(tree_of(searcher, 0, game)) == {0, node_after(game, 0, 0), node_after(game, 1, 0)}
    assert (result.q[0] > 0.8).all()


@ROOTS
@pytest.mark.parametrize("rollout", [0.0, 0.7])
def test_same_tree_as_the_oracle(root: str, rollout: float) -> None:
    """Every seat searches, at the start and after moves that it has seen in part."""
    merged = 0
    for seed in range(4):
        game = ToyGame(sealed_rules(seed))
        tables, rules = Tables(game, seed), game.rules
        heads = [node_after(game, *[0] * k) for k in range(4)]
        here = [
            (node, card)
            for node in heads
            for card in range(4)
            if rules.allowed[node, card].sum() > 1
        ]
        for node, card in here:  # one by one: they differ in the number of their worlds
            given = settings(
                root, playouts=60, worlds=len(game.worlds(node, card).node), rollout=rollout
            )
            result, searcher = search(game, tables, given, [(node, card)], seed=seed)
            ((verdict, oracle),) = oracle_search(
                game, tables, given, [(node, card)], seed=seed, win_only=False
            )
            assert_same_result(result, 0, verdict)
            assert_same_tree(tree_of(searcher, 0, game), oracle.tree)
        merged += sum(
            len(np.flatnonzero(rules.seen[:, s] != np.arange(len(rules.seat)))) for s in range(3)
        )
    assert merged > 100
