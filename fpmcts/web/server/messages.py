"""The messages of a client, and the check of each field."""

from collections.abc import Callable
from typing import NamedTuple

from fpmcts.web.errors import Json, RefusedError
from fpmcts.web.review.comparing import SPEEDS

MAX_BYTES = 64 * 1024
"""Maximum bytes of a WebSocket message."""
MAX_BODY = 1024 * 1024
"""Maximum bytes of the body of a request."""
MAX_TEXT = 200
"""Maximum characters of a name or a move."""
MAX_PLAYOUTS = 4096
MAX_NUMBER = 2**53
MODES = ("fair", "hints", "open")

Check = Callable[[object], bool]


class Field(NamedTuple):
    """The allowed values of a field of a message.

    Attributes:
        expected: The allowed values, in words.
        check: Returns whether a value is allowed.
    """

    expected: str
    check: Check


Fields = dict[str, Field]
"""Fields by name; the name of an optional one ends with "?"."""


def between(least: float, most: float, *kinds: type) -> Check:
    """Returns a check for numbers of some types from ``least`` to ``most``; true and false are not
    numbers.
    """
    return lambda value: type(value) in kinds and least <= value <= most  # type: ignore[operator]


def is_text(value: object) -> bool:
    """Returns whether a value is a text that is not too long."""
    return isinstance(value, str) and len(value) <= MAX_TEXT


def list_of(check: Check, least: int, most: int) -> Check:
    """Returns a check for lists."""
    return lambda value: (
        isinstance(value, list) and least <= len(value) <= most and all(map(check, value))
    )


def whole(expected: str, least: int, most: int) -> Field:
    """Returns a field for whole numbers."""
    return Field(expected, between(least, most, int))


def one_of(names: tuple[str, ...]) -> Field:
    """Returns a field for one of ``names``."""
    return Field("one of " + ", ".join(names), lambda value: value in names)


def are_thresholds(value: object) -> bool:
    """Returns whether a value is a list of the least losses of an inaccuracy, a mistake and a
    blunder.
    """
    return (
        isinstance(value, list)
        and list_of(between(1e-6, 1e4, int, float), 3, 3)(value)
        and value[0] < value[1] < value[2]
    )


GAME = Field("the name of a game", is_text)
MOVE = Field("the text of a move", is_text)
TABLE = Field("the id of a table", is_text)
AT: Fields = {"table?": TABLE}
"""The table that a change is meant for."""
FLAG = Field("true or false", lambda value: isinstance(value, bool))
PLY = whole("a ply", 0, 100_000)
LINE = Field("a list of at most 200 moves", list_of(is_text, 0, 200))
SEED = whole("a whole number from 0 to 2^53", 0, MAX_NUMBER)
THRESHOLDS = Field(
    "three ascending numbers above 0, at most 10000: of an inaccuracy, a mistake and a blunder",
    are_thresholds,
)
MESSAGES: dict[str, Fields] = {
    "join": {"table": TABLE},
    "leave": {},
    "play": {"move": MOVE, "rev?": whole("the rev of the table", 0, MAX_NUMBER), **AT},
    "undo": AT,
    "step": AT,
    "pause": {"on": FLAG, **AT},
    "speed": {"factor": Field("a number from 0.25 to 4", between(0.25, 4, int, float)), **AT},
    "next": AT,
    "line": {"ply": PLY, "line": LINE},
    "analyse": {
        "ply?": PLY,
        "line?": LINE,
        "playouts?": whole(f"a whole number from 2 to {MAX_PLAYOUTS}", 2, MAX_PLAYOUTS),
        "moves?": Field("a list of 1 to 64 moves", list_of(is_text, 1, 64)),
        "game?": GAME,
        "position?": Field("the fields of a position", lambda value: isinstance(value, dict)),
    },
    "review": {
        "speed?": one_of(tuple(SPEEDS)),
        "seats?": Field("a list of seats", list_of(between(0, 63, int), 1, 64)),
        "seed?": SEED,
        "thresholds?": THRESHOLDS,
    },
    "try": {"ply": PLY, "move": MOVE},
    "reveal": {"ply?": PLY},
    "cancel": {"job": whole("the id of the message that asked for the job", 0, MAX_NUMBER)},
}
"""The messages of a WebSocket: their fields except ``type`` and ``id``."""

A_DEAL = Field("the fields of a deal", lambda value: isinstance(value, dict))
DEAL: Fields = {
    "game": GAME,
    "deal": A_DEAL,
    "moves?": Field("a list of moves", list_of(is_text, 0, 2000)),
}
NEW_TABLE: Fields = {
    "game": DEAL["game"],
    "seats": Field("a list of players", list_of(is_text, 1, 64)),
    "mode?": one_of(MODES),
    "seed?": SEED,
    "deal?": A_DEAL,
    "moves?": DEAL["moves?"],
    "continues?": TABLE,
    "ply?": PLY,
    "greedy?": FLAG,
    "rotate?": FLAG,
    "deals?": whole("the games of a match, 1 to 1000", 1, 1000),
}


def check_fields(values: object, fields: Fields) -> Json:
    """Returns an object after checking its fields. Raises RefusedError, which names the field."""
    if not isinstance(values, dict):
        raise RefusedError("bad_message", "expected an object")
    names = {name.removesuffix("?"): field for name, field in fields.items()}
    for name in values:
        if name not in names:
            expected = ", ".join(names) or "none"
            raise RefusedError("bad_message", f"{name[:40]!r}: unknown field; expected {expected}")
    for name, field in names.items():
        if name in values and not field.check(values[name]):
            raise RefusedError("bad_message", f"{name}: expected {field.expected}")
        if name not in values and name in fields:
            raise RefusedError("bad_message", f"{name}: expected {field.expected}; it is missing")
    return values


HEAD: Fields = {"id": SEED, "type": one_of(tuple(MESSAGES))}
"""The fields of every message."""


def id_of(value: object) -> int | None:
    """Returns the id of a message, or None."""
    number = value.get("id") if isinstance(value, dict) else None
    return number if SEED.check(number) else None


def parse_message(value: object) -> tuple[str, Json]:
    """Returns the type of a message, a key of ``MESSAGES``, and its checked fields. Raises
    RefusedError.
    """
    if not isinstance(value, dict):
        raise RefusedError("bad_message", "expected an object")
    check_fields({name: item for name, item in value.items() if name in HEAD}, HEAD)
    rest = {name: item for name, item in value.items() if name not in HEAD}
    return value["type"], check_fields(rest, MESSAGES[value["type"]])
