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
from networks.checkpoint import CHECKPOINT, save
from runtime.settings import ConfigError
from tests.web.fake import CATALOGUE, FakeEngine
from web.asking import Answer
from web.catalogue import Catalogue, Entry, Offer
from web.clock import derived_seed
from web.offers import OTHERS, offers, warm_up
from web.pace import fitted, measure
from web.rulebook import GameInfo
from web.server import ServerConfig, ServerError, run
from web.store import Store, StoredGame, StoreError
from web.turns import earlier_games
from web.variants import name_of, parts_of

ROOT = Path(__file__).resolve().parents[2]


def test_store_keeps_games_and_reviews(tmp_path: Path) -> None:
    path = tmp_path / "play.sqlite"
    store = Store(path)
    game = StoredGame("t1", "me", "toy", 5.0, False, {"mode": "fair"}, {"moves": []})
    store.put(game)
    store.put(game._replace(over=True, record={"moves": ["pass"]}))
    store.put(game._replace(id="t2", made=6.0))
    store.put(game._replace(id="t3", session="other"))
    store.put_review("t1", "k", "me", {"a": 1})
    store.put_review("t1", "k", "me", {"a": 2})
    store.close()
    store = Store(path)
    assert [found.id for found in store.of_session("me")] == ["t2", "t1"]
    assert store.get("t1") == game._replace(over=True, record={"moves": ["pass"]}) and store.get("none") is None
    assert store.count("me") == 2 and store.count("me", unfinished=True) == 1
    assert store.review("t1", "k") == {"a": 2} and store.reviewed("me") == [("t1", {"a": 2})] and store.review("t1", "x") is None
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


def test_seeds_follow_from_all_parts() -> None:
    assert derived_seed("a", 1) == derived_seed("a", 1) < 2**53
    assert len({derived_seed(*parts) for parts in (("a", 1), ("a", 2), ("b", 1), ("a",), ("a1",), ("a", "", 1))}) == 6


def test_delays_fit_the_machine() -> None:
    entry = Entry("s", "s", "S", "fpmcts", playouts=64, delay=0.9, budget=0.7)
    assert fitted(entry, 0.001).delay == 0.9
    slow = fitted(entry, 0.05)
    assert slow.delay == pytest.approx(5.0, abs=0.1) and slow.delay - 0.2 < slow.budget < slow.delay
    assert fitted(Entry("r", "r", "R", "random"), 9.0).delay == 0.6
    catalogue = Catalogue({"toy": Offer((entry,), "s")})
    asyncio.run(measure(FakeEngine(lambda question: Answer("pass", seconds=6.4)), catalogue, ("toy", "other")))
    assert catalogue.offer("toy").entry("s").delay > 9.0


def test_every_delay_leaves_room_and_is_long_enough() -> None:
    for offer in [CATALOGUE.offer("toy"), *offers().values()]:
        for entry in offer.entries:
            assert entry.delay >= 0.6 and entry.budget < entry.delay
        assert len({entry.name for entry in offer.entries}) == len(offer.entries)
        if offer.analyst is not None:
            assert offer.analyst in {entry.group for entry in offer.entries}


def test_players_of_the_lobby_exist() -> None:
    from agents.players import PLAYERS

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
    assert [entry.name for entry in kuhn.entries][-2:] == ["mine", "mine-2"] and kuhn.entry("mine").kind == "tabular"
    assert kuhn.analyst == "tables" and not kuhn.searches  # those that come with the project
    assert doudizhu.entry("nets-64").options == {"checkpoint": str(networks), "playouts": 64} and doudizhu.analyst == "fpmcts"
    told = json.dumps(
        Catalogue(made).fields(GameInfo("kuhn", (("P0", 0), ("P1", 1)), ("P0", "P1"), "chips", False, True, 4, None))
    )
    assert str(tmp_path) not in told


@pytest.mark.parametrize(
    ("game", "name"),
    [
        ({"name": "leduc", "suits": True}, "leduc:suits=true"),
        ({"name": "leduc", "suits": False, "cards": None}, "leduc"),
        ({"name": "goofspiel", "cards": 5, "prizes": "random", "lowest_prize": 0}, "goofspiel:cards=5,prizes=random"),
        ({"name": "phantom_tictactoe", "variant": "small", "reveal": True}, "phantom_tictactoe:variant=small"),
        ({"name": "no_limit_holdem", "players": 2, "bet_sizes": ["least", 0.5, 1, 2, "all-in"]}, "no_limit_holdem"),
        ({"name": "no_limit_holdem", "players": 6, "least_stack": None}, "no_limit_holdem:players=6"),
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
    assert entry.options["checkpoint"] == str(tmp_path) and {"ismcts", "random"} <= {one.name for one in made[name].entries}
    base, options = parts_of(name)
    assert base == game["name"] and options.items() <= game.items() and name_of(base, options) == name


@pytest.mark.parametrize(
    ("game", "message"),
    [
        ({"name": "doudizhu", "rules": "rlcard"}, "doudizhu with rules=rlcard; the browser table plays rules=standard"),
        ({"name": "doudizhu", "encoding": "paper"}, "encoding=paper"),
    ],
)
@pytest.mark.parametrize("learned", ["tables", "networks"])
def test_runs_of_other_rules_are_refused_at_the_start(tmp_path: Path, game: dict[str, Any], message: str, learned: str) -> None:
    meta = {"algorithm": {"name": "x"}, "game": game} if learned == "tables" else {"config": {"game": game}}
    save(tmp_path / CHECKPOINT, {"x": np.zeros(1)}, meta)
    config = ServerConfig("127.0.0.1", 0, tmp_path / "g.sqlite", checkpoints=(tmp_path,))
    with pytest.raises(ServerError) as error:
        run(config, lambda _: None, browser=False)
    assert message in str(error.value) and "\n" not in str(error.value) and str(tmp_path) in str(error.value)


def test_a_run_that_knows_policies_alone_does_not_search(tmp_path: Path) -> None:
    save(tmp_path / CHECKPOINT, {"x": np.zeros(1)}, {"algorithm": {"name": "nfsp"}, "config": {}, "game": {"name": "leduc"}})
    made = offers([tmp_path])["leduc"]
    assert [entry.kind for entry in made.entries if entry.group == tmp_path.name[:40]] == ["policy"] and made.analyst == "tables"


def test_greedy_is_offered_where_it_is_no_worse() -> None:
    made = offers()
    assert made["limit_holdem"].entry("tables").greedy_options is not None
    assert all(made[game].entry("tables").greedy_options is None for game in ("kuhn", "leduc"))  # NashConv of Leduc greedy: 3.2


def test_a_game_without_offers_has_somebody_to_play_with() -> None:
    catalogue = Catalogue(offers(), OTHERS)
    assert [entry.name for entry in catalogue.offer("goofspiel").entries] == ["ismcts", "random"]
    assert "goofspiel" not in catalogue.games()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["port"], "port: expected key=value"),
        (["port=-1"], "port=-1: expected"),
        (["port=70000"], "port=70000: expected"),
        (["port=x"], "port=x: expected"),
        (["browser=perhaps"], "browser=perhaps: expected true or false"),
        (["colour=red"], "colour=red: unknown key"),
        (["games="], "games=: the value is missing"),
        (["checkpoint="], "checkpoint=: the value is missing"),
        (["port=1", "port=2"], "port is given twice"),
    ],
)
def test_keys_that_cannot_be(arguments: list[str], message: str) -> None:
    with pytest.raises(ConfigError) as error:
        play.parse(tuple(arguments))
    assert message in str(error.value) and "\n" not in str(error.value)


def test_keys() -> None:
    config = play.parse(("port=0", "browser=false", "checkpoint=a", "checkpoint=b", "games=x.sqlite"))
    assert (config.port, config.browser, config.checkpoint, config.games) == (0, False, ["a", "b"], "x.sqlite")


@pytest.mark.parametrize(
    "given",
    [{"host": "192.0.2.1"}, {"review": Path("nowhere.jsonl")}, {"checkpoints": (Path("nowhere"),)}, {"games": Path("/proc/x/y")}],
)
def test_servers_that_cannot_start(tmp_path: Path, given: dict[str, Any]) -> None:
    config = ServerConfig(**{"host": "127.0.0.1", "port": 0, "games": tmp_path / "g.sqlite", **given})
    said: list[str] = []
    with pytest.raises(ServerError) as error:
        run(config, said.append, browser=False)
    assert "\n" not in str(error.value) and not said


def test_the_page_does_not_wait_for_numba_and_torch() -> None:
    code = "import sys, play, web.server; sys.exit(bool({'torch', 'numba', 'games'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


@pytest.mark.parametrize("rotate", [True, False])
def test_earlier_games_of_a_series(rotate: bool) -> None:
    """The third hand of three players: two records, the oldest first, and who sat where, numbered as in the first hand."""

    def stored(number: int, before: str | None, session: str = "me") -> SimpleNamespace:
        return SimpleNamespace(
            session=session, record={"hand": number}, settings={"series": {"before": before, "number": number}}
        )

    games = {"one": stored(1, None), "two": stored(2, "one"), "foreign": stored(2, "one", "other")}
    services = SimpleNamespace(store=SimpleNamespace(get=games.get))

    def room(before: str) -> SimpleNamespace:
        series = SimpleNamespace(number=3, before=before)
        return SimpleNamespace(
            session="me", services=services, settings=SimpleNamespace(series=series, seats=["a", "b", "c"], rotate=rotate)
        )

    found = earlier_games(room("two"))
    assert found.records == ({"hand": 1}, {"hand": 2})
    assert found.seating == (((0, 1, 2), (2, 0, 1), (1, 2, 0)) if rotate else ((0, 1, 2),) * 3)
    assert earlier_games(room("foreign")).records == () and len(earlier_games(room("gone")).seating) == 1
