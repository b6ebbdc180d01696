"""Extensive-form self-play MCTS in dense rows: UCT, Smooth UCT, and UCT against random moves.

Sources: Heinrich & Silver, "Smooth UCT search in computer poker", IJCAI 2015: algorithms 1 and 2,
equations 1 to 3; N, Q, eta, gamma and d are the paper's. Mac Manus, "Learning to Play Leduc Hold'em
Using Reinforcement Learning", 2019, 4.2, experiment 1: the seats take turns learning, one per
episode, while the others move at random, so that the greedy policy approaches a best response.

An information set is in its player's tree once it has been visited. There the player selects by
Smooth UCB: with probability eta_k the action of highest ``Q + c sqrt(log N / N_a)``, otherwise one
drawn from its average policy ``N_a / N``. ``fpmcts.tabular.search`` has the rest.

What makes it fast, and what that means for exactness:

- A row keeps the *sums* of returns; UCB computes the mean Q when needed. Sums of chips are exact in
  float64 (below 2**53), so Q has less rounding error than the paper's running mean.
- N is the sum of the N_a. A row also holds eta_k for the next visit, as a 32-bit threshold for a
  32-bit random number.
- ``N_a / N`` is drawn with a 32-bit random number in integers: each probability is exact to within
  2**-32.
- N_a counts when the action is chosen, not after the episode. No information set occurs twice in
  an episode, so this makes no difference.
- Where the table is larger than the caches, the rows that may come next are prefetched while the
  action is chosen.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fpmcts.tabular import selection as selections
from fpmcts.tabular.best_response import best_response_values, profile_values
from fpmcts.tabular.learner import DenseLearner, Options
from fpmcts.tabular.search import search
from fpmcts.tabular.walks import DenseRows
from games.base.settings import setting
from games.kernels import kernel
from games.kernels.dispatch import register
from games.play.tables import Tables

EXPLORATION = {("uct", "kuhn"): 2.0, ("uct", "leduc"): 20.0}
EXPLORATION |= {("smooth_uct", "kuhn"): 1.75, ("smooth_uct", "leduc"): 18.0}
"""C by algorithm and game, in chips (Heinrich & Silver, 4.1 and 4.2)."""
DECAY = {"kuhn": 0.001, "leduc": 0.002}
"""D of equation 2 by game (same source)."""
OTHER_DECAY = 1 / 20000
"""D of other games: limit Hold'em's."""
MOST_EPISODES = 2**32
"""Capacity of the counters of actions."""
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_ONE = np.uint64(1)


class DenseUCT(NamedTuple):
    """Smooth UCT in a dense row: A sums of returns (float64), A visits N_a (uint32), then the
    threshold of eta_k (uint32). UCT is eta = gamma = 1.

    Attributes:
        exploration: float64 ``[D]``, c at each node of the betting tree, in chips.
        gamma: As in equation 2.
        eta: As in equation 2.
        d: As in equation 2.
        width: A.
    """

    exploration: np.ndarray
    gamma: float
    eta: float
    d: float
    width: int


@kernel(forceinline=True)
def _begin(selection: DenseUCT, rows: DenseRows, place: int, num_actions: int) -> bool:
    return rows.counts[np.uint64(2 * place + 3 * selection.width)] == 0


@kernel(forceinline=True)
def ucb(
    rows: DenseRows,
    place: np.uint64,
    first: np.uint64,
    total: np.uint64,
    num_actions: int,
    exploration: float,
    bits: np.uint64,
) -> np.uint64:
    """Returns the slot that maximises ``Q + c sqrt(log N / N_a)``, ties broken uniformly (equation
    1). Untried actions come first.

    Args:
        rows: The table.
        place: Start of the sums.
        first: Start of the visits.
        total: N, at least 1.
        num_actions: Number of legal actions.
        exploration: c.
        bits: 32 random bits, for ties.
    """
    spread = exploration * exploration * math.log(np.float64(total))
    best, ties = -np.inf, np.uint64(0)
    chosen: Any = np.uint64(0)
    for slot in range(np.uint64(num_actions)):  # unsigned: numba then tests no sign
        count = rows.counts[first + slot]
        value = np.inf
        if count > 0:
            share = 1.0 / count
            value = rows.words[place + slot] * share + math.sqrt(spread * share)
        if value > best:
            best, chosen, ties = value, slot, _ONE
        elif value == best:
            # The newcomer wins with probability 1 / ties: the high half of the product is uniform
            # below ties.
            ties += _ONE
            product = bits * ties
            if product >> _HALF == 0:
                chosen = slot
            bits = product & _LOW
    return chosen


@kernel(forceinline=True)
def _select(
    selection: DenseUCT,
    rows: DenseRows,
    place: int,
    node: int,
    num_actions: int,
    bits: np.uint64,
    chances: np.ndarray,
    depth: np.uint64,
) -> int:
    first = np.uint64(2 * (place + selection.width))
    mixed = first + np.uint64(selection.width)  # the place of the threshold
    total, low = np.uint64(0), bits & _LOW
    for slot in range(np.uint64(selection.width)):
        total += np.uint64(rows.counts[first + slot])
    if total == 0:
        action = (low * np.uint64(num_actions)) >> _HALF
    elif (bits >> _HALF) <= np.uint64(rows.counts[mixed]):
        c = selection.exploration[np.uint64(node)]
        action = ucb(rows, np.uint64(place), first, total, num_actions, c, low)
    else:
        # Slots without an action have no visits and are never reached. No branch, since it would be
        # unpredictable.
        mark = (low * total) >> _HALF
        action = np.uint64(0)
        below = np.uint64(0)
        for slot in range(np.uint64(selection.width - 1)):
            below += np.uint64(rows.counts[first + slot])
            action += np.uint64(mark >= below)
    rows.counts[first + action] += np.uint32(1)
    if selection.gamma < 1.0:
        share = selection.eta / (1.0 + selection.d * math.sqrt(np.float64(total + _ONE)))
        threshold = math.ceil(max(selection.gamma, share) * 4294967296.0) - 1
        rows.counts[mixed] = np.uint32(np.int64(max(threshold, 1)))  # 0: never visited
    else:
        rows.counts[mixed] = np.uint32(0xFFFFFFFF)
    return int(action)


@kernel(forceinline=True)
def _credit(
    selection: DenseUCT, rows: DenseRows, place: int, slot: int, chance: float, result: float
) -> None:
    rows.words[np.uint64(place + slot)] += result


register(selections.begin, DenseUCT, _begin)
register(selections.select, DenseUCT, _select)
register(selections.credit, DenseUCT, _credit)


@kernel
def _best_slots(sums: np.ndarray, visits: np.ndarray, slots: np.ndarray) -> None:
    """Writes the slot of highest value Q of each row, the first of equals, 255 where it was never
    visited.
    """
    for row in range(len(slots)):
        best = -np.inf
        slots[row] = 255
        for slot in range(visits.shape[1]):
            if visits[row, slot] > 0 and sums[row, slot] / visits[row, slot] > best:
                best = sums[row, slot] / visits[row, slot]
                slots[row] = slot


@dataclass(frozen=True)
class UCTOptions(Options):
    """Options of UCT.

    Attributes:
        exploration: C of equation 3, in chips. None: the paper's best constant c (``EXPLORATION``),
            or half the chips that the players can put in.
        betting_potential: k of equation 3: c = min(C, pot + k times the betting potential), both at
            the beginning of the round; the potential is the chips that can still be added. None: c
            is constant. The paper: constant in Kuhn and Leduc, 0.5 in limit Hold'em. With 0.5 c is
            constant in Kuhn, too, and varies in Leduc.
    """

    exploration: float | None = setting(None, least=0.0, most=1e9)
    betting_potential: float | None = setting(0.5, least=0.0, most=1.0)


@dataclass(frozen=True)
class SmoothUCTOptions(UCTOptions):
    """Options of Smooth UCT: those of UCT, and the share of UCB among the selections.

    The share is ``eta_k = max(gamma, eta / (1 + d sqrt(N)))``, equation 2.

    Attributes:
        gamma: Least share of UCB among the selections. The paper: 0.1 everywhere.
        eta: Its share at first. The paper: 0.9 everywhere.
        d: How fast it falls. None: the paper's value for the game (``DECAY``, ``OTHER_DECAY``).
    """

    gamma: float = setting(0.1, least=0.0, most=1.0)
    eta: float = setting(0.9, least=1e-6, most=1.0)
    d: float | None = setting(None, least=0.0, most=1e9)


def schedule(options: UCTOptions, game: str) -> tuple[float, float, float]:
    """Returns gamma, eta and d of equation 2; UCT's make every selection UCB."""
    if not isinstance(options, SmoothUCTOptions):
        return 1.0, 1.0, 0.0
    d = DECAY.get(game, OTHER_DECAY) if options.d is None else options.d
    return float(options.gamma), float(options.eta), float(d)


class TabularSelfPlay(DenseLearner):
    """Extensive-form UCT and Smooth UCT. The average policy of Smooth UCT approaches an equilibrium
    in Kuhn and Leduc, that of UCT diverges (Heinrich & Silver, figures 1 and 2).

    Tables: ``visits`` uint32 ``[rows, A + 1]`` (N_a; the last column is the threshold of eta_k) and
    ``returns`` float64 ``[rows, A]`` (sums, in chips); also ``first_row`` int32 ``[D]`` if only
    visited nodes have rows.
    """

    won: np.ndarray | None = None

    def __init__(self, name: str, game: Tables, seed: int, options: UCTOptions) -> None:
        width, betting = game.max_actions, game.betting
        # An even number of words, so that few rows straddle two cache lines.
        super().__init__(name, game, seed, options, (width + width // 2 + 2) // 2 * 2)
        largest = options.exploration
        if largest is None:
            half = (betting.pot + betting.potential).max() / 2
            largest = EXPLORATION.get((name.removesuffix("_against_random"), game.name), half)
        exploration = np.full(len(betting.player), float(largest))
        if options.betting_potential is not None:
            most = betting.pot + options.betting_potential * betting.potential
            exploration = np.minimum(exploration, most)
        self.selection = DenseUCT(exploration, *schedule(options, game.name), width)

    def _columns(self) -> dict[str, np.ndarray]:
        rows, width = self.table.rows, self.game.max_actions
        counts = rows.view(np.uint32)[:, 2 * width : 3 * width + 1]
        return {"visits": counts, "returns": rows[:, :width]}

    def weights(self) -> np.ndarray:
        """Returns N_a: uint32 ``[rows, A]``."""
        return self.tables["visits"][:, :-1]

    def best_slots(self) -> np.ndarray:
        """Returns the slot of highest estimated value of each row (the paper, 4.3), 255 if never
        visited: uint8 ``[rows]``.
        """
        slots = np.empty(int(self.table.num_rows[0]), np.uint8)
        _best_slots(self.tables["returns"], self.weights(), slots)
        return slots

    @property
    def left(self) -> int:
        """Returns how many more episodes the counters are sure to hold: each visits an information
        set at most once.
        """
        if self.episodes < MOST_EPISODES // 2:  # no need to look for the largest count
            return MOST_EPISODES - 1 - self.episodes
        return MOST_EPISODES - 1 - int(self.weights().max(initial=0))

    def _run_chunk(self, count: int) -> None:
        search(
            self.table.walk(),
            self.selection,
            self.game.num_players,
            self.game.rules.max_moves,
            self.rng,
            self.counter,
            count,
            False,
            self.won,
        )


class UCTAgainstRandom(TabularSelfPlay):
    """UCT in one seat at a time, in turn, against random players.

    Tables as of UCT, and ``won`` float64 ``[1]``: chips that the learning seats have won.
    """

    won: np.ndarray

    def __init__(self, name: str, game: Tables, seed: int, options: UCTOptions) -> None:
        super().__init__(name, game, seed, options)
        self.won = np.zeros(1)

    @property
    def tables(self) -> dict[str, np.ndarray]:
        """Returns the learned tables and ``won``, which is no column: it never grows."""
        return super().tables | {"won": self.won}

    def against_random(self) -> np.ndarray:
        """Returns the greedy policy's winnings in each seat against random players, in chips:
        float64 ``[P]``.
        """
        game, uniform, greedy = self.game, self.game.uniform_policy(), self.greedy_policy()
        owner = game.infoset_player[:, None]
        seats = range(game.num_players)
        return np.array(
            [profile_values(game, np.where(owner == k, greedy, uniform))[k] for k in seats]
        )

    def measures(self) -> dict[str, float]:
        """Returns the metrics of every algorithm, the winnings while learning and, if deals can be
        listed, those of the greedy policy.
        """
        won = float(self.won[0])
        found = {
            "against_random/cumulative_reward": won,
            "against_random/mean_reward": won / max(self.episodes, 1),
        }
        if self.game.has_tree:
            best = best_response_values(self.game, self.game.uniform_policy()).mean()
            share = float(self.against_random().mean() / best)
            found["against_random/share_of_best_response"] = share
        return super().measures() | found
