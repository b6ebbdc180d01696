"""Moves drawn from the policy networks: one evaluation each, for cheap moves of self-play and for
games of the policies alone.
"""

from typing import NamedTuple

import numpy as np

from fpmcts.samples import Samples, empty_samples
from fpmcts.search import Evaluate
from games.batches import Rules, States, take
from games.generic import current_seat, legal, observe
from games.interface import Game
from games.kernels import kernel, random_below, random_float, random_index
from networks.decode import legal_logits, softmax


@kernel
def observe_movers(
    rules: Rules, states: States, lanes: np.ndarray, observations: np.ndarray, seats: np.ndarray
) -> None:
    """Writes the observation (int8 ``[n, C, L]``) and the seat (int8 ``[n]``) of the player to move
    in each lane.
    """
    for k in range(lanes.size):
        seats[k] = current_seat(rules, states, lanes[k])
        observe(rules, states, lanes[k], seats[k], observations[k])


@kernel
def sample_policy(
    rules: Rules,
    decoder: np.ndarray,
    states: States,
    lanes: np.ndarray,
    policy: np.ndarray,
    temperature: float,
    rng: np.ndarray,
    actions: np.ndarray,
    log_prob: np.ndarray,
    certainty: np.ndarray,
    scratch_actions: np.ndarray,
    scratch: np.ndarray,
) -> None:
    """Draws a legal action per lane from softmax(logits / T); the most likely one at T = 0.

    Args:
        policy: float32 ``[n, policy_size]`` outputs of the mover's network. temperature: T >= 0.
        actions, log_prob, certainty: ``[n]``, written: the action, the log of its chance, the
            largest chance of an action.
        scratch_actions: int16 ``[max_legal]``. scratch: float64 ``[max_legal]``.
    """
    for k in range(lanes.size):
        n = legal(rules, states, lanes[k], scratch_actions)
        legal_logits(decoder, policy, k, scratch_actions, n, scratch)
        if temperature <= 0.0:
            actions[k], log_prob[k], certainty[k] = (
                scratch_actions[np.argmax(scratch[:n])],
                0.0,
                1.0,
            )
            continue
        softmax(scratch, n, temperature, scratch)
        j = random_index(rng, lanes[k], scratch, n, 1.0)
        actions[k], log_prob[k] = scratch_actions[j], np.log(max(scratch[j], 1e-12))
        certainty[k] = np.max(scratch[:n])


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
    """Replaces actions (int16 ``[n]``), each with its chance (float64 ``[n]``), by random legal
    ones.

    Args:
        explored: bool ``[n]``, written: whether it was replaced. scratch: int16 ``[max_legal]``.
    """
    for k in range(lanes.size):
        explored[k] = random_float(rng, lanes[k]) < chances[k]
        if explored[k]:
            actions[k] = scratch[
                random_below(rng, lanes[k], legal(rules, states, lanes[k], scratch))
            ]


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
        exploration: Chance that a move is then replaced by a random one, of each lane (float64
            ``[N]``) or of all.
        iteration: Stamps the samples.
    """
    n, scratch = len(lanes), np.zeros(game.spec.max_legal, np.int16)
    observations, seats = np.empty((n, *game.spec.observation_shape), np.int8), np.empty(n, np.int8)
    observe_movers(game.rules, states, lanes, observations, seats)
    outputs = evaluate(observations, seats)
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
