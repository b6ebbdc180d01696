"""Every game of a tournament as JSON lines: the record of the game's package, and who played it.

One line is one game: ``{"match": [A, B], "deck": 0, "players": [name at each seat], ...}`` and the fields of the game's own
record (``games/doudizhu/records.py``, ``games/poker/game.py``), which replay it move by move.
"""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from evaluation.config import Tournament, make_game
from evaluation.duplicate import MatchResult, games_per_deck
from games.batches import States


class SaveError(RuntimeError):
    """A file of games that cannot be written; the message says which and why."""


def check_file(path: Path) -> None:
    """Raises SaveError where games could not be written to a file: better before the games than after."""
    if path.exists():
        raise SaveError(f"save={path}: exists already; give another file, or remove it")
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise SaveError(f"save={path}: there is no folder {path.parent} that can be written")


def write_games(path: Path, tournament: Tournament, decks: States, results: Mapping[tuple[str, str], MatchResult]) -> None:
    """Writes the games of all matches to a new file.

    Args:
        path: The file.
        tournament: What was played.
        decks: One row per deck.
        results: Of every pair.

    Raises:
        SaveError: It cannot be written.
    """
    temporary = path.with_name(f".{path.name}.partial")
    try:
        with temporary.open("w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in _lines(tournament, decks, results))
        os.replace(temporary, path)
    except OSError as error:
        raise SaveError(f"save={path}: cannot be written ({error.strerror})") from error


def _lines(tournament: Tournament, decks: States, results: Mapping[tuple[str, str], MatchResult]) -> Iterator[str]:
    """Yields the line of every game."""
    game = make_game(tournament.config)
    count = games_per_deck(game.spec)
    for pair, result in results.items():
        games = result.games
        for i, seating in enumerate(games.seating):
            moves = games.records.moves[i, : games.records.lengths[i]]
            fields = {
                "match": [tournament.players[label].name for label in pair],
                "deck": i // count,
                "players": [tournament.players[pair[k]].name for k in seating],
                **game.record(decks, i // count, moves),
            }
            yield json.dumps(fields)
