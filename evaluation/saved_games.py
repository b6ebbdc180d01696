"""Every game of a tournament in a file: as JSON lines, the record of the game's package and who played it, or as hand histories.

One line is one game: ``{"match": [A, B], "deck": 0, "players": [name at each seat], ...}`` and the fields of the game's own
record (``games/doudizhu/records.py``, ``games/poker/game.py``), which replay it move by move. A file whose name ends in .phh or
.phhs (and .xz) holds the hands of no-limit Hold'em in the PHH format instead.
"""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from evaluation.config import Tournament, make_game
from evaluation.duplicate import MatchResult, games_per_deck
from games.batches import States
from games.no_limit_holdem.phh import SUFFIXES, Hand
from games.no_limit_holdem.phh_games import hand_of
from games.no_limit_holdem.phh_write import write

HISTORIES = "no_limit_holdem"
"""The game whose hands can be written as hand histories."""


class SaveError(RuntimeError):
    """A file of games that cannot be written; the message says which and why."""


def check_file(path: Path, game: str) -> None:
    """Raises SaveError where games of a game could not be written to a file: better before the games than after."""
    if path.name.endswith(SUFFIXES) and game != HISTORIES:
        raise SaveError(
            f"save={path}: hand histories are written for game={HISTORIES}, not {game}; give a name such as games.jsonl"
        )
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
        if path.name.endswith(SUFFIXES):
            write(path, _hands(tournament, decks, results), several=True)
            return
        with temporary.open("w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in _lines(tournament, decks, results))
        os.replace(temporary, path)
    except OSError as error:
        raise SaveError(f"save={path}: cannot be written ({error.strerror})") from error


def _hands(tournament: Tournament, decks: States, results: Mapping[tuple[str, str], MatchResult]) -> Iterator[Hand]:
    """Yields every game as a hand history; the table is the pair that plays."""
    game = make_game(tournament.config)
    count = games_per_deck(game.spec)
    for pair, result in results.items():
        games = result.games
        for i, seating in enumerate(games.seating):
            names = [tournament.players[pair[k]].name for k in seating]
            moves = games.records.moves[i, : games.records.lengths[i]]
            yield hand_of(game, decks, i // count, moves, names, " - ".join(tournament.players[label].name for label in pair))


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
