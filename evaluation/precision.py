"""``precision=auto`` of the players of a match: one precision for every network of the same size, found by a trial and kept.

What was chosen is part of the plan, which every process and every actor plays by, and of the name of the folder that keeps the
games. It is kept beside them before the first game, so that an interrupted match goes on in the same precision, on any machine,
and forgotten with them.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from agents.players import PLAYERS
from agents.trained import untrained_of
from evaluation.config import Tournament
from evaluation.duplicate import games_per_deck
from evaluation.kept_games import KeptGames
from evaluation.plan import Plan
from games.interface import GameSpec
from networks.checkpoint import CheckpointError
from networks.int8 import check_int8
from networks.trial import Choice, by_processor, choose_precision
from runtime.device import choose_device
from runtime.settings import ConfigError

LEAST_GAMES = 5_000
"""Games, each counted as often as a decision has playouts, from which on a trial pays: about 3 s of evaluations in float32."""
SEARCHED = 64
"""Playouts of a search that was given none."""

Choices = dict[str, Choice]
"""By the labels of the players that were asked for ``auto``."""


def settle_precision(plan: Plan, spec: GameSpec) -> tuple[Plan, list[str]]:
    """Returns the plan with the precisions of its players settled, and lines that tell them; those of a match under way stay.

    Raises:
        CheckpointError: Networks cannot be read.
        ConfigError: The match was begun in int8, which this machine does not have.
        TournamentError: What was chosen cannot be kept.
    """
    config, file = plan.tournament.config, _file(plan)
    choices = _read(file) if config.resume else {}
    kept = choices.keys() == set(_asked_for_auto(plan.tournament))
    if kept:
        _check(choices, choose_device(config.device))
    else:
        games = games_per_deck(spec) * sum(task.last - task.first for task in plan.tasks)
        choices = choose(plan.tournament, games)
        if choices:
            _write(file, choices)
    return replace(plan, precisions={label: choice.precision for label, choice in choices.items()}), lines(choices, kept)


def forget_precision(plan: Plan) -> None:
    """Removes what was chosen from disk."""
    _file(plan).unlink(missing_ok=True)


def lines(choices: Choices, kept: bool = False) -> list[str]:
    """Returns a line for each choice: who plays in which precision, how fast, and against what. Args: kept: From disk."""
    labels: dict[str, list[str]] = {}
    for label, choice in choices.items():
        labels.setdefault(str(choice), []).append(label)
    before = ", as before" if kept else ""
    return [f"{', '.join(names)}: precision {text}{before}" for text, names in labels.items()]


def choose(tournament: Tournament, games: int) -> Choices:
    """Returns the precisions of the players that were asked for ``auto``; of long matches on CPUs by trials.

    Where actors of a cluster play it is not int8, which their processors may lack.

    Args:
        tournament: The configuration.
        games: Games of all its matches.

    Raises:
        CheckpointError: Networks cannot be read.
    """
    config, device, labels = tournament.config, choose_device(tournament.config.device), _asked_for_auto(tournament)
    if device.type != "cpu" or games * max((_playouts(tournament, label) for label in labels), default=0) < LEAST_GAMES:
        return dict.fromkeys(labels, Choice(by_processor(device)))
    files: dict[Path, tuple[int, ...]] = {}
    sizes: dict[tuple[int, ...], Choice] = {}
    choices = {}
    for label in labels:
        file = tournament.players[label].options.file(config.game)
        assert file is not None  # who has a precision has networks
        if file not in files:
            try:
                net = untrained_of(file, config.game)
            except CheckpointError as error:
                raise CheckpointError(f"{label}={tournament.players[label].kind}: {error}") from error
            files[file] = (net.config.channels, net.config.blocks, len(net.scale), net.length)
            if files[file] not in sizes:
                sizes[files[file]] = choose_precision(net, device, with_int8=config.cluster.kind == "none")
        choices[label] = sizes[files[file]]
    return choices


def _check(choices: Choices, device: torch.device) -> None:
    """Raises ConfigError where a match cannot go on in the precision that it was begun in."""
    for label, choice in choices.items():
        try:
            if choice.precision == "int8":
                check_int8(device)
        except ConfigError as error:
            what = str(error).removeprefix("precision=int8: ").partition(";")[0]
            raise ConfigError(
                f"{label}: this match was begun in int8, but {what}; resume=false begins it anew, or go on where it was begun"
            ) from error


def _asked_for_auto(tournament: Tournament) -> list[str]:
    """Returns the labels of the players with networks whose precision is ``auto``."""
    return [label for label, player in tournament.players.items() if getattr(player.options, "precision", None) == "auto"]


def _playouts(tournament: Tournament, label: str) -> int:
    """Returns about how many evaluations a decision of a player takes."""
    player = tournament.players[label]
    return (getattr(player.options, "playouts", None) or SEARCHED) if PLAYERS[player.kind].slow else 1


def _file(plan: Plan) -> Path:
    """Returns where the choices of a plan are kept, by what was asked for."""
    folder = Path(plan.tournament.config.unfinished)
    names = KeptGames(folder, replace(plan, precisions={})).names()
    return folder / f"{hashlib.sha256(' '.join(names).encode()).hexdigest()[:24]}.precision.json"


def _read(file: Path) -> Choices:
    """Returns what is kept; nothing where the file is missing or damaged: games of another choice never count for this one."""
    try:
        values: Mapping[str, Mapping[str, Any]] = json.loads(file.read_bytes())
        return {label: Choice(**value) for label, value in values.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _write(file: Path, choices: Choices) -> None:
    """Keeps choices. Raises TournamentError where the disk refuses."""
    with KeptGames.refusals(file.parent):
        file.parent.mkdir(parents=True, exist_ok=True)
        temporary = file.with_suffix(".partial")
        temporary.write_text(json.dumps({label: choice._asdict() for label, choice in choices.items()}, indent=2))
        os.replace(temporary, file)
