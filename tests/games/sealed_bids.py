"""A game with private moves, for tests: two seats with a card each bid under cover, one may look at
the card that is left.

Seat 0 bids (the other sees that it did, not how much), so does seat 1; then seat 0 looks at the
third card or skips, of which seat 1 sees nothing; then seat 1 calls or folds. The higher card wins
the other's bid and one chip. A bid is 0 to 9; 0, 5 and 9 are listed.
"""

from typing import NamedTuple

import numpy as np

from games.generic import HIDDEN_MOVE, UNSEEN_MOVE, register_all
from games.interface import Game, GameSpec, ScoreUnit
from games.kernels import kernel, random_below

LOOK, SKIP, CALL, FOLD = 10, 11, 12, 13
TEXTS = (*(f"bid {amount}" for amount in range(10)), "look", "skip", "call", "fold")
NONE = -1


class Rules(NamedTuple):
    """Nothing but a type. Attributes: listed: int16 ``[3]``, the bids that ``legal`` lists."""

    listed: np.ndarray


class States(NamedTuple):
    """B states. Attributes: cards: int8 ``[B, 3]``; bids: int8 ``[B, 2]``; turn: int8 ``[B]``;
    folded: bool ``[B]``."""

    cards: np.ndarray
    bids: np.ndarray
    turn: np.ndarray
    folded: np.ndarray


@kernel
def current_seat(rules: Rules, states: States, i: int) -> int:
    turn = np.int64(states.turn[i])
    return turn % 2 if turn < 4 else np.int64(-1)


@kernel
def legal(rules: Rules, states: States, i: int, actions: np.ndarray) -> int:
    if states.turn[i] < 2:
        actions[:3] = rules.listed
        return 3
    actions[0] = 10 if states.turn[i] == 2 else 12
    actions[1] = actions[0] + 1
    return 2


@kernel
def is_legal(rules: Rules, states: States, i: int, action: int) -> bool:
    if states.turn[i] < 2:
        return 0 <= action < 10
    return action // 2 == (5 if states.turn[i] == 2 else 6)


@kernel
def step(rules: Rules, states: States, i: int, action: int) -> None:
    if states.turn[i] < 2:
        states.bids[i, states.turn[i]] = action
    states.folded[i] = action == 13
    states.turn[i] += 1


@kernel
def seen_move(rules: Rules, states: States, i: int, action: int, seat: int) -> int:
    if seat == states.turn[i] % 2 or states.turn[i] == 3:
        return np.int64(action)
    return np.int64(-3) if states.turn[i] == 2 else np.int64(-2)


@kernel
def team_return(rules: Rules, states: States, i: int, seat: int) -> float:
    won = 0 if states.folded[i] or states.cards[i, 0] > states.cards[i, 1] else 1
    chips = 1.0 + states.bids[i, 1 - won]
    return chips if seat == won else -chips


@kernel
def _deal(seeds: np.ndarray, cards: np.ndarray) -> None:
    for i in range(seeds.size):
        for k in range(3):
            cards[i, k] = k
        for k in range(3):
            other = k + random_below(seeds, i, 3 - k)
            cards[i, k], cards[i, other] = cards[i, other], cards[i, k]


register_all(Rules, current_seat, legal, is_legal, step, seen_move, team_return)
assert (HIDDEN_MOVE, UNSEEN_MOVE) == (-2, -3)


class SealedBids(Game):
    """The Python face, as far as a table needs it."""

    action_names = TEXTS

    def __init__(self) -> None:
        self.rules = Rules(np.array([0, 5, 9], np.int16))
        self.spec = GameSpec(
            name="sealed_bids",
            num_seats=2,
            teams=(0, 1),
            num_actions=len(TEXTS),
            observation_shape=(1, 4),
            observation_scale=np.ones(1, np.float32),
            policy_size=len(TEXTS),
            max_legal=3,
            max_moves=4,
            max_return=10.0,
            team_names=("A", "B"),
            seat_names=("A", "B"),
            score=ScoreUnit(name="chips", key="chips", per_return=1.0, digits=2, tells_wins=False),
            mixes=True,
            has_private_moves=True,
        )

    def _start(self, cards: np.ndarray) -> States:
        n = len(cards)
        return States(
            cards.astype(np.int8),
            np.full((n, 2), NONE, np.int8),
            np.zeros(n, np.int8),
            np.zeros(n, np.bool_),
        )

    def deal(self, seeds: np.ndarray) -> States:
        states = self._start(np.zeros((len(seeds), 3)))
        _deal(seeds.copy(), states.cards)
        return states

    def view(self, states: States, seats: np.ndarray) -> States:
        seats = np.asarray(seats)[:, None]
        bids = np.where(
            (np.arange(2) == seats) | (states.bids == NONE), states.bids, -2
        )  # -2: it has bid
        cards = np.where(np.arange(3) == seats, states.cards, NONE)
        turn = np.where(
            (seats[:, 0] == 1) & (states.turn == 2), 3, states.turn
        )  # seat 1 does not see that the other looks
        return States(
            cards.astype(np.int8), bids.astype(np.int8), turn.astype(np.int8), states.folded.copy()
        )
