"""Extensive-form self-play MCTS with UCT and Smooth UCT.

Source: Heinrich & Silver, "Smooth UCT search in computer poker", IJCAI 2015: algorithms 1 and 2, equations 1 to 3; N, Q, eta,
gamma and d are the paper's.

Each player has a tree over its own information states; here it is its rows of a table, and an information state is in the tree
once it has been visited. An episode draws a deal and walks down the betting tree. While a player is in its tree, it selects by
Smooth UCB: with probability eta_k the action of highest ``Q + c sqrt(log N / N_a)``, otherwise one drawn from its average
policy ``N_a / N``. Where it leaves the tree, the information state is added, and the player plays the rollout policy (uniform)
from there to the end.

What makes it fast, and what that means for exactness:

- The table keeps the *sum* of returns; Q is the mean only where UCB asks for it. Sums of chips are exact in float64 (below
  2**53), so Q has less rounding than the paper's running mean.
- N is the sum of the N_a. A row of ``visits`` also holds eta_k for the next visit, as a 32-bit threshold: the comparison is
  that of a 32-bit random number with eta_k.
- ``N_a / N`` is drawn with a 32-bit random number in integers: each probability is exact to within 2**-32.
- N_a counts when the action is chosen, not after the episode. No information state is met twice in an episode, so nothing can
  tell.
- All about an information state stands in one row of memory. Where the tables are larger than the caches, the rows that may come
  next are fetched while the action is chosen.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from games.kernels import kernel, mix64, prefetch
from games.poker.deals import OWN, bucket, deal, outcome
from games.poker.tables import PokerTables
from tabular.learner import GOLDEN, TabularLearner

CACHE = 2**21
"""Bytes of tables from which it pays to fetch rows ahead; about the size of a processor's second cache."""
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_ONE = np.uint64(1)


@kernel
def ucb(
    counts: np.ndarray,
    first: int,
    returns: np.ndarray,
    infoset: int,
    total: int,
    num_actions: int,
    exploration: float,
    bits: np.uint64,
) -> np.uint64:
    """Returns the slot that maximises ``Q + c sqrt(log N / N_a)``, ties broken uniformly (equation 1).

    Actions that were never tried come first.

    Args:
        counts: uint32 ``[I, first + A or more]``, N_a from column ``first`` on.
        first: As above.
        returns: float64 ``[I, A or more]``, sums of returns in chips.
        infoset: The row.
        total: N, at least 1.
        num_actions: Number of legal actions.
        exploration: c.
        bits: 32 random bits, for ties.
    """
    spread = exploration * exploration * math.log(np.float64(total))
    best, chosen, ties = -np.inf, 0, 0
    for slot in range(num_actions):
        count = counts[infoset, np.uint64(first + slot)]
        value = np.inf
        if count > 0:
            share = 1.0 / count
            value = returns[infoset, slot] * share + math.sqrt(spread * share)
        if value > best:
            best, chosen, ties = value, slot, 1
        elif value == best:
            # The newcomer wins with probability 1 / ties: the high half of the product is uniform below ties.
            ties += 1
            product = bits * np.uint64(ties)
            if product >> _HALF == 0:
                chosen = slot
            bits = product & _LOW
    return np.uint64(chosen)


@kernel
def simulate(
    betting: Any,
    deals: Any,
    exploration: np.ndarray,
    gamma: float,
    eta: float,
    d: float,
    first_row: np.ndarray,
    num_rows: np.ndarray,
    rows: np.ndarray,
    counts: np.ndarray,
    width: int,
    rng: np.ndarray,
    counter: np.ndarray,
    max_moves: int,
    ahead: bool,
    episodes: int,
) -> None:
    """Runs episodes of algorithm 1 with the selection of algorithm 2; UCT is eta = gamma = 1.

    Args:
        betting: A ``BettingTree``.
        deals: The cards, for the kernels of ``games.poker.deals``.
        exploration: float64 ``[D]``, c at each node of the betting tree, in chips.
        gamma: As in equation 2.
        eta: As in equation 2.
        d: As in equation 2.
        first_row: int32 ``[D]``, where the rows of a node begin; -1: it has none yet, and gets them here, all buckets at once.
        num_rows: int64 ``[1]``, changed in place: rows in use.
        rows: float64 ``[I, R]``, changed in place: A sums of returns in chips; then other numbers.
        counts: uint32 ``[I, 2 * R]``, the same memory: from column 2 * A on N_a, then the threshold of eta_k.
        width: A.
        rng: uint64 ``[1]``, changed in place.
        counter: int64 ``[1]``, changed in place: episodes so far.
        max_moves: Upper bound on the moves of an episode.
        ahead: Whether to fetch the rows that may come next.
        episodes: How many.
    """
    pitch = np.uint64(rows.shape[1])
    first = np.uint64(2 * width)
    mixed = np.uint64(3 * width)  # the column of the threshold
    sums = rows.reshape(-1)
    dealt = np.empty(betting.hand.max() + 1 + OWN, dtype=np.int64)
    path = np.empty(max_moves, dtype=np.uint64)  # of the updates: their places in ``sums``
    owner = np.empty(max_moves, dtype=np.uint64)
    state = rng[0]  # kept in a register: the stream of random_u64
    # Indices are uint64, which spares numba the test for negative ones.
    for _ in range(episodes):
        state += GOLDEN
        deal(deals, mix64(state), dealt)
        following = np.int64(0)
        depth = np.uint64(0)
        outside = np.uint64(0)  # a bit for each player out of its tree
        while following >= 0:
            node = np.uint64(following)
            state += GOLDEN
            bits = mix64(state)
            low = bits & _LOW
            player = np.uint64(betting.player[node])
            num_actions = betting.num_actions[node]
            if ahead:
                for slot in range(num_actions):
                    after = betting.child[node, slot]
                    if after >= 0:
                        place = max(0, first_row[after] + bucket(deals, dealt, betting.hand[after])) * rows.shape[1]
                        prefetch(sums, place)
                        prefetch(sums, place + rows.shape[1] - 1)
            if (outside >> player) & _ONE:
                action = (low * np.uint64(num_actions)) >> _HALF
            else:
                start = np.int64(first_row[node])
                if start < 0:
                    start = num_rows[0]
                    first_row[node] = start
                    num_rows[0] += betting.num_buckets[node]
                infoset = np.uint64(start + bucket(deals, dealt, betting.hand[node]))
                total = np.uint64(0)
                for column in range(first, mixed):
                    total += np.uint64(counts[infoset, column])
                if total == 0:
                    action = (low * np.uint64(num_actions)) >> _HALF
                    outside |= _ONE << player
                elif (bits >> _HALF) <= np.uint64(counts[infoset, mixed]):
                    action = ucb(counts, first, rows, infoset, total, num_actions, exploration[node], low)
                else:
                    # Slots without an action have no visits and are never reached. No branch: it could not be predicted.
                    mark = (low * total) >> _HALF
                    action = np.uint64(0)
                    below = np.uint64(0)
                    for column in range(first, mixed - _ONE):
                        below += np.uint64(counts[infoset, column])
                        action += np.uint64(mark >= below)
                counts[infoset, first + action] += np.uint32(1)
                mixing = max(gamma, eta / (1.0 + d * math.sqrt(np.float64(total + _ONE))))
                counts[infoset, mixed] = np.uint32(np.int64(math.ceil(mixing * 4294967296.0)) - 1)
                path[depth] = infoset * pitch + action
                owner[depth] = player
                depth += _ONE
            following = np.int64(betting.child[node, action])
        terminal = np.uint64(~following)
        order = np.uint64(outcome(deals, dealt)) if betting.showdown[terminal] else np.uint64(0)
        for k in range(depth):
            sums[path[k]] += betting.payoffs[terminal, order, owner[k]]
    rng[0] = state
    counter[0] += episodes


@kernel
def greedy_slots(
    betting: Any, first_row: np.ndarray, rows: np.ndarray, counts: np.ndarray, width: int, slots: np.ndarray
) -> None:
    """Writes the slot of highest value Q of each information state to ``slots`` (uint8 ``[I]``), 255 where it was never visited.

    The other arguments are those of ``simulate``. Of equals the first is taken.
    """
    for node in range(len(betting.base)):
        for k in range(betting.num_buckets[node]):
            infoset, row = betting.base[node] + k, first_row[node] + k
            slots[infoset] = 255
            best = -np.inf
            for slot in range(betting.num_actions[node] if first_row[node] >= 0 else 0):
                count = counts[row, 2 * width + slot]
                if count > 0 and rows[row, slot] / count > best:
                    best = rows[row, slot] / count
                    slots[infoset] = slot


@dataclass(frozen=True)
class UCTOptions:
    """Options of UCT.

    Attributes:
        exploration: C of equation 3, in chips, at least 0. None: what the paper found best as a constant c (``EXPLORATION``), or
            half of the largest pot where it has no value for the game, its choice for limit Hold'em.
        betting_potential: k of equation 3, in [0, 1]: c is ``min(C, pot + k * potential)``, with the pot and the remaining
            betting potential at the beginning of the round. None: c is constant. The paper: constant in Kuhn and Leduc, 0.5 in
            limit Hold'em; 0.5 serves Leduc better (tabular/README.md) and comes to a constant c in Kuhn.

    Raises:
        ValueError: On construction, for values out of range.
    """

    exploration: float | None = None
    betting_potential: float | None = 0.5

    def __post_init__(self) -> None:
        if self.exploration is not None and not 0 <= self.exploration < math.inf:
            raise ValueError(f"exploration = {self.exploration}: expected at least 0")
        if self.betting_potential is not None and not 0 <= self.betting_potential <= 1:
            raise ValueError(f"betting_potential = {self.betting_potential}: expected a number in [0, 1]")


@dataclass(frozen=True)
class SmoothUCTOptions(UCTOptions):
    """Options of Smooth UCT: those of UCT and ``eta_k = max(gamma, eta / (1 + d sqrt(N)))``, equation 2.

    Attributes:
        gamma: Least share of UCB among the selections, in [0, 1]. The paper: 0.1 everywhere.
        eta: Its share at first, in (0, 1]. The paper: 0.9 everywhere.
        d: How fast it falls, at least 0. None: the paper's value for the game (``DECAY``), 1 / 20000 for any other (limit
            Hold'em's).
    """

    gamma: float = 0.1
    eta: float = 0.9
    d: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.gamma <= 1:
            raise ValueError(f"gamma = {self.gamma}: expected a number in [0, 1]")
        if not 0 < self.eta <= 1:
            raise ValueError(f"eta = {self.eta}: expected a number in (0, 1]")
        if self.d is not None and not 0 <= self.d < math.inf:
            raise ValueError(f"d = {self.d}: expected at least 0")


class UCT(TabularLearner):
    """Extensive-form UCT. Its average policy diverges from equilibrium in Kuhn and Leduc (the paper, figures 1 and 2).

    Tables: ``visits`` uint32 ``[I, A + 1]`` (N_a; the last column is the threshold of eta_k) and ``returns`` float64 ``[I, A]``
    (sums, in chips).

    Tables of more than ``DENSE`` bytes have rows only for the nodes of the betting tree that were visited, in the order of the
    first visits; a table ``first_row`` int32 ``[D]`` says where (-1: nowhere), and ``visits`` and ``returns`` are as long as need
    be. The memory behind them is taken from the system as it is first used.
    """

    name: ClassVar[str] = "uct"
    DENSE: ClassVar[int] = 2**30
    """Bytes of tables up to which every information state has its row from the beginning."""
    EXPLORATION: ClassVar[dict[str, float]] = {"kuhn": 2.0, "leduc": 20.0}
    """C by game, in chips (the paper, 4.1 and 4.2)."""

    def __init__(self, game: PokerTables, seed: int, options: UCTOptions) -> None:
        width = game.max_actions
        # The sums of returns, then the visits, in places of eight bytes; an even number of them, so that few rows lie across
        # the border of two lines of the cache.
        self._rows = np.zeros((game.num_infosets, (width + width // 2 + 2) // 2 * 2))
        super().__init__(game, seed, options, {})
        self._first_row, self._num_rows = game.betting.base, np.array([game.num_infosets])
        if self._rows.nbytes > self.DENSE:
            self._first_row, self._num_rows = np.full_like(game.betting.base, -1), np.zeros(1, dtype=np.int64)
        self._cut_tables()
        self._most_visits = 0  # of an information state, when ``_most_at`` episodes had been played
        self._most_at = 0
        betting = game.betting
        largest = options.exploration
        if largest is None:
            largest = self.EXPLORATION.get(game.name, (betting.pot + betting.potential).max() / 2)
        self._exploration = np.full(len(betting.player), float(largest))
        if options.betting_potential is not None:
            self._exploration = np.minimum(largest, betting.pot + options.betting_potential * betting.potential)

    def _cut_tables(self) -> None:
        """Makes ``tables`` views of the rows in use."""
        rows, width = self._rows[: self._num_rows[0]], self.game.max_actions
        self.tables["visits"] = rows.view(np.uint32)[:, 2 * width : 3 * width + 1]
        self.tables["returns"] = rows[:, :width]
        if self._first_row is not self.game.betting.base:
            self.tables["first_row"] = self._first_row

    def set_state(self, state: Mapping[str, np.ndarray]) -> None:
        """As for every algorithm; the number of rows in use becomes that of the state."""
        before = int(self._num_rows[0])
        if "first_row" in self.tables and "visits" in state:
            self._num_rows[0] = min(len(state["visits"]), len(self._rows))
            self._cut_tables()
        try:
            super().set_state(state)
        except ValueError:
            self._num_rows[0] = before
            self._cut_tables()
            raise
        self._rows[self._num_rows[0] : before] = 0
        self._most_visits, self._most_at = 2**32, 0

    def _schedule(self) -> tuple[float, float, float]:
        """Returns gamma, eta and d of equation 2."""
        return 1.0, 1.0, 0.0

    def _check_counters(self, count: int) -> None:
        """Raises ValueError where ``count`` more episodes could overflow a counter.

        An information state is visited at most once in an episode, so between two looks at all of them a bound will do.
        """
        after = self.episodes + count
        if after < 2**32 or self._most_visits + after - self._most_at < 2**32:
            return
        visits = self.tables["visits"][:, :-1]
        self._most_visits, self._most_at = (
            int(sum(visits[:, k].max(initial=0).astype(np.int64) for k in range(visits.shape[1]))),
            self.episodes,
        )
        if self._most_visits + count >= 2**32:
            raise ValueError(f"{self.name}: an information state has almost 2**32 visits, the most that the tables can count")

    def _run_chunk(self, count: int) -> None:
        self._check_counters(count)
        simulate(
            self.game.betting,
            self.game.deals,
            self._exploration,
            *self._schedule(),
            self._first_row,
            self._num_rows,
            self._rows,
            self._rows.view(np.uint32),
            self.game.max_actions,
            self.rng,
            self.counter,
            self.game.rules.max_moves,
            self._rows.nbytes > CACHE,
            count,
        )
        self._cut_tables()

    def _by_infoset(self, table: np.ndarray) -> np.ndarray:
        """Returns the rows of a table in the order of the information states, zeros where there are none."""
        if "first_row" not in self.tables:
            return table
        betting = self.game.betting
        result = np.zeros((self.game.num_infosets, table.shape[1]), dtype=table.dtype)
        for node in np.flatnonzero(self._first_row >= 0):
            start, count = self._first_row[node], betting.num_buckets[node]
            result[betting.base[node] : betting.base[node] + count] = table[start : start + count]
        return result

    def visits(self) -> np.ndarray:
        """Returns N_a: int64 ``[num_infosets, max_actions]``."""
        return self._by_infoset(self.tables["visits"])[:, :-1].astype(np.int64)

    def action_values(self) -> np.ndarray:
        """Returns Q in chips: float64 ``[num_infosets, max_actions]``; 0 for actions that were never tried."""
        return self._by_infoset(self.tables["returns"]) / np.maximum(self.visits(), 1)

    def average_policy(self) -> np.ndarray:
        """Returns ``N_a / N``, uniform (the rollout policy) where an information state was never visited. Shape as everywhere."""
        return self._normalised(self.visits())

    def greedy_policy(self) -> np.ndarray:
        """Returns the policy that plays the action of highest estimated value (the paper, 4.3); uniform where never visited."""
        slots = self.greedy_slots()[:, None]
        return np.where(slots < 255, slots == np.arange(self.game.max_actions), self.game.uniform_policy())

    def policy_rows(self, greedy: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """As for every algorithm."""
        visits = self.tables["visits"][:, :-1]
        if greedy:
            means = np.full(visits.shape, -np.inf)
            np.divide(self.tables["returns"], visits, out=means, where=visits > 0)
            weights = (means.argmax(axis=1)[:, None] == np.arange(visits.shape[1])) & (visits > 0)
        else:
            weights = visits
        total = weights.sum(axis=1, keepdims=True, dtype=np.float64)
        return weights / np.maximum(total, 1.0), self._first_row

    def greedy_slots(self) -> np.ndarray:
        """Returns ``greedy_policy`` as the slot of each information state, 255 where it is uniform: uint8 ``[num_infosets]``."""
        slots = np.empty(self.game.num_infosets, dtype=np.uint8)
        counts = self._rows.view(np.uint32)
        greedy_slots(self.game.betting, self._first_row, self._rows, counts, self.game.max_actions, slots)
        return slots


class SmoothUCT(UCT):
    """Extensive-form Smooth UCT. Its average policy approaches an equilibrium in Kuhn and Leduc (the paper, figures 1 and 2)."""

    name: ClassVar[str] = "smooth_uct"
    EXPLORATION: ClassVar[dict[str, float]] = {"kuhn": 1.75, "leduc": 18.0}
    DECAY: ClassVar[dict[str, float]] = {"kuhn": 0.001, "leduc": 0.002}
    """d of equation 2 by game (the paper, 4.1 and 4.2)."""

    def _schedule(self) -> tuple[float, float, float]:
        decay = self.options.d
        return self.options.gamma, self.options.eta, self.DECAY.get(self.game.name, 1 / 20000) if decay is None else decay
