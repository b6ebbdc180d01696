"""FPMCTS on the toy game, to be read next to Algorithm 1 of the paper: dictionaries, recursion, one
simulation at a time.

It shares no code with ``fpmcts`` or with the game's kernels, only these conventions:

- Random numbers. A lane's SplitMix64 stream gives the seed of the search. The v-th visit of a root
  move (from 0) uses world v mod W and a stream that starts at mix64(seed + v · γ). It gives one
  number for each unforced move of another player, and for each own move that is drawn; for the
  first move of the root, a stream that starts at the seed does.
- Rounding. Logits and probabilities are float32; everything else is float64.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from fpmcts.search.search import SearchSettings
from tests.search.toy_game import Tables, ToyGame

GAMMA = 0x9E3779B97F4A7C15
MASK = 2**64 - 1


def mix64(x: int) -> int:
    """Returns the finaliser of SplitMix64."""
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


class Stream:
    """A SplitMix64 stream."""

    def __init__(self, state: int) -> None:
        self.state = state & MASK

    def next(self) -> int:
        self.state = self.state + GAMMA & MASK
        return mix64(self.state)

    def uniform(self) -> float:
        return (self.next() >> 11) / 2**53


def draw(policy: dict[int, float], stream: Stream) -> int:
    """Returns an action drawn from a policy."""
    u = stream.uniform()
    for action, probability in policy.items():
        u -= probability
        if u < 0:
            return action
    return max(policy)


@dataclass
class Edge:
    """Statistics of an action."""

    prior: float
    visits: int = 0
    returns: list[float] = field(default_factory=list)

    @property
    def q(self) -> float:
        return sum(self.returns) / len(self.returns)


@dataclass
class Node:
    """An information set of the searching player; no edges where it is solved."""

    value: float
    edges: dict[int, Edge]
    visits: int = 1


@dataclass
class Verdict:
    """What SearchResult says of one position; lists by legal action."""

    actions: list[int]
    visits: list[int]
    q: list[float]
    target: list[float]
    value: float
    choice: int


class Oracle:
    """A search of one position.

    Args:
        settings: SearchSettings.
        room: Edges that the tree can hold.
    """

    def __init__(
        self,
        game: ToyGame,
        tables: Tables,
        settings: SearchSettings,
        win_only: bool,
        room: float = math.inf,
    ) -> None:
        self.rules, self.game, self.tables, self.settings, self.win_only = (
            game.rules,
            game,
            tables,
            settings,
            win_only,
        )
        self.room, self.dropped = room, 0
        self.tree: dict[int, Node] = {}
        """By the node as the searcher sees it; its card is the same in all of them."""

    # SEARCH
    def search(self, worlds: list[tuple[int, tuple[int, ...]]], lane: Stream) -> Verdict:
        """Searches for the seat to move; a world is a node and the cards of the three seats."""
        settings = self.settings
        self.seat = int(self.rules.seat[worlds[0][0]])
        self.root = self.seen(worlds[0][0])
        self.root_stake = self.rules.stake[worlds[0][0]]
        seed = lane.next()
        self.expand(*worlds[0])
        edges = self.tree[self.root].edges
        for k in range(settings.playouts):
            if settings.draw_first and k == 0:
                action = self.drawn(self.tree[self.root], Stream(seed))
            else:
                action = self.puct(self.tree[self.root], settings.uniform)
            visit = edges[action].visits
            node, cards = worlds[visit % len(worlds)]
            self.simulate(node, cards, Stream(mix64(seed + visit * GAMMA & MASK)), action)
        return self.verdict()

    # SIMULATE: returns v, after UPDATE of the edges below
    def simulate(
        self, node: int, cards: tuple[int, ...], stream: Stream, root_action: int | None = None
    ) -> float:
        rules = self.rules
        seat = int(rules.seat[node])
        if seat < 0:  # ISTERMINAL
            payoff = float(rules.payoff[node][cards][self.seat])
            return float(np.sign(payoff)) if self.win_only else payoff / self.root_stake
        actions = self.legal(node, cards[seat])
        if len(actions) == 1:
            return self.simulate(int(rules.child[node, actions[0]]), cards, stream)
        if seat != self.seat:  # a ~ pi_k(I_k(s))
            if (ended := self.sure_end(node, cards)) is not None:
                return self.simulate(ended, cards, stream)
            return self.simulate(self.sampled(node, cards, stream), cards, stream)
        known = self.seen(node)
        if known not in self.tree:
            value = self.expand(node, cards)
            solved = known in self.tree and not self.tree[known].edges
            return (
                value
                if solved or not self.settings.rollout
                else self.play_out(node, cards, stream, value)
            )
        u_i = self.tree[known]
        if not u_i.edges:
            u_i.visits += 1
            return u_i.value
        if root_action is not None:
            action = root_action
        elif self.settings.draw_first and u_i.visits == 1:
            action = self.drawn(u_i, stream)  # line 23: a ~ pi_i(u_i)
        else:
            action = self.puct(u_i)
        u_i.visits += 1
        u_i.edges[action].visits += 1
        value = self.simulate(int(rules.child[node, action]), cards, stream)
        u_i.edges[action].returns.append(value)  # UPDATE
        return value

    def sampled(self, node: int, cards: tuple[int, ...], stream: Stream) -> int:
        """Returns the node after a move drawn from the policy of the seat to move."""
        policy = self.policy(node, cards[int(self.rules.seat[node])])
        return int(self.rules.child[node, draw(policy, stream)])

    def drawn(self, u: Node, stream: Stream) -> int:
        """Returns a move drawn from the policy of a node."""
        return draw({action: edge.prior for action, edge in u.edges.items()}, stream)

    def sure_end(self, node: int, cards: tuple[int, ...]) -> int | None:
        """Returns where the sure win of the seat to move leads, None if it has none or nobody looks
        for it.
        """
        winner = int(self.rules.seat[node])
        if not self.settings.solve or self.rules.sure[node, cards[winner]] < 0:
            return None
        while (seat := int(self.rules.seat[node])) >= 0:
            action = (
                int(self.rules.sure[node, cards[seat]])
                if seat == winner
                else self.legal(node, cards[seat])[0]
            )
            if action < 0:
                break
            node = int(self.rules.child[node, action])
        return node

    # Ours: the leaf is played out, the values of the searching player on the way and the result are
    # blended
    def play_out(self, node: int, cards: tuple[int, ...], stream: Stream, value: float) -> float:
        decay, blended, weight, leaf = self.settings.rollout, 0.0, 1.0, node
        while True:
            seat = int(self.rules.seat[node])
            if seat < 0:
                return blended + weight * self.simulate(node, cards, stream)
            actions = self.legal(node, cards[seat])
            if len(actions) == 1:
                node = int(self.rules.child[node, actions[0]])
                continue
            if node != leaf and (ended := self.sure_end(node, cards)) is not None:
                node = ended
                continue
            if seat == self.seat:
                if node != leaf:
                    unit = 1.0 if self.win_only else self.rules.stake[node] / self.root_stake
                    value = float(self.tables.value[self.seen(node), cards[seat]]) * unit
                blended += weight * (1.0 - decay) * value
                weight *= decay
            node = self.sampled(node, cards, stream)

    # EXPANDTREE
    def expand(self, node: int, cards: tuple[int, ...]) -> float:
        card = cards[self.seat]
        unit = 1.0 if self.win_only else self.rules.stake[node] / self.root_stake
        known = self.seen(node)
        if known != self.root and self.settings.solve and self.rules.sure[node, card] >= 0:
            self.tree[known] = Node(self.sure_return(node, cards), {})
            return self.tree[known].value
        value = float(self.tables.value[known, card]) * unit
        priors = self.policy(node, card)
        if sum(len(u.edges) for u in self.tree.values()) + len(priors) > self.room:
            self.dropped += 1
        else:
            self.tree[known] = Node(
                float(np.float32(value)), {a: Edge(p) for a, p in priors.items()}
            )
        return value

    def sure_return(self, node: int, cards: tuple[int, ...]) -> float:
        """Plays a sure win out; the others answer with their first move."""
        if self.win_only:
            return 1.0
        seat = int(self.rules.seat[node])
        if seat < 0:
            return float(self.rules.payoff[node][cards][self.seat]) / self.root_stake
        action = (
            int(self.rules.sure[node, cards[seat]])
            if seat == self.seat
            else self.legal(node, cards[seat])[0]
        )
        return self.sure_return(int(self.rules.child[node, action]), cards)

    # SELECT: argmax Q(u, a) + c · pi(u, a) · sqrt(N(u)) / (1 + N(u, a)), the first of equals
    def puct(self, u: Node, uniform: float = 0.0) -> int:
        def score(action: int) -> float:
            edge = u.edges[action]
            q = edge.q if edge.returns else u.value
            prior = (1 - uniform) * edge.prior + uniform / len(u.edges)
            return q + self.settings.c * math.sqrt(u.visits) * prior / (1 + edge.visits)

        return max(u.edges, key=score)

    def seen(self, node: int) -> int:
        """Returns the node as the searcher sees it."""
        return int(self.rules.seen[node, self.seat])

    def legal(self, node: int, card: int) -> list[int]:
        return np.flatnonzero(self.rules.allowed[node, card]).tolist()

    def policy(self, node: int, card: int) -> dict[int, float]:
        """Returns softmax of the sums of the outputs that the decoder lists."""
        outputs = self.tables.policy[self.rules.seen[node, self.rules.seat[node]], card]
        actions = self.legal(node, card)
        logits = [
            sum((outputs[k] for k in self.game.decoder[a] if k >= 0), np.float32(0))
            for a in actions
        ]
        weights = np.exp(np.array(logits, np.float64) - float(max(logits)))
        probabilities = (weights.astype(np.float32) / weights.sum()).astype(np.float32)
        return dict(zip(actions, probabilities.tolist(), strict=True))

    def advantages(self) -> tuple[float, dict[int, float]]:
        """Returns the baseline and the advantages, shrunk by their noise."""
        root = self.tree[self.root]
        seen = {a: e for a, e in root.edges.items() if e.returns}
        if not seen:
            return root.value, dict.fromkeys(root.edges, 0.0)
        baseline = sum(e.prior * e.q for e in seen.values()) / sum(e.prior for e in seen.values())
        squares = sum((v - e.q) ** 2 for e in seen.values() for v in e.returns)
        variance = (squares + 0.25) / (sum(len(e.returns) - 1 for e in seen.values()) + 1)
        prior_variance = self.settings.signal**2
        return baseline, {
            a: (e.q - baseline) * prior_variance / (prior_variance + variance / len(e.returns))
            if e.returns
            else 0.0
            for a, e in root.edges.items()
        }

    def verdict(self) -> Verdict:
        edges = self.tree[self.root].edges
        actions = list(edges)
        if self.settings.target == "advantages":
            baseline, advantages = self.advantages()
            weights = {
                a: (edges[a].prior + self.settings.prior_floor * bool(edges[a].returns))
                * math.exp(self.settings.strength * advantages[a])
                for a in actions
            }
            choice = max(actions, key=lambda a: weights[a])
        else:
            baseline = 0.0  # unvisited moves have no share
            weights = {a: float(edges[a].visits) for a in actions}
            choice = max(actions, key=lambda a: edges[a].visits + 0.5 * edges[a].prior)
        target = [weights[a] / sum(weights.values()) for a in actions]
        q = [edges[a].q if edges[a].returns else math.nan for a in actions]
        value = sum(p * (baseline if math.isnan(x) else x) for p, x in zip(target, q, strict=True))
        return Verdict(actions, [edges[a].visits for a in actions], q, target, value, choice)
