"""The identity of results: the code, external games and players, options, and the files that
players read. Stored results of an evaluation or a study are valid only for the same identity.
"""

import hashlib
from collections.abc import Iterable, Mapping

from fpmcts.configuration import CONF
from games import is_outside
from games.interface import Game
from games.kernels import sources_digest
from games.registry import Entrant, PlayerOptions
from games.sources import module_sources


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
    files = [*([] if read is None else [read]), *options.sources()]
    return [hashlib.sha256(path.read_bytes()).hexdigest() for path in files]


def described(entrants: Mapping[str, Entrant], label: str, game: Game) -> dict[str, object]:
    """Returns a player with its options, with files replaced by hashes of their contents."""
    options = entrants[label].options
    values = options.as_dict()
    if options.file(game) is not None:
        values |= dict.fromkeys({"checkpoint", "run"} & values.keys())
    return {
        "kind": options.kind,
        **values,
        "files": digests(options, game),
        "needs": [described(entrants, other, game) for other in options.needs()],
    }
