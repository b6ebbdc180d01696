"""``fpmcts score MODEL FILES``: how well a stored model predicts the decisions in hand histories,
the sizes of raises, and the strength of the hands that are shown.

Options: ``players=known`` (default) starts from the model's counts of players with the same names,
``players=new`` from none; ``plot=FILE.png`` draws the calibration;
``report=FILE.md`` writes the report; ``json=FILE`` writes the figures; ``window=10000``, hands that
statistics cover (default: as learned).
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fpmcts.no_limit_holdem.opponents.dataset import Players, keep_of, make_examples, playable
from fpmcts.no_limit_holdem.opponents.model_file import load
from fpmcts.no_limit_holdem.opponents.score import plot, report
from games.base.files import write
from games.base.help import say
from games.base.settings import ConfigError, build, setting
from games.no_limit_holdem.phh import BadHandError


@dataclass(frozen=True)
class ScoreOptions:
    """The options, explained above."""

    players: str = setting("known", choices=("known", "new"))
    plot: str = ""
    report: str = ""
    json: str = ""
    window: int | None = setting(None, least=10)


def main(arguments: Sequence[str], command: str = "fpmcts score") -> int:
    """Runs a command line; returns the exit status."""
    if {"-h", "--help"} & {*arguments}:
        say(__doc__ or "")
        return 0
    given = [a for a in arguments if "=" in a and not Path(a).exists()]
    options: ScoreOptions = build(ScoreOptions, dict(a.split("=", 1) for a in given))
    names = [argument for argument in arguments if argument not in given]
    if len(names) < 2:
        raise ConfigError(
            f"expected MODEL FILES, such as: {command} "
            "models/no_limit_holdem-opponents.safetensors hands.phhs"
        )
    path, *files = names
    learned, problems = load(path), list[BadHandError]()
    hands = playable(files, problems)
    players = learned.players.copy() if options.players == "known" else Players()
    met = {player for hand in hands for player in hand.players}
    known = len(met & set(players.names))
    keep = keep_of(options.window or learned.window)
    rows, shown = make_examples(hands, learned.model.prior, players, keep)
    if not len(rows.kind):
        raise ConfigError(f"{', '.join(files)}: {len(hands):,} hands without a single decision")
    left_out = f"; {len(problems):,} left out, the first: {problems[0]}" if problems else ""
    head = {
        "model": f"{path}, learned from {learned.origin.get('hands', 0):,} hands",
        "files": ", ".join(files),
        "hands": f"{len(hands):,}{left_out}",
        "players": f"{len(met):,}, of whom {known:,} begin with what the model knows of them",
    }
    text, figures = report(learned, rows, shown, head)
    say(text)
    if options.report:
        write(Path(options.report), f"# Score of a model of opponents\n\n{text}")
    if options.json:
        write(Path(options.json), json.dumps(figures))
    if options.plot:
        try:
            plot(learned.model, rows, Path(options.plot))
        except ImportError as error:
            raise ConfigError(f"plot={options.plot}: {error.name} is not installed") from error
    return 0
