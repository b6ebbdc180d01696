"""What a client can say: a table of the messages with the check of each field."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from web.errors import RefusedError

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


def whole(least: int, most: int) -> Check:
    """Returns a check for whole numbers, ends included; true and false are none."""
    return lambda value: type(value) is int and least <= value <= most


def number(least: float, most: float) -> Check:
    """Returns a check for numbers, ends included."""
    return lambda value: type(value) in (int, float) and least <= value <= most


def one_of(*names: str) -> Check:
    """Returns a check for one of some names."""
    return lambda value: isinstance(value, str) and value in names


def text(value: Any) -> bool:
    """Returns whether this is a text that is not too long."""
    return isinstance(value, str) and len(value) <= MAX_TEXT


def flag(value: Any) -> bool:
    """Returns whether this is true or false."""
    return isinstance(value, bool)


def list_of(check: Check, least: int, most: int) -> Check:
    """Returns a check for lists."""
    return lambda value: isinstance(value, list) and least <= len(value) <= most and all(check(item) for item in value)


def thresholds(value: Any) -> bool:
    """Returns whether these are the least losses of an inaccuracy, a mistake and a blunder."""
    return list_of(number(1e-6, 1e4), 3, 3)(value) and value[0] < value[1] < value[2]


class Field(NamedTuple):
    """A field of a message.

    Attributes:
        check: Whether a value is one.
        needed: Whether it must be there.
        expected: In words.
    """

    check: Check
    needed: bool
    expected: str


PLY = whole(0, 100_000)
SEATS = list_of(whole(0, 63), 1, 64)
FIELDS: dict[str, dict[str, Field]] = {
    "join": {"table": Field(text, True, "the id of a table")},
    "leave": {},
    "play": {
        "move": Field(text, True, "the text of a move"),
        "rev": Field(whole(0, MAX_NUMBER), False, "the rev of the table"),
    },
    "undo": {},
    "step": {},
    "pause": {"on": Field(flag, True, "true or false")},
    "speed": {"factor": Field(number(0.25, 4), True, "a number from 0.25 to 4")},
    "next": {},
    "analyse": {
        "ply": Field(PLY, False, "a ply"),
        "playouts": Field(whole(2, MAX_PLAYOUTS), False, f"a whole number from 2 to {MAX_PLAYOUTS}"),
        "moves": Field(list_of(text, 1, 64), False, "a list of 1 to 64 moves"),
    },
    "review": {
        "speed": Field(one_of(*REVIEW_SPEEDS), False, "one of " + ", ".join(REVIEW_SPEEDS)),
        "seats": Field(SEATS, False, "a list of seats"),
        "seed": Field(whole(0, MAX_NUMBER), False, "a whole number"),
        "thresholds": Field(
            thresholds, False, "three ascending numbers above 0, at most 10000: of an inaccuracy, a mistake and a blunder"
        ),
    },
    "try": {"ply": Field(PLY, True, "a ply"), "move": Field(text, True, "the text of a move")},
    "reveal": {"ply": Field(PLY, False, "a ply")},
    "cancel": {"job": Field(whole(0, MAX_NUMBER), True, "the id of the message that asked for the job")},
}
"""The messages of a WebSocket besides ``type`` and ``id``."""

NEW_TABLE: dict[str, Field] = {
    "game": Field(text, True, "the name of a game"),
    "seats": Field(list_of(text, 1, 64), True, "a list of players"),
    "mode": Field(one_of(*MODES), False, "one of " + ", ".join(MODES)),
    "seed": Field(whole(0, MAX_NUMBER), False, "a whole number from 0 to 2^53"),
    "deal": Field(lambda value: isinstance(value, dict), False, "the fields of a deal"),
    "moves": Field(list_of(text, 0, 2000), False, "a list of moves"),
    "greedy": Field(flag, False, "true or false"),
    "rotate": Field(flag, False, "true or false"),
}
DEAL: dict[str, Field] = {key: NEW_TABLE[key] for key in ("game", "deal", "moves")} | {
    "deal": Field(lambda value: isinstance(value, dict), True, "the fields of a deal")
}


def parse_json(data: str | bytes) -> Any:
    """Returns the value of a text of JSON.

    Raises:
        RefusedError: It is none.
    """
    try:
        value = json.loads(data, parse_constant=_no_constant)
        json.dumps(value, ensure_ascii=False).encode()  # half a surrogate pair can be written as \ud800, and not be stored
        return value
    except (ValueError, RecursionError) as error:
        raise RefusedError("bad_message", "expected JSON") from error


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def check_fields(values: Any, fields: dict[str, Field]) -> dict[str, Any]:
    """Returns an object whose fields are as they should be.

    Raises:
        RefusedError: Naming the field.
    """
    if not isinstance(values, dict):
        raise RefusedError("bad_message", "expected an object")
    for name in values:
        if name not in fields:
            raise RefusedError("bad_message", f"{name[:40]!r}: unknown field; expected {', '.join(fields) or 'none'}")
    for name, field in fields.items():
        if name not in values:
            if field.needed:
                raise RefusedError("bad_message", f"{name}: expected {field.expected}; it is missing")
        elif not field.check(values[name]):
            raise RefusedError("bad_message", f"{name}: expected {field.expected}")
    return values


class Said(NamedTuple):
    """A message of a client.

    Attributes:
        type: A key of ``FIELDS``.
        id: Its number.
        fields: The others, checked.
    """

    type: str
    id: int
    fields: dict[str, Any]


def id_of(value: Any) -> int | None:
    """Returns the number of a message, None where it has none."""
    number_ = value.get("id") if isinstance(value, dict) else None
    return number_ if whole(0, MAX_NUMBER)(number_) else None


def parse_message(value: Any) -> Said:
    """Returns the message that a value of JSON is.

    Raises:
        RefusedError: It is none.
    """
    if not isinstance(value, dict):
        raise RefusedError("bad_message", "expected an object")
    number_, kind = id_of(value), value.get("type")
    if number_ is None:
        raise RefusedError("bad_message", "id: expected a whole number from 0 to 2^53")
    if not isinstance(kind, str) or kind not in FIELDS:
        raise RefusedError("bad_message", f"type: expected one of {', '.join(FIELDS)}")
    rest = {name: item for name, item in value.items() if name not in ("type", "id")}
    return Said(kind, number_, check_fields(rest, FIELDS[kind]))
