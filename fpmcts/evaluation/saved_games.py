"""Writes every game of a tournament to a file: as JSON lines with the game's record and players, or
as hand histories.

One line is one game: ``{"match": [A, B], "deck": 0, "players": [name at each seat], ...}`` and the
fields of the game's own record (``games.play.interface.Game.record``), from which it can be
replayed. A file whose name ends in .phh or .phhs (and .xz) holds the hands of no-limit Hold'em in
the PHH format instead.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path

from fpmcts.evaluation.config import Tournament
from fpmcts.evaluation.match_result import games_per_deck
from fpmcts.evaluation.report import Results
from games.base.files import replacing
from games.base.settings import InputError
from games.kernels.rows import States
from games.play.interface import Game, PlayedGame

HISTORIES = (".phh", ".phhs", ".phh.xz", ".phhs.xz")
"""Suffixes of hand-history files, which some games write (``Game.write_histories``)."""


class SaveError(InputError):
    """A file of games that cannot be written; the message says which and why."""


def check_file(path: Path, game: Game) -> None:
    """Raises SaveError if games cannot be written to a file, before the games rather than after."""
    if path.name.endswith(HISTORIES) and not game.has_histories:
        what = f"written for game=no_limit_holdem, not {game.spec.name}; give another name"
        raise SaveError(f"save={path}: hand histories are {what}")
    if path.exists():
        raise SaveError(f"save={path}: already exists; give another file, or remove it")
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise SaveError(f"save={path}: the folder {path.parent} does not exist or is not writable")


def write_games(path: Path, tournament: Tournament, decks: States, results: Results) -> None:
    """Writes the games of all matches to a new file.

    Args:
        path: The file.
        tournament: The tournament.
        decks: One row per deck.
        results: The result of every pair.

    Raises:
        SaveError: It cannot be written.
    """
    game = tournament.config.game.make()
    played = _played(game, tournament, decks, results)
    try:
        if path.name.endswith(HISTORIES):
            game.write_histories(path, (one for _, one in played))
            return
        with replacing(path) as temporary, temporary.open("w", encoding="utf-8") as file:
            for match, one in played:
                fields = {"match": match, "deck": one.row, "players": list(one.players)}
                file.write(json.dumps({**fields, **game.record(decks, one.row, one.moves)}) + "\n")
    except OSError as error:
        raise SaveError(f"save={path}: cannot be written ({error.strerror})") from error


def _played(
    game: Game, tournament: Tournament, decks: States, results: Results
) -> Iterator[tuple[list[str], PlayedGame]]:
    """Yields every game of a match with its players; the pair is the name of the game's table."""
    count = games_per_deck(game.spec)
    for pair, result in results.items():
        match, records = [tournament.players[k].name for k in pair], result.games.records
        for i, seating in enumerate(result.games.seating):
            names, moves = tuple(match[k] for k in seating), records.moves[i, : records.lengths[i]]
            yield match, PlayedGame(decks, i // count, moves, names, " - ".join(match))
