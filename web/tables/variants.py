"""Games with options, as the lobby names them: ``goofspiel``, and ``goofspiel:cards=4``.

Tables, puzzles and statistics are kept under the name, so equal games have equal names: options in alphabetical order, without
those that are the usual ones (``conf/game/NAME.yaml``). Nothing here imports a game.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

_COMMA = re.compile(r",(?![^\[]*\])")
"""Between options, not inside a list."""
CONF = Path(__file__).resolve().parents[2] / "conf" / "game"


def usual_options(game: str) -> dict[str, Any]:
    """Returns the options of a game that is asked for by its name alone; empty where nothing is known of it."""
    path = CONF / f"{game}.yaml"
    if "/" in game or not path.exists():
        return {}
    found = yaml.safe_load(path.read_text(encoding="utf-8"))["game"]
    return {name: value for name, value in found.items() if name != "name"}


def name_of(game: str, options: Mapping[str, Any]) -> str:
    """Returns the name of a game with options."""
    usual = usual_options(game)
    given = [
        f"{key}={_word(value)}"
        for key, value in sorted(options.items())
        if value is not None and usual.get(key) != value
    ]
    return f"{game}:{','.join(given)}" if given else game


def parts_of(name: str) -> tuple[str, dict[str, Any]]:
    """Returns the game of a name and its options."""
    game, _, rest = name.partition(":")
    pairs = (text.partition("=") for text in _COMMA.split(rest) if text)
    return game, {key: yaml.safe_load(value) for key, _, value in pairs}


def label_of(name: str) -> str | None:
    """Returns the options of a name for people, None where it has none."""
    return _COMMA.sub(" ", name.partition(":")[2]).replace("_", " ") or None


def _word(value: Any) -> str:
    """Returns a value as a command line has it."""
    if isinstance(value, (list, tuple)):
        return f"[{','.join(map(_word, value))}]"
    return str(value).lower() if isinstance(value, bool) else str(value)
