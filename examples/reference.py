"""DeltaDou's method in one file, to be read from top to bottom beside the paper: Jiang et al.,
"DeltaDou: expert-level Doudizhu AI through self-play", IJCAI 2019. "Ours" marks what it lacks.

``python -m examples.reference kuhn|leduc MINUTES`` prints the exact NashConv as it learns. With the
same worlds, priors, values and seed its search and that of ``fpmcts`` do the same.
"""

import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, permutations
from math import nan, sqrt

import numpy as np
import torch
from torch import Tensor, nn

# 3.2 THE GAME: limit poker for two. A deal is all the cards, those still to come included.
FOLD, CALL, RAISE = range(3)
Deal = tuple[int, ...]  # the private cards of both seats, then the public card if there is one
InformationSet = tuple[int, int, "Node"]  # own card, public card (-1: none yet), public position


@dataclass(eq=False, repr=False)  # equal and hashed by identity
class Node:
    """A public position."""

    seat: int = 0  # to move; -1: the hand is over
    paid: tuple[int, int] = (1, 1)  # chips; at first the ante
    round: int = 0
    depth: int = 0  # moves in this round
    path: tuple[tuple["Node", int], ...] = ()  # the nodes before, and the index of the move there
    legal: list[int] = field(default_factory=list)
    children: list["Node"] = field(default_factory=list)  # by the index of a move in legal


@dataclass
class Poker:
    """Limit poker with a private card each and, in the second round, a public one."""

    ranks: int
    suits: int  # card c is of rank c // suits
    bets: tuple[int, ...]  # chips of a bet or raise, by round
    most_raises: int  # in a round, the bet included
    unit: float  # root mean square of the chips won in random games: it makes settings fit any game

    def __post_init__(self) -> None:
        cards = permutations(range(self.ranks * self.suits), 1 + len(self.bets))
        self.deals: list[Deal] = list(cards)  # equally likely
        self.nodes: list[Node] = []
        self.start = self._grown(Node())

    def _grown(self, node: Node) -> Node:
        self.nodes.append(node)
        if node.seat < 0:
            return node
        mine, theirs = node.paid[node.seat], node.paid[1 - node.seat]
        raises = sum(e.legal[k] == RAISE for e, k in node.path if e.round == node.round)
        node.legal = [FOLD] * (mine < theirs) + [CALL] + [RAISE] * (raises < self.most_raises)
        for k, move in enumerate(node.legal):
            chips = mine if move == FOLD else theirs + self.bets[node.round] * (move == RAISE)
            paid = (chips, theirs) if node.seat == 0 else (theirs, chips)
            ends = move == CALL and node.depth > 0  # the round
            over = move == FOLD or (ends and node.round + 1 == len(self.bets))
            seat, depth = (0, 0) if ends else (1 - node.seat, node.depth + 1)
            path, seat = (*node.path, (node, k)), -1 if over else seat
            node.children.append(self._grown(Node(seat, paid, node.round + ends, depth, path)))
        return node

    def known(self, deal: Deal, node: Node) -> InformationSet:
        """Returns the information set of the seat to move."""
        return deal[node.seat], deal[2] if node.round else -1, node

    def chips(self, deal: Deal, node: Node, seat: int) -> int:
        """Returns the chips that a seat has won at the end of a hand."""
        mine, theirs = node.paid[seat], node.paid[1 - seat]
        if mine != theirs:  # whoever has paid less has folded
            return theirs if mine > theirs else -mine
        ranks = [card // self.suits for card in deal]
        hands = [(rank in ranks[2:], rank) for rank in ranks[:2]]  # a pair beats any other
        return mine * ((hands[seat] > hands[1 - seat]) - (hands[seat] < hands[1 - seat]))

    def observation(self, known: InformationSet) -> np.ndarray:
        """Returns what a network sees: ranks and moves, one-hot, float32."""
        own, public, node = known
        bits = [own // self.suits] + [self.ranks + public // self.suits] * (public >= 0)
        bits += [2 * self.ranks + 12 * e.round + 3 * e.depth + e.legal[k] for e, k in node.path]
        return np.isin(np.arange(2 * self.ranks + 12 * len(self.bets)), bits).astype(np.float32)


GAMES = {
    "kuhn": Poker(ranks=3, suits=1, bets=(1,), most_raises=1, unit=1.46),  # Kuhn 1950
    "leduc": Poker(ranks=3, suits=2, bets=(2, 4), most_raises=2, unit=4.61),  # Southey et al. 2005
}
# What the policy-value networks (4.2) say of each information set: the policy over its legal moves
# and its value, in units of the game. A large game would evaluate positions as it meets them.
Table = dict[InformationSet, tuple[list[float], float]]
MASK, GAMMA = 2**64 - 1, 0x9E3779B97F4A7C15


def mix64(x: int) -> int:
    """Returns the finaliser of SplitMix64."""
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def stream(state: int) -> Iterator[float]:
    """Yields uniform numbers (SplitMix64)."""
    while True:
        state = state + GAMMA & MASK
        yield (mix64(state) >> 11) / 2**53


def draw(policy: Sequence[float], u: float) -> int:
    """Returns the index of a move drawn by a uniform number."""
    for k in range(len(policy) - 1):
        u -= policy[k]
        if u < 0.0:
            return k
    return len(policy) - 1


class Decision:
    """A decision node u of the tree: an information set of the searching player."""

    def __init__(self, priors: list[float], value: float) -> None:
        self.value, self.priors = value, priors  # v(u) and, by move a, π(u, a)
        self.visits = [0] * len(priors)  # N(u, a); N(u) is one more than their sum
        self.total = [0.0] * len(priors)  # of the returns; Q(u, a) is their mean
        self.squares = [0.0] * len(priors)  # the sum of their squares


@dataclass
class FPMCTS:
    """4.1 FICTITIOUS PLAY MCTS. The tree holds only decisions of the searching player; what happens
    between them, a chance node of the paper, is sampled. Returns are in units of the game.
    """

    game: Poker
    table: Table
    playouts: int = 128
    worlds: int = 64
    c: float = 1.0
    uniform: float = 0.25
    rollout: bool = True
    target: str = "advantages"  # or "visits"
    strength: float = 100.0
    signal: float = 0.5

    def infer(self, known: InformationSet, rng: np.random.Generator) -> list[Deal]:
        """Returns worlds, guesses of the hidden cards, drawn by p(s | H). 4.3 INFERENCE. Phase 1
        lists all, equally likely. (The paper draws many; a filter network keeps the most credible.)
        Phase 2 weights them by the others' policies, had they these cards, over the moves played.
        """
        game, node = self.game, known[2]
        worlds = [deal for deal in game.deals if game.known(deal, node) == known]
        weights = np.ones(len(worlds))
        for earlier, k in node.path:
            if earlier.seat != node.seat:
                weights *= [self.table[game.known(deal, earlier)][0][k] for deal in worlds]
        # Systematic resampling: a world comes up W · weight times, rounded up or down.
        shares, steps = np.cumsum(weights) / weights.sum(), np.arange(self.worlds) + rng.random()
        picks = np.searchsorted(shares, steps / self.worlds).clip(max=len(worlds) - 1)
        return [worlds[k] for k in rng.permutation(picks)]

    def search(self, node: Node, worlds: Sequence[Deal], seed: int) -> list[float]:
        """Returns the target, a better policy. Algorithm 1: SEARCH. Ours: the v-th visit of a root
        move has world v mod W and a stream of its own, so moves are compared on the same luck.
        """
        root = Decision(*self.table[self.game.known(worlds[0], node)])
        self.root, self.tree = root, {self.game.known(worlds[0], node): root}
        for _ in range(self.playouts):
            k = self.select(root, self.uniform)
            numbers = stream(mix64(seed + root.visits[k] * GAMMA & MASK))
            self.simulate(node, worlds[root.visits[k] % len(worlds)], numbers, k)
        return self.improved_policy().tolist()

    def simulate(self, root: Node, deal: Deal, numbers: Iterator[float], first: int) -> None:
        """Plays a simulation that begins with the move ``first``. SIMULATE, EXPANDTREE, UPDATE."""
        node, seat, value, path, beyond = root, root.seat, 0.0, [], False
        while node.seat >= 0:
            known = self.game.known(deal, node)
            if node.seat == seat and not beyond:
                if known in self.tree:
                    u = self.tree[known]
                    k = first if node is root else self.select(u)
                    path.append((u, k))
                    node = node.children[k]
                    continue
                self.tree[known] = Decision(*self.table[known])
                value = self.tree[known].value
                if not self.rollout:
                    break  # the paper: the leaf has the value of the network
                beyond = True  # ours: all seats play on by their policies, to the end
            # a ~ π_k(I_k(s)). If a game has forced moves, these take no number.
            node = node.children[draw(self.table[known][0], next(numbers))]
        else:
            value = self.game.chips(deal, node, seat) / self.game.unit
        for u, k in path:
            u.visits[k] += 1
            u.total[k] += value
            u.squares[k] += value * value

    def select(self, u: Decision, uniform: float = 0.0) -> int:
        """Returns the move with the highest Q(u, a) + c · P(u, a) · sqrt(N(u)) / (1 + N(u, a)).
        P is π, at the root with a share ``uniform`` spread evenly (ours): the best move may be one
        that the policy never makes. Q of an untried move is the value of u (the paper: unsaid).
        """
        scale, even = self.c * sqrt(1 + sum(u.visits)), uniform / len(u.priors)
        scores = [
            (total / n if n else u.value) + scale * ((1.0 - uniform) * prior + even) / (1.0 + n)
            for prior, n, total in zip(u.priors, u.visits, u.total, strict=True)
        ]
        return scores.index(max(scores))

    def improved_policy(self) -> np.ndarray:
        """Returns the shares of the visits (the paper) or softmax(log π + strength · A) (ours).
        A = (Q − V) · τ² / (τ² + σ²/n) is the advantage of a move, 0 if untried, shrunk by its
        noise: the posterior mean of a normal advantage of deviation τ = ``signal``. V is the mean Q
        by π, σ² the variance of a return of one move, with a pseudo-observation of deviation 1/2.
        """
        n, priors = np.array(self.root.visits), np.array(self.root.priors)
        if self.target == "visits":
            return n / n.sum()
        tried, once = n > 0, n.clip(min=1)
        q, weights = np.array(self.root.total) / once, priors.clip(min=1e-6) * tried
        within = np.maximum(self.root.squares - n * q * q, 0).sum() + 0.25
        noise, variance = within / (1 + (once - 1).sum()), self.signal**2
        shrunk = tried * (q - weights @ q / weights.sum()) * variance / (variance + noise / once)
        logits = np.log((priors + 1e-9 * tried).clip(min=1e-9)) + self.strength * shrunk
        return torch.from_numpy(logits).softmax(0).numpy()


class Learner:
    """The policy-value network of a seat (4.2) and the reservoir that it learns from (4.4)."""

    def __init__(self, game: Poker, seat: int, rng: np.random.Generator) -> None:
        nodes = [node for node in game.nodes if node.seat == seat]
        known = dict.fromkeys(game.known(deal, node) for node in nodes for deal in game.deals)
        self.index = dict(zip(known, range(len(known)), strict=True))
        self.observations = torch.from_numpy(np.stack([game.observation(u) for u in known]))
        self.legal = torch.tensor([[a in u[2].legal for a in range(3)] for u in known])
        layers = [nn.Linear(self.observations.shape[1], 64), nn.ReLU(), nn.Linear(64, 64)]
        self.network = nn.Sequential(*layers, nn.ReLU(), nn.Linear(64, 4))
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=2e-3)
        # Rows: index of the information set, target of the three moves, return.
        self.reservoir, self.seen, self.rng = np.zeros((200_000, 5), np.float32), 0, rng

    def outputs(self, at: Tensor) -> tuple[Tensor, Tensor]:
        """Returns log-probabilities of the moves and values, by the index of information sets."""
        raw = self.network(self.observations[at])
        return raw[:, :3].masked_fill(~self.legal[at], -1e9).log_softmax(1), raw[:, 3]

    def table(self) -> Table:
        """Returns what the network says of every information set."""
        with torch.no_grad():
            logs, values = self.outputs(torch.arange(len(self.index)))
        rows = zip(self.index, logs.exp().tolist(), values.tolist(), strict=True)
        return {known: ([p[a] for a in known[2].legal], value) for known, p, value in rows}

    def add(self, known: InformationSet, target: list[float], result: float) -> None:
        """Stores a sample: Vitter, "Random sampling with a reservoir", 1985, algorithm R."""
        room, self.seen = len(self.reservoir), self.seen + 1
        place = self.seen - 1 if self.seen <= room else int(self.rng.integers(self.seen))
        if place < room:
            self.reservoir[place] = self.index[known], 0, 0, 0, result
            self.reservoir[place, [1 + a for a in known[2].legal]] = target

    def learn(self, steps: int = 32, batch: int = 256) -> None:
        """Follows the gradient of the loss C1 · (z − v)² − π · log p; C1 is 1/2."""
        for _ in range(steps):
            picks = self.rng.integers(min(self.seen, len(self.reservoir)), size=batch)
            rows = torch.from_numpy(self.reservoir[picks])
            logs, values = self.outputs(rows[:, 0].long())
            errors = (rows[:, 4] - values)[~rows[:, 4].isnan()]
            self.optimizer.zero_grad()
            ((0.5 * (errors**2).sum() - (rows[:, 1:4] * logs).sum()) / batch).backward()
            self.optimizer.step()


def play(fpmcts: FPMCTS, learner: Learner, searcher: int, rng: np.random.Generator) -> None:
    """Plays a game in which one seat searches (in the paper all do), which makes it a best response
    to the average policies of the others: fictitious play. Stores its decisions. 4.4 SELF-PLAY.
    """
    # Ours: in every other game a fifth of the moves are random, so that rare situations occur, also
    # those after moves that the searching seat hardly makes. (The paper starts with a high
    # temperature.) The results of such games teach no value.
    game, explores = fpmcts.game, rng.random() < 0.5
    deal, node, decisions = game.deals[rng.integers(len(game.deals))], game.start, []
    while node.seat >= 0:
        known = game.known(deal, node)
        policy = fpmcts.table[known][0]
        if node.seat == searcher:
            policy = fpmcts.search(node, fpmcts.infer(known, rng), int(rng.integers(2**63)))
            decisions.append((known, policy))
        if explores and rng.random() < 0.2:
            policy = [1 / len(policy)] * len(policy)
        node = node.children[draw(policy, rng.random())]
    for known, target in decisions:
        result = nan if explores else game.chips(deal, node, searcher) / game.unit
        learner.add(known, target, result)


def nash_conv(game: Poker, table: Table) -> float:
    """Returns the sum over the seats of what a best response gains, in chips."""

    # Weights of deals are the probabilities that they and the other's moves have come about.
    def won(seat: int, node: Node, deals: list[tuple[Deal, float]]) -> float:
        if node.seat < 0:
            return sum(weight * game.chips(deal, node, seat) for deal, weight in deals)
        groups = defaultdict(list)
        for deal, weight in deals:
            groups[game.known(deal, node)].append((deal, weight))
        if node.seat == seat:  # it makes one move in all deals that it cannot tell apart
            return sum(max(won(seat, n, group) for n in node.children) for group in groups.values())
        return sum(
            won(seat, n, [(d, w * table[u][0][k]) for u, group in groups.items() for d, w in group])
            for k, n in enumerate(node.children)
        )

    deals = [(deal, 1 / len(game.deals)) for deal in game.deals]
    return sum(won(seat, game.start, deals) for seat in (0, 1))  # the policies' own sum is 0


def main(name: str, minutes: float, seed: int = 0) -> None:
    """Learns, and reports every few seconds."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    game, rng = GAMES[name], np.random.default_rng(seed)
    learners = [Learner(game, seat, rng) for seat in (0, 1)]
    start, due = time.perf_counter(), 0.0
    for games in count(0, 64):
        fpmcts = FPMCTS(game, learners[0].table() | learners[1].table())
        if (now := time.perf_counter() - start) >= min(due, 60 * minutes):
            due, gap, cpu = now + 5, nash_conv(game, fpmcts.table), time.process_time()
            print(f"{now:4.0f} s, {cpu:.0f} CPU s, {games:5} games: NashConv {gap:.3f}", flush=True)
        if now >= 60 * minutes:
            return
        for seat, learner in enumerate(learners):
            for _ in range(32):
                play(fpmcts, learner, seat, rng)
            learner.learn()


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
