"""MCCFR Outcome Sampling: one sampled play per episode, regrets by importance weights.

Source: Lanctot et al., "Monte Carlo sampling for regret minimization in extensive games", NIPS 2009; Lanctot's thesis, 2013, for
the alternating and the parallel variant. Heinrich & Silver 2015, 4.2, compare both with Smooth UCT; epsilon = 0.5 was best for
both.

The policy sigma of an information state is regret matching. With z the play that was sampled, q(z) the probability of sampling it
and pi_p(z) player p's probability of playing it (chance cancels), the regrets of player p on the way change by

    W x (1 - sigma(a))  for the action a that was sampled,   - W x sigma(a)  for the others,   W = u_p(z) pi_-p(z) / q(z),

where x is p's own probability of playing from after a to z. The average policy gains ``pi_p(I) / q(I) sigma`` (stochastically
weighted averaging).

- *alternating*: the players take turns; the one whose turn it is explores (epsilon of uniform) and updates its regrets; the
  others play sigma and update their averages.
- *parallel*: all explore, and update both.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Any, ClassVar

import numpy as np

from games.kernels import kernel, mix64
from games.poker.deals import OWN, bucket, deal, outcome
from games.poker.tables import PokerTables
from tabular.learner import GOLDEN, TabularLearner


class Updates(IntEnum):
    """Who explores and updates its regrets in an episode."""

    PARALLEL = 0
    ALTERNATING = 1


@kernel
def sample(
    betting: Any,
    deals: Any,
    alternating: bool,
    epsilon: float,
    regrets: np.ndarray,
    weights: np.ndarray,
    rng: np.ndarray,
    counter: np.ndarray,
    max_moves: int,
    episodes: int,
) -> None:
    """Runs episodes.

    Args:
        betting: A ``BettingTree``.
        deals: The cards, for the kernels of ``games.poker.deals``.
        alternating: Whether player ``episode % P`` alone explores and updates its regrets.
        epsilon: Share of uniform exploration.
        regrets: float64 ``[I, A]``, changed in place.
        weights: float64 ``[I, A]``, changed in place: the average policy before normalisation.
        rng: uint64 ``[1]``, changed in place.
        counter: int64 ``[1]``, changed in place: episodes so far.
        max_moves: Upper bound on the moves of an episode.
        episodes: How many.
    """
    num_players = betting.payoffs.shape[2]
    dealt = np.empty(betting.hand.max() + 1 + OWN, dtype=np.int64)
    infosets = np.empty(max_moves, dtype=np.int64)
    owner = np.empty(max_moves, dtype=np.int64)
    slots = np.empty(max_moves, dtype=np.int64)
    num_slots = np.empty(max_moves, dtype=np.int64)
    played = np.empty(max_moves)  # sigma of the action that was sampled
    sigma = np.empty(regrets.shape[1])
    reach = np.empty(num_players)  # pi_p up to here
    tail = np.empty(num_players)  # x of each player
    state = rng[0]
    for episode in range(counter[0], counter[0] + episodes):
        turn = episode % num_players if alternating else -1
        state += GOLDEN
        deal(deals, mix64(state), dealt)
        reach[:] = 1.0
        sampled = 1.0  # q up to here
        node, depth = 0, 0
        while node >= 0:
            player = betting.player[node]
            num_actions = betting.num_actions[node]
            infoset = betting.base[node] + bucket(deals, dealt, betting.hand[node])
            total = 0.0
            for slot in range(num_actions):
                sigma[slot] = max(regrets[infoset, slot], 0.0)
                total += sigma[slot]
            for slot in range(num_actions):
                sigma[slot] = sigma[slot] / total if total > 0.0 else 1.0 / num_actions
            explore = epsilon if player == turn or turn < 0 else 0.0
            if player != turn:
                weight = reach[player] / sampled
                for slot in range(num_actions):
                    weights[infoset, slot] += weight * sigma[slot]
            state += GOLDEN
            mark = np.float64(mix64(state) >> np.uint64(11)) * (1.0 / 9007199254740992.0)
            action, chance = 0, 0.0
            for slot in range(num_actions):
                chance = explore / num_actions + (1.0 - explore) * sigma[slot]
                action = slot
                if mark < chance:
                    break
                mark -= chance
            while chance <= 0.0:  # rounding carried the mark past the last action that can be played
                action -= 1
                chance = explore / num_actions + (1.0 - explore) * sigma[action]
            infosets[depth] = infoset
            owner[depth] = player
            slots[depth] = action
            num_slots[depth] = num_actions
            played[depth] = sigma[action]
            reach[player] *= sigma[action]
            sampled *= chance
            depth += 1
            node = betting.child[node, action]
        order = outcome(deals, dealt) if betting.showdown[~node] else 0
        tail[:] = 1.0
        for k in range(depth - 1, -1, -1):
            player = owner[k]
            if player == turn or turn < 0:
                others = 1.0
                for p in range(num_players):
                    if p != player:
                        others *= reach[p]
                change = betting.payoffs[~node, order, player] * others / sampled * tail[player]
                for slot in range(num_slots[k]):
                    regrets[infosets[k], slot] -= change * played[k]
                regrets[infosets[k], slots[k]] += change
            tail[player] *= played[k]
    rng[0] = state
    counter[0] += episodes


@dataclass(frozen=True)
class OutcomeSamplingOptions:
    """Options of Outcome Sampling.

    Attributes:
        updates: Who explores and updates its regrets: ``"alternating"`` or ``"parallel"``.
        epsilon: Share of uniform exploration, in (0, 1]. The paper, 4.2: 0.5, the best of 0.4 to 0.8.

    Raises:
        ValueError: On construction, for values out of range.
    """

    updates: str = "alternating"
    epsilon: float = 0.5

    def __post_init__(self) -> None:
        if self.updates.upper() not in Updates.__members__:
            raise ValueError(f"updates = {self.updates!r}: expected one of {', '.join(u.name.lower() for u in Updates)}")
        if not 0 < self.epsilon <= 1:
            raise ValueError(f"epsilon = {self.epsilon}: expected a number in (0, 1]")


class OutcomeSampling(TabularLearner):
    """MCCFR Outcome Sampling. Its average policy converges to an equilibrium in two-player zero-sum games.

    Tables: ``regrets`` and ``weights``, float64 ``[I, A]``.
    """

    name: ClassVar[str] = "outcome_sampling"

    def __init__(self, game: PokerTables, seed: int, options: OutcomeSamplingOptions) -> None:
        shape = (game.num_infosets, game.max_actions)
        super().__init__(game, seed, options, {"regrets": np.zeros(shape), "weights": np.zeros(shape)})

    def _run_chunk(self, count: int) -> None:
        options, tables = self.options, self.tables
        sample(
            self.game.betting,
            self.game.deals,
            options.updates == "alternating",
            options.epsilon,
            tables["regrets"],
            tables["weights"],
            self.rng,
            self.counter,
            self.game.rules.max_moves,
            count,
        )

    def average_policy(self) -> np.ndarray:
        """Returns the average policy, uniform where an information state was never reached. Shape as everywhere."""
        return self._normalised(self.tables["weights"])
