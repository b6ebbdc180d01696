"""The result of a game in parts: what the cards brought, what decisions cost, and the rest.

    result = before the deal + the deal + later cards − own losses + the others' losses + the rest

What the cards brought is told by the player that analyses (``fpmcts.players.luck``), losses by the
review. The rest is what is missing to the result: how moves met cards that nobody could know, and
the moves of those whose losses are not known.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from fpmcts.web.errors import Json
from fpmcts.web.review.comparing import Loss

PARTS = ("start", "deal", "later", "own", "others", "rest")


class Part(NamedTuple):
    """A part of the result of a seat. Attributes: name: one of PARTS; value; se: its standard
    error, 0 where it is exact.
    """

    name: str
    value: float
    se: float


class Parts(NamedTuple):
    """The result of a seat. Attributes: result; parts: they sum to it."""

    result: float
    parts: tuple[Part, ...]

    def told(self, digits: int) -> Json:
        """Returns the fields of a message; numbers are rounded so that what is shown sums to the
        result that is shown.
        """
        result = round(self.result, digits)
        fields: list[Json] = [
            {"name": part.name, "value": round(part.value, digits), "se": round(part.se, digits)}
            for part in self.parts
        ]
        shown = sum(field["value"] for field in fields if field["name"] != "rest")
        fields[-1]["value"] = round(result - shown, digits)
        return {"result": result, "parts": fields}


def parts_of(
    luck: Mapping[str, Any],
    seat: int,
    teams: Sequence[int],
    costs: Mapping[int, Loss],
    scale: float,
) -> Parts:
    """Returns the result of a seat in parts.

    Args:
        luck: The fields of ``fpmcts.players.luck.Luck``.
        seat: The seat.
        teams: Of the seats.
        costs: By seat, where they are known; that of ``seat`` must be. Others count where one
            side's loss is the other's gain: between two seats, and where winning counts alone
            between two teams.
        scale: What values are multiplied with: 100 for points of winning chance.
    """
    known = dict(costs)
    if luck["losses"] is not None:
        known = {other: Loss(loss, 0.0) for other, loss in enumerate(luck["losses"])}
    opposed = len(teams) == 2 or (luck["unit"] == "wp" and max(teams) == 1)
    others = [other for other in known if other != seat and opposed]
    gain = sum(
        (-1.0 if teams[other] == teams[seat] else 1.0) * known[other].mean for other in others
    )
    gain_se = math.sqrt(sum(known[other].se ** 2 for other in others))
    own = known[seat]
    found = [
        *(
            Part(name, scale * luck[name][seat], scale * luck[f"{name}_error"][seat])
            for name in ("start", "deal", "later")
        ),
        Part("own", -own.mean, own.se),
        *([Part("others", gain, gain_se)] if others else []),
    ]
    result = scale * luck["result"][seat]
    rest_se = math.hypot(scale * luck["known_error"][seat], own.se, gain_se)
    rest = Part("rest", result - sum(part.value for part in found), rest_se)
    return Parts(result, (*found, rest))


def together(hands: Sequence[Parts]) -> Parts:
    """Returns the sums over several hands; errors are independent, but for that before the deal,
    one guess for all of them.
    """
    found = []
    for name in PARTS:
        mine = [part for hand in hands for part in hand.parts if part.name == name]
        if mine:
            errors = [part.se for part in mine]
            found.append(
                Part(
                    name,
                    sum(part.value for part in mine),
                    sum(errors) if name == "start" else math.hypot(*errors),
                )
            )
    return Parts(sum(hand.result for hand in hands), tuple(found))
