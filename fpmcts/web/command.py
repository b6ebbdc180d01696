"""The command ``fpmcts play``: a table in the browser."""

import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import fields

from fpmcts.configuration import load, pairs, shown, split
from fpmcts.web.config import PlayConfig
from games.base.help import keys_text, say
from games.base.settings import ConfigError, build, check_ranges, did_you_mean, flatten_config

HELP = """Plays card games with you in the browser.

    {command}                                    on this machine, at http://127.0.0.1:8000
    {command} port=0 browser=false               a free port; the address is printed
    {command} checkpoint=runs/mine               adds your trained player to the lobby
    {command} puzzles=mine.jsonl                 adds puzzles (fpmcts puzzles)
    {command} review=games.jsonl                 adds saved games to the lobby

Ctrl-C ends it. Games that are not over are resumed when it is started again.

"""
REPEATABLE = "checkpoint"
TEXTS = ("host", "games", "puzzles", "review")


def parse(overrides: Sequence[str]) -> PlayConfig:
    """Returns the configuration of a command line. Raises ConfigError."""
    repeated = [text for text in overrides if text.startswith(f"{REPEATABLE}=")]
    once = dict(pairs([text for text in overrides if text not in repeated]))
    paths = [path for text in repeated for _, path in pairs([text]) if path != "null"]
    values = load("play", once, TEXTS) | ({REPEATABLE: paths} if paths else {})
    config: PlayConfig = build(PlayConfig, values)
    check_ranges(config)
    return config


def main(arguments: Sequence[str], command: str = "fpmcts play") -> int:
    """Runs a command line; returns the exit status."""
    line = split(arguments)
    if line.help is not None:
        keys = keys_text(PlayConfig, topic=line.help)
        if not keys:
            near = did_you_mean(line.help, [f.name for f in fields(PlayConfig)])
            raise ConfigError(f"--help {line.help}: no such key{near}")
        say(keys if line.help else HELP.format(command=command) + keys)
        return 0
    config = parse(line.overrides)
    if line.shows:
        say(shown(dict(flatten_config(config))))
        return 0
    try:
        from fpmcts.web.server.main import run
    except ModuleNotFoundError as error:
        install = "pip install 'fpmcts[play]'"
        raise ConfigError(f"{error.name} is not installed: {install}") from error
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s", level=logging.WARNING)
    with suppress(KeyboardInterrupt):  # the usual end
        run(config, say)
    return 0
