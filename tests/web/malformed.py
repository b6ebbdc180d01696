"""What no page sends: WebSocket frames and HTTP requests of which something is wrong, from a
seed.
"""

import json
import random
import struct
from collections.abc import Sequence
from typing import Any

from fpmcts.web.errors import Json
from fpmcts.web.server.messages import DEAL, MESSAGES, NEW_TABLE

VALUES: list[Any] = [
    *(None, True, False, 0, 1, -1, 2**53 + 1, 1.5, 1e308),
    *("", "pass", "a1", "x" * 201, "\x00", "fast", "id-1", "undo", "💣", "\ud800"),
    *([], ["pass"], ["a1"] * 65, [[]], [0], [0, 1, 2], [True], {"type": "join"}),
]
TEXTS = [
    *("", " ", "{", "[]", "null", "NaN", "Infinity", '"play"', "\x00", "💣" * 1000, "1" * 5000),
    *("[" * 30_000, '{"a":' * 10_000, '{"type": "join"', '{"type": "play", "id": NaN}'),
    *('{"id": 1, "id": 2, "type": "undo"}', f'{{"type":"play","id":1,"move":"{"x" * 60_000}"}}'),
]
CONTINUES, TEXT, BINARY, RESERVED, CLOSE, PING = 0, 1, 2, 3, 8, 9
METHODS = (
    "GET",
    "GET",
    "GET",
    "POST",
    "POST",
    "POST",
    "PUT",
    "DELETE",
    "PATCH",
    "OPTIONS",
    "X" * 99,
)
PLACES = ("", "/record", "/replay", "/outside", "/cheat", "//", "/../..", "/%2e%2e", "/%00")
QUERIES = (
    "",
    "?ply=-1",
    "?ply=x",
    "?ply=1&ply=2",
    f"?ply={'9' * 5000}",
    "?seed=1",
    "?ply=0",
    "?%zz",
)


def frame(opcode: int, payload: bytes, *, last: bool = True, masked: bool = True) -> bytes:
    """Returns a frame as RFC 6455 wants it of a client, with a mask of zeros."""
    size, mask = len(payload), 0x80 * masked
    head = struct.pack("!B", opcode | 0x80 * last)
    if size < 126:
        head += struct.pack("!B", mask | size)
    elif size < 2**16:
        head += struct.pack("!BH", mask | 126, size)
    else:
        head += struct.pack("!BQ", mask | 127, size)
    return head + b"\0\0\0\0" * masked + payload


class Malformed:
    """Frames and requests.

    Args:
        seed: They follow from it.
        tables: Ids that may be named, our own and those of others.
        records: Records of finished games; what is sent is damaged.
    """

    def __init__(self, seed: int, tables: Sequence[str], records: Sequence[Json]) -> None:
        self.chance = random.Random(seed)
        self._tables, self._records = tables, records

    def message(self) -> str:
        """Returns a text message of which something is wrong, or that does not fit where the game
        is.
        """
        chance = self.chance
        if chance.random() < 0.1:
            return chance.choice(TEXTS)
        kind = chance.choice([*MESSAGES, *MESSAGES, "", "cheat", "PLAY", "over", 7, None])
        number = chance.choice([1, 2, 3, 0, -1, 2**60, "1", None, 1.0, [], True])
        fields: dict[str, Any] = {"type": kind, "id": number}
        for name in MESSAGES.get(kind, {"x": None}):  # type: ignore[call-overload]
            if chance.random() < 0.8:
                fields[name.removesuffix("?")] = chance.choice([*VALUES, *self._tables])
        if chance.random() < 0.3:
            odd = ["path", "seed", "session", "checkpoint", "move", "table", "__class__"]
            fields[chance.choice(odd)] = chance.choice(VALUES)
        if chance.random() < 0.1:
            del fields[chance.choice(list(fields))]
        return json.dumps(fields)

    def broken_frame(self) -> bytes:
        """Returns frames that no client may send; they end the connection."""
        return self.chance.choice(
            (
                frame(TEXT, b"\xff\xfe"),
                frame(TEXT, b" " * 70_000),
                frame(TEXT, b"{}", masked=False),
                frame(RESERVED, b"{}"),
                frame(CONTINUES, b"{}"),
                frame(TEXT, b"{", last=False) + frame(TEXT, b"}"),
                frame(PING, b"x" * 126),
                frame(CLOSE, b"\x00"),
                frame(CLOSE, struct.pack("!H", 7)),
                struct.pack("!BBQ", 0x81, 0xFF, 2**63) + b"x" * 8,
            )
        )

    def damaged(self) -> Json:
        """Returns a record with a field replaced, left out or cut short."""
        chance = self.chance
        record: Json = json.loads(json.dumps(chance.choice(self._records)))
        name = chance.choice(list(record))
        value = record[name]
        if isinstance(value, list) and value and chance.random() < 0.6:
            value[chance.randrange(len(value))] = chance.choice(VALUES)
        elif isinstance(value, list | str) and chance.random() < 0.3:
            record[name] = value[: len(value) // 2] * chance.choice((1, 5))
        elif chance.random() < 0.3:
            del record[name]
        else:
            record[name] = chance.choice(VALUES)
        return record

    def body(self) -> tuple[str, bytes]:
        """Returns where a body is sent, and the body."""
        chance = self.chance
        path = chance.choice(("/api/tables", "/api/records", "/api/deals"))
        record = self.damaged()
        fields: Json = record
        if path != "/api/records":
            expected = NEW_TABLE if path == "/api/tables" else DEAL
            fields = {name.removesuffix("?"): chance.choice(VALUES) for name in expected}
            deal = {name: record[name] for name in record if name in ("hands", "bottom", "public")}
            likely = {"game": record.get("game", "doudizhu"), "deal": deal, "seats": ["you"] * 3}
            likely |= {"moves": record.get("moves"), "mode": "open"}
            for name in fields:
                if name in likely and chance.random() < 0.8:
                    fields[name] = likely[name]
                elif name not in ("game", "seats") and chance.random() < 0.5:
                    fields = {key: value for key, value in fields.items() if key != name}
        text = json.dumps(fields)
        if chance.random() < 0.3:
            text = chance.choice(TEXTS)
        elif chance.random() < 0.2:
            at = chance.randrange(len(text))
            text = text[:at] + chance.choice('"[]{},0x3💣') + text[at + 1 :]
        return path, text.encode("utf-8", "surrogatepass")

    def request(self, host: str, cookie: str) -> bytes:
        """Returns a whole request, of which a part is odd: the last of its connection."""
        chance = self.chance
        method, body = "POST", b""
        if chance.random() < 0.5:
            path, body = self.body()
        else:
            method = chance.choice(METHODS)
            ids = (*self._tables, "nothing", "x" * 300, "%ff", "..%2f..%2fetc%2fpasswd")
            path = (
                f"/api/tables/{chance.choice(ids)}{chance.choice(PLACES)}{chance.choice(QUERIES)}"
            )
        headers = {
            "Host": host,
            "Origin": f"http://{host}",
            "Cookie": cookie,
            "Content-Length": str(len(body)),
            "Connection": "close",
        }
        name, _, value = cookie.partition("=")
        odd = {
            "Host": ("", "evil.example", f"{host}, {host}", "[::1", "x" * 500),
            "Origin": ("null", "http://evil.example", f"https://{host}", ""),
            "Cookie": (
                f"{name}={value[:-1]}",
                f"{name}=",
                f"{name}={'x' * 5000}",
                "=;=;;",
                "\xff\x01",
            ),
            "Content-Length": ("-1", "x", str(len(body) + 7), "9" * 30, str(2**21)),
            "Transfer-Encoding": ("chunked", "gzip"),
            "Expect": ("100-continue", "cheat"),
            "X-Long": ("x" * 40_000,),
        }
        if chance.random() < 0.4:
            field = chance.choice(list(odd))
            headers[field] = chance.choice(odd[field])
        lines = [f"{method} {path} HTTP/1.1", *(f"{key}: {text}" for key, text in headers.items())]
        whole = "\r\n".join([*lines, "", ""]).encode("latin-1", "replace") + body
        if chance.random() < 0.03:
            whole = whole[: chance.randrange(len(whole))]
        elif chance.random() < 0.03:
            whole = chance.randbytes(200) + b"\r\n\r\n"
        return whole
