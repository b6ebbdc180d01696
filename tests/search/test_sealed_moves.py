"""Moves that not every seat sees: the search neither merges what the searcher can tell apart nor
tells apart what it cannot.
"""

import numpy as np
import pytest

from tests.search.searching import oracle_search, search, settings, tree_of
from tests.search.test_search_oracle import assert_same_result, assert_same_tree
from tests.search.toy_game import Tables, ToyGame, sealed_rules

TARGETS = pytest.mark.parametrize("target", ["visits", "advantages"])


def node_after(game: ToyGame, *moves: int) -> int:
    node = 0
    for move in moves:
        node = int(game.rules.child[node, move])
    return node


@TARGETS
@pytest.mark.parametrize("rollout", [0.0, 0.7])
def test_same_tree_as_the_oracle(target: str, rollout: float) -> None:
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
                target, playouts=60, worlds=len(game.worlds(node, card).node), rollout=rollout
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
