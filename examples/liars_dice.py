"""Liar's dice in plain Python: dice under cups, and bids on what lies under all of them.

Each seat rolls its dice in secret. In turn the seats bid "n dice show f", each more than the bid
before (more dice, or as many of a higher face), until one calls the other a liar. The highest face
is wild. If the bid was true, the caller loses 1, otherwise the bidder does. These are the rules of
OpenSpiel's ``liars_dice``. A state is the rolls and the bids; bid b says ``1 + b // faces`` dice of
face ``b % faces``.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from games.base.settings import setting
from games.tree import TreeGame

State = tuple[Any, tuple[int, ...]]


class LiarsDice(TreeGame):
    @dataclass(frozen=True)
    class Options:
        """The dice."""

        dice: int = setting(1, least=1, most=3, help="Dice of each player.")
        faces: int = setting(6, least=2, most=8, help="Faces of a die.")

    def __init__(self, options: Options = Options()) -> None:
        self.faces, self.liar = options.faces, 2 * options.dice * options.faces
        bids = range(self.liar)
        self.action_names = (*(f"{1 + b // self.faces}x{b % self.faces + 1}" for b in bids), "liar")
        super().__init__(options)

    def deals(self) -> Iterator[tuple[State, float]]:
        rolls = [tuple(sorted(r)) for r in product(range(self.faces), repeat=self.options.dice)]
        for pair in sorted(set(product(rolls, rolls))):
            yield (pair, ()), rolls.count(pair[0]) * rolls.count(pair[1]) / len(rolls) ** 2

    def mover(self, state: State) -> int:
        rolls, bids = state
        return -1 if bids[-1:] == (self.liar,) else len(bids) % 2

    def legal(self, state: State) -> range:
        rolls, bids = state
        return range(bids[-1] + 1, self.liar + 1) if bids else range(self.liar)

    def step(self, state: State, action: int) -> State:
        rolls, bids = state
        return rolls, (*bids, action)

    def returns(self, state: State) -> tuple[float, float]:
        rolls, (*bids, liar) = state
        face, caller = bids[-1] % self.faces, len(bids) % 2
        count = sum(die in (face, self.faces - 1) for roll in rolls for die in roll)
        caller_wins = count <= bids[-1] // self.faces
        return (1.0, -1.0) if caller_wins == (caller == 0) else (-1.0, 1.0)

    def seen(self, state: State, seat: int) -> tuple[Any, ...]:
        rolls, bids = state
        return rolls[seat], bids


GAME = LiarsDice
