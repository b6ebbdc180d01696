"""The precisions of a match: chosen once, kept with it, the same in every process."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch

from agents.trained import untrained_of
from evaluation import precision
from evaluation.config import parse_command_line
from evaluation.kept_games import KeptGames, TournamentError
from evaluation.plan import Plan, make_plan
from evaluation.precision import Choices, choose, settle_precision
from evaluation.tournament import Worker, forget
from games import make
from networks.checkpoint import CheckpointError
from networks.resnet import PolicyValueNet
from networks.trial import Choice
from runtime.settings import ConfigError

GAME = make("doudizhu")
LONG = ("a=policy", "b=rhcp", "decks=2500")


class Trials:
    """Trials that find one precision after the other the fastest."""

    def __init__(self, *found: str) -> None:
        self.found, self.asked = list(found), list[tuple[int, bool]]()

    def __call__(self, net: PolicyValueNet, device: torch.device, with_int8: bool) -> Choice:
        self.asked.append((net.config.channels, with_int8))
        found = self.found.pop(0)
        return Choice(found, {"float32": 1000.0, found: 3000.0})


def trials(monkeypatch: pytest.MonkeyPatch, *found: str) -> Trials:
    made = Trials(*found)
    monkeypatch.setattr(precision, "untrained_of", untrained)
    monkeypatch.setattr(precision, "choose_precision", made)
    return made


untrained = cache(untrained_of)
parsed = cache(lambda *arguments: parse_command_line(["device=cpu", *arguments]))


def plan_of(tmp_path: Path, *arguments: str) -> Plan:
    tournament = parsed(*arguments)
    return make_plan(replace(tournament, config=replace(tournament.config, unfinished=str(tmp_path / "unfinished"))), GAME)


def settled(plan: Plan) -> Plan:
    return settle_precision(plan, GAME.spec)[0]


def test_a_match_keeps_its_choice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = trials(monkeypatch, "int8", "bfloat16")
    plan, told = settle_precision(plan_of(tmp_path, *LONG), GAME.spec)
    assert plan.precisions == {"a": "int8"} and plan.players["a"].options.precision == "int8"
    assert told == ["a: precision int8 (3,000 evaluations/s on one thread; float32 1,000)"]
    assert plan.tournament.players["a"].options.precision == "auto" and plan.players["b"] == plan.tournament.players["b"]
    again, told = settle_precision(plan_of(tmp_path, *LONG), GAME.spec)
    assert again.precisions == {"a": "int8"} and len(made.asked) == 1
    assert told == ["a: precision int8 (3,000 evaluations/s on one thread; float32 1,000), as before"]
    assert settled(plan_of(tmp_path, *LONG, "resume=false")).precisions == {"a": "bfloat16"}
    assert settled(plan_of(tmp_path, *LONG)).precisions == {"a": "bfloat16"}, "the match that was begun anew"


def test_what_was_chosen_is_forgotten_with_the_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trials(monkeypatch, "int8", "bfloat16")
    forget(settled(plan_of(tmp_path, *LONG)))
    assert not list((tmp_path / "unfinished").iterdir())
    assert settled(plan_of(tmp_path, *LONG)).precisions == {"a": "bfloat16"}


def test_other_decks_or_players_are_another_match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = trials(monkeypatch, "int8", "bfloat16", "float32")
    for other in ([], ["seed=1"], ["a.temperature=1"]):
        settled(plan_of(tmp_path, *LONG, *other))
    assert len(made.asked) == 3


def test_games_of_another_precision_do_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even where what was chosen is lost."""
    trials(monkeypatch, "int8", "bfloat16")
    first = settled(plan_of(tmp_path, *LONG))
    file = next((tmp_path / "unfinished").glob("*.json"))
    assert json.loads(file.read_text())["a"]["precision"] == "int8"
    file.write_text("{")
    second = settled(plan_of(tmp_path, *LONG))
    assert [plan.precisions["a"] for plan in (first, second)] == ["int8", "bfloat16"]
    names = [KeptGames(tmp_path, plan).names() for plan in (first, second, replace(second, precisions={}))]
    assert len({tuple(name) for name in names}) == 3
    explicit = plan_of(tmp_path, *LONG, "a.precision=bfloat16")
    assert KeptGames(tmp_path, explicit).names() == names[1], "the same as asking for it"


def test_no_trial_where_it_does_not_pay_or_was_not_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = trials(monkeypatch)
    monkeypatch.setattr(precision, "by_processor", lambda device: "bfloat16")
    short: list[tuple[list[str], Any]] = [
        (["a=policy", "b=rhcp", "decks=2499"], {"a": "bfloat16"}),
        (["a=fpmcts", "a.playouts=4", "b=rhcp", "decks=500"], {"a": "bfloat16"}),
        (["a=policy", "a.precision=float32", "b=rhcp", "decks=9000"], {}),
        (["a=random", "b=rhcp", "decks=9000"], {}),
    ]
    for arguments, expected in short:
        plan = settled(plan_of(tmp_path / arguments[0], *arguments))
        assert plan.precisions == expected and not made.asked, arguments
    assert not list((tmp_path / "a=random").rglob("*.json")), "nothing was chosen, nothing is kept"


def chosen(*arguments: str, games: int = 10_000) -> Choices:
    return choose(parsed(*arguments), games)


def test_networks_of_one_size_play_in_one_precision(monkeypatch: pytest.MonkeyPatch) -> None:
    made = trials(monkeypatch, "int8")
    found = chosen("agents=[policy,old,search,mixed]", "old=policy", "old.checkpoint=models/frozen/2026-11.safetensors",
                   "search=fpmcts", "mixed=mix", "mixed.seats=[policy,rhcp,old]")  # fmt: skip
    assert {label: choice.precision for label, choice in found.items()} == dict.fromkeys(["policy", "old", "search"], "int8")
    assert made.asked == [(64, True)]


def test_actors_of_a_cluster_may_lack_int8(monkeypatch: pytest.MonkeyPatch) -> None:
    made = trials(monkeypatch, "bfloat16")
    assert chosen("a=policy", "b=rhcp", "cluster=ray")["a"].precision == "bfloat16"
    assert made.asked == [(64, False)]


def test_bad_input_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CheckpointError, match="a=policy: .* is truncated, damaged or no checkpoint"):
        (tmp_path / "bad").write_bytes(b"\0" * 100)
        chosen("a=policy", f"a.checkpoint={tmp_path / 'bad'}", "b=rhcp")
    trials(monkeypatch, "int8")
    (tmp_path / "unfinished").write_text("a file")
    with pytest.raises(TournamentError, match="unfinished=.*: cannot be written"):
        settled(plan_of(tmp_path, *LONG))


def test_a_match_in_int8_cannot_go_on_where_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trials(monkeypatch, "int8")
    settled(plan_of(tmp_path, *LONG))
    monkeypatch.setattr(torch.cpu, "_is_vnni_supported", lambda: False)
    with pytest.raises(
        ConfigError, match="a: this match was begun in int8, but this processor has no AVX-512 VNNI; resume=false"
    ):
        settled(plan_of(tmp_path, *LONG))


def test_workers_play_by_the_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker gets the plan and nothing else: processes and actors make no choice of their own."""
    trials(monkeypatch, "float32")
    plan = settled(plan_of(tmp_path, *LONG))
    trials(monkeypatch)
    threads = torch.get_num_threads()
    try:
        worker = Worker(plan)
        worker._maker.make("a")
    finally:
        torch.set_num_threads(threads)
    assert [trained.evaluator.precision for trained in worker._maker._made.values()] == ["float32"]
