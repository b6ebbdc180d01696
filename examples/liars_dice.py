"""Liar's dice: dice under cups, and bids on what lies under all of them.

Each seat rolls its dice in secret. In turn the seats bid "n dice show f", each more than the bid
before (more dice, or as many of a higher face), until one calls the other a liar. The highest face
is wild. If the bid was true, the caller loses 1, otherwise the bidder does. These are the rules of
OpenSpiel's ``liars_dice``.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import NamedTuple

import numpy as np

from games import dealt
from games.dealt import Dealt, DealtGame
from games.generic import register_all
from games.interface import GameSpec
from games.kernels import kernel
from games.settings import setting


class Rules(NamedTuple):
    """What never changes; its type selects the kernels.

    Attributes:
        hands: int16 ``[D, 2]``, the rolls of both seats in each deal.
        chances: float64 ``[D]``.
        shown: int8 ``[R, faces]``, how many dice of a roll count as each face.
        calls: The action "liar"; bid b is action b: of ``1 + b // faces`` dice, face ``b % faces``.
    """

    hands: np.ndarray
    chances: np.ndarray
    shown: np.ndarray
    calls: int


@kernel
def current_seat(rules: Rules, states: Dealt, i: int) -> int:
    length = states.length[i]
    return -1 if length > 0 and states.moves[i, length - 1] == rules.calls else length % 2


@kernel
def legal(rules: Rules, states: Dealt, i: int, actions: np.ndarray) -> int:
    length = states.length[i]
    first = states.moves[i, length - 1] + 1 if length > 0 else 0
    count = rules.calls - first + (length > 0)
    for k in range(count):
        actions[k] = first + k
    return count


@kernel
def team_return(rules: Rules, states: Dealt, i: int, seat: int) -> float:
    caller, bid = (states.length[i] - 1) % 2, np.int64(states.moves[i, states.length[i] - 2])
    faces, count = rules.shown.shape[1], 0
    for hand in states.hands[i]:
        count += rules.shown[hand, bid % faces]
    return 1.0 if (seat == caller) == (count <= bid // faces) else -1.0


@kernel
def observe(rules: Rules, states: Dealt, i: int, seat: int, out: np.ndarray) -> None:
    out[:] = 0
    for face in range(rules.shown.shape[1]):
        out[0, face] = rules.shown[states.hands[i, seat], face]
    for k in range(states.length[i]):
        out[1 + (seat + k) % 2, states.moves[i, k]] = 1


register_all(Rules, dealt, current_seat, legal, team_return, observe)


class LiarsDice(DealtGame):
    @dataclass(frozen=True)
    class Options:
        """The dice."""

        dice: int = setting(1, least=1, most=3, help="Dice of each player.")
        faces: int = setting(6, least=2, most=8, help="Faces of a die.")

    def __init__(self, options: Options = Options()) -> None:
        super().__init__(options)
        dice, faces = options.dice, options.faces
        rolls = list(combinations_with_replacement(range(faces), dice))
        ways = np.array(
            [factorial(dice) / prod(map(factorial, Counter(r).values())) for r in rolls]
        )
        shown = np.array(
            [[sum(d in (f, faces - 1) for d in r) for f in range(faces)] for r in rolls]
        )
        calls = 2 * dice * faces
        hands = np.indices((len(rolls), len(rolls))).reshape(2, -1).T
        self.rules = Rules(
            np.ascontiguousarray(hands, np.int16),
            np.outer(ways, ways).reshape(-1) / faces ** (2 * dice),
            shown.astype(np.int8),
            calls,
        )
        self.hand_names = tuple(" ".join(str(d + 1) for d in roll) for roll in rolls)
        self.action_names = (*(f"{1 + b // faces}x{b % faces + 1}" for b in range(calls)), "liar")
        self.spec = GameSpec.of(
            __name__,
            num_actions=calls + 1,
            max_moves=calls + 1,
            max_return=1.0,
            observation_shape=(3, calls + 1),
        )


GAME = LiarsDice
