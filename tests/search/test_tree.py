"""Trees and caches of policies that are full; what else is in them, the oracle knows."""

import numpy as np

from fpmcts.search.tree import (
    EMPTY,
    FULL,
    Tree,
    add_node,
    cached_policy,
    find,
    make_policy_cache,
    make_tree,
    store_policy,
)

ACTIONS = np.array([3, 5, 8], np.int16)
PRIORS = np.array([0.5, 0.2, 0.3], np.float32)


def node_of(tree: Tree, t: int, key: int) -> int:
    return int(tree.index_node[t, find(tree.index_key, tree.index_node, t, np.uint64(key))])


def test_a_full_tree_takes_no_node_and_is_not_harmed() -> None:
    tree = make_tree(1, 3, 7)
    added = [add_node(tree, 0, np.uint64(k), 0.0, ACTIONS, PRIORS, 3) for k in range(3)]
    assert added == [0, 1, FULL]  # edges
    assert node_of(tree, 0, 2) == EMPTY
    assert add_node(tree, 0, np.uint64(7), 0.0, ACTIONS, PRIORS, 1) == 2
    assert add_node(tree, 0, np.uint64(8), 0.0, ACTIONS, PRIORS, 0) == FULL  # nodes
    assert (tree.num_nodes[0], tree.num_edges[0]) == (3, 7)


def test_policies_are_found_again() -> None:
    cache, rng = make_policy_cache(2, 10, 40), np.random.default_rng(0)
    stored: dict[int, list[float]] = {}
    for key in [0, 32, 64, 31, 63, *rng.integers(0, 2**63, 30).tolist()]:
        n = int(rng.integers(1, 4))
        probabilities = rng.random(n).astype(np.float32)
        if sum(len(p) for p in stored.values()) + n <= 40:
            stored[key] = probabilities.tolist()
        store_policy(cache, 1, np.uint64(key), ACTIONS, probabilities, n)
    store_policy(
        cache, 1, np.uint64(32), ACTIONS, np.zeros(3, np.float32), 3
    )  # it is there already
    found = {}
    for key in stored:
        start, n = cached_policy(cache, 1, np.uint64(key))
        if n > 0:
            found[key] = cache.probability[1, start : start + n].tolist()
            assert cache.action[1, start : start + n].tolist() == ACTIONS[:n].tolist()
        assert cached_policy(cache, 0, np.uint64(key)) == (-1, 0)
    assert list(found.items()) == list(stored.items())[: len(found)]
    assert len(found) >= 10
    assert 2 * len(found) <= cache.index_key.shape[1]  # the index stays half empty
