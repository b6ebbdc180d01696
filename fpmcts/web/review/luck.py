"""The result of a game in parts: the luck of the cards, and what the moves did.

    result = before the deal + the deal + later cards − own losses + hidden cards
             + the others' losses + the others' moves

The analyst estimates the luck of the cards (``fpmcts.players.luck``), the review the losses. How
the hidden cards lay is what the seat's own moves changed with open cards, less what they cost as
the seat saw them: a move that is right in the mean of all hands may be wrong against the real ones.
The others' moves make up the difference, beyond what is known of their losses.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from fpmcts.web.errors import Json
from games.base.estimate import Estimate, total

PARTS = ("start", "deal", "later", "own", "hidden", "others", "moves")


class Parts(NamedTuple):
    """The result of a seat and its parts.

    Attributes:
        result: Return of the game.
        parts: Parts by their names in ``PARTS``; they sum to the result.
    """

    result: float
    parts: dict[str, Estimate]

    def fields(self, digits: int) -> Json:
        """Returns the fields of a message; numbers are rounded so that the displayed parts sum to
        the displayed result.
        """
        shown = {name: round(part.mean, digits) for name, part in self.parts.items()}
        result = round(self.result, digits)
        shown["moves"] = round(result - (sum(shown.values()) - shown["moves"]), digits)
        return {
            "result": result,
            "parts": [
                {"name": name, "value": shown[name], "se": round(part.error, digits)}
                for name, part in self.parts.items()
            ],
        }


def parts_of(
    luck: Json, seat: int, teams: Sequence[int], costs: Mapping[int, Estimate], scale: float
) -> Parts:
    """Returns the result of a seat in parts.

    Args:
        luck: The fields of ``fpmcts.players.luck.Luck``.
        seat: The seat.
        teams: Team of each seat.
        costs: Known losses by seat, including that of ``seat``. Others count where one side's loss
            is the other's gain: between two seats, and between two teams if only winning counts.
        scale: Factor of the values: 100 for percentage points of winning probability.
    """
    known = dict(costs)
    if luck["losses"] is not None:
        known = {other: Estimate(loss, 0.0) for other, loss in enumerate(luck["losses"])}
    own = known.pop(seat)
    found = {
        name: Estimate(scale * luck[name][seat], scale * luck[f"{name}_error"][seat])
        for name in ("start", "deal", "later", "moved")
    }
    found["own"], moved = own.scaled(-1.0), found.pop("moved")
    found["hidden"] = total((moved, own))
    gain = Estimate(0.0, 0.0)
    if known and (len(teams) == 2 or (luck["unit"] == "wp" and max(teams) == 1)):
        gain = found["others"] = total(
            cost.scaled(-1.0 if teams[other] == teams[seat] else 1.0)
            for other, cost in known.items()
        )
    result = scale * luck["result"][seat]
    found["moves"] = Estimate(
        result - sum(part.mean for part in found.values()),
        math.hypot(scale * luck["known_error"][seat], moved.error, gain.error),
    )
    return Parts(result, found)


def together(hands: Sequence[Parts]) -> Parts:
    """Returns the sums over several hands; errors are independent, except that of the start, which
    all hands share.
    """
    found = {}
    for name in PARTS:
        mine = [hand.parts[name] for hand in hands if name in hand.parts]
        if mine:
            found[name] = total(mine)
    found["start"] = replace(found["start"], error=sum(hand.parts["start"].error for hand in hands))
    return Parts(sum(hand.result for hand in hands), found)
