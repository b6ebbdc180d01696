"""The preparation of games: their order, requests that wait, and the reported progress."""

import asyncio
import threading
from dataclasses import replace
from typing import Any, ClassVar

import pytest
from starlette.testclient import TestClient

from fpmcts.web.engine.asking import EngineState
from fpmcts.web.errors import RefusedError
from fpmcts.web.server.app import Server
from fpmcts.web.server.main import listen, serve
from fpmcts.web.tables import preparing
from fpmcts.web.tables.catalogue import Catalogue
from fpmcts.web.tables.preparing import TRIED, PreparedGames, prepared
from games.base.settings import ConfigError
from tests.web.conftest import TOKEN, Site, Tab, new_table
from tests.web.fake import ToyGames, settle


class Shelf(ToyGames):
    """Copies of the toy game under several names; ``held`` is not prepared before it is let go."""

    pages: ClassVar[Any] = {}

    def __init__(self, *names: str, broken: str = "") -> None:
        self._names, self._broken, self.tried = names, broken, list[str]()
        self.ended, self.held = 0, threading.Event()
        self.held.set()

    def names(self) -> Any:
        return self._names

    def game(self, name: str) -> None:
        assert threading.current_thread() is not threading.main_thread(), "on the event loop"
        self.held.wait(10)
        self.tried.append(name)
        if name == self._broken:
            raise KeyError("no cards")

    def info(self, game: str) -> Any:
        return replace(super().info("toy"), name=game, base=game.partition(":")[0])

    def read(self, record: Any) -> Any:
        self.ended += record.get("returns") is not None
        return record["game"], super().table("toy", seed=0)

    def table(self, game: str, **given: Any) -> Any:
        return super().table("toy", **given)


@pytest.fixture(autouse=True)
def _no_rooms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparing, "of_rooms", lambda *_: [])


def shelved(*names: str, broken: str = "") -> tuple[Shelf, PreparedGames]:
    shelf = Shelf(*names, broken=broken)
    return shelf, PreparedGames(Catalogue({}), lambda: shelf)


async def until(done: Any) -> None:
    for _ in range(1000):
        if done():
            return
        await asyncio.sleep(0.005)
    raise AssertionError


def test_the_first_game_its_players_what_is_asked_for_and_the_rest() -> None:
    async def run() -> None:
        shelf, games = shelved("a", "b", "c", "c:x=1", "d")
        engine, warmed = EngineState("warming"), list[Any]()
        assert games.progress()["preparing"] == {"game": None, "done": 0, "games": ()}
        task = asyncio.create_task(games.prepare(engine, lambda: warmed.append(games.names())))
        await prepared(lambda: games.table("a", seed=0))
        await settle()
        assert shelf.tried == games.names() == ["a"] == warmed[0]  # the engine compiles
        told = {"game": None, "done": 1, "games": ("a", "b", "c", "d")}
        assert games.progress()["preparing"] == told
        assert (await prepared(lambda: games.read({"game": "c:x=1"})))[0] == "c:x=1"
        assert shelf.tried == games.names() == ["a", "c", "c:x=1"]
        assert not task.done()
        engine.change("ready", 1.0)
        await task
        assert games.names() == ["a", "b", "c", "c:x=1", "d"] and not engine.listeners
        assert shelf.ended == TRIED * 5  # played to the end, and read again
        assert games.progress() == {"preparing": None, "broken": {}, "pages": {}}

    asyncio.run(run())


def test_a_game_that_cannot_be_prepared_is_reported_and_the_others_are_there() -> None:
    async def run() -> None:
        _, games = shelved("a", "b", "c", broken="b")
        await games.prepare(EngineState("ready"), lambda: None)
        assert games.names() == ["a", "c"]
        with pytest.raises(RefusedError, match="b cannot be played: KeyError: 'no cards'"):
            await prepared(lambda: games.info("b:x=1"))
        assert list(games.progress()["broken"]) == ["b"]

    asyncio.run(run())


def test_ctrl_c_does_not_wait_for_a_game() -> None:
    shelf, games = shelved("a")
    shelf.held.clear()  # for ten seconds

    async def run() -> None:
        task = asyncio.create_task(games.prepare(EngineState("ready"), lambda: None))
        await until(lambda: games.progress()["preparing"]["game"] == "a")
        task.cancel()

    asyncio.run(run())
    assert shelf.tried == []
    shelf.held.set()


def test_the_page_is_there_before_the_games(site: Site) -> None:
    shelf, games = shelved("other", "toy")
    shelf.held.clear()
    site.services.rulebook = games
    site.prepare = lambda: games.prepare(EngineState("warming"), lambda: None)
    with site.client() as client:
        assert client.get(f"/?token={TOKEN}").status_code == 303
        client.headers.update({"origin": str(client.base_url)})
        for path in ("/", "/api/tables", "/api/stats", "/api/puzzles", "/api/health"):
            assert client.get(path).status_code == 200
        config = client.get("/api/config").json()
        assert config["games"] == [] and config["preparing"]["done"] == 0
        shelf.held.set()
        table = new_table(client)["id"]  # waits for its game
        assert shelf.tried == ["other", "toy"]
        with Tab(client) as tab:
            assert tab.join(table)["table"] == table
        config = client.get("/api/config?game=toy").json()
        assert [game["name"] for game in config["games"]] == ["other", "toy"]
        assert config["preparing"] is None


def test_what_nobody_expected_ends_the_server_with_one_line(site: Site) -> None:
    async def fail() -> None:
        raise KeyError("a fault of a game")

    async def stop() -> None:
        pass

    engine, listening = site.engine, listen("127.0.0.1", 0)
    engine.start, engine.stop = lambda: None, stop  # type: ignore[attr-defined]
    server = Server(site.services, None, dict)
    with pytest.raises(ConfigError, match="cannot be loaded: KeyError: 'a fault of a game'"):
        asyncio.run(serve(server, engine, site.access, "127.0.0.1", listening, fail))  # type: ignore[arg-type]


def test_a_tab_waits_for_the_game_of_its_table(site: Site, client: TestClient) -> None:
    table = new_table(client)["id"]
    shelf, games = shelved("toy")
    site.server.lobby._rooms.clear()
    site.services.rulebook = games
    with Tab(client) as tab:
        tab.say("join", table=table)
        assert client.get("/api/health").status_code == 200
        client.portal.call(games.prepare, EngineState("warming"), lambda: None)  # type: ignore[union-attr]
        assert tab.until("state", id=1)["table"] == table
    assert shelf.tried == ["toy"]
