"""The search tree as a struct of arrays, and the open-addressing index that finds a node by the
searcher's information set.

Notation (DeltaDou, 4.1): u is a decision node, an information set of the searching player; a an
action; N(u) its visits; N(u, a) and Q(u, a) the visits and the mean return of an edge; pi(u, a) its
prior. T trees are searched at once.

Conventions:
    - Only decision nodes with at least two legal actions are stored. The moves between two of them
      (the merged chance node of the paper: the others' moves, forced moves) are replayed in the
      sampled world; ``infoset_key`` finds the next one.
    - Every value is the expected return of the searching player's team, in units of the stake at
      the root. Nothing changes sign.
    - A node whose ``degree`` is 0 is solved: its ``value`` is exact and it is never expanded.
"""

from typing import NamedTuple

import numpy as np

from games.kernels import kernel

DEPARTS = (
    (
        "4.1",
        "The formula of p-UCT is printed without c and without a root of N(u); we read it as "
        "AlphaZero's. An untried edge counts as the value of its node; the paper does not say.",
    ),
    ("4.4", "Decisions with a single legal move are neither searched nor learned."),
)
EMPTY = -1
FULL = -2


class Tree(NamedTuple):
    """T trees with room for N nodes and E edges each; H is a power of two above 2 N."""

    num_nodes: np.ndarray  # int32 [T]
    num_edges: np.ndarray  # int32 [T]
    node_visits: np.ndarray  # int32 [T, N]: N(u), in-flight simulations included
    node_value: np.ndarray  # float32 [T, N]: v(u) of the network; exact where the node is solved
    first_edge: np.ndarray  # int32 [T, N]
    degree: np.ndarray  # int32 [T, N]: number of legal actions; 0 = solved
    action: np.ndarray  # int16 [T, E]
    prior: np.ndarray  # float32 [T, E]: pi(u, a)
    visits: np.ndarray  # int32 [T, E]: N(u, a), in-flight simulations included
    returns: np.ndarray  # int32 [T, E]: finished simulations
    total: np.ndarray  # float64 [T, E]: sum of their returns
    squares: np.ndarray  # float64 [T, E]: sum of their squared returns
    index_key: np.ndarray  # uint64 [T, H]: infoset_key of the searching player
    index_node: np.ndarray  # int32 [T, H]: node, EMPTY where free


class PolicyCache(NamedTuple):
    """Policies of the players, by seat and information set, for one search; P entries of the pool
    per tree.
    """

    index_key: np.ndarray  # uint64 [T, H]: of the mover and its infoset_key
    index_start: np.ndarray  # int32 [T, H]: first entry in the pool, EMPTY where free
    length: np.ndarray  # int32 [T, H]
    used: np.ndarray  # int32 [T]
    num_policies: np.ndarray  # int32 [T]: policies stored
    action: np.ndarray  # int16 [T, P]
    probability: np.ndarray  # float32 [T, P]


def _power_of_two_above(n: int) -> int:
    return 1 << max(4, int(n).bit_length())


def make_tree(num_trees: int, num_nodes: int, num_edges: int) -> Tree:
    """Returns empty trees with the given room per tree."""
    per_node, per_edge = (num_trees, num_nodes), (num_trees, num_edges)
    size = _power_of_two_above(2 * num_nodes)
    return Tree(
        num_nodes=np.zeros(num_trees, np.int32),
        num_edges=np.zeros(num_trees, np.int32),
        node_visits=np.zeros(per_node, np.int32),
        node_value=np.zeros(per_node, np.float32),
        first_edge=np.zeros(per_node, np.int32),
        degree=np.zeros(per_node, np.int32),
        action=np.zeros(per_edge, np.int16),
        prior=np.zeros(per_edge, np.float32),
        visits=np.zeros(per_edge, np.int32),
        returns=np.zeros(per_edge, np.int32),
        total=np.zeros(per_edge, np.float64),
        squares=np.zeros(per_edge, np.float64),
        index_key=np.zeros((num_trees, size), np.uint64),
        index_node=np.full((num_trees, size), EMPTY, np.int32),
    )


def make_policy_cache(num_trees: int, num_policies: int, num_entries: int) -> PolicyCache:
    """Returns an empty cache with room for ``num_policies`` policies and ``num_entries``
    probabilities per tree.
    """
    size = _power_of_two_above(2 * num_policies)
    return PolicyCache(
        index_key=np.zeros((num_trees, size), np.uint64),
        index_start=np.full((num_trees, size), EMPTY, np.int32),
        length=np.zeros((num_trees, size), np.int32),
        used=np.zeros(num_trees, np.int32),
        num_policies=np.zeros(num_trees, np.int32),
        action=np.zeros((num_trees, num_entries), np.int16),
        probability=np.zeros((num_trees, num_entries), np.float32),
    )


@kernel
def clear(tree: Tree, cache: PolicyCache, t: int) -> None:
    """Empties tree ``t`` and its cache."""
    tree.num_nodes[t] = 0
    tree.num_edges[t] = 0
    tree.index_node[t, :] = EMPTY
    cache.index_start[t, :] = EMPTY
    cache.used[t] = 0
    cache.num_policies[t] = 0


@kernel(forceinline=True)
def find(keys: np.ndarray, values: np.ndarray, t: int, key: np.uint64) -> int:
    """Returns the position of a key in index ``t``, or the free position where it belongs
    (``values`` is EMPTY there).
    """
    mask = np.uint64(keys.shape[1] - 1)
    place = np.int64(key & mask)
    while values[t, place] != EMPTY and keys[t, place] != key:
        place = np.int64((np.uint64(place) + np.uint64(1)) & mask)
    return place


@kernel
def add_node(
    tree: Tree,
    t: int,
    key: np.uint64,
    value: float,
    actions: np.ndarray,
    priors: np.ndarray,
    n: int,
) -> int:
    """Returns the new node of tree ``t`` for an information set, with ``n`` edges; FULL if there is
    no room.

    Args:
        actions: int16 ``[>= n]``.
        priors: float32 ``[>= n]``. ``n`` = 0 makes a solved node.
    """
    node, edge = tree.num_nodes[t], tree.num_edges[t]
    if node >= tree.node_visits.shape[1] or edge + n > tree.action.shape[1]:
        return FULL
    place = find(tree.index_key, tree.index_node, t, key)
    tree.index_key[t, place] = key
    tree.index_node[t, place] = node
    tree.node_visits[t, node] = 1
    tree.node_value[t, node] = value
    tree.first_edge[t, node] = edge
    tree.degree[t, node] = n
    for k in range(n):
        tree.action[t, edge + k] = actions[k]
        tree.prior[t, edge + k] = priors[k]
        tree.visits[t, edge + k] = 0
        tree.returns[t, edge + k] = 0
        tree.total[t, edge + k] = 0.0
        tree.squares[t, edge + k] = 0.0
    tree.num_nodes[t] = node + 1
    tree.num_edges[t] = edge + n
    return node


@kernel(forceinline=True)
def select_puct(tree: Tree, t: int, node: int, c: float, uniform: float) -> int:
    """Returns the edge that maximises Q(u, a) + c · P(u, a) · sqrt(N(u)) / (1 + N(u, a)).

    P = (1 - uniform) · pi + uniform / degree; the paper's is pi, with uniform = 0. An edge without
    a return counts as the value of its node (the paper does not say). Simulations in flight count
    in N but not in Q, so several can run in one tree (Liu et al., "Watch the unobserved", 2020);
    with one at a time this is plain p-UCT. Source: DeltaDou, 4.1, whose formula prints neither c
    nor the root: this is AlphaZero's reading.
    """
    first = tree.first_edge[t, node]
    scale = c * np.sqrt(np.float64(tree.node_visits[t, node]))
    even = uniform / tree.degree[t, node]
    best, best_score = first, -np.inf
    for edge in range(first, first + tree.degree[t, node]):
        returned = tree.returns[t, edge]
        q = tree.total[t, edge] / returned if returned > 0 else np.float64(tree.node_value[t, node])
        prior = (1.0 - uniform) * tree.prior[t, edge] + even
        score = q + scale * prior / (1.0 + tree.visits[t, edge])
        if score > best_score:
            best, best_score = edge, score
    return best


@kernel(forceinline=True)
def back_up(tree: Tree, t: int, edges: np.ndarray, depth: int, value: float) -> None:
    """Adds a return to the ``depth`` edges of a path (int32 ``[>= depth]``); the visits were
    counted on the way down.
    """
    for k in range(depth):
        edge = edges[k]
        tree.returns[t, edge] += 1
        tree.total[t, edge] += value
        tree.squares[t, edge] += value * value


@kernel(forceinline=True)
def cached_policy(cache: PolicyCache, t: int, key: np.uint64) -> tuple[int, int]:
    """Returns (first entry, number of actions) of a stored policy, (-1, 0) if there is none."""
    place = find(cache.index_key, cache.index_start, t, key)
    start = cache.index_start[t, place]
    if start == EMPTY:
        return -1, 0
    return start, cache.length[t, place]


@kernel
def store_policy(
    cache: PolicyCache,
    t: int,
    key: np.uint64,
    actions: np.ndarray,
    probabilities: np.ndarray,
    n: int,
) -> None:
    """Stores a policy of ``n`` actions; does nothing if the cache is full or has the key."""
    start = cache.used[t]
    full = (
        2 * cache.num_policies[t] >= cache.index_key.shape[1] or start + n > cache.action.shape[1]
    )
    place = find(cache.index_key, cache.index_start, t, key)
    if full or cache.index_start[t, place] != EMPTY:
        return
    cache.index_key[t, place] = key
    cache.index_start[t, place] = start
    cache.length[t, place] = n
    for k in range(n):
        cache.action[t, start + k] = actions[k]
        cache.probability[t, start + k] = probabilities[k]
    cache.used[t] = start + n
    cache.num_policies[t] += 1
