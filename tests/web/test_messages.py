"""Clients that send too much, or read too slowly."""

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from fpmcts.web.server.connection import BURST, PATIENCE, Outbox
from tests.web.conftest import Tab


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
