"""What clients should not say: an ``error`` each, and the server as before."""

import json
import logging
import random
from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from fpmcts.web.clock import Bucket
from fpmcts.web.review.jobs import Jobs
from fpmcts.web.server.connection import BURST, PATIENCE, Connection, Outbox
from fpmcts.web.server.messages import MESSAGES
from tests.web.conftest import Site, Tab, new_table

COUNT = 10_000
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


def wrong_message(chance: random.Random, table: str) -> str:
    """Returns a message of which something is wrong, or that does not fit where the game is."""
    if chance.random() < 0.1:
        return chance.choice(TEXTS)
    kind = chance.choice([*MESSAGES, *MESSAGES, "", "cheat", "PLAY", "over", 7, None])
    number = chance.choice([1, 2, 3, 0, -1, 2**60, "1", None, 1.0, [], True])
    fields: dict[str, Any] = {"type": kind, "id": number}
    for name in MESSAGES.get(kind, {"x": None}):  # type: ignore[call-overload]
        if chance.random() < 0.8:
            fields[name] = chance.choice([*VALUES, table])
    if chance.random() < 0.3:
        odd = ["path", "seed", "session", "checkpoint", "move", "table", "__class__"]
        fields[chance.choice(odd)] = chance.choice(VALUES)
    if chance.random() < 0.1:
        del fields[chance.choice(list(fields))]
    return json.dumps(fields)


def test_ten_thousand_malformed_messages(
    client: TestClient, site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    """Through the code of a connection, without the socket: it is the same code, and quicker."""
    own = [new_table(client, mode=mode)["id"] for mode in ("hints", "fair", "open")]
    own.append(finished(client))
    stranger = site.server.lobby.make("a-stranger", "toy", ["you", "quick", "quick"])
    before = stranger.state()
    chance = random.Random(17)

    async def talk() -> None:
        session = next(iter(site.server.lobby._makings))
        parts = site.server.lobby, site.server.reviewer, Jobs()
        connection = Connection(None, session, *parts)  # type: ignore[arg-type]
        connection._bucket = Bucket(1e9, 1e9, site.services.clock.now)
        errors = 0
        for number in range(COUNT):
            if number % 500 == 0:
                table = own[number // 500 % len(own)]
                connection.hear(json.dumps({"type": "join", "id": 1, "table": table}))
            connection._outbox = Outbox()
            data: Any = wrong_message(chance, stranger.id)
            if chance.random() < 0.02:
                data = data.encode("utf-8", "surrogatepass")
            assert connection.hear(data)
            answers = [json.loads(text) for _, text in connection._outbox._waiting]
            texts = [answer["text"] for answer in answers if answer["type"] == "error"]
            assert answers and all(len(text) < 1000 for text in texts), data
            errors += bool(texts)
        assert errors > 0.9 * COUNT
        connection._jobs.leave(connection.send)

    with caplog.at_level(logging.DEBUG):
        assert client.portal is not None
        client.portal.call(talk)
    assert not [record for record in caplog.records if record.name.startswith("fpmcts")]
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
    ids = [*own, stranger.id, "nothing", "%2e%2e", "x" * 300, "..%2f..%2fetc%2fpasswd", "%00", "中"]
    parts = ["", "/record", "/replay", "/outside", "/cheat", "//"]
    queries = ["", "ply=-1", "ply=x", "ply=1&ply=2", "ply=" + "9" * 5000, "seed=1", "ply=0", "%zz"]
    methods = ["GET", "GET", "GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]
    names = ("game", "seats", "mode", "seed", "deal", "moves")
    caplog.set_level(logging.DEBUG, "fpmcts")
    for _ in range(count // 2):
        sent = method, table, *rest = [*map(chance.choice, (methods, ids, parts, queries))]
        answer = client.request(method, f"/api/tables/{table}{'?'.join(rest)}")
        assert answer.status_code < 500, sent
        assert answer.status_code >= 300 or (method == "GET" and table in own), sent
        fields = {name: chance.choice(VALUES) for name in names if chance.random() < 0.7}
        wrong = chance.choice(TEXTS) if chance.random() < 0.3 else json.dumps(fields)
        path = chance.choice(["/api/tables", "/api/records", "/api/deals"])
        answer = client.post(path, content=wrong.encode())
        read = path == "/api/records" and answer.status_code == 201
        assert read or 400 <= answer.status_code < 500, (wrong[:100], answer.text)
    assert (client.get(f"/api/tables/{own[0]}").json(), stranger.state()) == before
    assert not [record for record in caplog.records if record.name.startswith("fpmcts")]


def test_flood(client: TestClient) -> None:
    with Tab(client) as tab:
        for _ in range(int(BURST) + 30):
            tab.say("leave")
        codes = [tab.get()["code"] for _ in range(int(BURST) + 30)]
        assert codes.count("too_fast") >= 20 and codes[0] == "not_joined"
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
