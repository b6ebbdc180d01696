"""Samples from games of a heuristic player: what the supervised start learns from. Source:
DeltaDou, 5.1.
"""

import numpy as np

from fpmcts.training.samples import Samples, empty_samples, fill_results
from games.batches import Rules, States, num_rows, take
from games.generic import copy_row, legal, step
from games.interface import Game, Records
from games.kernels import kernel


def heuristic_samples(game: Game, deals: States, records: Records, choices: np.ndarray) -> Samples:
    """Returns a sample for every unforced decision of finished games; the target is the teacher's
    choice.

    Args:
        deals: ``[G]`` states after the deal.
        records: The moves played.
        choices: int16 ``[G, max_moves]``: what the teacher would have played, where a random move
            was played instead.
    """
    states = take(deals, np.arange(num_rows(deals)))
    total = int(records.lengths.sum())
    samples = empty_samples(game, total)
    owners = np.empty(total, np.int64)
    scratch = np.empty(game.spec.max_legal, np.int16)
    count = _replay(
        game.rules,
        states,
        records.moves,
        records.lengths,
        choices,
        samples.states,
        samples.actions,
        owners,
        scratch,
    )
    samples = take(samples, slice(0, count))
    samples.target[:, 0] = 1.0
    samples.policy_weight[:] = 1.0
    fill_results(game.rules, states, owners[:count], samples.states, samples.result)
    return samples


@kernel
def _replay(
    rules: Rules,
    states: States,
    moves: np.ndarray,
    lengths: np.ndarray,
    choices: np.ndarray,
    out: States,
    actions: np.ndarray,
    owners: np.ndarray,
    scratch: np.ndarray,
) -> int:
    """Plays recorded games to their ends in place; returns the number of unforced decisions, whose
    states go to ``out``.
    """
    count = 0
    for game in range(lengths.size):
        for k in range(lengths[game]):
            if legal(rules, states, game, scratch) > 1:
                copy_row(rules, states, game, out, count)
                actions[count, 0] = choices[game, k]
                owners[count] = game
                count += 1
            step(rules, states, game, moves[game, k])
    return count
