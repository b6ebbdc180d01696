"""The plan of a tournament: its tasks, some decks of one pair each, in the order in which they are played."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from agents.players import PLAYERS, Entrant
from agents.trained import untrained_of
from evaluation.config import Tournament
from evaluation.decks import evaluation_decks
from evaluation.duplicate import games_per_deck
from games.batches import States, num_rows
from games.interface import Game
from networks.checkpoint import CheckpointError
from networks.precision import settled
from runtime.device import choose_device
from runtime.memory import check_fits
from runtime.settings import ConfigError

FAST_DECKS, SLOW_DECKS, EXTERNAL_DECKS, ACQUAINTED_DECKS = 500, 40, 2, 250
"""Decks of a task: enough for full batches of the networks, few enough that an interruption costs little; where a player learns
from what it sees, how long it knows the other (``evaluation.duplicate``)."""
LONG_MATCH = 5_000
"""Games, each counted as often as a decision has playouts, from which on int8 pays for finding its ranges."""


@dataclass(frozen=True)
class Task:
    """Decks ``first`` up to but not including ``last`` of the pair of labels ``a`` and ``b``."""

    a: str
    b: str
    first: int
    last: int


@dataclass(frozen=True)
class Plan:
    """What a worker has to know.

    Attributes:
        tournament: The configuration.
        decks: One row per deck.
        tasks: In the order in which they are played.
        precisions: By label: what ``precision=auto`` of a player is in this match, in every process (``settled_precisions``).
    """

    tournament: Tournament
    decks: States
    tasks: tuple[Task, ...]
    precisions: Mapping[str, str] = field(default_factory=dict)

    @property
    def players(self) -> dict[str, Entrant]:
        """The players of the tournament, their precisions filled in."""
        return with_precisions(self.tournament.players, self.precisions)


def with_precisions(players: Mapping[str, Entrant], precisions: Mapping[str, str]) -> dict[str, Entrant]:
    """Returns players, those that ``precisions`` names with that precision."""
    options: dict[str, Any] = {label: player.options for label, player in players.items()}
    options |= {label: replace(options[label], precision=name) for label, name in precisions.items()}
    return {label: replace(player, options=options[label]) for label, player in players.items()}


def make_plan(tournament: Tournament, game: Game, decks: States | None = None) -> Plan:
    """Returns the tasks of a tournament.

    Args:
        tournament: The configuration.
        game: Its game.
        decks: Given decks; None: those of the seed.

    Raises:
        ConfigError: Too many decks, or a sequential test or a variate where it cannot be had.
    """
    config = tournament.config
    if config.sprt and not game.spec.score.tells_wins:
        raise ConfigError(f"sprt={config.sprt}: {config.game.name} is not measured by the share of games won; expected none")
    if config.variate and game.spec.num_teams > 2:
        raise ConfigError(f"variate={config.variate}: is for games of two teams; {game.spec.name} has {game.spec.num_teams}")
    for label in config.variate:
        if _adapts(tournament, label):
            raise ConfigError(f"variate={config.variate}: {label} learns from deck to deck; expected players that do not")
    pairs = list(combinations(tournament.labels, 2))
    asked = tournament.num_decks() if decks is None else num_rows(decks)
    assert asked is not None
    check_fits({f"decks={asked:,}": asked * _deck_bytes(game, len(pairs))})
    counts = {pair: asked for pair in pairs}
    if config.slow_decks is not None:
        counts |= {pair: min(config.slow_decks, asked) for pair in pairs if any(_is_slow(tournament, label) for label in pair)}
    tasks = []
    for pair in pairs:
        size = min(_task_decks(tournament, label) for label in pair)
        if any(_adapts(tournament, label) for label in pair):
            size = ACQUAINTED_DECKS
        tasks += [Task(*pair, first, min(first + size, counts[pair])) for first in range(0, counts[pair], size)]
    if decks is None:
        decks = evaluation_decks(game, config.seed, asked)
    games = games_per_deck(game.spec) * sum(task.last - task.first for task in tasks)
    return Plan(tournament, decks, tuple(tasks), settled_precisions(tournament, games))


def settled_precisions(tournament: Tournament, games: int) -> dict[str, str]:
    """Returns the precisions of the players that were asked for ``auto``, by their labels; int8 in long matches alone.

    Where actors of a cluster play it is not int8, which their processors may lack.

    Raises:
        CheckpointError: Networks cannot be read.
    """
    config, device, found = tournament.config, choose_device(tournament.config.device), dict[str, str]()
    players = {label: player for label, player in tournament.players.items() if _asks_for_auto(player)}
    most = max((_evaluations(player) for player in players.values()), default=0)
    is_long = games * most >= LONG_MATCH and config.cluster.kind == "none"
    for label, player in players.items():
        try:
            file = player.options.file(config.game.name)
            assert file is not None  # a player with a precision has networks
            net = untrained_of(file, config.game.name)
        except CheckpointError as error:
            raise CheckpointError(f"{label}={player.kind}: {error}") from error
        found[label] = settled("auto", net, device, int8=is_long)
    return found


def _asks_for_auto(player: Entrant) -> bool:
    return getattr(player.options, "precision", None) == "auto"


def _evaluations(player: Entrant) -> int:
    """Returns about how many evaluations a decision of a player takes."""
    return (getattr(player.options, "playouts", None) or 64) if PLAYERS[player.kind].slow else 1


def _deck_bytes(game: Game, num_pairs: int) -> int:
    """Returns the bytes of a deck with all its games: two bytes for a move, and the results."""
    spec = game.spec
    deck = sum(array.nbytes for array in game.empty(1))
    return deck + num_pairs * games_per_deck(spec) * (2 * spec.max_moves + 16 * spec.num_seats)


def kinds_of(tournament: Tournament, label: str) -> list[str]:
    """Returns the kind of a player, or those of the players in a mix."""
    player = tournament.players[label]
    if player.kind == "mix":
        return [kind for part in player.options.needs() for kind in kinds_of(tournament, part)]
    return [player.kind]


def _is_slow(tournament: Tournament, label: str) -> bool:
    return any(PLAYERS[kind].slow for kind in kinds_of(tournament, label))


def _task_decks(tournament: Tournament, label: str) -> int:
    if "external" in kinds_of(tournament, label):
        return EXTERNAL_DECKS
    return SLOW_DECKS if _is_slow(tournament, label) else FAST_DECKS


def _adapts(tournament: Tournament, label: str) -> bool:
    return bool(getattr(tournament.players[label].options, "adapt", False))


def read_given_decks(tournament: Tournament, game: Game) -> States | None:
    """Returns the decks of a file that the configuration names, None where it gives a number.

    Raises:
        ConfigError: There is no such file, or it holds no decks of the game.
    """
    if tournament.num_decks() is not None:
        return None
    path = Path(tournament.config.decks)
    if not path.is_file():
        raise ConfigError(f"decks={path}: expected a number of decks, or a file of decks; there is no such file")
    try:
        return game.read_decks(path)
    except (ValueError, OSError) as error:
        raise ConfigError(f"decks: {error}") from error
