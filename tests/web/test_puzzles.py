"""Judged puzzles: found by the command, tried at the page."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from fpmcts.web import puzzles
from fpmcts.web.server.main import SHIPPED
from fpmcts.web.tables.puzzles import named, read
from fpmcts.web.tables.rulebook import Rulebook
from games.base.settings import ConfigError
from games.kernels.rows import num_rows
from games.play.decision import Decision
from games.play.table import Table
from tests.web.conftest import HANDS, Site, Tab, new_table

ROW = {
    "game": "toy",
    "theme": "bomb",
    "best": "b2",
    "losses": {"a2": [30.0, 2.0], "pass": [12.0, 1.0], "c2": [40.0, 3.0]},
    "record": {"game": "toy", "hands": HANDS, "moves": ["pass"]},
    "from": ["toy", 1, 1],
}


def test_a_puzzle_is_listed_tried_and_solved(client: TestClient, site: Site) -> None:
    """It is a table that everybody may read and that no list of tables shows; its answer is not
    sent before it is found, and no search is needed.
    """
    site.services.puzzles = named([ROW])
    (row,) = client.get("/api/puzzles?game=toy").json()["puzzles"]
    assert row == {"table": row["table"], "ply": 1, "game": "toy", "theme": "bomb"}
    assert not client.get("/api/puzzles?game=leduc").json()["puzzles"]
    assert not client.get("/api/tables").json()["tables"]
    view = client.get(f"/api/tables/{row['table']}/puzzle?ply=1").json()["view"]
    assert view["you"] == 1 and view["seats"][0]["cards"] is None and "b2" in view["legal"]
    with Tab(client, row["table"]) as tab:
        assert tab.refused("play", move="b2") == "not_allowed"
        wrong = tab.final("try", ply=1, move="pass")["tried"]
        assert not wrong["right"] and (wrong["loss"], wrong["se"]) == (12.0, 1.0)
        assert tab.final("try", ply=1, move="b2")["tried"]["decision"]["best"] == "b2"
        assert tab.ask("reveal", "revealed", ply=1)["decisions"][0]["right"]
    assert not site.engine.asked


def test_what_a_mover_saw_is_hidden_while_the_game_runs(client: TestClient) -> None:
    table = new_table(client, mode="fair")["id"]
    refused = client.get(f"/api/tables/{table}/puzzle?ply=0")
    assert refused.status_code == 409 and refused.json()["error"]["code"] == "not_over"


@pytest.mark.parametrize("line", ["{", "7", '{"game": "toy"}', json.dumps(ROW | {"losses": {}})])
def test_a_file_of_something_else(tmp_path: Path, line: str) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_text(f"{json.dumps(ROW)}\n{line}\n")
    with pytest.raises(ConfigError, match="mine.jsonl: line 2: expected"):
        read(file)


class Oracle:
    """A judge that likes some moves, with a little noise, and whose policy cannot decide."""

    win_only = True

    def __init__(self, worth: Any) -> None:
        self._worth, self.policy = worth, self

    def decide(self, table: Table) -> Decision:
        moves = table.legal()
        likely = dict.fromkeys((move.text for move in moves), 1.0 / len(moves))
        return Decision(moves[-1].text, moves[-1].action, likely)

    def worlds(self, table: Table, count: int, seed: int) -> Any:
        return table.game.empty(count)

    def values(self, table: Table, moves: Any, worlds: Any, seed: int) -> np.ndarray:
        noise = np.random.default_rng(seed).normal(0.0, 0.1, (len(moves), num_rows(worlds)))
        return noise + np.array([[self._worth(move.text)] for move in moves])


def find(file: Path, monkeypatch: pytest.MonkeyPatch, worth: Any, *keys: str) -> list[Any]:
    """Returns the puzzles of the command with a judge; endgames are not solved."""
    monkeypatch.setattr(puzzles, "Judge", lambda game, playouts: Oracle(worth))
    monkeypatch.setattr(puzzles.Finder, "_solved", lambda *_: None)
    assert puzzles.main([str(file), *keys]) == 0
    return read(file) if file.exists() else []


def test_the_command_finds_single_best_moves_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def passes(move: str) -> float:
        return 0.8 if move == "pass" else 0.5

    file, again = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    whole = find(file, monkeypatch, passes, "number=3", "first=5")
    assert {row["theme"] for row in whole} == {"hold"}
    for row in whole:
        table = Table("doudizhu", record=row["record"])
        assert {row["best"], *row["losses"]} == {move.text for move in table.legal()}
        assert all(20 < loss < 40 for loss, _ in row["losses"].values())
    find(again, monkeypatch, passes, "number=1", "first=5")
    assert find(again, monkeypatch, passes, "number=3") == whole
    assert not find(tmp_path / "c.jsonl", monkeypatch, lambda move: 0.5, "seconds=1")


def test_of_your_own_games_only_what_you_got_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Table("doudizhu", seed=1)
    while not table.is_over:
        table.play(table.legal()[-1].text)
    games = tmp_path / "games.jsonl"
    games.write_text(json.dumps(table.record()))

    def passes(move: str) -> float:
        return 0.8 if move == "pass" else 0.5

    rows = find(tmp_path / "mine.jsonl", monkeypatch, passes, f"games={games}")
    assert rows and all(table.moves[row["from"][2]].text != row["best"] for row in rows)
    games.write_text("{}")
    with pytest.raises(ConfigError, match="line 1: a record of no game"):
        puzzles.main([str(tmp_path / "mine.jsonl"), f"games={games}"])


def test_games_of_chance_moves_have_no_single_best_move(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="leduc: good play is random"):
        puzzles.main([str(tmp_path / "mine.jsonl"), "game=leduc"])
    with pytest.raises(ConfigError, match="game_=1: unknown key"):
        puzzles.main([str(tmp_path / "mine.jsonl"), "game_=1"])


def test_the_puzzles_of_the_project_are_whole() -> None:
    games = Rulebook()
    for row in read(SHIPPED):
        table = games.table(row["game"], record=row["record"])
        assert {row["best"], *row["losses"]} == {move.text for move in table.legal()}
        assert row["theme"] == games.game(row["game"]).theme(table.describe(), row["best"])
        assert all(loss >= 2 * error for loss, error in row["losses"].values())
