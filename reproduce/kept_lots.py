"""Results that are kept line by line while they come, so that a run that is killed goes on."""

import json
from pathlib import Path
from typing import Any

from runtime.settings import ConfigError


def read_lots(path: Path, conditions: dict[str, Any], what: str) -> list[Any]:
    """Returns the entries of a file, which is made ready for more: a line of conditions, then an entry a line.

    Args:
        path: The file; its folder is made.
        conditions: What the results depend on.
        what: Of what else they would be, in words.

    Raises:
        ConfigError: The file is of other conditions, or cannot be written.
    """
    first = json.dumps(conditions, sort_keys=True) + "\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            path.write_text(first)
        lines = path.read_text().splitlines(keepends=True)
        if not lines or json.loads(lines[0]) != json.loads(first):
            raise ConfigError(f"run_dir={path.parent}: holds matches of {what}; expected another folder")
        whole = [line for line in lines if line.endswith("\n")]
        if whole != lines:  # a line that was cut off when the run was killed
            path.write_text("".join(whole))
    except OSError as error:
        raise ConfigError(f"run_dir={path.parent}: {error}") from error
    return [json.loads(line) for line in whole[1:]]
