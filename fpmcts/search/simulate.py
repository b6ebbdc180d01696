"""Simulations of FPMCTS, as kernels over a batch of slots. Source: DeltaDou, Algorithm 1.

A *slot* is one simulation in flight in one tree. ``advance`` runs every slot until it needs a
network output or its tree has finished its simulations; ``absorb`` takes the outputs and lets the
slots continue. Kernels take the whole ``Forest``; the smallest take only the parts that they use,
since every array argument costs compilation time. Those of the inner loop are inlined and count no
references: a call copies 4 KB of arrays, and both together cost four times the simulation.

Correspondence with the paper's Algorithm 1:

    SEARCH      ``advance``: one simulation after the other, each in a world of the determinizer
    SIMULATE    ``_run``: descends by p-UCT while the decision node is in the tree
    EXPANDTREE  ``_run`` samples the others' moves from their policies in that world, so that the
                new leaf is again a decision node of the searching player (two levels at once);
                ``absorb`` adds it with its prior and value; with ``draw_first`` the first move
                tried there is drawn from the policy (line 23)
    UPDATE      ``_finish``: adds the return to the edges of the path

Ours (``rollout``): a simulation continues beyond its leaf to the end of the game, with all seats
playing their policies and sure wins found. It returns the λ-return of the result and of the values
on the way (Sutton 1988); only the first leaf is added to the tree.

Worlds are shared: the k-th simulation of every root move uses world k mod W and the same random
numbers, so that moves are compared on the same deals (*measured*: 1.9 times less variance of a
difference).
"""

from enum import IntEnum
from typing import Any

import numpy as np

from fpmcts.search.arrays import Forest, Jobs, Log, Params, Slots
from fpmcts.search.roots import select
from fpmcts.search.tree import (
    EMPTY,
    Tree,
    add_node,
    back_up,
    cached_policy,
    clear,
    find,
    select_puct,
    store_policy,
)
from games.kernels import borrowed, kernel, mix64, random_float
from games.kernels.generic import (
    copy_row,
    current_seat,
    expected_return,
    infoset_key,
    legal,
    observe,
    role,
    stake,
    step,
    sure_win,
    team_return,
)
from games.kernels.rows import Rules, States
from networks.decode import legal_logits, softmax

DEPARTS = (
    (
        "4.1",
        "The k-th visits of all root moves share a world and random numbers, so that moves are "
        "compared on the same deals.",
    ),
)


class Phase(IntEnum):
    """State of a slot."""

    IDLE = 0
    RUNNING = 1
    AWAITS_LEAF = 2
    AWAITS_POLICY = 3


IDLE, RUNNING, AWAITS_LEAF, AWAITS_POLICY = (int(p) for p in Phase)


@kernel(forceinline=True)
def _finish(tree: Tree, log: Log, slots: Slots, t: int, m: int, value: float) -> None:
    if slots.beyond[m]:
        value = slots.blended[m] + slots.weight[m] * value
    if slots.depth[m] > 0:
        k = log.returned[t]
        log.move[t, k] = slots.path[m, 0] - tree.first_edge[t, 0]
        log.world[t, k] = slots.world[m]
        log.value[t, k] = value
        log.returned[t] = k + 1
    back_up(tree, t, slots.path[m], slots.depth[m], value)
    slots.phase[m] = IDLE


@kernel
def _in_root_units(params: Params, jobs: Jobs, t: int, value: float, unit: float) -> float:
    """Returns a network's value, stated in ``unit``, in units of the stake at the root."""
    return value if params.win_only else value * unit / jobs.stake[t]


@kernel(forceinline=True)
def _final_return(
    rules: Rules, states: States, params: Params, jobs: Jobs, t: int, m: int
) -> float:
    seat = np.int64(jobs.seat[t])
    if params.win_only:
        return np.sign(team_return(rules, states, m, seat))
    return expected_return(rules, states, m, seat) / jobs.stake[t]


@kernel(forceinline=True)
def _descend(tree: Tree, slots: Slots, t: int, m: int, node: int, edge: int) -> int:
    """Returns the action of an edge after counting the visit and noting it on the path."""
    tree.node_visits[t, node] += 1
    tree.visits[t, edge] += 1
    slots.path[m, slots.depth[m]] = edge
    slots.depth[m] += 1
    return tree.action[t, edge]


@kernel(forceinline=True)
def _sample(rng: np.ndarray, m: int, probabilities: np.ndarray, start: int, n: int) -> int:
    """Returns an index in [0, n) drawn with ``probabilities[start : start + n]``."""
    u = random_float(rng, m)
    for k in range(n - 1):
        u -= probabilities[start + k]
        if u < 0.0:
            return k
    return n - 1


@kernel(forceinline=True)
def _draw_edge(tree: Tree, slots: Slots, t: int, m: int, node: int) -> int:
    """Returns an edge drawn from the policy of a node."""
    first = np.int64(tree.first_edge[t, node])
    return first + _sample(slots.rng, m, tree.prior[t], first, np.int64(tree.degree[t, node]))


@kernel(forceinline=True)
def _begin(forest: Forest, rule: Any, t: int, m: int) -> None:
    """Starts a simulation in slot ``m``: chooses the root move, then the world for this visit of
    the move.
    """
    tree, jobs, slots = forest.tree, forest.jobs, forest.slots
    if forest.params.draw_first and jobs.started[t] == 0:
        slots.rng[m] = jobs.seed[t]
        edge = _draw_edge(tree, slots, t, m, 0)
    else:
        edge = np.int64(select(rule, tree, t, jobs.started[t]))
    visit = tree.visits[t, edge]
    slots.world[m] = visit % forest.num_worlds
    slots.rng[m] = mix64(jobs.seed[t] + np.uint64(visit) * np.uint64(0x9E3779B97F4A7C15))
    slots.depth[m] = 0
    slots.beyond[m] = False
    copy_row(forest.rules, forest.worlds, t * forest.num_worlds + slots.world[m], forest.states, m)
    step(forest.rules, forest.states, m, _descend(tree, slots, t, m, 0, edge))
    jobs.started[t] += 1
    slots.phase[m] = RUNNING


@kernel(forceinline=True)
def _policy_key(rules: Rules, states: States, m: int, seat: int) -> np.uint64:
    """Returns the key of a seat's policy in the cache: two seats may have one ``infoset_key``."""
    return infoset_key(rules, states, m, seat) ^ mix64(np.uint64(seat + 1))


@kernel
def _play_sure_win(rules: Rules, states: States, answers: np.ndarray, m: int) -> None:
    """Plays out the sure win of the seat to move in slot ``m``, as far as ``sure_win`` finds its
    next move.

    Args:
        answers: int16 ``[max_legal]``, scratch.
    """
    winner = current_seat(rules, states, m)
    seat = winner
    while seat >= 0:
        if seat == winner:
            action = sure_win(rules, states, m)
            if action < 0:
                return
        else:
            legal(rules, states, m, answers)  # the others cannot prevent it: any answer does
            action = np.int64(answers[0])
        step(rules, states, m, action)
        seat = current_seat(rules, states, m)


@kernel
def _sure_return(
    rules: Rules, states: States, params: Params, jobs: Jobs, answers: np.ndarray, t: int, m: int
) -> float:
    """Returns the return of a sure win of the searching player, which is to move; plays it out in
    slot ``m`` if points count.

    A sure win may raise the stake on its way (a bomb). If ``sure_win`` finds no next move, the
    stake reached so far counts.
    """
    if not params.win_only:
        _play_sure_win(rules, states, answers, m)
        if current_seat(rules, states, m) < 0:
            return _final_return(rules, states, params, jobs, t, m)
    return _in_root_units(params, jobs, t, 1.0, stake(rules, states, m))


@kernel(forceinline=True)
def _run(forest: Forest, t: int, m: int) -> bool:
    """Continues slot ``m``; returns True when it needs an evaluation, False when the simulation is
    over.
    """
    rules, states, params, slots = forest.rules, forest.states, forest.params, forest.slots
    tree, cache, jobs, log = forest.tree, forest.cache, forest.jobs, forest.log
    searcher = jobs.seat[t]
    while True:
        seat = current_seat(rules, states, m)
        if seat < 0:
            _finish(tree, log, slots, t, m, _final_return(rules, states, params, jobs, t, m))
            return False
        if seat == searcher and not slots.beyond[m]:
            key = infoset_key(rules, states, m, seat)
            node = tree.index_node[t, find(tree.index_key, tree.index_node, t, key)]
            if node != EMPTY:
                if tree.degree[t, node] == 0:
                    tree.node_visits[t, node] += 1
                    _finish(tree, log, slots, t, m, np.float64(tree.node_value[t, node]))
                    return False
                if params.draw_first and tree.node_visits[t, node] == 1:
                    edge = _draw_edge(tree, slots, t, m, np.int64(node))
                else:
                    edge = np.int64(select_puct(tree, t, node, params.c, 0.0))
                step(rules, states, m, _descend(tree, slots, t, m, np.int64(node), edge))
                continue
        # Beyond the leaf, the searcher too plays its policy; its values count if rollout < 1.
        by_policy = seat != searcher or (slots.beyond[m] and params.rollout >= 1.0)
        if by_policy:
            start, n = cached_policy(cache, t, _policy_key(rules, states, m, seat))
            if n > 0:
                jobs.lookups[t] += 1
                jobs.hits[t] += 1
                step(
                    rules,
                    states,
                    m,
                    cache.action[t, start + _sample(slots.rng, m, cache.probability[t], start, n)],
                )
                continue
        slots.num_legal[m] = legal(rules, states, m, slots.legal[m])
        if slots.num_legal[m] == 1:
            step(rules, states, m, slots.legal[m, 0])
            continue
        played_out = seat != searcher or slots.beyond[m]
        if played_out and params.solve and sure_win(rules, states, m) >= 0:
            _play_sure_win(rules, states, slots.legal[m], m)
            continue
        if by_policy:
            slots.phase[m] = AWAITS_POLICY
            jobs.lookups[t] += 1
        else:
            if not played_out and params.solve and sure_win(rules, states, m) >= 0:
                key = infoset_key(rules, states, m, seat)
                value = _sure_return(rules, states, params, jobs, slots.legal[m], t, m)
                add_node(tree, t, key, value, slots.legal[m], slots.priors[m], 0)
                _finish(tree, log, slots, t, m, value)
                return False
            slots.phase[m] = AWAITS_LEAF
        return True


@kernel
def begin_search(forest: Forest) -> int:
    """Empties the trees and requests the evaluation of every root; returns the number of requests,
    one per tree.

    The seat to move at the root searches. The root must have at least two legal actions; the caller
    may strike some of them from ``slots.legal`` before the first round. ``jobs.simulations``
    and ``seed`` are set by the caller, the rest here.
    """
    forest = borrowed(forest)
    rules, states, jobs, slots, requests = (
        forest.rules,
        forest.states,
        forest.jobs,
        forest.slots,
        forest.requests,
    )
    for t in range(forest.num_trees):
        clear(forest.tree, forest.cache, t)
        forest.log.returned[t] = 0
        m = t * forest.num_slots
        for other in range(m, m + forest.num_slots):
            slots.phase[other] = IDLE
        copy_row(rules, forest.worlds, t * forest.num_worlds, states, m)
        seat = current_seat(rules, states, m)
        jobs.seat[t] = seat
        jobs.stake[t] = stake(rules, states, m)
        jobs.started[t] = 0
        jobs.dropped[t] = 0
        jobs.lookups[t] = 0
        jobs.hits[t] = 0
        slots.depth[m] = 0
        slots.beyond[m] = False
        slots.num_legal[m] = legal(rules, states, m, slots.legal[m])
        slots.phase[m] = AWAITS_LEAF
        requests.slot[t] = m
        requests.seat[t] = seat
        requests.role[t] = role(rules, states, m)
        observe(rules, states, m, seat, requests.observation[t])
    return forest.num_trees


@kernel
def advance(forest: Forest, rule: Any) -> int:
    """Runs every slot until it needs an evaluation; returns the number of requests, 0 when every
    tree is done.

    Args:
        rule: The root rule, see ``fpmcts.search.roots``.
    """
    forest, rule = borrowed(forest), borrowed(rule)
    jobs, slots, requests = forest.jobs, forest.slots, forest.requests
    count = 0
    for t in range(forest.num_trees):
        for m in range(t * forest.num_slots, (t + 1) * forest.num_slots):
            while True:
                if slots.phase[m] == IDLE:
                    if jobs.started[t] >= jobs.simulations[t]:
                        break
                    _begin(forest, rule, t, m)
                if _run(forest, t, m):
                    seat = current_seat(forest.rules, forest.states, m)
                    requests.slot[count] = m
                    requests.seat[count] = seat
                    requests.role[count] = role(forest.rules, forest.states, m)
                    observe(forest.rules, forest.states, m, seat, requests.observation[count])
                    count += 1
                    break
    return count


@kernel
def absorb(forest: Forest, count: int, policy: np.ndarray, value: np.ndarray) -> None:
    """Takes the outputs for ``count`` requests: stores and samples the others' policies, adds the
    leaves, and backs them up or continues beyond them.

    Args:
        policy: float32 ``[count, policy_size]`` raw policy outputs.
        value: float32 ``[count]`` in units of the stake.
    """
    forest = borrowed(forest)
    rules, states, params, slots = forest.rules, forest.states, forest.params, forest.slots
    tree, jobs, log, requests = forest.tree, forest.jobs, forest.log, forest.requests
    for r in range(count):
        m, seat = np.int64(requests.slot[r]), np.int64(requests.seat[r])
        t, n = m // forest.num_slots, np.int64(slots.num_legal[m])
        legal_logits(forest.decoder, policy, r, slots.legal[m], n, slots.priors[m])
        softmax(slots.priors[m], n, 1.0, slots.priors[m])
        if slots.phase[m] == AWAITS_LEAF:
            leaf = _in_root_units(params, jobs, t, np.float64(value[r]), stake(rules, states, m))
            if not slots.beyond[m]:
                key = infoset_key(rules, states, m, seat)
                if tree.index_node[t, find(tree.index_key, tree.index_node, t, key)] == EMPTY:
                    if add_node(tree, t, key, leaf, slots.legal[m], slots.priors[m], n) < 0:
                        jobs.dropped[t] += 1
                if params.rollout <= 0.0 or slots.depth[m] == 0:
                    _finish(tree, log, slots, t, m, leaf)
                    continue
                slots.beyond[m] = True
                slots.blended[m] = 0.0
                slots.weight[m] = 1.0
            slots.blended[m] += slots.weight[m] * (1.0 - params.rollout) * leaf
            slots.weight[m] *= params.rollout
        else:
            key = _policy_key(rules, states, m, seat)
            store_policy(forest.cache, t, key, slots.legal[m], slots.priors[m], n)
        step(rules, states, m, slots.legal[m, _sample(slots.rng, m, slots.priors[m], 0, n)])
        slots.phase[m] = RUNNING
