"""Sampling moves from the outputs of the policy networks."""

import numpy as np

from games.kernels import kernel, random_index
from games.kernels.generic import legal
from games.kernels.rows import Rules, States
from networks.decode import legal_logits, softmax


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
        policy: float32 ``[n, policy_size]`` outputs of the mover's network.
        temperature: T >= 0.
        actions, log_prob, certainty: ``[n]``, written: the action, its log-probability, and the
            largest probability of an action.
        scratch_actions: int16 ``[max_legal]``.
        scratch: float64 ``[max_legal]``.
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
