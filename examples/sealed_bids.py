"""Sealed bids, a small game with hidden cards and hidden moves; docs/adding-a-game.md explains
every line.

Two seats, three cards: each seat holds one. Seat 0 puts 0, 1 or 2 chips under a cup, then seat 1
does. Nobody sees what is under the other's cup. Then seat 0 folds and loses one chip, or calls: the
higher card wins one chip and all that lies under both cups.
"""

from dataclasses import dataclass
from itertools import permutations
from typing import NamedTuple

import numpy as np

from games.base.settings import setting
from games.kernels import kernel, mix64
from games.kernels.generic import HIDDEN_MOVE, copy_row, register_all
from games.play.interface import Game, GameSpec, ScoreUnit

NONE, FOLD, CALL = -1, 3, 4
LEGAL = np.array([[0, 1, 2], [0, 1, 2], [FOLD, CALL, NONE]], np.int16)


class Rules(NamedTuple):
    """What never changes; its type selects the kernels.

    Attributes:
        values: Number of cards.
        legal: int16 ``[3, 3]``, the legal actions by turn.
    """

    values: int
    legal: np.ndarray


class States(NamedTuple):
    """B states.

    Attributes:
        cards: int8 ``[B, 2]``, by seat.
        bids: int8 ``[B, 2]``, by seat.
        turn: int8 ``[B]``, 0 to 2, then FOLD or CALL.
    """

    cards: np.ndarray
    bids: np.ndarray
    turn: np.ndarray


@kernel
def current_seat(rules: Rules, states: States, i: int) -> int:
    return int(states.turn[i] % 2 if states.turn[i] < 3 else -1)


@kernel
def legal(rules: Rules, states: States, i: int, actions: np.ndarray) -> int:
    actions[:3] = rules.legal[states.turn[i]]
    return 3 if states.turn[i] < 2 else 2


@kernel
def step(rules: Rules, states: States, i: int, action: int) -> None:
    turn = states.turn[i]
    if turn < 2:
        states.bids[i, turn] = action
    states.turn[i] = turn + 1 if turn < 2 else action


@kernel
def team_return(rules: Rules, states: States, i: int, seat: int) -> float:
    if states.turn[i] == FOLD:
        return 1.0 if seat == 1 else -1.0
    chips = 1.0 + states.bids[i, 0] + states.bids[i, 1]
    return chips if states.cards[i, seat] > states.cards[i, 1 - seat] else -chips


@kernel
def seen_move(rules: Rules, states: States, i: int, action: int, seat: int) -> int:
    return int(action if states.turn[i] == 2 or seat == states.turn[i] else HIDDEN_MOVE)


@kernel
def observe(rules: Rules, states: States, i: int, seat: int, out: np.ndarray) -> None:
    out[:] = 0
    out[0, states.cards[i, seat]] = 1
    if states.bids[i, seat] != NONE:
        out[1, states.bids[i, seat]] = 1
    out[2, min(states.turn[i], 2)] = 1


@kernel
def infoset_key(rules: Rules, states: States, i: int, seat: int) -> np.uint64:
    known = (states.cards[i, seat] * 4 + states.bids[i, seat] + 1) * 5 + states.turn[i]
    return mix64(np.uint64(2 * known + seat + 1))


@kernel
def erase(rules: Rules, states: States, i: int, seat: int) -> None:
    states.cards[i, 1 - seat] = states.bids[i, 1 - seat] = NONE


@kernel
def hidden_of(rules: Rules, states: States, i: int, seat: int, hidden: np.ndarray) -> None:
    # One word: the other's card and bid.
    hidden[0] = states.cards[i, 1 - seat] + 8 * (states.bids[i, 1 - seat] + 1)


@kernel
def list_hidden(rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray) -> int:
    count, has_bid = 0, views.turn[i] > 1 - seat
    for code in range(32):
        if code % 8 < rules.values and code % 8 != views.cards[i, seat] and (code >= 8) == has_bid:
            if count == hidden.shape[0]:
                return -1
            hidden[count, 0] = code
            count += 1
    return count


@kernel
def fill_world(
    rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray, worlds: States, j: int
) -> bool:
    card, other = np.int64(hidden[0]) % 8, 1 - seat
    copy_row(rules, views, i, worlds, j)
    worlds.cards[j, other] = card
    worlds.bids[j, other] = np.int64(hidden[0]) // 8 - 1 if views.turn[i] > other else NONE
    return card != views.cards[i, seat]


@kernel
def start_view(rules: Rules, views: States, i: int, seat: int, starts: States, j: int) -> None:
    copy_row(rules, views, i, starts, j)
    starts.bids[j] = NONE
    starts.turn[j] = 0


@kernel
def played_move(
    rules: Rules, worlds: States, i: int, seat: int, seen: int, hidden: np.ndarray
) -> int:
    return int(seen if seen >= 0 else np.int64(hidden[0]) // 8 - 1)


register_all(
    Rules,
    current_seat,
    legal,
    step,
    team_return,
    seen_move,
    observe,
    infoset_key,
    erase,
    hidden_of,
    list_hidden,
    fill_world,
    start_view,
    played_move,
)


class SealedBids(Game):
    @dataclass(frozen=True)
    class Options:
        """How it is played."""

        values: int = setting(
            3, least=2, most=8, help="Cards in the deck, worth 0, 1, 2 and so on."
        )

    action_names = ("bid 0", "bid 1", "bid 2", "fold", "call")

    def __init__(self, options: Options = Options()) -> None:
        super().__init__(options)
        self.deals = np.array(list(permutations(range(options.values), 2)), np.int8)
        self.rules = Rules(options.values, LEGAL)
        self.spec = GameSpec(
            name=__name__,
            num_seats=2,
            teams=(0, 1),
            team_names=("first", "second"),
            seat_names=("first", "second"),
            num_actions=5,
            policy_size=5,
            max_legal=3,
            max_moves=3,
            max_return=5.0,
            has_private_moves=True,
            mixes=True,
            observation_shape=(3, max(3, options.values)),
            observation_scale=np.ones(3, np.float32),
            score=ScoreUnit(
                name="chips", key="chips", per_return=1.0, digits=3, reports_wins=False
            ),
        )

    def starts(self) -> tuple[States, np.ndarray]:
        cards = self.deals
        begun = States(cards, np.full_like(cards, NONE), np.zeros(len(cards), np.int8))
        return begun, np.full(len(cards), 1 / len(cards))


GAME = SealedBids
