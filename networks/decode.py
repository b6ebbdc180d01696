"""From policy outputs to probabilities of legal moves: kernels.

The logit of an action is the sum of the policy outputs that the game's decoder lists for it
(``Game.decoder``), so that one evaluation scores every concrete move, kickers included, and gives
its exact likelihood.
"""

import numpy as np

from games.kernels import kernel


@kernel
def legal_logits(
    decoder: np.ndarray, policy: np.ndarray, row: int, actions: np.ndarray, n: int, out: np.ndarray
) -> None:
    """Writes the logits of ``actions[:n]`` to ``out[:n]``.

    Args:
        decoder: int16 ``[num_actions, K]``, indices of policy outputs; -1 = none.
        policy: float32 ``[N, policy_size]``.
        row: Row of ``policy``.
        actions: int16, ids of legal actions.
        n: Number of legal actions.
        out: float32 or float64, changed in place.
    """
    for j in range(n):
        action = actions[j]
        logit = np.float32(0.0)
        for k in range(decoder.shape[1]):
            index = decoder[action, k]
            if index >= 0:
                logit += policy[row, index]
        out[j] = logit


@kernel
def softmax(logits: np.ndarray, n: int, temperature: float, out: np.ndarray) -> None:
    """Writes softmax(logits[:n] / temperature) to ``out[:n]``; ``out`` may be ``logits``. Needs n
    >= 1, temperature > 0.
    """
    top = logits[0]
    for j in range(1, n):
        top = max(top, logits[j])
    total = 0.0
    for j in range(n):
        weight = np.exp((logits[j] - top) / temperature)
        out[j] = weight
        total += weight
    for j in range(n):
        out[j] /= total
