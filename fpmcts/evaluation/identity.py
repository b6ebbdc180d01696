"""The identity of results: the code, external games and players, options, and the files that
players read. Stored results of an evaluation or a study are valid only for the same identity.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from fpmcts.configuration import CONF
from games import is_outside
from games.base.settings import InputError
from games.kernels import sources_digest
from games.kernels.sources import module_sources
from games.play.interface import Game
from games.play.registry import Entrant, PlayerOptions


def code_of(games: Iterable[str]) -> dict[str, object]:
    """Returns the versions of the code that plays games: of this project, and of external games."""
    outside = {path for game in games if is_outside(game) for path in module_sources(game)}
    return {
        "code": sources_digest(*sorted(outside)),
        "match settings": {
            path.name: path.read_text(encoding="utf-8") for path in (CONF / "match").glob("*.yaml")
        },
    }


def digests(options: PlayerOptions, game: Game) -> list[str]:
    """Returns a hash of each file that a player of a game reads or runs. Raises CheckpointError if
    one is missing.
    """
    read = options.file(game)
    return [_digest(path.read_bytes()) for path in [*filter(None, [read]), *options.sources()]]


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True)
class Inputs:
    """Everything that games are played from, read once: results and their identity come from the
    same bytes, even if files change while games are played.

    Attributes:
        code: See ``code_of``.
        files: Contents of the files with what players have learned, by path, for
            ``networks.checkpoint.holding``.
        played_by: File of each player that has one, by label.
        sources: Hashes of the files that each player runs, by label. Programs and modules are
            started from their files, so they are compared afterwards.
    """

    code: dict[str, object]
    files: dict[Path, bytes]
    played_by: dict[str, Path]
    sources: dict[str, list[str]]

    def described(self, entrants: Mapping[str, Entrant], label: str) -> dict[str, object]:
        """Returns a player with its options, with files replaced by hashes of their contents."""
        options = entrants[label].options
        values, read = options.as_dict(), self.played_by.get(label)
        if read is not None:
            values |= dict.fromkeys(LEARNED & values.keys())
        return {
            "kind": options.kind,
            **values,
            "files": [*([] if read is None else [_digest(self.files[read])]), *self.sources[label]],
            "needs": [self.described(entrants, other) for other in options.needs()],
        }

    def named(self, entrants: Mapping[str, Entrant]) -> dict[str, Entrant]:
        """Returns players whose files are named in full, the same in any process."""
        made = dict(entrants)
        for label, path in self.played_by.items():
            options = entrants[label].options
            given = {k: str(path) for k in LEARNED if getattr(options, k, None)}
            made[label] = replace(entrants[label], options=replace(options, **given))
        return made

    def check_game(self, name: str) -> None:
        """Raises InputError if the source of a game from outside the project has changed."""
        if is_outside(name) and code_of([name]) != self.code:
            raise InputError(
                f"game={name}: its source has changed since the match began; the same command "
                "begins again with the present one"
            )

    def check_sources(self, entrants: Mapping[str, Entrant], label: str) -> None:
        """Raises InputError if a file that a player or those that it needs run has changed since it
        was read.
        """
        options = entrants[label].options
        for other in options.needs():
            self.check_sources(entrants, other)
        if _sources(options) != self.sources[label]:
            raise InputError(
                f"{label}={options.kind}: a file that it runs has changed since the match began; "
                "the same command begins again with the present one"
            )


LEARNED = frozenset({"checkpoint", "run"})
"""Options that name a file with what a player has learned."""


def _sources(options: PlayerOptions) -> list[str]:
    return [_digest(path.read_bytes()) for path in options.sources()]


def read_inputs(entrants: Mapping[str, Entrant], game: Game) -> Inputs:
    """Returns everything that players and their games are made from. Raises CheckpointError if a
    file is missing.
    """
    found = {label: entrant.options.file(game) for label, entrant in entrants.items()}
    played_by = {label: path.absolute() for label, path in found.items() if path is not None}
    files = {path: path.read_bytes() for path in {*played_by.values()}}
    sources = {label: _sources(entrant.options) for label, entrant in entrants.items()}
    return Inputs(code_of([game.spec.name]), files, played_by, sources)
