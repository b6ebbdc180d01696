"""Tournaments: the same results with any number of processes and after any interruption; nothing
finished is lost."""

import json
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fpmcts import memory
from fpmcts.adapters.players.open_spiel_bot import OpenSpielOptions
from fpmcts.adapters.players.rlcard_agent import RLCardOptions
from fpmcts.cluster.store import ResultFileError
from fpmcts.evaluation import plan as plan_module
from fpmcts.evaluation.config import parse_command_line
from fpmcts.evaluation.identity import code_of, digests, read_inputs
from fpmcts.evaluation.match_result import MatchResult
from fpmcts.evaluation.plan import Plan, identity, make_plan
from fpmcts.evaluation.report import TournamentReport
from fpmcts.evaluation.saved_games import write_games
from fpmcts.evaluation.tournament import forget, play_tournament
from fpmcts.papers.ismcts_tables import MatchTables
from games import make
from games.base.files import shipped
from games.base.settings import ConfigError, InputError
from games.kernels.sources import module_sources
from networks.checkpoint import load, save

GAME = make("doudizhu")


@pytest.fixture(autouse=True)
def small_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four decks per task, so that small matches have several."""
    monkeypatch.setattr(plan_module, "FAST_DECKS", 4)


SMALL = ("game=leduc", "a=random", "b=always_call")


def plan_of(tmp_path: Path, *arguments: str, decks: int = 10) -> Plan:
    """Returns the plan of a command line, everything kept under ``tmp_path``."""
    usual = [f"unfinished={tmp_path / 'unfinished'}", "processes=1", "device=cpu", f"decks={decks}"]
    keys = {text.partition("=")[0]: text for text in [*usual, *arguments]}
    tournament = parse_command_line(list(keys.values()))
    return make_plan(tournament, tournament.config.game.make())


def played(plan: Plan, **options: Any) -> dict[tuple[str, ...], MatchResult]:
    """Returns the results of a plan that is not stopped."""
    results = play_tournament(plan, **options)
    assert results is not None
    return results


def kept(plan: Plan) -> int:
    """Returns how many games of a plan are on disk; plays none."""
    lines: list[str] = []
    play_tournament(plan, stopping=lambda: True, note=lines.append)
    return int(lines[0].split()[1].replace(",", "")) if lines else 0


def assert_same(left: MatchResult, right: MatchResult) -> None:
    """Everything but the times is equal."""
    assert (
        left.total == right.total
        and left.by_team == right.by_team
        and left.finishers == right.finishers
    )
    np.testing.assert_array_equal(left.games.returns, right.games.returns)
    np.testing.assert_array_equal(left.games.records.moves, right.games.records.moves)
    assert [u.decisions for u in left.games.usage] == [u.decisions for u in right.games.usage]


def test_interrupted_and_continued_equals_uninterrupted(tmp_path: Path) -> None:
    """What is kept belongs to its players, seed and decks."""
    players = ["game=leduc", "agents=[random,always_call,other]", "other=random"]
    plan = plan_of(tmp_path, *players)
    whole = played(plan)
    forget(plan)
    calls = iter([False, False, False, True])
    assert play_tournament(plan, stopping=lambda: next(calls, True)) is None
    assert kept(plan) == 20  # the first three tasks: the ten decks of one pair
    for other in (["agents=[always_call,other]"], ["seed=1"], ["decks=11"]):
        assert kept(plan_of(tmp_path, *players, *other)) == 0, other
    seen: list[tuple[str, int, int, str]] = []
    sent = pickle.loads(pickle.dumps(plan))  # as processes get it
    continued = played(sent, progress=lambda *at: seen.append(at))
    assert (seen[0], seen[-1]) == (("playing", 20, 60, "games"), ("playing", 60, 60, "games"))
    for pair, result in whole.items():
        assert_same(result, continued[pair])
    assert kept(plan) == 60
    assert kept(plan_of(tmp_path, *players, "resume=false")) == 0


def test_equal_players_under_two_labels_share_what_is_kept(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, "game=leduc", "agents=[random,other,always_call]", "other=random")
    results = played(plan)
    assert_same(results["random", "always_call"], results["other", "always_call"])
    assert kept(plan) == 60


def test_files_are_part_of_the_identity(tmp_path: Path) -> None:
    """An edited program is another player, found out even after it has begun; an opponent model
    that has learned nothing has no file."""
    client = tmp_path / "client.py"
    client.write_text("one")
    words = ("a=external", f"a.command=python {client}", "b=random")

    def of_players() -> object:
        return identity(plan_of(tmp_path, *words), ("a", "b"))["players"]

    plan, before = plan_of(tmp_path, *words), of_players()
    plan.inputs.check_sources(plan.tournament.players, "a")
    client.write_text("other")
    assert of_players() != before
    with pytest.raises(InputError, match="a=external: a file that it runs has changed"):
        plan.inputs.check_sources(plan.tournament.players, "a")
    (tmp_path / "cards.py").write_text("ORDER = 1")
    client.write_text("import json, cards")
    before = of_players()
    (tmp_path / "cards.py").write_text("ORDER = 2")
    assert of_players() != before, "what it imports"
    untrained = parse_command_line(
        ["game=no_limit_holdem", "a=mcts", "a.checkpoint=untrained", "b=random"]
    )
    inputs = read_inputs(untrained.players, make("no_limit_holdem"))
    assert inputs.described(untrained.players, "a")["checkpoint"] == "untrained"


def tables(path: Path, trained: bool) -> Path:
    """Writes tables of Leduc: those of the project, or uniform ones."""
    arrays, meta = load(shipped("models") / "leduc-tables.safetensors")
    none = {"visited": np.zeros_like(arrays["visited"]), "weights": arrays["weights"][:0]}
    save(path, arrays if trained else none, meta)
    return path


LEARNED = ("game=leduc", "a=tabular", "b=random")


@pytest.mark.parametrize("sent", [lambda plan: plan, lambda plan: pickle.loads(pickle.dumps(plan))])
def test_files_are_read_once(sent: Callable[[Plan], Plan], tmp_path: Path) -> None:
    """As where a run that is evaluated saves: results and their identity are of the file that was
    there at the start, here and in other processes, and nothing is left behind."""
    file = tables(tmp_path / "run.safetensors", True)
    expected = played(plan_of(tmp_path / "alone", *LEARNED, f"a.run={file}"))["a", "b"]
    plan = plan_of(tmp_path, *LEARNED, f"a.run={file}")
    tables(file, False)
    assert_same(played(sent(plan))["a", "b"], expected)
    forget(plan)
    assert not list((tmp_path / "unfinished").iterdir())
    assert played(plan_of(tmp_path, *LEARNED, f"a.run={file}"))["a", "b"].total != expected.total


@pytest.mark.parametrize("edited", ["outside/dice.py", "rolls.py", "outside/deeper/rules.py"])
def test_sources_of_games_and_bots_from_outside_are_part_of_the_identity(
    edited: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever they import, in any folder of the path; nothing of the project or of packages."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "outside" / "deeper").mkdir(parents=True)
    (tmp_path / "outside" / "dice.py").write_text(
        "import numpy, games.kernels, rolls\nfrom .deeper import rules"
    )
    (tmp_path / "rolls.py").write_text("SIDES = 6")
    (tmp_path / "outside" / "deeper" / "rules.py").write_text("from outside import dice")
    assert len(module_sources("outside.dice")) == 3

    def identities() -> list[object]:
        bots = OpenSpielOptions("outside.dice:make"), RLCardOptions("outside.dice:make")
        study = MatchTables(
            tables={"one": {"game": {"name": "outside.dice"}, "seconds": 1, "rates": {}}}
        )
        games = code_of(["outside.dice"]), study.identity()
        return [*games, *(digests(bot, make("leduc")) for bot in bots)]

    before = identities()
    (tmp_path / edited).write_text((tmp_path / edited).read_text() + "\nEDITED = True")
    assert all(new != old for new, old in zip(identities(), before, strict=True))


def test_a_folder_that_cannot_be_written_is_found_out_before_the_match(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    plan = plan_of(tmp_path, *SMALL, f"unfinished={tmp_path / 'file'}")
    with pytest.raises(ResultFileError, match="file: results cannot be saved"):
        play_tournament(plan)
    assert (tmp_path / "file").read_text() == "mine"


def test_decks_must_fit_into_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_bytes", lambda: 1_000_000_000)
    with pytest.raises(
        ConfigError,
        match=r"decks=10,000,000 does not fit: [\d.]+ GB of memory are needed, 1 GB are free",
    ):
        plan_of(tmp_path, "a=random", "b=rhcp", decks=10_000_000)


def test_pages_of_files_are_free_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "GROUP", tmp_path)
    (tmp_path / "memory.max").write_text("5000\n")
    (tmp_path / "memory.current").write_text("4000\n")
    (tmp_path / "memory.stat").write_text(
        "anon 1000\nfile 3000\nshmem 500\ninactive_file 2000\nactive_file 300\n"
    )
    assert memory.available_bytes() == 3300
    (tmp_path / "memory.max").write_text("max\n")
    assert (memory.available_bytes() or 0) > 5000


def test_saved_games_replay(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, "a=random", "b=rhcp", "seed=3")
    results = played(plan)
    path = tmp_path / "games.jsonl"
    write_games(path, plan.tournament, plan.decks, results)
    lines = path.read_text().splitlines()
    assert len(lines) == 20
    games = results["a", "b"].games
    for i, line in enumerate(lines):
        fields = json.loads(line)
        assert fields["deck"] == i // 2 and fields["match"] == ["random", "rhcp"]
        own, other = ("random", "rhcp")[:: 1 - 2 * (i % 2)]
        assert fields["players"] == [own, other, other]
        assert fields["points"] == games.returns[i].tolist()
        assert (
            GAME.parse_record(fields)[1]
            == games.records.moves[i, : games.records.lengths[i]].tolist()
        )
    decks = make_plan(parse_command_line(["a=rhcp", "b=rhcp", f"decks={path}"]), GAME).decks
    np.testing.assert_array_equal(decks.hands, plan.decks.hands)


def test_one_deck_has_no_errors(tmp_path: Path) -> None:
    doudizhu = plan_of(tmp_path, "agents=[random,rhcp,rlcard_rule]", decks=1)
    leduc = plan_of(tmp_path, *SMALL, "aivat=true", decks=1)
    for plan in (doudizhu, leduc):
        spec = plan.tournament.config.game.make().spec
        report = TournamentReport(plan.tournament, spec, played(plan))
        text = f"{report.table()} {list(map(str, report.results.values()))}"
        assert "nan" not in text and "±" not in text.replace("(± standard error", "")
        assert not re.search(r"\[[+-]?[0-9.]+, ", text), "an interval"


def test_report(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, "agents=[random,rhcp,rlcard_rule]")
    report = TournamentReport(plan.tournament, GAME.spec, played(plan))
    elo = {label: rating.elo for label, rating in report.standings.items()}  # type: ignore[union-attr]
    assert elo["rhcp"] == 0.0 and elo["random"] < elo["rlcard_rule"]
    paths = report.write(tmp_path / "report", {"command": "a test"})
    plots = {"scores.png", "ratings.png", "times.png"}
    assert {path.name for path in paths} == {"report.md", "report.json", *plots}
    assert all(path.stat().st_size > 0 for path in paths)
    facts = json.loads((tmp_path / "report" / "report.json").read_text())
    assert facts["command"] == "a test" and len(facts["matches"]) == len(facts["misfits"]) == 3
    total = report.results["random", "rhcp"].total
    assert facts["matches"][0]["total"]["wp"]["mean"] == total.wp.mean
    text, table = (tmp_path / "report" / "report.md").read_text(), report.table()
    for cell, mean in ((table[1][2], total.wp.mean), (table[2][1], 1 - total.wp.mean)):
        assert cell.startswith(f"{100 * mean:.1f} ± {100 * total.wp.error:.1f} % / ")
    assert all(cell in text for row in table for cell in row)
    assert report.misfit_text() in text
