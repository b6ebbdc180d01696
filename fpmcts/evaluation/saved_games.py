"""Every game of a tournament in a file: as JSON lines, the record of the game's package and who
played it, or as hand histories.

One line is one game: ``{"match": [A, B], "deck": 0, "players": [name at each seat], ...}`` and the
fields of the game's own record (``games.interface.Game.record``), which
replay it move by move. A file whose name ends in .phh or .phhs (and .xz) holds the hands of
no-limit Hold'em in the PHH format instead.
"""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from fpmcts.evaluation.config import Tournament
from fpmcts.evaluation.duplicate import MatchResult, games_per_deck
from games.batches import States
from games.interface import Game, PlayedGame

HISTORIES = (".phh", ".phhs", ".phh.xz", ".phhs.xz")
"""Endings of files of hand histories, which some games write (``Game.write_histories``)."""


class SaveError(RuntimeError):
    """A file of games that cannot be written; the message says which and why."""


def check_file(path: Path, game: Game) -> None:
    """Raises SaveError where games could not be written to a file: better before the games than
    after.
    """
    if path.name.endswith(HISTORIES) and not game.has_histories:
        name = game.spec.name
        raise SaveError(
            f"save={path}: hand histories are written for game=no_limit_holdem, not {name}; give "
            "another name"
        )
    if path.exists():
        raise SaveError(f"save={path}: exists already; give another file, or remove it")
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise SaveError(f"save={path}: there is no folder {path.parent} that can be written")


def write_games(
    path: Path,
    tournament: Tournament,
    decks: States,
    results: Mapping[tuple[str, ...], MatchResult],
) -> None:
    """Writes the games of all matches to a new file.

    Args:
        path: The file.
        tournament: What was played.
        decks: One row per deck.
        results: Of every pair.

    Raises:
        SaveError: It cannot be written.
    """
    game, temporary = tournament.config.game.make(), path.with_name(f".{path.name}.partial")
    played = (
        one for pair in results for one in _played(game, tournament, decks, pair, results[pair])
    )
    try:
        if path.name.endswith(HISTORIES):
            game.write_histories(path, (one for _, one in played))
            return
        with temporary.open("w", encoding="utf-8") as file:
            for match, one in played:
                fields = {"match": match, "deck": one.row, "players": list(one.players)}
                file.write(json.dumps({**fields, **game.record(decks, one.row, one.moves)}) + "\n")
        os.replace(temporary, path)
    except OSError as error:
        raise SaveError(f"save={path}: cannot be written ({error.strerror})") from error


def _played(
    game: Game, tournament: Tournament, decks: States, pair: tuple[str, ...], result: MatchResult
) -> Iterator[tuple[list[str], PlayedGame]]:
    """Yields the players of a match with every game of it; the table of a game is the pair that
    plays.
    """
    match, games = [tournament.players[label].name for label in pair], result.games
    for i, seating in enumerate(games.seating):
        names = tuple(match[k] for k in seating)
        moves = games.records.moves[i, : games.records.lengths[i]]
        yield (
            match,
            PlayedGame(decks, i // games_per_deck(game.spec), moves, names, " - ".join(match)),
        )
