"""Plays card games with you in the browser: ``python play.py`` opens a table.

    python play.py                                    on this machine, at http://127.0.0.1:8000
    python play.py port=0 browser=false               a free port; the address is printed
    python play.py checkpoint=runs/mine               what you trained stands in the lobby
    python play.py review=games.jsonl                 games that evaluate.py saved stand in the lobby

Ctrl-C ends it. Games that are not over go on when it is started again.
"""

import logging
import sys
from pathlib import Path

from runtime.configuration import load, pairs, shown, split
from runtime.help import keys_text, say
from runtime.settings import ConfigError, build, check_ranges, flatten_config
from web.config import PlayConfig

REPEATABLE = "checkpoint"
TEXTS = ("host", "games", "review")


def parse(overrides: tuple[str, ...]) -> PlayConfig:
    """Returns the configuration of a command line. Raises ConfigError."""
    repeated = [text for text in overrides if text.startswith(f"{REPEATABLE}=")]
    once = dict(pairs([text for text in overrides if text not in repeated]))
    paths = [path for text in repeated for _, path in pairs([text])]
    values = load("play", once, TEXTS) | ({REPEATABLE: paths} if paths else {})
    config: PlayConfig = build(PlayConfig, values)
    check_ranges(config)
    return config


def main() -> None:
    """Runs the command; errors of use become one line."""
    try:
        line = split(sys.argv[1:])
        if line.help is not None:
            say(f"{__doc__}\n{keys_text(PlayConfig, topic=line.help)}")
            return
        config = parse(line.overrides)
        if line.shows:
            say(shown(dict(flatten_config(config))))
            return
        try:
            from web.server import main as server
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
    module = sys.modules.get("web.server.main")
    return ConfigError if module is None else module.ServerError


if __name__ == "__main__":
    main()
