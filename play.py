"""Plays card games with you in the browser: ``python play.py`` opens a table.

    python play.py                                    on this machine, at http://127.0.0.1:8000
    python play.py port=0 browser=false               a free port; the address is printed
    python play.py checkpoint=runs/mine               what you trained stands in the lobby
    python play.py review=games.jsonl                 games that evaluate.py saved stand in the lobby

Ctrl-C ends it. Games that are not over go on when it is started again.
"""

import inspect
import logging
import sys
from pathlib import Path
from typing import Any

import yaml

from runtime.settings import ConfigError, build, check_ranges
from web.config import PlayConfig

REPEATABLE = ("checkpoint",)


def parse(arguments: list[str]) -> PlayConfig:
    """Returns the configuration of a command line. Raises ConfigError."""
    values: dict[str, Any] = {}
    for argument in arguments:
        key, equals, text = argument.partition("=")
        if not equals:
            raise ConfigError(f"{argument}: expected key=value")
        if key in REPEATABLE:
            values.setdefault(key, []).append(text)
            continue
        if key in values:
            raise ConfigError(f"{key}: given twice")
        try:
            values[key] = yaml.safe_load(text) if key in ("port", "browser") else text
        except yaml.YAMLError as error:
            raise ConfigError(f"{argument}: cannot be read") from error
    for key in ("host", "games", "review", *REPEATABLE):
        if key in values and (not values[key] or values[key] == [""]):
            raise ConfigError(f"{key}=: expected a value")
    config: PlayConfig = build(PlayConfig, values)
    check_ranges(config)
    return config


def main() -> None:
    """Runs the command; errors of use become one line."""
    arguments = sys.argv[1:]
    if any(argument in ("-h", "--help") for argument in arguments):
        print(f"{__doc__}\n{inspect.getdoc(PlayConfig)}")
        return
    try:
        config = parse(arguments)
        try:
            from web import server
        except ModuleNotFoundError as error:
            sys.exit(f"play.py: {error.name} is not installed: pip install -c constraints.txt -e '.[play]', or make play")
        logging.basicConfig(format="%(levelname)s %(name)s: %(message)s", level=logging.WARNING)
        server.run(
            server.ServerConfig(
                host=config.host,
                port=config.port,
                games=Path(config.games),
                checkpoints=tuple(map(Path, config.checkpoint)),
                review=None if config.review is None else Path(config.review),
            ),
            say=lambda address: print(f"the table is at {address}", flush=True),
            browser=config.browser,
        )
    except KeyboardInterrupt:
        pass
    except (ConfigError, server_error()) as error:
        sys.exit(f"play.py: {error}")


def server_error() -> type[Exception]:
    """Returns the errors of a server that cannot start; where its packages are not installed there are none."""
    module = sys.modules.get("web.server")
    return ConfigError if module is None else module.ServerError


if __name__ == "__main__":
    main()
