"""Plays card games with you in the browser: ``python play.py`` opens a table.

    python play.py                                    on this machine, at http://127.0.0.1:8000
    python play.py port=0 browser=false               a free port; the address is printed
    python play.py checkpoint=runs/mine               adds your trained player to the lobby
    python play.py review=games.jsonl                 adds games that evaluate.py saved to the lobby

Ctrl-C ends it. Games that are not over are resumed when it is started again.
"""

import logging
import sys

from fpmcts.configuration import load, pairs, shown, split
from fpmcts.web.config import PlayConfig
from games.help import keys_text, say
from games.settings import ConfigError, build, check_ranges, flatten_config

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
    line = split(sys.argv[1:])
    if line.help is not None:
        say(f"{__doc__}\n{keys_text(PlayConfig, topic=line.help)}")
        return
    config = parse(line.overrides)
    if line.shows:
        say(shown(dict(flatten_config(config))))
        return
    try:
        from fpmcts.web.server.main import run
    except ModuleNotFoundError as error:
        install = "pip install -c constraints.txt -e '.[play]', or make play"
        raise ConfigError(f"{error.name} is not installed: {install}") from error
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s", level=logging.WARNING)
    run(config, say=lambda address: print(f"the table is at {address}", flush=True))


if __name__ == "__main__":
    try:
        main()
    except ConfigError as error:  # of a server that cannot start, too
        sys.exit(f"play.py: {error}")
    except KeyboardInterrupt:
        pass
