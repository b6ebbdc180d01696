"""The small parts: what is kept, what is offered, how a server is started."""

import asyncio
import contextlib
import json
import socket
import sqlite3
from dataclasses import asdict, replace
from pathlib import Path
from queue import SimpleQueue
from urllib.parse import unquote, urlsplit

import numpy as np
import pytest
from starlette.testclient import TestClient

from fpmcts.players.lookup import entrants_of
from fpmcts.web.command import parse
from fpmcts.web.config import PlayConfig
from fpmcts.web.engine.asking import Answer
from fpmcts.web.errors import Json
from fpmcts.web.review.judging import Judgement, Review
from fpmcts.web.server import main
from fpmcts.web.server.main import listen, run
from fpmcts.web.tables import lobby, store
from fpmcts.web.tables.catalogue import Catalogue, Entry, Offer
from fpmcts.web.tables.offers import AUCTIONS, fitted, measure, offers, warm_up, weights_of
from fpmcts.web.tables.room import Room
from fpmcts.web.tables.rulebook import GameInfo, base_of
from fpmcts.web.tables.store import Series, Store, StoredGame, StoreError, TableSettings
from games import Choice, game_class
from games.base.settings import ConfigError
from games.play.decision import Decision
from networks.checkpoint import CHECKPOINT, save
from tests.web.conftest import Site, Tab, ask_for_table, new_table
from tests.web.fake import FakeClock, FakeEngine, ToyGames, services


def test_files_that_are_no_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "PATIENCE", 0.01)
    names = ("text", "other.sqlite", "newer.sqlite", "used.sqlite")
    text, other, newer, used = (tmp_path / name for name in names)
    text.write_text("no database, " * 100)
    with contextlib.closing(sqlite3.connect(other)) as file:
        file.execute("CREATE TABLE something (x)")
    Store(newer).close()
    with contextlib.closing(sqlite3.connect(newer)) as file:
        file.execute("PRAGMA user_version=99")
    with contextlib.closing(Store(used)):
        with pytest.raises(StoreError, match="in use by another program"):
            Store(used)
    used.chmod(0o644)
    Store(used).close()
    assert used.stat().st_mode & 0o777 == 0o600
    for path, message in (
        (text, "cannot be used"),
        (other, "something else"),
        (newer, "version 99"),
        (tmp_path, "cannot be used"),
    ):
        with pytest.raises(StoreError, match=message):
            Store(path)


def test_a_file_of_version_1_keeps_its_reviews(tmp_path: Path) -> None:
    path = tmp_path / "old.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as file:
        old = store.REVIEWS.replace("(game, session, key)", "(game, key)")
        old = old.replace(
            "session TEXT NOT NULL,\n    key TEXT NOT NULL",
            "key TEXT NOT NULL,\n    session TEXT NOT NULL",
        )
        file.executescript(f"{store.GAMES} {old} PRAGMA user_version=1;")
        file.execute("INSERT INTO games VALUES ('a', 'me', 'toy', 1.0, 1, '{}', '{}')")
        for table in ("a", "gone"):
            file.execute("INSERT INTO reviews VALUES (?, 'normal 0 0', 'me', '{}')", (table,))
        file.commit()
    for _ in range(2):
        with contextlib.closing(Store(path)) as kept:
            assert [*kept.reviewed("me")] == [("a", "toy", [{}])]
            assert kept.reviews_of("a", "me") == [{}]


def test_a_file_of_version_2_keeps_its_results(tmp_path: Path) -> None:
    path = tmp_path / "old.sqlite"
    settings = TableSettings(["random", "you"], "fair", Series(["random", "you"]), 0)
    settings.returns = [1.0, -1.0]
    rows = {"a": settings, "b": replace(settings, imported=True), "c": replace(settings, seats=[])}
    with contextlib.closing(sqlite3.connect(path)) as file:
        file.executescript(f"{store.GAMES} {store.REVIEWS} PRAGMA user_version=2;")
        for name, row in rows.items():
            given = (name, json.dumps(asdict(row)))
            file.execute("INSERT INTO games VALUES (?, 'me', 'toy', 1.0, 1, ?, '{}')", given)
        file.commit()
    for _ in range(2):
        with contextlib.closing(Store(path)) as kept:
            assert kept.results("me") == [("toy", "fair", ["random", "you"], 1, 0, -1.0, 1.0)]
            kept.put(StoredGame("a", "me", "toy", 1.0, True, settings, {}))


def test_lists_do_not_read_the_records_of_the_past(
    client: TestClient, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many games there were: statistics are added up by the file, lists are of 500."""
    for seed in range(3):
        new_table(client, seed=seed)
    session = next(iter(site.server.lobby._makings))
    for game in [*site.services.store.of_session(session)]:
        game.settings.returns = [2.0, -1.0, -1.0]
        site.services.store.put(game._replace(over=True))
    monkeypatch.setattr(store.TableSettings, "parse", lambda _: pytest.fail("a game is read"))
    (row,) = client.get("/api/stats").json()["stats"]
    assert (row["games"], row["wins"], row["returns"], row["squares"]) == (3, 3, 6.0, 12.0)
    monkeypatch.undo()
    lines = site.services.store._ask("EXPLAIN QUERY PLAN " + store.SUMS_OF_RESULTS, session)
    assert "COVERING INDEX results" in str(lines) and "TEMP" not in str(lines)
    names = [table["id"] for table in client.get("/api/tables").json()["tables"]]
    assert len(names) == 3


def test_a_long_series_is_read_by_one_statement(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = services(FakeEngine(), FakeClock())
    kept, before = asked.store, None
    for number in range(1, 6):
        series = Series(["you", "quick", "quick"], number=number, before=before)
        settings = TableSettings(["you", "quick", "quick"], "fair", series, 0, rotate=True)
        settings.returns = None if number == 5 else [2.0, 1.0, float(number)]
        owner = "other" if number == 1 else "me"
        game = StoredGame(f"g{number}", owner, "toy", 1.0, number < 5, settings, {})
        kept.put(game)
        before = game.id
    record = ToyGames().table("toy", seed=0).record()
    room = Room(asked, game._replace(record=record))
    monkeypatch.setattr(store.TableSettings, "parse", lambda _: pytest.fail("a game is read"))
    # The first seat is the third player's in the second game, and the second player's in the third.
    assert room.series_returns() == [[1.0, 2.0, 2.0], [3.0, 2.0, 1.0], [2.0, 1.0, 4.0]]
    assert kept.returns_before("g4", "me", 2) == [(3, [2.0, 1.0, 3.0]), (4, [2.0, 1.0, 4.0])]


def test_games_are_removed(client: TestClient, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby, "MOST_GAMES", 1)
    table = new_table(client)["id"]
    site.services.store.put_review(table, "somebody", "normal", {})
    assert ask_for_table(client).json()["error"]["code"] == "full"
    with Tab(client, table):
        assert client.delete(f"/api/tables/{table}").status_code == 429  # somebody is there
    for _ in range(100):
        if client.delete(f"/api/tables/{table}").status_code == 200:
            break
    assert client.get(f"/api/tables/{table}").status_code == 404
    assert site.services.store.reviews_of(table, "somebody") == []
    assert client.delete(f"/api/tables/{table}").status_code == 404
    monkeypatch.undo()
    assert client.portal is not None
    client.portal.call(
        site.server.lobby.open_shared, json.dumps(ToyGames().table("toy", seed=0).record())
    )
    (shared,) = client.get("/api/tables").json()["tables"]
    assert client.delete(f"/api/tables/{shared['id']}").status_code == 403
    new_table(client)


def test_a_game_that_left_the_lobby_breaks_no_list(client: TestClient, site: Site) -> None:
    new_table(client)
    session = next(iter(site.server.lobby._makings))
    settings = TableSettings(["you", "x"], "fair", Series(["you", "x"]), 0, returns=[1.0, -1.0])
    site.services.store.put(StoredGame("g", session, "left:cards=4", 1.0, True, settings, {}))
    mistake = Judgement(0, 0, "pass", None, "points", "a1", [], loss=50.0, se=0.1)
    review = Review("normal", 0, (5.0, 10.0, 15.0), (0,), decisions=[mistake])
    assert mistake.name(review.classes) == "blunder"
    site.services.store.put_review("g", session, review.key, asdict(review))
    assert client.get("/api/stats").json() == {"stats": [], "skill": []}
    assert client.get("/api/puzzles").json() == {"puzzles": []}
    assert len(client.get("/api/tables").json()["tables"]) == 2


def test_delays_fit_the_machine() -> None:
    entry = Entry("s", "s", "S", "fpmcts", playouts=64, delay=0.9)
    assert fitted(entry, 0.001).delay == 0.9
    slow = fitted(entry, 0.01)
    assert slow.delay == pytest.approx(1.1, abs=0.1) and slow.delay - 0.2 < slow.budget < slow.delay
    assert fitted(entry, 1.0).delay == 2.0
    assert fitted(replace(entry, playouts=1024, delay=6.0), 1.0).delay == 6.0
    catalogue = Catalogue({"toy": Offer((entry,), "s")})
    asyncio.run(
        measure(
            FakeEngine(lambda question: Answer(Decision("pass", 0, seconds=6.4))),
            catalogue,
            ("toy", "other"),
        )
    )
    assert catalogue.offer("toy").entry("s").delay == 2.0


def test_players_of_the_lobby_exist() -> None:
    from fpmcts.players.lookup import PLAYERS

    catalogue = Catalogue(offers())
    for question in warm_up(catalogue):
        kind = PLAYERS[question.kind]
        kind.parse(question.options)
        assert kind.plays(base_of(question.game))


def test_what_you_trained_stands_in_the_lobby(tmp_path: Path) -> None:
    tabular, networks = tmp_path / "mine", tmp_path / "nets"
    for folder, meta in (
        (tabular, {"algorithm": {"name": "cfr_plus"}, "game": {"name": "kuhn"}}),
        (networks, {"config": {"game": {"name": "doudizhu"}}}),
    ):
        folder.mkdir()
        save(folder / CHECKPOINT, {"x": np.zeros(1)}, meta)
    made = offers([tabular, tabular, networks])
    kuhn, doudizhu = made["kuhn"], made["doudizhu"]
    assert [entry.name for entry in kuhn.entries][-2:] == ["mine", "mine-2"] and kuhn.entry(
        "mine"
    ).kind == "tabular"
    assert kuhn.analyst == "tables" and kuhn.exact  # those that come with the project
    assert doudizhu.entry("nets-64") and doudizhu.analyst == "fpmcts"
    limit = made["limit_holdem"]  # both come with the project; the tables are stronger
    assert limit.entry("fpmcts-64") and limit.analyst == "tables"
    told = json.dumps(
        Catalogue(made).fields(
            GameInfo("kuhn", (("P0", 0), ("P1", 1)), ("P0", "P1"), "chips", False, True, 4, None)
        )
    )
    assert str(tmp_path) not in told


@pytest.mark.parametrize(
    ("game", "name"),
    [
        ({"name": "examples.sealed_bids", "values": 5}, "examples.sealed_bids:values=5"),
        (
            {"name": "no_limit_holdem", "bet_sizes": [0.5, "all-in"], "stacks": [900, 5000]},
            "no_limit_holdem:bet_sizes=[0.5,all-in],stacks=[900,5000]",
        ),
    ],
)
def test_a_run_brings_its_options(tmp_path: Path, game: Json, name: str) -> None:
    save(tmp_path / CHECKPOINT, {"x": np.zeros(1)}, {"config": {"game": game}})
    made = offers([tmp_path])
    entry = made[name].entry(f"{tmp_path.name[:40]}-64")
    assert entry.options["checkpoint"] == str(tmp_path) and {"ismcts", "random"} <= {
        one.name for one in made[name].entries
    }
    assert Choice.from_text(name) == Choice.parse(game)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"host": "192.0.2.1"}, "192.0.2.1"),
        ({"checkpoint": ["nowhere"]}, "nowhere"),
        ({"games": "/proc/x/y"}, "/proc/x"),
        ({"games": "text.txt"}, "text.txt: cannot be used"),
        ({"review": "text.txt"}, "review=text.txt: line 1: expected JSON"),
        ({"checkpoint": ["rlcard"]}, "rules=rlcard; the browser table plays rules=standard"),
        ({"checkpoint": ["paper"]}, "encoding=paper"),
        ({"checkpoint": ["opponents"]}, "a model of opponents, not a player"),
    ],
)
def test_servers_that_cannot_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: Json, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, meta in (
        ("rlcard", {"config": {"game": {"name": "doudizhu", "rules": "rlcard"}}}),
        ("paper", {"config": {"game": {"name": "doudizhu", "encoding": "paper"}}}),
        ("opponents", {"algorithm": {"name": "opponent_model"}}),
    ):
        Path(name).mkdir()
        save(Path(name) / CHECKPOINT, {"x": np.zeros(1)}, meta)
    config = PlayConfig(**{"port": 0, "browser": False, "games": "g.sqlite", **given})
    Path("text.txt").write_text("hello\n" * 100)
    before, said = sorted(tmp_path.iterdir()), list[str]()
    with pytest.raises(ConfigError, match=message) as error:
        run(config, said.append)
    assert "\n" not in str(error.value) and not said
    assert sorted(tmp_path.iterdir()) == before


def test_no_checkpoint_is_null() -> None:
    """As the message for an empty value says."""
    assert parse(["checkpoint=null", "checkpoint=runs/a"]).checkpoint == ["runs/a"]


def test_a_browser_is_opened_without_the_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The arguments of a program stand in the list of processes."""
    given: SimpleQueue[str] = SimpleQueue()
    monkeypatch.setattr(main.webbrowser, "open", given.put)
    games = tmp_path / "play.sqlite"
    with main.opened_browser("http://127.0.0.1:8000/?token=secret", games):
        address = given.get(timeout=10)
        page = Path(unquote(urlsplit(address).path))
        assert "secret" not in address and "url=http://127.0.0.1:8000/?token=secret" in (
            page.read_text()
        )
        assert page.stat().st_mode & 0o777 == 0o600
    assert not page.exists()


def test_small_messages_are_sent_at_once() -> None:
    with (
        listen("127.0.0.1", 0) as listening,
        socket.create_connection(listening.getsockname()),
        listening.accept()[0] as served,
    ):
        assert served.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_the_auction_has_players() -> None:
    variants = game_class("doudizhu").variants.values()
    assert {*AUCTIONS} == {str(Choice("doudizhu", options)) for options in variants if options}
    for name in AUCTIONS:
        assert weights_of(name).stem == Choice.from_text(name).make().weights
        for entry in offers()[name].entries:
            assert entrants_of(entry.kind, Choice.from_text(name).make(), entry.options)
            assert not entry.options.get("temperature"), "good play need not mix"
