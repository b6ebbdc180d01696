"""Games in which chance comes first and everybody sees all moves: dice, Kuhn poker.

The kernels of ``games.generic`` that such games share. Each seat gets one number (*hand*), then the
seats move, and a state (``Dealt``) is the hands and the moves so far. A game registers this module,
``register_all(Rules, dealt, …)``, with its own ``current_seat``, ``legal`` and ``team_return``; an
``observe`` of its own replaces the one below. Its class derives from ``DealtGame``, and its
``Rules`` have two fields:

    hands: int16 ``[D, seats]``, the hands of each deal; all deals differ.
    chances: float64 ``[D]``, the probabilities of the deals.
"""

from typing import Any, NamedTuple

import numpy as np

from games.generic import copy_row
from games.interface import Game, Json
from games.kernels import kernel, mix64, random_index
from games.rows import Rules, States

NONE = -1
"""An unseen hand, or a move not yet made."""


class Dealt(NamedTuple):
    """B states.

    Attributes:
        hands: int16 ``[B, seats]``.
        moves: int16 ``[B, max_moves]``, the actions so far.
        length: int16 ``[B]``, their number.
    """

    hands: np.ndarray
    moves: np.ndarray
    length: np.ndarray


@kernel
def step(rules: Rules, states: States, i: int, action: int) -> None:
    states.moves[i, states.length[i]] = action
    states.length[i] += 1


@kernel
def observe(rules: Rules, states: States, i: int, seat: int, out: np.ndarray) -> None:
    """The hand in the first plane, then a plane for each move."""
    out[:] = 0
    out[0, states.hands[i, seat]] = 1
    for k in range(states.length[i]):
        out[1 + k, states.moves[i, k]] = 1


@kernel
def infoset_key(rules: Rules, states: States, i: int, seat: int) -> np.uint64:
    key = mix64(np.uint64(states.hands[i, seat] * states.hands.shape[1] + seat + 1))
    for k in range(states.length[i]):
        key = mix64(key ^ np.uint64(states.moves[i, k] + 1))
    return key


@kernel
def erase(rules: Rules, states: States, i: int, seat: int) -> None:
    for other in range(states.hands.shape[1]):
        if other != seat:
            states.hands[i, other] = NONE


# A world is the number of its deal.


@kernel
def hidden_of(rules: Rules, states: States, i: int, seat: int, hidden: np.ndarray) -> None:
    for deal in range(rules.chances.size):
        if np.all(rules.hands[deal] == states.hands[i]):
            hidden[0] = deal


@kernel
def list_hidden(rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray) -> int:
    count = 0
    for deal in range(rules.chances.size):
        if rules.hands[deal, seat] == views.hands[i, seat]:
            if count == hidden.shape[0]:
                return -1
            hidden[count, 0] = deal
            count += 1
    return count


@kernel
def _weights(rules: Rules, views: States, i: int, seat: int) -> np.ndarray:
    return rules.chances * (rules.hands[:, seat] == views.hands[i, seat])


@kernel
def draw_hidden(
    rules: Rules, views: States, i: int, seat: int, rng: np.ndarray, lane: int, hidden: np.ndarray
) -> None:
    weights = _weights(rules, views, i, seat)
    total = weights.sum()
    for k in range(hidden.shape[0]):
        hidden[k, 0] = random_index(rng, lane, weights, weights.size, total)


@kernel
def log_prior_hidden(rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray) -> float:
    return np.log(rules.chances[np.int64(hidden[0])] / _weights(rules, views, i, seat).sum())


@kernel
def fill_world(
    rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray, worlds: States, j: int
) -> bool:
    copy_row(rules, views, i, worlds, j)
    worlds.hands[j] = rules.hands[np.int64(hidden[0])]
    return worlds.hands[j, seat] == views.hands[i, seat]


@kernel
def start_view(rules: Rules, views: States, i: int, seat: int, starts: States, j: int) -> None:
    copy_row(rules, views, i, starts, j)
    starts.moves[j] = NONE
    starts.length[j] = 0


class DealtGame(Game):
    """A game of this kind. It must define ``rules``, ``spec`` and ``action_names``.

    Attributes:
        hand_names: A text for each hand, for people.
    """

    rules: Any
    hand_names: tuple[str, ...] = ()

    def starts(self) -> tuple[Dealt, np.ndarray]:
        """Returns all deals, and their probabilities."""
        hands = self.rules.hands.copy()
        moves = np.full((len(hands), self.spec.max_moves), NONE, np.int16)
        return Dealt(hands, moves, np.zeros(len(hands), np.int16)), self.rules.chances

    def view_fields(
        self, views: States, row: int, seat: int, moves: np.ndarray, is_over: bool
    ) -> Json:
        """Returns the seat's hand, or all hands of a finished game."""
        texts = [self.hand_names[hand] for hand in views.hands[row] if hand != NONE]
        return {"hands": texts} if is_over else {"hand": self.hand_names[views.hands[row, seat]]}
