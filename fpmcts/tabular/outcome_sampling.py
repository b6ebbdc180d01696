"""MCCFR Outcome Sampling: one sampled play per episode, regrets by importance weights.

Source: Lanctot et al., "Monte Carlo sampling for regret minimization in extensive games", NIPS
2009; Lanctot's thesis, 2013, for the alternating and the parallel variant. Heinrich & Silver 2015,
4.2, compare both with Smooth UCT; epsilon = 0.5 was best for both.

The policy sigma of an information set is regret matching. With z the sampled play, q(z) the
probability of sampling it and pi_p(z) player p's probability of playing it (chance cancels), the
regrets of player p along z change by

    W x (1 - sigma(a))  for the sampled action a, - W x sigma(a) for the others, W = u_p(z) pi_-p(z)
    / q(z),

where x is p's own probability of playing from after a to z. The average policy gains
``pi_p(I) / q(I) sigma`` (stochastically weighted averaging).

- *alternating*: the players take turns; the one whose turn it is explores (epsilon of uniform) and
  updates its regrets; the others play sigma and update their averages.
- *parallel*: all explore, and update both.

A row has two words for each action: the sum of its regrets, and its share of the average policy.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fpmcts.tabular import selection as selections
from fpmcts.tabular.learner import DenseLearner, Options
from fpmcts.tabular.walks import (
    GOLDEN,
    Walk,
    follow,
    fraction,
    has_room,
    result,
    showdown,
    start,
    to_decision,
    visited_words,
)
from games.base.settings import setting
from games.kernels import borrowed, kernel, mix64
from games.kernels.dispatch import register
from games.play.tables import Tables


@dataclass(frozen=True)
class OutcomeSamplingOptions(Options):
    """Options of Outcome Sampling.

    Attributes:
        updates: Which players explore and update their regrets in an episode.
        epsilon: Share of uniform exploration. The paper, 4.2: 0.5, the best of 0.4 to 0.8.
    """

    updates: str = setting("alternating", choices=("alternating", "parallel"))
    epsilon: float = setting(0.5, least=1e-6, most=1.0)


class Sampling(NamedTuple):
    """Options for the kernel.

    Attributes:
        alternating: Whether player ``episode % P`` alone explores and updates its regrets.
        epsilon: Share of uniform exploration.
        width: Words of an action.
    """

    alternating: bool
    epsilon: float
    width: int = 2


register(selections.weights, Sampling, selections.mean_policy)
register(selections.values, Sampling, selections.mean_policy)


@kernel
def sample(
    walk: Walk,
    selection: Sampling,
    num_seats: int,
    max_moves: int,
    rng: np.ndarray,
    counter: np.ndarray,
    episodes: int,
) -> int:
    """Runs episodes; returns how many, fewer than ``episodes`` if the table is full. Arguments as
    of ``fpmcts.tabular.search.search``.
    """
    walk = borrowed(walk)
    words = walk.rows.words
    # Indices are uint64: numba then tests no sign.
    one, two = np.uint64(1), np.uint64(2)
    places = np.empty(max_moves, np.uint64)  # start of the words of the actions
    slots = np.empty(max_moves, np.uint64)
    sizes = np.empty(max_moves, np.uint64)
    seats = np.empty(max_moves, np.int64)
    played = np.empty(max_moves)  # sigma of the sampled action
    sigma = np.empty(1 << 16)
    reach = np.empty(num_seats)  # pi_p up to here
    tail = np.empty(num_seats)  # x of each player
    state = rng[0]
    done = 0
    while done < episodes and has_room(walk, max_moves):
        turn = (counter[0] + done) % num_seats if selection.alternating else -1
        state = start(walk, state, done)
        reach[:] = 1.0
        sampled = 1.0  # q up to here
        node, depth = 0, 0
        while True:
            node, seat, num_actions = to_decision(walk, node)
            if num_actions == 0:
                break
            action: Any = np.uint64(0)
            first = np.uint64(visited_words(walk, node, seat, num_actions))
            size = np.uint64(num_actions)
            total = 0.0
            for slot in range(size):
                sigma[slot] = max(words[first + two * slot], 0.0)
                total += sigma[slot]
            for slot in range(size):
                sigma[slot] = sigma[slot] / total if total > 0.0 else 1.0 / num_actions
            explore = selection.epsilon if seat == turn or turn < 0 else 0.0
            if seat != turn:
                weight = reach[seat] / sampled
                for slot in range(size):
                    words[first + two * slot + one] += weight * sigma[slot]
            state += GOLDEN
            mark = fraction(mix64(state))
            chance = 0.0
            for slot in range(size):
                chance = explore / num_actions + (1.0 - explore) * sigma[slot]
                action = slot
                if mark < chance:
                    break
                mark -= chance
            while chance <= 0.0:  # rounding moved the mark past every playable action
                action -= one
                chance = explore / num_actions + (1.0 - explore) * sigma[action]
            places[depth], slots[depth], sizes[depth] = first, action, num_actions
            seats[depth] = seat
            played[depth] = sigma[action]
            reach[seat] *= sigma[action]
            sampled *= chance
            depth += 1
            node = follow(walk, node, action)
        cards = showdown(walk, node)
        tail[:] = 1.0
        for k in range(depth - 1, -1, -1):
            seat = seats[k]
            if seat == turn or turn < 0:
                others = 1.0
                for other in range(num_seats):
                    if other != seat:
                        others *= reach[other]
                change = result(walk, node, cards, seat) * others / sampled * tail[seat]
                for slot in range(sizes[k]):
                    words[places[k] + two * slot] -= change * played[k]
                words[places[k] + two * slots[k]] += change
            tail[seat] *= played[k]
        done += 1
    rng[0] = state
    counter[0] += done
    return done


def sampling(options: OutcomeSamplingOptions) -> Sampling:
    """Returns the options for the kernel."""
    return Sampling(options.updates == "alternating", float(options.epsilon))


class OutcomeSampling(DenseLearner):
    """Outcome Sampling in dense rows. Its average policy converges to an equilibrium in two-player
    zero-sum games.

    Tables: ``regrets`` and ``weights``, float64 ``[I, A]``.
    """

    def __init__(self, name: str, game: Tables, seed: int, options: OutcomeSamplingOptions) -> None:
        super().__init__(name, game, seed, options, 2 * game.max_actions)
        self.selection = sampling(options)

    def _run_chunk(self, count: int) -> None:
        shape = (self.game.num_players, self.game.rules.max_moves)
        sample(self.table.walk(), self.selection, *shape, self.rng, self.counter, count)
