"""The small parts: what is kept, what is offered, how a server is started."""

import asyncio
import json
import sqlite3
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import play
from fpmcts.web.config import PlayConfig
from fpmcts.web.engine.asking import Answer
from fpmcts.web.server.main import run
from fpmcts.web.tables.catalogue import Catalogue, Entry, Offer
from fpmcts.web.tables.offers import fitted, measure, offers, warm_up
from fpmcts.web.tables.rulebook import GameInfo
from fpmcts.web.tables.settings import Series, Settings
from fpmcts.web.tables.store import Store, StoredGame, StoreError
from fpmcts.web.tables.turns import earlier_games
from games import Choice
from games.settings import ConfigError
from networks.checkpoint import CHECKPOINT, save
from tests.web.fake import FakeEngine

ROOT = Path(__file__).resolve().parents[2]


def test_store_keeps_games_and_reviews(tmp_path: Path) -> None:
    path = tmp_path / "play.sqlite"
    store = Store(path)
    game = StoredGame(
        "t1", "me", "toy", 5.0, False, Settings(["you"], "fair", Series(["you"]), 0), {"moves": []}
    )
    store.put(game)
    store.put(game._replace(over=True, record={"moves": ["pass"]}))
    store.put(game._replace(id="t2", made=6.0))
    store.put(game._replace(id="t3", session="other"))
    store.put_review("t1", "k", "me", {"a": 1})
    store.put_review("t1", "k", "me", {"a": 2})
    store.close()
    store = Store(path)
    assert [found.id for found in store.of_session("me")] == ["t2", "t1"]
    assert store.get("t1") == game._replace(over=True, record={"moves": ["pass"]})
    assert store.get("none") is store.review("t1", "x") is None and store.count("me") == 2
    assert store.review("t1", "k") == {"a": 2} and store.reviewed("me") == [("t1", {"a": 2})]
    store.forget("me")
    assert store.of_session("me") == [] and store.count("other") == 1


def test_files_that_are_no_store(tmp_path: Path) -> None:
    text, other, newer = tmp_path / "text", tmp_path / "other.sqlite", tmp_path / "newer.sqlite"
    text.write_text("no database, " * 100)
    with sqlite3.connect(other) as file:
        file.execute("CREATE TABLE something (x)")
    Store(newer).close()
    with sqlite3.connect(newer) as file:
        file.execute("PRAGMA user_version=99")
    for path, message in (
        (text, "cannot be used"),
        (other, "something else"),
        (newer, "version 99"),
        (tmp_path, "cannot be used"),
    ):
        with pytest.raises(StoreError, match=message):
            Store(path)


def test_delays_fit_the_machine() -> None:
    entry = Entry("s", "s", "S", "fpmcts", playouts=64, delay=0.9, budget=0.7)
    assert fitted(entry, 0.001).delay == 0.9
    slow = fitted(entry, 0.05)
    assert slow.delay == pytest.approx(5.0, abs=0.1) and slow.delay - 0.2 < slow.budget < slow.delay
    catalogue = Catalogue({"toy": Offer((entry,), "s")})
    asyncio.run(
        measure(
            FakeEngine(lambda question: Answer("pass", seconds=6.4)), catalogue, ("toy", "other")
        )
    )
    assert catalogue.offer("toy").entry("s").delay > 9.0


def test_players_of_the_lobby_exist() -> None:
    from fpmcts.players.lookup import PLAYERS

    catalogue = Catalogue(offers())
    for question in warm_up(catalogue):
        kind = PLAYERS[question.kind]
        kind.parse(question.options)
        assert kind.plays(question.game)


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
        ({"name": "leduc", "suits": False, "cards": None}, "leduc"),
        (
            {"name": "no_limit_holdem", "bet_sizes": [0.5, "all-in"], "stacks": [900, 5000]},
            "no_limit_holdem:bet_sizes=[0.5,all-in],stacks=[900,5000]",
        ),
    ],
)
def test_a_run_brings_its_options(tmp_path: Path, game: dict[str, Any], name: str) -> None:
    save(tmp_path / CHECKPOINT, {"x": np.zeros(1)}, {"config": {"game": game}})
    made = offers([tmp_path])
    entry = made[name].entry(f"{tmp_path.name[:40]}-64")
    assert entry.options["checkpoint"] == str(tmp_path) and {"ismcts", "random"} <= {
        one.name for one in made[name].entries
    }
    assert Choice.from_text(name) == Choice.parse(game)


@pytest.mark.parametrize(
    ("meta", "message"),
    [
        (
            {"algorithm": {"name": "x"}, "game": {"name": "doudizhu", "rules": "rlcard"}},
            "doudizhu with rules=rlcard; the browser table plays rules=standard",
        ),
        ({"config": {"game": {"name": "doudizhu", "encoding": "paper"}}}, "encoding=paper"),
    ],
)
def test_runs_of_other_rules_are_refused_at_the_start(
    tmp_path: Path, meta: dict[str, Any], message: str
) -> None:
    save(tmp_path / CHECKPOINT, {"x": np.zeros(1)}, meta)
    config = PlayConfig(
        port=0, browser=False, games=str(tmp_path / "g.sqlite"), checkpoint=[str(tmp_path)]
    )
    with pytest.raises(ConfigError) as error:
        run(config, lambda _: None)
    assert message in str(error.value) and str(tmp_path) in str(error.value)


def test_a_run_that_knows_policies_alone_does_not_search(tmp_path: Path) -> None:
    save(
        tmp_path / CHECKPOINT,
        {"x": np.zeros(1)},
        {"algorithm": {"name": "nfsp"}, "config": {}, "game": {"name": "leduc"}},
    )
    made = offers([tmp_path])["leduc"]
    assert [entry.kind for entry in made.entries if entry.group == tmp_path.name[:40]] == [
        "policy"
    ] and made.analyst == "tables"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["port=70000"], "port=70000: expected"),
        (["colour=red"], "colour=red: unknown key"),
    ],
)
def test_keys_that_cannot_be(arguments: list[str], message: str) -> None:
    with pytest.raises(ConfigError) as error:
        play.parse(tuple(arguments))
    assert message in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    "given",
    [
        {"host": "192.0.2.1"},
        {"review": "nowhere.jsonl"},
        {"checkpoint": ["nowhere"]},
        {"games": "/proc/x/y"},
    ],
)
def test_servers_that_cannot_start(tmp_path: Path, given: dict[str, Any]) -> None:
    config = PlayConfig(
        **{"port": 0, "browser": False, "games": str(tmp_path / "g.sqlite"), **given}
    )
    said: list[str] = []
    with pytest.raises(ConfigError) as error:
        run(config, said.append)
    assert "\n" not in str(error.value) and not said


def test_the_page_does_not_wait_for_numba_and_torch() -> None:
    code = (
        "import sys, play, fpmcts.web.server.main; sys.exit(bool({'torch', 'numba'} & "
        "set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


@pytest.mark.parametrize("rotate", [True, False])
def test_earlier_games_of_a_series(rotate: bool) -> None:
    """The third hand of three players: two records, the oldest first, and who sat where, numbered
    as in the first hand.
    """
    store = Store(None)
    for number, name, before, session in (
        (1, "one", None, "me"),
        (2, "two", "one", "me"),
        (2, "foreign", "one", "other"),
    ):
        settings = Settings([], "fair", Series([], number, before=before), 0)
        store.put(StoredGame(name, session, "toy", 1.0, True, settings, {"hand": number}))

    def earlier(before: str) -> Any:
        settings = Settings(
            ["a", "b", "c"], "fair", Series(["a", "b", "c"], 3, before=before), 0, rotate=rotate
        )
        game: Any = SimpleNamespace(
            session="me", services=SimpleNamespace(store=store), settings=settings
        )
        return earlier_games(game)

    assert earlier("two").records == ({"hand": 1}, {"hand": 2})
    assert earlier("two").seating == (
        ((0, 1, 2), (2, 0, 1), (1, 2, 0)) if rotate else ((0, 1, 2),) * 3
    )
    assert earlier("foreign").records == () and len(earlier("gone").seating) == 1
