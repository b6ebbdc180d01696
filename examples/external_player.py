"""A Doudizhu player as a program of its own. The protocol is explained in docs/external-players.md.

It plays the lowest cards that it may, as many of them as it can, keeps its bombs, and passes when
its partner holds the table. In an auction it never calls.
"""

import json
import sys
from typing import Any

RANKS = "3456789TJQKA2LB"


def is_bomb(move: str) -> bool:
    """Returns whether a move is the rocket or four of a kind."""
    return move == "LB" or (len(move) == 4 and len(set(move)) == 1)


def choose(view: dict[str, Any]) -> str:
    """Returns one of the moves in view["legal"]."""
    if view.get("phase", "playing") != "playing":
        return view["legal"][0]
    leading, landlord = view["to_beat"] is None, view.get("landlord", 0)
    if not leading and landlord not in (view["seat"], view["to_beat_seat"]):
        return "pass"
    moves = [move for move in view["legal"] if move != "pass" and not is_bomb(move)]
    if moves:
        return min(moves, key=lambda move: (RANKS.index(move[0]), -len(move)))
    return view["legal"][0] if leading else "pass"


def say(answer: dict[str, object]) -> None:
    """Sends an answer. Without the flush it would stay here."""
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        say({"protocol": 1})
    elif message["type"] == "view":
        say({"id": message["id"], "move": choose(message["view"])})
    # A new match ("start") begins with no answer. This player remembers nothing, so there is
    # nothing to forget.
