"""What a decision of Doudizhu is about, for puzzles."""

from collections.abc import Mapping
from typing import Any


def theme(seen: Mapping[str, Any], move: str) -> str:
    """Returns the theme of a decision whose best move is ``move``.

    Args:
        seen: What the seat to move sees (``Table.describe``).
    """
    hand, before = seen["hand"], (seen.get("landlord", 0) - seen["seat"]) % 3 == 1
    if seen.get("phase", "playing") != "playing":
        return "auction"
    if move == "pass":
        return "hold"
    if move == "LB" or (len(move) == 4 and len({*move}) == 1):
        return "bomb"
    if any(move.count(rank) < hand.count(rank) for rank in move):
        return "split"
    if not seen["to_beat"]:
        return "lead"
    return "block" if before else "take"
