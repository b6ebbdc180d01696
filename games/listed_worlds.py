"""What is hidden in games that do no more than list their worlds: all of them are equally likely.

These are the defaults of ``draw_hidden``, ``log_prior_hidden`` and ``count_hidden``
(``games.generic``).
"""

import numpy as np

from games.batches import Rules, States
from games.dispatch import register_default
from games.generic import count_hidden, draw_hidden, list_hidden, log_prior_hidden
from games.kernels import kernel, random_below

MOST_LISTED = 2**15


@kernel
def _listed(rules: Rules, views: States, i: int, seat: int, num_words: int) -> np.ndarray:
    """Returns the words of all worlds (uint64 ``[n, W]``)."""
    room = 64
    while room <= MOST_LISTED:
        hidden = np.empty((room, num_words), np.uint64)
        total = list_hidden(rules, views, i, seat, hidden)
        if total >= 0:
            return hidden[:total]
        room *= 8
    raise ValueError(
        "over 32,768 worlds: a game with so many registers draw_hidden and log_prior_hidden of "
        "its own"
    )


@kernel
def _draw_listed(
    rules: Rules, views: States, i: int, seat: int, rng: np.ndarray, lane: int, hidden: np.ndarray
) -> None:
    listed = _listed(rules, views, i, seat, hidden.shape[1])
    for k in range(hidden.shape[0]):
        hidden[k] = listed[random_below(rng, lane, listed.shape[0])]


@kernel
def _log_prior_listed(rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray) -> float:
    return -np.log(len(_listed(rules, views, i, seat, hidden.size)))


@kernel
def _count_nothing(
    rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray, counts: np.ndarray
) -> None:
    counts[:] = 0


register_default(draw_hidden, _draw_listed)
register_default(log_prior_hidden, _log_prior_listed)
register_default(count_hidden, _count_nothing)
