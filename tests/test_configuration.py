"""Command lines become the settings that they have always become, and what is wrong with one is said in one line."""

import json
import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from evaluation.config import parse_command_line
from reproduce.figures import read_figure
from training.algorithms import read_run

RECORDED: dict[str, dict[str, dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "configurations" / "commands.json").read_text()
)
"""What commands came to before scripts shared a loader: every key, or for training runs those that differ from the first row."""


def flat(values: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Returns the leaves of nested keys, with dots."""
    leaves: dict[str, Any] = {}
    for key, value in values.items():
        leaves |= flat(value, f"{prefix}{key}.") if isinstance(value, dict) and value else {prefix + key: value}
    return leaves


def trained(command: str) -> dict[str, Any]:
    return flat(read_run(shlex.split(command)).as_dict())


def evaluated(command: str) -> dict[str, Any]:
    tournament = parse_command_line(shlex.split(command))
    values = flat(asdict(tournament.config)) | {"labels": list(tournament.labels)}
    for label, player in tournament.players.items():
        values |= flat({"kind": player.kind, "name": player.name, **vars(player.options)}, f"players.{label}.")
    return values


def reproduced(command: str) -> dict[str, Any]:
    name, *overrides = shlex.split(command)
    config, runs = read_figure(name, overrides)
    return flat(asdict(config)) | {"labels": [label for label, _ in runs], "folders": [run.run_dir for _, run in runs][:3]}


@pytest.mark.parametrize("command", RECORDED["train.py"])
def test_training_commands_mean_what_they_meant(command: str) -> None:
    rows = RECORDED["train.py"]
    base, given = next(iter(rows.values())), rows[command]
    expected = given if "algorithm.name" in given else base | given
    values = trained(command)
    assert {key: values.get(key) for key in expected} == expected


@pytest.mark.parametrize("command", RECORDED["evaluate.py"])
def test_evaluation_commands_mean_what_they_meant(command: str) -> None:
    expected, values = RECORDED["evaluate.py"][command], evaluated(command)
    assert {key: values.get(key) for key in expected} == expected


@pytest.mark.parametrize("command", RECORDED["python -m reproduce"])
def test_figures_are_made_of_what_they_were(command: str) -> None:
    expected, values = RECORDED["python -m reproduce"][command], reproduced(command)
    assert {key: values.get(key) for key in expected} == expected
