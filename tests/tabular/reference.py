"""The algorithms again, slowly, by the papers' pseudocode: recursion over histories, dictionaries,
exact fractions.

They play by ``tests/games/poker/poker_oracle.py`` and draw the same random numbers as the kernels:
one for the deal, one for each action.
"""

import math
from collections import defaultdict
from fractions import Fraction

import numpy as np

from fpmcts.tabular.dense_table import by_infoset
from fpmcts.tabular.learner import DenseLearner, TableLearner
from games.play.tables import Tables
from tests.games.poker import poker_oracle as oracle
from tests.games.poker.poker_oracle import Position

MASK = 2**64 - 1


def same(first: TableLearner, second: TableLearner) -> bool:
    """Returns whether two algorithms are in the same state, bit for bit."""
    one, two = first.get_state(), second.get_state()
    return one.keys() == two.keys() and all(
        one[name].tobytes() == two[name].tobytes() for name in one
    )


def visits_of(learner: DenseLearner) -> np.ndarray:
    """Returns N_a of each information set."""
    return by_infoset(learner.game, learner.weights(), learner.table.first_row).astype(np.int64)


def values_of(learner: DenseLearner) -> np.ndarray:
    """Returns Q of each information set, in chips; 0 for actions that were never tried."""
    sums = by_infoset(learner.game, learner.tables["returns"], learner.table.first_row)
    return sums / np.maximum(visits_of(learner), 1)


class Random:
    """SplitMix64 (Steele, Lea & Flood 2014)."""

    def __init__(self, state: int) -> None:
        self.state = state

    def bits(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        x = self.state
        x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
        return x ^ (x >> 31)


def hide(text: str, suits: bool) -> str:
    """Returns the text of an information set, without suits where tables have none."""
    cards, _, bets = text.partition(" ")
    return text if suits or len(cards) == 1 else f"{cards[::2]} {bets}".strip()


class Play:
    """What both references share: deals, information sets."""

    def __init__(self, game: Tables, state: int) -> None:
        self.game = game.name
        self.suits = game.finest is None
        self.random = Random(state)
        self.deals = oracle.deals(game.name)

    def deal(self) -> tuple[str, ...]:
        return self.deals[((self.random.bits() >> 32) * len(self.deals)) >> 32]

    def information_state(self, cards: tuple[str, ...], position: Position) -> str:
        assert position.player is not None
        return hide(oracle.seen(cards, position.player, position), self.suits)


class SelfPlay(Play):
    """Heinrich & Silver 2015, algorithms 1 and 2."""

    def __init__(
        self,
        game: Tables,
        state: int,
        c: float,
        gamma: float,
        eta: float,
        d: float,
        k: float | None = None,
    ) -> None:
        super().__init__(game, state)
        self.c, self.gamma, self.eta, self.d, self.k = c, gamma, eta, d, k
        self.trees: list[set[str]] = [set(), set()]
        self.visits: dict[str, int] = defaultdict(int)  # N(u)
        self.counts: dict[tuple[str, str], int] = defaultdict(int)  # N(u, a)
        self.values: dict[tuple[str, str], Fraction] = defaultdict(Fraction)  # Q(u, a)

    def search(self, episodes: int) -> None:
        for _ in range(episodes):
            self.out_of_tree = [False, False]
            self.simulate(self.deal(), "")

    def simulate(self, cards: tuple[str, ...], moves: str) -> int:
        """Returns what player 0 wins."""
        position = oracle.replay(self.game, moves)
        if position.player is None:
            return oracle.wins(self.game, position, cards)
        i = position.player
        if self.out_of_tree[i]:
            return self.simulate(cards, moves + self.roll_out(position))
        u = self.information_state(cards, position)
        if u not in self.trees[i]:
            self.trees[i].add(u)
            a = self.roll_out(position)
            self.out_of_tree[i] = True
        else:
            a = self.select(u, position.legal, self.exploration(position))
        r = self.simulate(cards, moves + a)
        self.update(u, a, r if i == 0 else -r)
        return r

    def roll_out(self, position: Position) -> str:
        low = self.random.bits() % 2**32
        return position.legal[(low * len(position.legal)) >> 32]

    def exploration(self, position: Position) -> float:
        """Returns c by equation 3."""
        if self.k is None:
            return self.c
        before = oracle.replay(self.game, position.text.rpartition("/")[0].replace("/", ""))
        remaining = 2 * sum(
            oracle.MOST_BETS[self.game] * bet for bet in oracle.BETS[self.game][position.round :]
        )
        return min(self.c, sum(before.paid) + self.k * remaining)

    def select(self, u: str, legal: str, c: float) -> str:
        bits = self.random.bits()
        z, low = Fraction(bits >> 32, 2**32), bits % 2**32
        if z < max(self.gamma, self.eta / (1 + self.d * math.sqrt(self.visits[u]))):
            bounds = [self.bound(u, a, c) for a in legal]
            best = [k for k, bound in enumerate(bounds) if bound == max(bounds)]
            chosen = best[0]
            for ties in range(2, len(best) + 1):  # the newcomer wins with probability 1 / ties
                low *= ties
                chosen, low = (best[ties - 1] if low >> 32 == 0 else chosen), low % 2**32
            return legal[chosen]
        mark = (low * self.visits[u]) >> 32
        for a in legal:
            if mark < self.counts[u, a]:
                return a
            mark -= self.counts[u, a]
        raise AssertionError("N(u) is the sum of N(u, a)")

    def bound(self, u: str, a: str, c: float) -> float:
        if not self.counts[u, a]:
            return math.inf
        return float(self.values[u, a]) + c * math.sqrt(
            math.log(self.visits[u]) / self.counts[u, a]
        )

    def update(self, u: str, a: str, r: int) -> None:
        self.visits[u] += 1
        self.counts[u, a] += 1
        self.values[u, a] += (r - self.values[u, a]) / self.counts[u, a]


class AgainstRandom(SelfPlay):
    """UCT in one seat, the seats in turn; the other never enters its tree."""

    won = 0

    def search(self, episodes: int) -> None:
        for n in range(episodes):
            learner = n % 2
            self.out_of_tree = [learner != 0, learner != 1]
            result = self.simulate(self.deal(), "")
            self.won += result if learner == 0 else -result


class OutcomeSampling(Play):
    """Lanctot's thesis, 2013, outcome sampling with stochastically weighted averaging; ``turn``
    None updates all (parallel).
    """

    def __init__(self, game: Tables, state: int, epsilon: float, alternating: bool) -> None:
        super().__init__(game, state)
        self.epsilon, self.alternating = epsilon, alternating
        self.regrets: dict[tuple[str, str], float] = defaultdict(float)
        self.weights: dict[tuple[str, str], float] = defaultdict(float)

    def search(self, episodes: int) -> None:
        for t in range(episodes):
            self.turn = t % 2 if self.alternating else None
            self.walk(self.deal(), "", [1.0, 1.0], 1.0)

    def walk(
        self, cards: tuple[str, ...], moves: str, reach: list[float], s: float
    ) -> tuple[float, list[float], list[float]]:
        """Returns player 0's winnings / q(z), what each player's policy adds to the reach of z from
        here, and that in all.
        """
        position = oracle.replay(self.game, moves)
        if position.player is None:
            return oracle.wins(self.game, position, cards) / s, [1.0, 1.0], reach
        i, u, legal = position.player, self.information_state(cards, position), position.legal
        positive = [max(self.regrets[u, a], 0.0) for a in legal]
        sigma = [x / sum(positive) if sum(positive) > 0 else 1 / len(legal) for x in positive]
        explore = self.epsilon if self.turn in (None, i) else 0.0
        chances = [explore / len(legal) + (1 - explore) * p for p in sigma]
        if self.turn != i:
            for a, p in zip(legal, sigma, strict=True):
                self.weights[u, a] += reach[i] / s * p
        mark, k = (self.random.bits() >> 11) / 2**53, 0
        while mark >= chances[k]:
            mark, k = mark - chances[k], k + 1
        after = [x * (sigma[k] if p == i else 1) for p, x in enumerate(reach)]
        win, tail, total = self.walk(cards, moves + legal[k], after, s * chances[k])
        if self.turn in (None, i):
            w = win * (1 if i == 0 else -1) * total[1 - i]
            for j, a in enumerate(legal):
                self.regrets[u, a] += w * tail[i] * ((1 - sigma[k]) if j == k else -sigma[k])
        return win, [x * (sigma[k] if p == i else 1) for p, x in enumerate(tail)], total
