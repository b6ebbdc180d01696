"""A game given by tables, for tests: a public tree of moves and one hidden card per seat.

The deck has K different cards and each of the three seats holds one of them. Which moves are legal
depends on the mover's card, what the game pays on all three. A move may be hidden from other seats,
who see that it is made, but not which (sealed bids, ``Move.hidden_from``): they cannot see its
children apart, and legal moves there must not depend on it. What a seat knows is its card and the
node, up to such moves (``Rules.seen``). Seats may move in any order. Everything can therefore be
checked by enumeration.

Rows of ``Rules`` are made by ``make_rules`` from a nested description (golden trees) or by
``random_rules`` (oracles).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from games.kernels import kernel, random_below
from games.kernels.generic import register_all
from games.play.interface import Game, GameSpec
from networks.resnet import Outputs

SEATS = 3
TEAMS = (0, 1, 1)
NONE = -1


class Rules(NamedTuple):
    """X nodes of the tree (0 is the first), K cards, A actions."""

    seat: np.ndarray  # int8 [X]: seat to move; -1 = the game is over
    child: np.ndarray  # int16 [X, A]
    allowed: np.ndarray  # bool [X, K, A]: legal moves by the mover's card
    payoff: np.ndarray  # float64 [X, K, K, K, 3]: return of each seat, by the cards of the three
    stake: np.ndarray  # float64 [X]
    sure: np.ndarray  # int16 [X, K]: what ``sure_win`` says, by the mover's card
    # The first of the nodes that a seat cannot tell from this one; without hidden moves itself.
    seen: np.ndarray  # int16 [X, 3]


class States(NamedTuple):
    """B states."""

    node: np.ndarray  # int16 [B]
    cards: np.ndarray  # int8 [B, 3]


@kernel
def legal(rules, states, i, actions):
    node = states.node[i]
    card = states.cards[i, rules.seat[node]]
    n = 0
    for a in range(rules.child.shape[1]):
        if rules.allowed[node, card, a]:
            actions[n] = a
            n += 1
    return n


@kernel
def step(rules, states, i, action):
    states.node[i] = rules.child[states.node[i], action]


@kernel
def current_seat(rules, states, i):
    return np.int64(rules.seat[states.node[i]])


@kernel
def team_return(rules, states, i, seat):
    cards = states.cards[i]
    return rules.payoff[states.node[i], cards[0], cards[1], cards[2], seat]


@kernel
def stake(rules, states, i):
    return rules.stake[states.node[i]]


@kernel
def observe(rules, states, i, seat, out):
    out[0, 0] = rules.seen[states.node[i], seat] // 100
    out[0, 1] = rules.seen[states.node[i], seat] % 100
    out[0, 2] = states.cards[i, seat]


@kernel
def infoset_key(rules, states, i, seat):
    return np.uint64(
        100 * np.int64(rules.seen[states.node[i], seat]) + states.cards[i, seat]
    ) * np.uint64(0x9E3779B97F4A7C15)


@kernel
def sure_win(rules, states, i):
    node = states.node[i]
    return np.int64(rules.sure[node, states.cards[i, rules.seat[node]]])


@kernel
def copy_row(rules, source, i, target, j):
    target.node[j] = source.node[i]
    for seat in range(source.cards.shape[1]):
        target.cards[j, seat] = source.cards[i, seat]


register_all(
    Rules, legal, step, current_seat, team_return, stake, observe, infoset_key, sure_win, copy_row
)


def key_of(seen: int, card: int) -> int:
    """Returns the key of what a seat knows, for Python: a node of ``Rules.seen`` and its card."""
    return (100 * seen + card) * 0x9E3779B97F4A7C15 % 2**64


class ToyGame(Game):
    """The Python face."""

    def __init__(self, rules: Rules) -> None:
        num_actions = rules.child.shape[1]
        self.rules = rules
        # The logit of action a is the sum of output a and of one that it shares with the other
        # actions of its parity.
        actions = np.arange(num_actions, dtype=np.int16)
        self.decoder = np.stack(
            [actions, num_actions + actions % 2, np.full(num_actions, NONE, np.int16)], axis=1
        )
        self.spec = GameSpec.of(
            "toy",
            num_actions,
            max_moves=_height(rules, 0),
            max_return=float(np.abs(rules.payoff).max()),
            observation_shape=(1, 3),
            num_seats=SEATS,
            teams=TEAMS,
            policy_size=num_actions + 2,
            mixes=False,
        )

    @property
    def num_cards(self) -> int:
        return self.rules.allowed.shape[1]

    def empty(self, count: int) -> States:
        """Returns ``count`` rows of zeros."""
        return States(np.zeros(count, np.int16), np.zeros((count, SEATS), np.int8))

    def deal(self, seeds: np.ndarray) -> States:
        """Returns random deals; row i depends on ``seeds[i]`` alone."""
        states = self.empty(len(seeds))
        _deal(seeds.copy(), self.num_cards, states.cards)
        return states

    def view(self, states: States, seats: np.ndarray) -> States:
        """Returns a copy in which the cards of the other seats are 0, and moves that the seat has
        not seen are the first.
        """
        own = np.arange(SEATS) == np.asarray(seats)[:, None]
        return States(
            self.rules.seen[states.node, seats], np.where(own, states.cards, 0).astype(np.int8)
        )

    def worlds(self, node: int, card: int) -> States:
        """Returns every state that the mover at a node with a card cannot tell apart, in the order
        of the nodes and the cards.
        """
        seat = int(self.rules.seat[node])
        cards = [c for c in permutations(range(self.num_cards), SEATS) if c[seat] == card]
        nodes = np.flatnonzero(self.rules.seen[:, seat] == self.rules.seen[node, seat]).astype(
            np.int16
        )
        return States(
            np.repeat(nodes, len(cards)), np.tile(np.array(cards, np.int8), (len(nodes), 1))
        )


@kernel
def _deal(rng: np.ndarray, num_cards: int, cards: np.ndarray) -> None:
    for i in range(cards.shape[0]):
        for seat in range(cards.shape[1]):
            fresh = False
            while not fresh:
                cards[i, seat] = random_below(rng, i, num_cards)
                fresh = True
                for other in range(seat):
                    fresh &= cards[i, other] != cards[i, seat]


def _height(rules: Rules, node: int) -> int:
    """Returns the largest number of moves from a node to the end of the game."""
    if rules.seat[node] < 0:
        return 0
    return 1 + max(_height(rules, int(c)) for c in rules.child[node] if c >= 0)


# ------------------------------------------------------------ making a game


@dataclass
class Move:
    """A node where ``seat`` moves: ``children`` by action; ``allowed`` actions by card (all if a
    card is missing).

    The seats in ``hidden_from`` do not see which move is made.
    """

    seat: int
    children: list[Any]
    allowed: dict[int, list[int]] = field(default_factory=dict)
    stake: float = 1.0
    sure: dict[int, int] = field(default_factory=dict)
    hidden_from: tuple[int, ...] = ()


@dataclass
class End:
    """The game is over and pays ``pays`` to team 0, and the opposite to team 1."""

    pays: float | Callable[[int, int, int], float]
    stake: float = 1.0


def make_rules(start: Move, num_cards: int, num_actions: int) -> Rules:
    """Returns the tables of a game; nodes are numbered depth first, children in the order of the
    actions.
    """
    nodes: list[Move | End] = []
    children: dict[int, list[int]] = {}
    seen: list[list[int]] = []
    first: dict[tuple[int, tuple[int, ...]], int] = {}
    """The first node of what a seat has seen: for each move the action, or NONE."""

    def number(node: Move | End, shown: list[tuple[int, ...]]) -> int:
        index = len(nodes)
        nodes.append(node)
        seen.append([first.setdefault((seat, shown[seat]), index) for seat in range(SEATS)])
        if isinstance(node, Move):
            children[index] = [
                number(
                    child,
                    [shown[s] + ((NONE,) if s in node.hidden_from else (a,)) for s in range(SEATS)],
                )
                for a, child in enumerate(node.children)
            ]
        return index

    number(start, [()] * SEATS)
    size, cards = len(nodes), range(num_cards)
    rules = Rules(
        seat=np.array([n.seat if isinstance(n, Move) else NONE for n in nodes], np.int8),
        child=np.full((size, num_actions), NONE, np.int16),
        allowed=np.zeros((size, num_cards, num_actions), np.bool_),
        payoff=np.zeros((size, num_cards, num_cards, num_cards, SEATS)),
        stake=np.array([n.stake for n in nodes]),
        sure=np.full((size, num_cards), NONE, np.int16),
        seen=np.array(seen, np.int16),
    )
    for index, node in enumerate(nodes):
        if isinstance(node, Move):
            rules.child[index, : len(children[index])] = children[index]
            for card in cards:
                rules.allowed[index, card, node.allowed.get(card, range(len(node.children)))] = True
                rules.sure[index, card] = node.sure.get(card, NONE)
        else:
            for held in permutations(cards, SEATS):
                pays = node.pays(*held) if callable(node.pays) else node.pays
                rules.payoff[index][held] = [pays if team == 0 else -pays for team in TEAMS]
    return rules


def random_rules(seed: int, depth: int, num_cards: int = 4, num_actions: int = 4) -> Rules:
    """Returns a random game: seats in any order, forced moves, stakes of 1, 2, 4 ..., draws, some
    sure wins.

    Where ``sure`` names an action, it ends the game and pays the mover's team the stake or twice as
    much, whatever the other cards are.
    """
    rng = np.random.default_rng(seed)

    def end(stake: float) -> End:
        table = rng.choice([-2.0, -1.0, -0.25, 0.0, 0.5, 1.0], size=(num_cards,) * SEATS) * stake
        return End(lambda a, b, c: float(table[a, b, c]), stake)

    def grow(height: int, stake: float, before: int) -> Move | End:
        if height == 0 or (height < depth - 1 and rng.random() < 0.15):
            return end(stake)
        seat = int(rng.integers(SEATS)) if rng.random() < 0.3 else (before + 1) % SEATS
        stakes = stake * rng.choice([1.0, 2.0], rng.integers(1, num_actions + 1), p=[0.8, 0.2])
        children = [grow(height - 1, float(s), seat) for s in stakes]
        num = len(children)
        allowed = {
            c: sorted(rng.choice(num, rng.integers(1, num + 1), replace=False).tolist())
            for c in range(num_cards)
        }
        sure: dict[int, int] = {}
        if rng.random() < 0.2 and num > 1:
            card, action = int(rng.integers(num_cards)), int(rng.integers(num))
            won = stake * float(rng.integers(1, 3))
            pays, other = (won if TEAMS[seat] == 0 else -won), end(won)
            children[action] = End(
                lambda *held: pays if held[seat] == card else other.pays(*held), won
            )
            allowed[card] = sorted({*allowed[card], action})
            sure[card] = action
        return Move(seat, children, allowed, stake, sure)

    start = grow(depth, 1.0, SEATS - 1)
    assert isinstance(start, Move)
    start.allowed, start.sure = {}, {}
    return make_rules(start, num_cards, num_actions)


def sealed_rules(seed: int, depth: int = 6, num_cards: int = 4) -> Rules:
    """Returns a random game in which moves are hidden from some of the other seats, who move in
    turn; seat 0 begins.

    Who moves, what is legal by card, and from whom it is hidden follow from the number of moves
    made.
    """
    rng = np.random.default_rng(seed)
    nums = rng.integers(2, 4, depth).tolist()
    allowed = [
        {
            c: sorted(rng.choice(n, rng.integers(1, n + 1), replace=False).tolist())
            for c in range(num_cards)
        }
        for n in nums
    ]
    allowed[0] = {}
    hidden = [
        tuple(s for s in range(SEATS) if s != k % SEATS and rng.random() < 0.6)
        for k in range(depth)
    ]

    def grow(k: int) -> Move | End:
        if k == depth:
            table = rng.choice([-1.0, -0.25, 0.0, 0.5, 1.0], size=(num_cards,) * SEATS)
            return End(lambda a, b, c: float(table[a, b, c]))
        return Move(
            k % SEATS, [grow(k + 1) for _ in range(nums[k])], allowed[k], hidden_from=hidden[k]
        )

    start = grow(0)
    assert isinstance(start, Move)
    return make_rules(start, num_cards, num_actions=3)


# ------------------------------------------------------------ evaluation


class Tables:
    """A fake network: outputs looked up by node and card of the mover, hence the same in a batch of
    any size.

    Attributes:
        policy: float32 ``[X, K, policy_size]``. value: float32 ``[X, K]``, in units of the stake.
        calls: What was asked: a list of (node, card, seat).
    """

    def __init__(self, game: ToyGame, seed: int | None = None) -> None:
        """Outputs that are random functions of the observation; all zero without a seed."""
        shape = game.rules.allowed.shape[:2]
        rng = np.random.default_rng(seed)
        scale = 0.0 if seed is None else 1.0
        self.policy = (scale * rng.normal(size=(*shape, game.spec.policy_size))).astype(np.float32)
        self.value = (scale * rng.uniform(-1, 1, size=shape)).astype(np.float32)
        self.calls: list[tuple[int, int, int]] = []

    def set_probabilities(self, node: int, probabilities: list[float]) -> None:
        """Makes the policy at a node the given one, whatever the card."""
        self.policy[node] = 0.0
        with np.errstate(divide="ignore"):
            self.policy[node, :, : len(probabilities)] = np.maximum(
                np.log(np.array(probabilities)), -100.0
            )

    def evaluate(self, observations: np.ndarray, seats: np.ndarray) -> Outputs[np.ndarray]:
        """Returns the outputs of a batch of observations."""
        nodes, cards = (
            observations[:, 0, 0].astype(int) * 100 + observations[:, 0, 1],
            observations[:, 0, 2],
        )
        self.calls += zip(nodes.tolist(), cards.tolist(), seats.tolist(), strict=True)
        return Outputs(
            self.policy[nodes, cards],
            self.value[nodes, cards],
            np.zeros((len(nodes), 5, 3), np.float32),
        )
