"""The plan of a tournament: its tasks in order, each with some decks of a pair or a table."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from fpmcts.evaluation.config import Tournament
from fpmcts.evaluation.duplicate import evaluation_decks, table_orders
from fpmcts.evaluation.identity import Inputs, read_inputs
from fpmcts.evaluation.match_result import games_per_deck
from fpmcts.memory import check_fits
from fpmcts.players.lookup import PLAYERS
from games.base.settings import ConfigError
from games.kernels.rows import States, num_rows
from games.play.interface import Game

FAST_DECKS, SLOW_DECKS, EXTERNAL_DECKS, ACQUAINTED_DECKS = 500, 40, 2, 250
"""Decks of a task: enough for full batches of the networks, few enough that an interruption costs
little; also how long a player that learns remembers the other (``fpmcts.evaluation.duplicate``).
"""


@dataclass(frozen=True)
class DeckTask:
    """Decks ``first`` to ``last - 1`` of players, by their labels: a pair, or a table."""

    players: tuple[str, ...]
    first: int
    last: int


@dataclass(frozen=True)
class Plan:
    """The input of a worker: the configuration, one row per deck, the games per deck, the tasks in
    order, and what players are made from.
    """

    tournament: Tournament
    decks: States
    games_per_deck: int
    tasks: tuple[DeckTask, ...]
    inputs: Inputs

    def num_games(self, tasks: Iterable[DeckTask]) -> int:
        """Returns the number of games of some tasks."""
        return self.games_per_deck * sum(task.last - task.first for task in tasks)


def make_plan(tournament: Tournament, game: Game) -> Plan:
    """Returns the tasks of a tournament and its decks: from a file, else from the seed.

    Args:
        tournament: The configuration.
        game: Its game.

    Raises:
        CheckpointError: A file of a player is missing.
        ConfigError: There are too many decks, the file has none of the game, or a sequential test
            is set in a game that is not measured by the share of games won.
    """
    config, labels, spec = tournament.config, tournament.labels, game.spec
    if config.sprt and not spec.score.reports_wins:
        raise ConfigError(
            f"sprt={config.sprt}: {spec.name} is not measured by the share of games won; "
            "expected none"
        )
    given = None if config.decks.isdecimal() else _given_decks(Path(config.decks), game)
    asked = int(config.decks) if given is None else num_rows(given)
    matches = [labels] if config.table else list(combinations(labels, 2))
    count = len(table_orders(len(labels))) if config.table else games_per_deck(spec)
    one_game = 2 * spec.max_moves + 16 * spec.num_seats  # bytes: two for a move, and the results
    one_deck = sum(array.nbytes for array in game.empty(1)) + len(matches) * count * one_game
    check_fits({f"decks={asked:,}": asked * one_deck})
    tasks = []
    for players in matches:
        last, size = asked, min(_task_decks(tournament, label) for label in players)
        if config.slow_decks is not None and any(_is_slow(tournament, name) for name in players):
            last = min(config.slow_decks, last)
        if any(getattr(tournament.players[label].options, "adapt", False) for label in players):
            size = ACQUAINTED_DECKS
        tasks += [
            DeckTask(players, first, min(first + size, last)) for first in range(0, last, size)
        ]
    decks = evaluation_decks(game, config.seed, asked) if given is None else given
    inputs = read_inputs(tournament.players, game)
    return Plan(tournament, decks, count, tuple(tasks), inputs)


def kinds_of(tournament: Tournament, label: str) -> list[str]:
    """Returns the kind of a player, or those of the players that play for it."""
    player = tournament.players[label]
    parts = player.options.needs() if player.kind != "lbr" else []
    return [kind for part in parts for kind in kinds_of(tournament, part)] or [player.kind]


def _is_slow(tournament: Tournament, label: str) -> bool:
    return any(PLAYERS[kind].slow for kind in kinds_of(tournament, label))


def _task_decks(tournament: Tournament, label: str) -> int:
    if "external" in kinds_of(tournament, label):
        return EXTERNAL_DECKS
    return SLOW_DECKS if _is_slow(tournament, label) else FAST_DECKS


def _given_decks(path: Path, game: Game) -> States:
    """Returns the decks of a file. Raises ConfigError if it has none of the game."""
    if not path.is_file():
        raise ConfigError(
            f"decks={path}: expected a number of decks, or a file of decks; there is no such file"
        )
    try:
        return game.read_decks(path)
    except (ValueError, OSError) as error:
        raise ConfigError(f"decks: {error}") from error


def identity(plan: Plan, players: tuple[str, ...]) -> dict[str, object]:
    """Returns everything that the players' games depend on: code, game, decks, seed, and the
    players with the files that they read.
    """
    config, entrants, decks = plan.tournament.config, plan.tournament.players, hashlib.sha256()
    for array in plan.decks:
        decks.update(np.ascontiguousarray(array).data)
    return {
        **plan.inputs.code,
        "game": config.game.as_dict(),
        "decks": decks.hexdigest(),
        "seed": config.seed,
        "device": config.device,
        "aivat": config.aivat,
        "table": bool(config.table),
        "players": [plan.inputs.described(entrants, label) for label in players],
    }
