"""``python -m opponent_models score MODEL FILES``: how well a stored model predicts the decisions in hand histories, the sizes
of raises, and the strength of the hands that are shown.

Options: ``players=known`` (default) begins with what was counted of players of the same names when the model was learned,
``players=new`` with nothing; ``bad=skip|fail``; ``plot=FILE.png`` draws the calibration; ``report=FILE.md`` writes the report;
``json=FILE`` writes the figures; ``window=10000``, hands that statistics look back on (default: as learned).
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from games.no_limit_holdem.phh import BAD, BadHandError
from opponent_models.dataset import Players, make_rows
from opponent_models.learned import Learned, keep_of, load_learned, playable
from opponent_models.model import ModelError
from opponent_models.score import plot, report
from runtime.settings import ConfigError, did_you_mean

OPTIONS = {"players": "known", "bad": "skip", "plot": "", "report": "", "json": "", "window": ""}


def say(text: str, stream: Any = None) -> None:
    """Writes a line."""
    stream = stream or sys.stdout
    stream.write(f"{text}\n")
    stream.flush()


def read_options(arguments: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Returns the names and the options of a command line. Raises ConfigError on an option that there is not."""
    names, options = [], dict(OPTIONS)
    for argument in arguments:
        key, equals, value = argument.partition("=")
        if not equals or Path(argument).exists():
            names.append(argument)
        elif key in OPTIONS:
            options[key] = value
        else:
            near = did_you_mean(key, OPTIONS) or f"; expected one of {', '.join(OPTIONS)}"
            raise ConfigError(f"{argument}: unknown key{near}")
    for key, allowed in (("players", ("known", "new")), ("bad", BAD)):
        if options[key] not in allowed:
            raise ConfigError(f"{key}={options[key]}: expected one of {', '.join(allowed)}")
    if options["window"] and not (options["window"].isdigit() and int(options["window"]) >= 10):
        raise ConfigError(f"window={options['window']}: expected a number of hands, at least 10")
    return names, options


def scored(
    learned: Learned, files: Sequence[str], options: dict[str, str], name: str
) -> tuple[str, dict[str, Any]]:
    """Returns the report on files of hands, and its figures."""
    problems: list[BadHandError] = []
    hands = playable(files, options["bad"], problems)
    if not hands:
        raise ConfigError(
            f"{', '.join(files)}: no hand to score{f'; the first problem: {problems[0]}' if problems else ''}"
        )
    players = learned.players.copy() if options["players"] == "known" else Players()
    met = {player for hand in hands for player in hand.players}
    known = len(met & set(learned.players.names))
    window = int(options["window"] or learned.told.get("options", {}).get("window", 10_000))
    rows, shown = make_rows(hands, learned.scorer.model.prior, players, keep_of(window))
    if not len(rows.kind):
        raise ConfigError(f"{', '.join(files)}: {len(hands):,} hands without a single decision")
    names = {
        "model": f"{name}, learned from {learned.told.get('hands', 0):,} hands",
        "files": ", ".join(files),
        "hands": f"{len(hands):,}"
        + (f"; {len(problems):,} left out, the first: {problems[0]}" if problems else ""),
        "players": f"{len(met):,}, of whom the model knows {known:,}"
        + ("" if options["players"] == "known" else ", which is not used"),
    }
    if options["plot"]:
        plot(learned.scorer, rows, options["plot"])
    return report(learned.scorer, rows, shown, names)


def score(arguments: Sequence[str]) -> None:
    """Scores a model."""
    names, options = read_options(arguments)
    if len(names) < 2:
        raise ConfigError(
            "score: expected MODEL FILES, such as: score models/no_limit_holdem-opponents.safetensors hands.phhs"
        )
    text, figures = scored(load_learned(names[0]), names[1:], options, names[0])
    say(text)
    if options["report"]:
        Path(options["report"]).write_text(
            f"# Score of a model of opponents\n\n{text}", encoding="utf-8"
        )
    if options["json"]:
        Path(options["json"]).write_text(json.dumps(figures), encoding="utf-8")


def main(arguments: Sequence[str]) -> int:
    """Runs the command; returns the exit status."""
    if not arguments or arguments[0] in ("-h", "--help"):
        say(__doc__ or "")
        return 0 if arguments else 2
    try:
        if arguments[0] != "score":
            raise ConfigError(f"{arguments[0]}: expected score MODEL FILES")
        score(arguments[1:])
    except (ConfigError, ModelError, BadHandError, OSError) as error:
        say(f"opponent_models: {error}", sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
