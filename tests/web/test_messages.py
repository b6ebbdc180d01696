"""What clients should not say: an ``error`` each, and the server as before."""

import json
import logging
import random
from typing import Any

import pytest
from starlette.testclient import TestClient

from fpmcts.web.clock import Bucket
from fpmcts.web.server.connection import BURST, PATIENCE, Outbox
from fpmcts.web.server.messages import MESSAGES
from tests.web.conftest import Site, Tab, new_table

COUNT = 10_000
VALUES: list[Any] = [
    None,
    True,
    False,
    0,
    1,
    -1,
    2**53 + 1,
    1.5,
    1e308,
    "",
    "pass",
    "a1",
    "x" * 201,
    "\x00",
    "fast",
    "id-1",
    "undo",
    "💣",
    "\ud800",
    [],
    ["pass"],
    ["a1"] * 65,
    [[]],
    [0],
    [0, 1, 2],
    [True],
    {"type": "join"},
]
TEXTS = [
    "",
    " ",
    "{",
    "[]",
    "null",
    "NaN",
    "Infinity",
    '"play"',
    "[" * 30_000,
    '{"a":' * 10_000,
    "1" * 5000,
    '{"type": "join"',
    "\x00",
    '{"id": 1, "id": 2, "type": "undo"}',
    '{"type": "play", "id": NaN}',
    "💣" * 1000,
    '{"type":"play","id":1,"move":"' + "x" * 60_000 + '"}',
]


def wrong_message(chance: random.Random, table: str) -> str:
    """Returns a message of which something is wrong, or that does not fit where the game is."""
    if chance.random() < 0.1:
        return chance.choice(TEXTS)
    kind = chance.choice([*MESSAGES, *MESSAGES, "", "cheat", "PLAY", "over", 7, None])
    fields: dict[str, Any] = {
        "type": kind,
        "id": chance.choice([1, 2, 3, 0, -1, 2**60, "1", None, 1.0, [], True]),
    }
    for name in MESSAGES.get(kind, {"x": None}):  # type: ignore[call-overload]
        if chance.random() < 0.8:
            fields[name] = chance.choice([*VALUES, table])
    if chance.random() < 0.3:
        fields[
            chance.choice(["path", "seed", "session", "checkpoint", "move", "table", "__class__"])
        ] = chance.choice(VALUES)
    if chance.random() < 0.1:
        del fields[chance.choice(list(fields))]
    return json.dumps(fields)


def test_ten_thousand_malformed_messages(
    client: TestClient, site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    """Through the code of a connection, without the socket: it is the same code, and quicker."""
    from starlette.websockets import WebSocket

    from fpmcts.web.review.jobs import Jobs
    from fpmcts.web.server.connection import Connection

    own = [new_table(client, mode=mode)["id"] for mode in ("hints", "fair", "open")]
    own.append(finished(client))
    stranger = site.server.lobby.make("a-stranger", "toy", ["you", "quick", "quick"])
    before = stranger.state()
    chance = random.Random(17)

    async def talk() -> None:
        session = next(iter(site.server.lobby._makings))
        socket: Any = WebSocket({"type": "websocket"}, None, None)  # type: ignore[arg-type]
        connection = Connection(
            socket, session, site.server.lobby, site.server.reviewer, Jobs(), site.server.ready
        )
        connection._bucket = Bucket(1e9, 1e9, site.services.clock.now)
        errors = 0
        for number in range(COUNT):
            if number % 500 == 0:
                connection.hear(
                    json.dumps({"type": "join", "id": 1, "table": own[number // 500 % len(own)]})
                )
            connection._outbox = Outbox()
            data: Any = wrong_message(chance, stranger.id)
            alive = connection.hear(
                data if chance.random() < 0.98 else data.encode("utf-8", "surrogatepass")
            )
            assert alive
            answers = [json.loads(text) for _, text in connection._outbox._waiting]
            assert answers, data
            errors += any(answer["type"] == "error" for answer in answers)
            assert all(
                len(answer["text"]) < 1000 for answer in answers if answer["type"] == "error"
            )
        assert errors > 0.9 * COUNT
        connection._jobs.leave(connection.send)

    with caplog.at_level(logging.DEBUG):
        assert client.portal is not None
        client.portal.call(talk)
    assert not [record for record in caplog.records if record.name.startswith("web")]
    assert stranger.state() == before
    with Tab(client) as tab:
        for table in own:
            assert tab.ask("join", "state", table=table)["table"] == table


def finished(client: TestClient) -> str:
    """Returns the id of a game that is over."""
    table = str(new_table(client)["id"])
    with Tab(client) as tab:
        view = tab.ask("join", "state", table=table)["view"]
        while not view["over"]:
            if view["to_move"] == view["you"]:
                tab.say("play", move=view["legal"][1])
            view = tab.until("moved")["view"]
    return table


@pytest.mark.parametrize("count", [300, pytest.param(COUNT, marks=pytest.mark.slow)])
def test_malformed_requests(
    client: TestClient, site: Site, caplog: pytest.LogCaptureFixture, count: int
) -> None:
    chance = random.Random(3)
    own = [finished(client), str(new_table(client)["id"])]
    stranger = site.server.lobby.make("a-stranger", "toy", ["you", "quick", "quick"])
    before = client.get(f"/api/tables/{own[0]}").json(), stranger.state()
    ids = [
        *own,
        stranger.id,
        "nothing",
        "%2e%2e",
        "x" * 300,
        "..%2f..%2fetc%2fpasswd",
        "%00",
        "\u4e2d",
    ]
    caplog.set_level(logging.DEBUG, "web")
    for _ in range(count // 2):
        table = chance.choice(ids)
        part = chance.choice(["", "/record", "/replay", "/outside", "/cheat", "//"])
        query = chance.choice(
            [
                "",
                "?ply=-1",
                "?ply=x",
                "?ply=1&ply=2",
                "?ply=" + "9" * 5000,
                "?seed=1",
                "?ply=0",
                "?%zz",
            ]
        )
        method = chance.choice(["GET", "GET", "GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
        answer = client.request(method, f"/api/tables/{table}{part}{query}")
        told = method, table, part, query
        assert answer.status_code < 500, told
        assert answer.status_code >= 300 or (method == "GET" and table in own), told
    for _ in range(count - count // 2):
        fields = {
            name: chance.choice(VALUES)
            for name in ("game", "seats", "mode", "seed", "deal", "moves")
            if chance.random() < 0.7
        }
        body = (
            chance.choice(TEXTS).encode() if chance.random() < 0.3 else json.dumps(fields).encode()
        )
        path = chance.choice(["/api/tables", "/api/records", "/api/deals"])
        answer = client.post(path, content=body)
        assert 400 <= answer.status_code < 500 or (
            path == "/api/records" and answer.status_code == 201
        ), (
            body[:100],
            answer.text,
        )
    for path in (
        "/api/tables/%00",
        "/api/tables/../../x",
        "/api/tables/x/outside?ply=９",
        "/api/puzzles?game=%ff",
        "/api/tables/" + "x" * 3000,
    ):
        assert client.get(path).status_code in (200, 400, 404), path
    assert (client.get(f"/api/tables/{own[0]}").json(), stranger.state()) == before
    assert not [record for record in caplog.records if record.name.startswith("web")]


def test_flood(client: TestClient) -> None:
    with Tab(client) as tab:
        for _ in range(int(BURST) + 30):
            tab.say("leave")
        codes = [tab.get()["code"] for _ in range(int(BURST) + 30)]
        assert codes.count("too_fast") >= 20 and codes[0] == "not_joined"
    from starlette.websockets import WebSocketDisconnect

    with Tab(client) as tab:
        for _ in range(int(BURST) + 10 * PATIENCE):
            tab.say("leave")
        with pytest.raises(WebSocketDisconnect) as closed:
            while True:
                tab.get()
        assert closed.value.code == 1008


def test_outbox_merges_progress_and_bounds_the_rest() -> None:
    box = Outbox()
    for done in range(1000):
        box.put({"type": "result", "job": 1, "final": False, "done": done})
    assert len(box._waiting) == 1 and not box.overflow.is_set()
    for ply in range(600):
        box.put({"type": "moved", "ply": ply})
    assert box.overflow.is_set()
