"""UCT that learns to beat players who move at random.

One seat learns in each episode, the seats in turn; the others draw every move evenly. So the learner's tree is that of
extensive-form UCT (``tabular.self_play``) for opponents that never change, and its greedy policy approaches a best response.

Source: Mac Manus, "Learning to Play Leduc Hold'em Using Reinforcement Learning", 2019, 4.2, experiment 1.
"""

from typing import Any, ClassVar

import numpy as np

from games.kernels import kernel, mix64
from games.poker.deals import OWN, bucket, deal, outcome
from games.poker.tables import PokerTables
from tabular.best_response import best_response_values, profile_values
from tabular.learner import GOLDEN
from tabular.self_play import UCT, UCTOptions, ucb

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


@kernel
def simulate_against_random(
    betting: Any,
    deals: Any,
    exploration: np.ndarray,
    first_row: np.ndarray,
    num_rows: np.ndarray,
    rows: np.ndarray,
    counts: np.ndarray,
    width: int,
    rng: np.ndarray,
    counter: np.ndarray,
    won: np.ndarray,
    max_moves: int,
    episodes: int,
) -> None:
    """Runs episodes; in episode n seat ``n % P`` learns.

    Args:
        won: float64 ``[1]``, changed in place: chips that the learning seats have won so far.
        others: As in ``tabular.self_play.simulate``.
    """
    num_players = betting.payoffs.shape[2]
    first = 2 * width
    dealt = np.empty(betting.hand.max() + 1 + OWN, dtype=np.int64)
    path = np.empty((max_moves, 2), dtype=np.int64)  # row and slot of each update
    state = rng[0]
    for episode in range(counter[0], counter[0] + episodes):
        learner = episode % num_players
        state += GOLDEN
        deal(deals, mix64(state), dealt)
        node, depth, outside = np.int64(0), 0, False
        while node >= 0:
            state += GOLDEN
            low = mix64(state) & _LOW
            slot = np.int64((low * np.uint64(betting.num_actions[node])) >> _HALF)
            if betting.player[node] == learner and not outside:
                if first_row[node] < 0:
                    first_row[node] = num_rows[0]
                    num_rows[0] += betting.num_buckets[node]
                row = np.int64(first_row[node] + bucket(deals, dealt, betting.hand[node]))
                total = np.uint64(0)
                for column in range(first, first + width):
                    total += np.uint64(counts[row, column])
                if total == 0:
                    outside = True
                else:
                    slot = np.int64(ucb(counts, first, rows, row, total, betting.num_actions[node], exploration[node], low))
                counts[row, first + slot] += np.uint32(1)
                path[depth, 0], path[depth, 1] = row, slot
                depth += 1
            node = np.int64(betting.child[node, slot])
        terminal = ~node
        order = outcome(deals, dealt) if betting.showdown[terminal] else 0
        result = betting.payoffs[terminal, order, learner]
        won[0] += result
        for k in range(depth):
            rows[path[k, 0], path[k, 1]] += result
    rng[0] = state
    counter[0] += episodes


class UCTAgainstRandom(UCT):
    """UCT against players who move at random. Tables as in ``UCT``, and ``won`` float64 ``[1]``, chips won so far."""

    name: ClassVar[str] = "uct_against_random"

    def __init__(self, game: PokerTables, seed: int, options: UCTOptions) -> None:
        super().__init__(game, seed, options)
        self.tables["won"] = np.zeros(1)

    def _run_chunk(self, count: int) -> None:
        self._check_counters(count)
        simulate_against_random(
            self.game.betting,
            self.game.deals,
            self._exploration,
            self._first_row,
            self._num_rows,
            self._rows,
            self._rows.view(np.uint32),
            self.game.max_actions,
            self.rng,
            self.counter,
            self.tables["won"],
            self.game.rules.max_moves,
            count,
        )
        self._cut_tables()

    def against_random(self) -> np.ndarray:
        """Returns what the greedy policy wins in each seat while the others move at random, in chips: float64 ``[P]``."""
        uniform, greedy = self.game.uniform_policy(), self.greedy_policy()
        values = []
        for seat in range(self.game.num_players):
            own = self.game.infoset_player[:, None] == seat
            values.append(profile_values(self.game, np.where(own, greedy, uniform))[seat])
        return np.array(values)

    def measures(self) -> dict[str, float]:
        """As for every algorithm, with what was won in learning and what the greedy policy wins (where there is a full tree)."""
        won = float(self.tables["won"][0])
        mean = won / max(self.episodes, 1)
        found = {"against_random/cumulative_reward": won, "against_random/mean_reward": mean}
        if self.game.has_tree:
            best = best_response_values(self.game, self.game.uniform_policy()).mean()
            found["against_random/share_of_best_response"] = float(self.against_random().mean() / best)
        return super().measures() | found
