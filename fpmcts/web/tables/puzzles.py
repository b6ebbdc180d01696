"""Judged puzzles (``fpmcts puzzles``): decisions with one clearly best move."""

import json
from collections.abc import Sequence
from pathlib import Path

from fpmcts.web.clock import derived_seed
from fpmcts.web.errors import Json, RefusedError, parse_json
from games.base.settings import ConfigError

FIELDS = {"game", "theme", "best", "losses", "record", "from"}


def read(file: Path) -> list[Json]:
    """Returns the puzzles of a file. Raises ConfigError if it holds anything else, and OSError."""
    rows = []
    for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
        try:
            rows.append(parse_json(line))
        except RefusedError as refused:
            raise ConfigError(f"{file}: line {number}: {refused.text}") from refused
        if not isinstance(rows[-1], dict) or not FIELDS <= {*rows[-1]} or not rows[-1]["losses"]:
            raise ConfigError(f"{file}: line {number}: expected a puzzle of fpmcts puzzles")
    return rows


def named(puzzles: Sequence[Json]) -> dict[str, Json]:
    """Returns puzzles by the names of their tables."""
    return {f"puzzle-{derived_seed(json.dumps(row['record'])):x}": row for row in puzzles}
