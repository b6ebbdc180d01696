"""Games of the policies without search: a move costs one evaluation, a game about a seventieth of
one with searches.

    lanes that wait ─▶ evaluate ─▶ draw a move, note its chance and the value ──▶ PolicyDecisions
    (games.play.lockstep)

Their results teach the value without the search's bias; the advantages of the drawn moves teach the
policy, by policy gradient. Cheap moves of self-play are drawn in the same way.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fpmcts.search.policy_kernels import sample_policy
from fpmcts.search.search import Evaluate
from fpmcts.training.samples import Samples, empty_samples, fill_results
from games.kernels import kernel, random_below, random_float
from games.kernels.generic import current_seat, legal, stake
from games.kernels.rows import Rules, States, take
from games.play.interface import Game, observed_by_movers, seats_to_move
from games.play.lockstep import Games, Lockstep, Noted

UNSOLVED = 8
"""In one of so many games of training, sure wins are decided like other moves, so that the networks
learn to win without the rule that otherwise plays them.
"""
STAGES = 6
"""Stages of a seat's game that ``subtract_luck`` tells apart: its first decisions, and the rest."""
DECAY = 0.95
"""λ of the advantages in policy gradient; ours (docs/experiments.md). 1: result minus value,
without bias; less: later values stand in for a part of the result, with less noise.
"""


@kernel
def explore(
    rules: Rules,
    states: States,
    lanes: np.ndarray,
    chances: np.ndarray,
    rng: np.ndarray,
    actions: np.ndarray,
    explored: np.ndarray,
    scratch: np.ndarray,
) -> None:
    """Replaces each action (int16 ``[n]``) by a random legal one with its probability ``chances``
    (float64 ``[n]``).

    A lane with probability 0 draws nothing, so that no game depends on its neighbours.

    Args:
        explored: bool ``[n]``, written: whether the action was replaced.
        scratch: int16 ``[max_legal]``.
    """
    for k in range(lanes.size):
        explored[k] = chances[k] > 0.0 and random_float(rng, lanes[k]) < chances[k]
        if explored[k]:
            actions[k] = scratch[
                random_below(rng, lanes[k], legal(rules, states, lanes[k], scratch))
            ]


def solved(deals: np.ndarray, solve: bool) -> np.ndarray:
    """Returns in which games of training (bool ``[G]``) the rule plays sure wins: with ``solve`` in
    all but one of ``UNSOLVED``.

    Args:
        deals: uint64 ``[G]`` seeds of the deals.
        solve: Whether it plays any.
    """
    return solve & (deals % np.uint64(UNSOLVED) != 0)


class Drawn(NamedTuple):
    """N moves drawn from the policies."""

    actions: np.ndarray  # int16 [N]: explored ones included
    samples: Samples  # [N]: actions[:, 0] is the move played, its target 1; the policy weight is 0
    log_prob: np.ndarray  # float32 [N]: log of the chance of the move that the policy drew
    certainty: np.ndarray  # float32 [N]: probability of the most likely move
    value: np.ndarray  # float32 [N]: the mover's network, in the units of its objective
    explored: np.ndarray  # bool [N]: whether a random move took the place of the drawn one


def draw_moves(
    game: Game,
    evaluate: Evaluate,
    states: States,
    rng: np.ndarray,
    lanes: np.ndarray,
    temperature: float,
    exploration: np.ndarray | float,
    iteration: int,
) -> Drawn:
    """Draws a move from the policy network of the mover in each lane.

    Args:
        lanes: int64 ``[N]``; lane k draws from ``rng[k]``, changed in place.
        temperature: See ``sample_policy``.
        exploration: Probability that a move is then replaced by a random one, per lane (float64
            ``[N]``) or for all.
        iteration: Stamps the samples.
    """
    n, scratch = len(lanes), np.zeros(game.spec.max_legal, np.int16)
    outputs = evaluate(*observed_by_movers(game, states, lanes))
    actions, log_prob, certainty = (
        np.zeros(n, np.int16),
        np.zeros(n, np.float32),
        np.zeros(n, np.float32),
    )
    sample_policy(
        game.rules,
        game.decoder,
        states,
        lanes,
        outputs.policy,
        temperature,
        rng,
        actions,
        log_prob,
        certainty,
        scratch,
        np.zeros(game.spec.max_legal),
    )
    explored = np.zeros(n, np.bool_)
    if np.any(exploration):
        explore(
            game.rules,
            states,
            lanes,
            np.broadcast_to(exploration, n).astype(np.float64),
            rng,
            actions,
            explored,
            scratch,
        )
    samples = empty_samples(game, n)._replace(states=take(states, lanes))
    samples.actions[:, 0], samples.target[:, 0] = actions, 1.0
    samples.iteration[:] = iteration
    return Drawn(
        actions, samples, log_prob, certainty, np.asarray(outputs.value, np.float32), explored
    )


class PolicyDecisions(NamedTuple):
    """N decisions of the policies; those of a game are in order. The fields of ``Drawn``, and the
    outcomes.
    """

    samples: Samples  # [N]: the policy weight is 0
    log_prob: np.ndarray  # float32 [N]
    certainty: np.ndarray  # float32 [N]
    value: np.ndarray  # float32 [N]
    explored: np.ndarray  # bool [N]
    advantage: np.ndarray  # float32 [N]: see ``fill_advantages``


@kernel
def fill_advantages(
    rules: Rules,
    games: np.ndarray,
    states: States,
    values: np.ndarray,
    results: np.ndarray,
    explored: np.ndarray,
    win_only: bool,
    decay: float,
    last: np.ndarray,
    advantages: np.ndarray,
) -> None:
    """Writes the advantage of every move over the policy that played it, in units of the stake
    (``win_only``: of 2 P(win) − 1).

    A_k = Σ_i λ^i δ_(k+i) over the decisions of one seat in one game, δ = v_(k+1) − v_k and, at the
    last one, z − v_k. The sum ends before a random move, which the policy did not choose. Source:
    Schulman et al., "High-dimensional continuous control using generalized advantage estimation",
    2016, eq. 16, undiscounted.

    Args:
        games: int64 ``[N]``: game of each decision; the decisions of a game are in order.
        values, results: float32 ``[N]``, v and z.
        explored: bool ``[N]``, whether the move was random.
        decay: λ.
        last: int64 ``[games, seats]``, -1s.
        advantages: float32 ``[N]``.
    """
    for k in range(games.size - 1, -1, -1):
        seat = current_seat(rules, states, k)
        after = last[games[k], seat]
        if after < 0:
            advantages[k] = (np.sign(results[k]) if win_only else results[k]) - values[k]
        else:
            unit = 1.0 if win_only else stake(rules, states, after) / stake(rules, states, k)
            advantages[k] = values[after] * unit - values[k]
            if not explored[after]:
                advantages[k] += decay * unit * advantages[after]
        last[games[k], seat] = k


def play_policies(
    game: Game,
    evaluate: Evaluate,
    deals: np.ndarray,
    rng: np.ndarray,
    iteration: int,
    tick: Callable[[int], None],
    *,
    lanes: int,
    win_only: bool,
    decay: float = 1.0,
    temperature: float = 1.0,
    exploration: float = 0.0,
    solve: bool = True,
) -> Games[PolicyDecisions]:
    """Plays a game among the policies for each deal. Forced moves are played without a decision, as
    in self-play.

    Args:
        game: The game.
        evaluate: The networks of all seats.
        deals: uint64 ``[G]`` seeds of the deals.
        rng: uint64 ``[G]`` streams, changed in place; game k draws only from stream k.
        iteration: Stamps the samples.
        tick: Called with the number of finished games.
        lanes: Games that advance together, >= 1.
        win_only: Whether results are ±1 (objective "wp") or points (objective "adp").
        decay: λ of the advantages.
        temperature: Moves are drawn from softmax(logits / T), T >= 0; 0 = the most likely ones.
        exploration: Probability that a move is a random legal one instead.
        solve: Whether sure wins are played without a decision; see ``solved``.
    """
    games = Lockstep(game, game.deal(deals), window=lanes, solve=solved(deals, solve))

    def decide(at: np.ndarray) -> tuple[np.ndarray, Noted[PolicyDecisions]]:
        drawn = draw_moves(
            game, evaluate, games.states, rng, at, temperature, exploration, iteration
        )
        rows = PolicyDecisions(*drawn[1:], np.zeros(len(at), np.float32))
        return drawn.actions, [(at, rows)]

    empty = np.zeros(0, np.float32)
    nothing = PolicyDecisions(
        empty_samples(game, 0), empty, empty, empty, np.zeros(0, np.bool_), empty
    )
    played = games.play(decide, nothing, tick, expected=not win_only)
    decisions, samples = played.decisions, played.decisions.samples
    fill_results(game, played, samples)
    fill_advantages(
        game.rules,
        played.owner,
        samples.states,
        decisions.value,
        samples.result,
        decisions.explored,
        win_only,
        decay,
        np.full((len(deals), game.spec.num_seats), -1, np.int64),
        decisions.advantage,
    )
    return played


def subtract_luck(
    game: Game,
    played: Games[PolicyDecisions],
    replays: int,
    taught: np.ndarray,
    win_only: bool,
) -> None:
    """Subtracts from the advantages the luck of the deal, as its other games show it.

    For a seat, d is the mean, over the *other* games of the deal, of the result minus the value at
    the seat's first decision; 0 if there are none. A becomes A − w·d, with w for every seat and
    stage by least squares over the deals of the other half. Neither w nor d depends on the moves of
    the game, so the gradient stays unbiased. Source: the leave-one-out baseline of Kool et al.,
    "Buy 4 REINFORCE samples, get a baseline for free!", 2019; w is ours (docs/experiments.md).

    Args:
        game: The game.
        played: G games, of which each ``replays`` consecutive ones have the same deal; their
            advantages are changed in place.
        replays: Games of a deal, >= 1; 1 changes nothing.
        taught: bool ``[N]``: the decisions that w is fitted to.
        win_only: See ``fill_advantages``.
    """
    rows, owner, num_seats = played.decisions, played.owner, game.spec.num_seats
    seats = seats_to_move(game, rows.samples.states)
    player = owner * num_seats + seats  # a seat in a game
    order = np.argsort(player, kind="stable")
    firsts = np.flatnonzero(np.diff(player[order], prepend=-1))
    number = np.empty(len(owner), np.int64)  # of own decisions before
    number[order] = np.arange(len(owner)) - np.repeat(firsts, np.diff(firsts, append=len(owner)))

    results, at = np.sign(rows.samples.result) if win_only else rows.samples.result, order[firsts]
    surplus, known = np.zeros((2, len(played.counts) // replays, replays, num_seats))
    surplus.flat[player[at]], known.flat[player[at]] = (results - rows.value)[at], 1.0
    others = known.sum(1, keepdims=True) - known
    d = ((surplus.sum(1, keepdims=True) - surplus) / np.maximum(others, 1.0)).flat[player]

    group = 2 * (STAGES * seats + np.minimum(number, STAGES - 1)) + owner // replays % 2
    fitted, groups = taught * d, 2 * STAGES * num_seats
    products = np.bincount(group, fitted * rows.advantage, groups)
    w = products / np.maximum(np.bincount(group, fitted * d, groups), 1e-9)
    rows.advantage[:] -= w[group ^ 1] * d
