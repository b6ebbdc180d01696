"""The data of the search kernels, in one struct of arrays: ``Forest``.

T trees are searched in parallel, each by S *slots* (simulations in flight), M = T * S in all; tree
``t`` owns the slots ``t * S .. t * S + S - 1``.
"""

from typing import NamedTuple

import numpy as np

from fpmcts.search.tree import PolicyCache, Tree, make_policy_cache, make_tree
from games.kernels.rows import Rules, States
from games.play.interface import Game


class Params(NamedTuple):
    """Scalars of a search, the same for every tree."""

    c: float  # exploration constant of p-UCT
    win_only: bool  # returns are ±1 instead of points over the stake at the root
    solve: bool  # look for sure wins at new leaves
    rollout: float  # 0: a leaf is worth its value; else λ of the return of its rollout
    draw_first: bool  # the first move at a new own node is drawn from its policy


class Jobs(NamedTuple):
    """The work assigned to each of the T trees, and its progress."""

    seat: np.ndarray  # int8 [T]: the searching player
    simulations: np.ndarray  # int32 [T]: simulations to start by the end of this round
    started: np.ndarray  # int32 [T]
    stake: np.ndarray  # float64 [T]: at the root
    seed: np.ndarray  # uint64 [T]
    dropped: np.ndarray  # int32 [T]: leaves evaluated but not stored for lack of room
    lookups: np.ndarray  # int32 [T]: policies of other players requested
    hits: np.ndarray  # int32 [T]: of these, found in the cache


class Log(NamedTuple):
    """The finished playouts of the T trees, at most P each, in the order in which they finished."""

    returned: np.ndarray  # int32 [T]: number of finished playouts
    move: np.ndarray  # int32 [T, P]: index of the root move
    world: np.ndarray  # int32 [T, P]
    value: np.ndarray  # float64 [T, P]: returns


class Slots(NamedTuple):
    """M simulations; D bounds the moves of a game."""

    phase: np.ndarray  # int8 [M]: fpmcts.search.simulate.Phase
    world: np.ndarray  # int32 [M]
    depth: np.ndarray  # int32 [M]
    path: np.ndarray  # int32 [M, D]: edges taken
    rng: np.ndarray  # uint64 [M]
    beyond: np.ndarray  # bool [M]: beyond its leaf, in the rollout
    blended: np.ndarray  # float64 [M]: weighted sum of the values met in the rollout
    weight: np.ndarray  # float64 [M]: weight left for the rest of the rollout
    num_legal: np.ndarray  # int32 [M]
    legal: np.ndarray  # int16 [M, max_legal]
    # As in the policy cache: a stored policy samples the same move as a fresh one.
    priors: np.ndarray  # float32 [M, max_legal]


class Requests(NamedTuple):
    """Evaluations requested in one round, at most one per slot."""

    slot: np.ndarray  # int32 [M]
    seat: np.ndarray  # int8 [M]
    role: np.ndarray  # int8 [M]
    observation: np.ndarray  # int8 [M, C, L]


class Forest(NamedTuple):
    """T trees searched side by side."""

    rules: Rules  # of the game
    decoder: np.ndarray  # int16 [num_actions, K], see Game.decoder
    params: Params
    num_trees: int  # T: trees under search
    num_slots: int  # S: slots of a tree
    num_worlds: int  # W: worlds of a tree
    worlds: States  # [T * W]: a tree's worlds share what the seat to move knows
    sources: np.ndarray  # int32 [T * W]: the first of the tree's worlds from the same draw
    tree: Tree
    cache: PolicyCache
    jobs: Jobs
    log: Log
    slots: Slots
    states: States  # [M]: current state of each simulation
    requests: Requests
    scratch: np.ndarray  # float64 [max_legal]


def make_forest(
    game: Game, params: Params, playouts: int, num_trees: int, num_slots: int, num_edges: int
) -> Forest:
    """Returns the arrays of a search.

    Args:
        params: See ``Params``.
        playouts: Maximum simulations of a tree.
        num_trees: Maximum number of trees.
        num_slots: Maximum number of slots of all trees together.
        num_edges: Average number of edges per node of a tree, not counting the root.
    """
    spec, nodes = game.spec, playouts + 2
    trees, slots = num_trees, num_slots
    return Forest(
        rules=game.rules,
        decoder=game.decoder,
        params=params,
        num_trees=0,
        num_slots=1,
        num_worlds=1,
        worlds=game.empty(0),
        sources=np.zeros(0, np.int32),
        tree=make_tree(trees, nodes, spec.max_legal + num_edges * nodes),
        cache=make_policy_cache(trees, 4 * nodes, 48 * nodes),
        jobs=Jobs(
            seat=np.zeros(trees, np.int8),
            simulations=np.zeros(trees, np.int32),
            started=np.zeros(trees, np.int32),
            stake=np.ones(trees),
            seed=np.zeros(trees, np.uint64),
            dropped=np.zeros(trees, np.int32),
            lookups=np.zeros(trees, np.int32),
            hits=np.zeros(trees, np.int32),
        ),
        log=Log(
            returned=np.zeros(trees, np.int32),
            move=np.zeros((trees, playouts), np.int32),
            world=np.zeros((trees, playouts), np.int32),
            value=np.zeros((trees, playouts)),
        ),
        slots=Slots(
            phase=np.zeros(slots, np.int8),
            world=np.zeros(slots, np.int32),
            depth=np.zeros(slots, np.int32),
            path=np.zeros((slots, spec.max_moves), np.int32),
            rng=np.zeros(slots, np.uint64),
            beyond=np.zeros(slots, np.bool_),
            blended=np.zeros(slots),
            weight=np.zeros(slots),
            num_legal=np.zeros(slots, np.int32),
            legal=np.zeros((slots, spec.max_legal), np.int16),
            priors=np.zeros((slots, spec.max_legal), np.float32),
        ),
        states=game.empty(slots),
        requests=Requests(
            slot=np.zeros(slots, np.int32),
            seat=np.zeros(slots, np.int8),
            role=np.zeros(slots, np.int8),
            observation=np.zeros((slots, *spec.observation_shape), np.int8),
        ),
        scratch=np.zeros(spec.max_legal),
    )
