"""Games over the interface: modes, undo, pause, series, records, statistics."""

import json
from typing import Any

import pytest
from starlette.testclient import TestClient

from fpmcts.web.errors import Json
from fpmcts.web.tables.room import TRIES
from tests.web.conftest import Site, Tab, ask_for_table, new_table, opened


def my_move(view: Json) -> str:
    assert view["to_move"] == view["you"]
    return next(move for move in view["legal"] if move != "pass")


def play_to_the_end(tab: Tab, view: Json) -> Json:
    """Plays a card whenever it is our turn; returns the message ``over``."""
    for _ in range(100):
        if view["to_move"] == view["you"]:
            tab.say("play", move=my_move(view))
        message = tab.get()
        assert message["type"] != "error", message
        if message["type"] == "over":
            return message
        view = message.get("view", view) if message["type"] == "moved" else view
    raise AssertionError


def test_a_game(client: TestClient) -> None:
    table = new_table(client, mode="fair", seed=None)
    assert table["seed"] is None and table["you"] == 0
    path = f"/api/tables/{table['id']}"
    with Tab(client, table["id"]) as tab:
        view = tab.state["view"]
        assert (
            view["seats"][0]["cards"]
            and view["seats"][1]["cards"] is None
            and view["seats"][1]["count"] == 3
        )
        assert view["public"] == {"bottom": ["z9"]} and view["facts"] == {"mood": "calm"}
        assert (
            client.get(path + "/record").status_code
            == client.get(path + "/replay").status_code
            == 409
        )
        for kind in ("analyse", "undo", "review", "step"):
            assert tab.refused(kind) in ("not_allowed", "not_over"), kind
        assert tab.refused("pause", on=True) == "not_allowed"
        over = play_to_the_end(tab, view)
    assert over["returns"] == [2.0, -1.0, -1.0] and over["summary"]["seed"] is not None
    assert all(seat["cards"] is not None for seat in over["view"]["seats"])
    text = client.get(path + "/record").text
    assert json.loads(text) == over["record"] and over["record"]["players"] == [
        "you",
        "quick",
        "quick",
    ]
    plies = client.get(path + "/replay").json()["plies"]
    assert len(plies) == over["summary"]["plies"] + 1 and plies[-1]["move"] is None
    assert [ply["move"] for ply in plies[:-1]] == over["record"]["moves"]
    stats = client.get("/api/stats").json()["stats"]
    counted = {"team": "one", "games": 1, "wins": 1, "returns": 2.0, "squares": 4.0}
    assert len(stats) == 1 and counted.items() <= stats[0].items()
    uploaded = client.post("/api/records", content=text + "\nnonsense\n").json()
    assert [row["line"] for row in uploaded["failed"]] == [3]
    assert (
        client.get(f"/api/tables/{uploaded['tables'][0]['id']}/record").text == text
    )  # download equals upload
    assert client.get("/api/stats").json()["stats"] == stats


def test_illegal_moves_and_turns(client: TestClient, site: Site) -> None:
    site.services.clock.pace = 1.0
    with Tab(client) as tab:
        assert tab.refused("play", move="pass") == "not_joined"
        tab.join(new_table(client)["id"])
        number = tab.say("play", move="d9")
        error = tab.until("error", id=number)
        assert error["code"] == "illegal_move" and "legal: pass" in error["text"]
        assert tab.refused("play", move="pass", rev=7) == "stale"
        other = new_table(client)["id"]  # at the same rev
        for kind, fields in {"play": {"move": "pass", "rev": 0}, "next": {}, "undo": {}}.items():
            assert tab.refused(kind, table=other, **fields) == "stale"
        tab.ask("play", "moved", move=" PASS ", rev=0)
        assert tab.refused("play", move="pass") == "not_your_turn"


def test_undo_goes_back_to_your_decision(client: TestClient) -> None:
    with Tab(client, new_table(client)["id"]) as tab:
        first = tab.state
        assert tab.refused("undo") == "not_allowed"
        tab.ask("play", "moved", move="pass")
        tab.until("moved", seat=2)
        state = tab.ask("undo", "state")
        assert state["view"] == first["view"] and state["rev"] == 4
        tab.ask("play", "moved", move="pass")
        state = tab.ask("undo", "state")  # while a player thinks
        assert state["view"] == first["view"]


def test_hints_are_for_your_own_decisions(client: TestClient) -> None:
    table = new_table(client)["id"]
    with Tab(client, table) as tab:
        row = tab.final("analyse", playouts=64)["rows"][0]
        assert (row["move"], row["wp"], row["se"], row["points"]) == ("pass", 0.5, 0.02, None)
        tab.ask("play", "moved", move="pass")
        for ply in (1, 2):
            assert tab.refused("analyse", ply=ply) in ("not_allowed", "bad_message")
        tab.until("moved", seat=2)
        assert tab.refused("analyse", ply=1) == "not_allowed"
        assert tab.final("analyse", ply=0, moves=["pass"])["ply"] == 0


def test_a_line_is_tried_and_the_game_is_as_it_was(client: TestClient) -> None:
    with Tab(client, new_table(client)["id"]) as tab:
        assert tab.refused("line", ply=0, line=[]) == "not_over", "it would show all hands"
        assert tab.refused("analyse", line=["pass"]) == "not_over"
        table = opened(client, "pass", "pass")
        before = tab.join(table)["view"]
        told = tab.ask("line", "line", ply=1, line=["pass", "pass"])["view"]
        assert told["ply"] == 3 and told["legal"] and not told["over"]
        found = tab.final("analyse", ply=1, line=["pass", "pass"])
        assert found["seat"] == told["to_move"] and found["line"] == ["pass", "pass"]
        assert tab.refused("line", ply=0, line=["d9"]) == "illegal_move"
        assert tab.join(table)["view"] == before


def test_a_position_of_no_table(client: TestClient) -> None:
    with Tab(client) as tab:
        known = {"hands": [[f"{rank}{suit}" for suit in "123"] for rank in "abc"]}
        asked = {"game": "toy", "position": known, "playouts": 64}
        told = tab.final("analyse", **asked, moves=["pass"])
        assert "ply" not in told and told["seat"] == 0 and told["knows_moves"]
        assert [row["move"] for row in told["rows"]] == ["pass"]
        assert tab.final("analyse", **asked, moves=["d9"])["error"]["code"] == "illegal_move"
        wrong = tab.final("analyse", game="toy", position={"hands": []})
        assert wrong["error"]["code"] == "bad_position"
        assert tab.refused("analyse", game="chess", position=known) == "unknown_game"
        for fields in ({"game": "toy"}, {"position": known}, asked | {"ply": 1}):
            assert tab.refused("analyse", **fields) == "bad_message"


def test_watching_with_pause_and_step(client: TestClient) -> None:
    table = new_table(client, seats=["quick", "slow-64", "quick"], mode="fair")
    assert table["mode"] == "open" and table["you"] is None
    with Tab(client, table["id"]) as tab:
        state = tab.state
        assert all(seat["cards"] for seat in state["view"]["seats"])
        tab.ask("speed", "state", factor=4)
        assert tab.ask("pause", "state", on=True)["paused"]
        plies = tab.join(table["id"])["view"]["ply"]
        tab.say("step")
        assert tab.until("moved")["ply"] == plies
        assert tab.refused("play", move="pass") == "not_your_turn"
        assert tab.ask("undo", "state")["view"]["ply"] == plies
        tab.ask("pause", "state", on=False)
        tab.until("over")
        assert tab.refused("step") == "over"


def test_a_series_sums_up_and_rotates(client: TestClient) -> None:
    table = new_table(client, rotate=True)
    with Tab(client) as tab, Tab(client) as other:
        view = tab.join(table["id"])["view"]
        other.join(table["id"])
        assert tab.refused("next") == "not_over"
        over = play_to_the_end(tab, view)
        assert over["summary"]["series"]["returns"] == [2.0, -1.0, -1.0]
        new = tab.ask("next", "next")["next"]
        number = other.say("next")  # which nobody else's wish has done
        assert other.until("next") == {
            "type": "next",
            "id": number,
            "table": table["id"],
            "next": new,
        }
        assert tab.ask("next", "next")["next"] == new
        state = tab.join(new)
        assert (
            state["summary"]["seats"] == ["quick", "you", "quick"]
            and state["summary"]["series"]["number"] == 2
        )
        view = (
            state["view"] if state["view"]["to_move"] == 1 else tab.until("moved", seat=0)["view"]
        )
        over = play_to_the_end(tab, view)
        won, series = over["returns"], over["summary"]["series"]
        assert series["games"] == 2 and series["returns"] == [
            2.0 + won[1],
            -1.0 + won[2],
            -1.0 + won[0],
        ]
        assert series["before"] == table["id"]


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"game": "chess"}, "unknown_game"),
        ({"seats": ["you", "you", "quick"]}, "bad_seats"),
        ({"seats": ["you", "quick", "checkpoint=x"]}, "unknown_player"),
        ({"path": "/etc/passwd"}, "bad_message"),
        ({"seed": None, "deal": {"hands": []}, "mode": "fair"}, "not_allowed"),
    ],
)
def test_tables_that_cannot_be(client: TestClient, fields: Json, code: str) -> None:
    answer = ask_for_table(client, **fields)
    assert answer.json()["error"]["code"] == code and answer.status_code >= 400


def test_deals_of_an_editor(client: TestClient) -> None:
    deal = {"hands": [["a1", "b1", "c1"], ["a2", "b2", "c2"], ["a3", "b3", "c3"]]}
    given = {"game": "toy", "deal": deal, "moves": ["a1"]}
    view = client.post("/api/deals", json=given).json()["view"]
    assert view["to_move"] == 1 and view["seats"][0]["cards"] == ["b1", "c1"]
    refused = client.post("/api/deals", json=given | {"moves": ["a1", "a1"]})
    assert refused.status_code == 422 and "move 2" in refused.json()["error"]["text"]
    table = new_table(client, seed=None, deal=deal, moves=["a1"], seats=["quick", "you", "quick"])
    watched = new_table(client, seed=None, deal=deal, seats=["quick"] * 3, mode="fair")
    assert watched["mode"] == "open", "whoever only watches hides nothing"
    path = f"/api/tables/{table['id']}/outside"
    outside = client.get(path).json()
    assert (outside["seat"], outside["hand"]) == (1, ["a2", "b2", "c2"])
    for ply, status in ((0, 409), (-1, 400)):
        assert client.get(f"{path}?ply={ply}").status_code == status


def test_a_game_goes_on_from_a_ply(client: TestClient) -> None:
    old = new_table(client, seats=["you", "quick", "quick"], mode="fair")
    given = {
        "seed": None,
        "continues": old["id"],
        "mode": "hints",
        "seats": ["quick", "you", "quick"],
    }
    hidden = ask_for_table(client, **given)
    assert hidden.json()["error"]["code"] == "not_over"
    with Tab(client) as tab:
        over = play_to_the_end(tab, tab.join(old["id"])["view"])
        moves = over["record"]["moves"]
        table = new_table(client, **given, ply=1)
        view = tab.join(table["id"])["view"]
    assert (view["ply"], view["you"], view["to_move"], table["plies"]) == (1, 1, 1, 1)
    assert [one["move"] for one in view["moves"]] == moves[:1]
    for wrong, code in (
        ({"ply": len(moves)}, "bad_message"),
        ({"mode": "fair"}, "not_allowed"),
        ({"seed": 3}, "bad_message"),
        ({"continues": None}, "bad_message"),
    ):
        answer = ask_for_table(client, **{**given, "ply": 1, **wrong})
        assert answer.json()["error"]["code"] == code, wrong


@pytest.mark.parametrize("mode", ["fair", "open"])
def test_a_player_is_asked_again_and_then_said_to_fail(
    client: TestClient, site: Any, mode: str
) -> None:
    table = new_table(client, mode=mode, seed=None)
    with Tab(client, table["id"]) as tab:
        site.engine.crashes = TRIES - 1
        tab.say("play", move="pass")
        tab.until("moved", seat=2)
        site.engine.crashes = TRIES
        tab.say("play", move="pass")
        error = tab.until("error")
        assert error["code"] == "engine" and ("join the table again" in error["text"]) == (
            mode == "fair"
        )
        tab.join(table["id"])  # and once more
        tab.until("moved", seat=2)


def test_large_bodies_are_refused(client: TestClient) -> None:
    for path in ("/api/tables", "/api/records", "/api/deals"):
        assert (
            client.post(path, content=b" " * (1024 * 1024 + 1)).json()["error"]["code"]
            == "too_large"
        )
        assert client.post(path, content=b"[" * 100_000).status_code in (400, 201)


def test_inference_keeps_to_the_time_of_a_move_as_well(client: TestClient, site: Site) -> None:
    with Tab(client) as tab:
        seats = ["you", "slow-64", "slow-64"]
        tab.join(new_table(client, seats=seats)["id"])
        tab.say("play", move="pass")
        tab.until("moved", seat=1)
    assert site.engine.asked[0].options == {"playouts": 64, "seconds": 0.85}


def test_records_for_everybody(client: TestClient, site: Site) -> None:
    assert client.portal is not None
    client.portal.call(
        site.server.lobby.open_shared,
        '{"game": "toy", "hands": [["a1","b1","c1"],["a2","b2","c2"],["a3","b3","c3"]], '
        '"moves": ["pass"]}\n',
    )
    shared = client.get("/api/tables").json()["tables"]
    assert shared[0]["shared"] and shared[0]["imported"]
    with Tab(client, shared[0]["id"]) as tab:
        assert all(seat["cards"] for seat in tab.state["view"]["seats"])
        assert tab.refused("play", move="pass") == "not_allowed"
