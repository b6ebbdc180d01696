"""Refusals: a code for programs, a text for people and an HTTP status."""

import json
from typing import Any

Json = dict[str, Any]
"""An object of JSON."""
STATUS = {
    "bad_message": 400,
    "unauthorised": 401,
    "forbidden": 403,
    "not_allowed": 403,
    "unknown_table": 404,
    "unknown_path": 404,
    "not_over": 409,
    "over": 409,
    "not_your_turn": 409,
    "too_large": 413,
    "unknown_game": 422,
    "unknown_player": 422,
    "bad_seats": 422,
    "bad_deal": 422,
    "bad_record": 422,
    "too_fast": 429,
    "busy": 429,
    "full": 507,
    "engine": 503,
    "disk": 507,
}
"""HTTP status of each code; other codes occur only in WebSocket messages."""


class RefusedError(Exception):
    """A request that is refused; nothing was changed.

    Attributes:
        code: As in ``docs/web-protocol.md``.
        text: Explanation for people.
    """

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code, self.text = code, text

    @property
    def status(self) -> int:
        """Returns the HTTP status of the response."""
        return STATUS.get(self.code, 400)

    def fields(self) -> dict[str, str]:
        """Returns the code and the text."""
        return {"code": self.code, "text": self.text}


def parse_json(data: str | bytes) -> Any:
    """Returns the parsed JSON. Raises RefusedError if it is not valid JSON or cannot be stored."""
    try:
        value = json.loads(data)
        # Python also accepts NaN, Infinity and half a surrogate pair, written as \ud800.
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
        return value
    except (ValueError, RecursionError) as error:
        raise RefusedError("bad_message", "expected JSON") from error
