"""What a client can say: the messages, and how each field is checked."""

from collections.abc import Callable
from typing import Any, NamedTuple

from fpmcts.web.errors import RefusedError

MAX_BYTES = 64 * 1024
"""Of a WebSocket message."""
MAX_BODY = 1024 * 1024
"""Of the body of a request."""
MAX_TEXT = 200
"""Characters of a name or a move."""
MAX_PLAYOUTS = 4096
MAX_NUMBER = 2**53
REVIEW_SPEEDS = ("fast", "normal", "deep")
MODES = ("fair", "hints", "open")

Check = Callable[[Any], bool]


class Field(NamedTuple):
    """A field of a message.

    Attributes:
        expected: In words.
        check: Whether a value is allowed.
        needed: Whether it must be there.
    """

    expected: str
    check: Check
    needed: bool = True


Fields = dict[str, Field]


def optional(field: Field) -> Field:
    """Returns a field that may be left out."""
    return field._replace(needed=False)


def between(kinds: tuple[type, ...], least: float, most: float) -> Check:
    """Returns a check for numbers of some types, ends included; true and false are not numbers."""
    return lambda value: type(value) in kinds and least <= value <= most


def is_text(value: Any) -> bool:
    """Returns whether this is a text that is not too long."""
    return isinstance(value, str) and len(value) <= MAX_TEXT


def list_of(check: Check, least: int, most: int) -> Check:
    """Returns a check for lists."""
    return lambda value: (
        isinstance(value, list) and least <= len(value) <= most and all(map(check, value))
    )


def whole(expected: str, least: int, most: int) -> Field:
    """Returns a field that is a whole number."""
    return Field(expected, between((int,), least, most))


def one_of(names: tuple[str, ...]) -> Field:
    """Returns a field that is one of some names."""
    return Field(
        "one of " + ", ".join(names), lambda value: isinstance(value, str) and value in names
    )


def are_thresholds(value: Any) -> bool:
    """Returns whether these are the least losses of an inaccuracy, a mistake and a blunder."""
    return list_of(between((int, float), 1e-6, 1e4), 3, 3)(value) and value[0] < value[1] < value[2]


MOVE = Field("the text of a move", is_text)
FLAG = Field("true or false", lambda value: isinstance(value, bool))
PLY = whole("a ply", 0, 100_000)
SEED = whole("a whole number from 0 to 2^53", 0, MAX_NUMBER)
THRESHOLDS = (
    "three ascending numbers above 0, at most 10000: of an inaccuracy, a mistake and a blunder"
)
MESSAGES: dict[str, Fields] = {
    "join": {"table": Field("the id of a table", is_text)},
    "leave": {},
    "play": {"move": MOVE, "rev": optional(whole("the rev of the table", 0, MAX_NUMBER))},
    "undo": {},
    "step": {},
    "pause": {"on": FLAG},
    "speed": {"factor": Field("a number from 0.25 to 4", between((int, float), 0.25, 4))},
    "next": {},
    "analyse": {
        "ply": optional(PLY),
        "playouts": optional(whole(f"a whole number from 2 to {MAX_PLAYOUTS}", 2, MAX_PLAYOUTS)),
        "moves": Field("a list of 1 to 64 moves", list_of(is_text, 1, 64), False),
    },
    "review": {
        "speed": optional(one_of(REVIEW_SPEEDS)),
        "seats": Field("a list of seats", list_of(between((int,), 0, 63), 1, 64), False),
        "seed": optional(SEED),
        "thresholds": Field(THRESHOLDS, are_thresholds, False),
    },
    "try": {"ply": PLY, "move": MOVE},
    "reveal": {"ply": optional(PLY)},
    "cancel": {"job": whole("the id of the message that asked for the job", 0, MAX_NUMBER)},
}
"""The messages of a WebSocket: their fields besides ``type`` and ``id``."""

DEAL: Fields = {
    "game": Field("the name of a game", is_text),
    "deal": Field("the fields of a deal", lambda value: isinstance(value, dict)),
    "moves": Field("a list of moves", list_of(is_text, 0, 2000), False),
}
NEW_TABLE: Fields = DEAL | {
    "deal": optional(DEAL["deal"]),
    "seats": Field("a list of players", list_of(is_text, 1, 64)),
    "mode": optional(one_of(MODES)),
    "seed": optional(SEED),
    "greedy": optional(FLAG),
    "rotate": optional(FLAG),
}


def check_fields(values: Any, fields: Fields) -> dict[str, Any]:
    """Returns an object whose fields are as they should be. Raises RefusedError, which names the
    field.
    """
    if not isinstance(values, dict):
        raise RefusedError("bad_message", "expected an object")
    for name in values:
        if name not in fields:
            expected = ", ".join(fields) or "none"
            raise RefusedError("bad_message", f"{name[:40]!r}: unknown field; expected {expected}")
    for name, field in fields.items():
        if name not in values and field.needed:
            raise RefusedError("bad_message", f"{name}: expected {field.expected}; it is missing")
        if name in values and not field.check(values[name]):
            raise RefusedError("bad_message", f"{name}: expected {field.expected}")
    return values


def id_of(value: Any) -> int | None:
    """Returns the id of a message, None where it has none."""
    number = value.get("id") if isinstance(value, dict) else None
    return number if SEED.check(number) else None


def parse_message(value: Any) -> tuple[str, dict[str, Any]]:
    """Returns the type of a message, a key of ``MESSAGES``, and its checked fields. Raises
    RefusedError.
    """
    if not isinstance(value, dict):
        raise RefusedError("bad_message", "expected an object")
    if id_of(value) is None:
        raise RefusedError("bad_message", f"id: expected {SEED.expected}")
    kind = value.get("type")
    if not isinstance(kind, str) or kind not in MESSAGES:
        raise RefusedError("bad_message", f"type: expected one of {', '.join(MESSAGES)}")
    rest = {name: item for name, item in value.items() if name not in ("type", "id")}
    return kind, check_fields(rest, MESSAGES[kind])
