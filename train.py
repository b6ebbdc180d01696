"""Trains a player by self-play: ``python train.py game=doudizhu [key=value …]``.

Composes the configuration of ``conf/train.yaml`` and shows what the run says of itself
(``fpmcts/training/run.py``). The keys are explained in ``fpmcts/training/config.py``, those of the
algorithms on tables in ``fpmcts/training/tabular.py``.
"""

import sys
import textwrap
from dataclasses import fields, is_dataclass

from fpmcts.cluster.settings import ClusterError
from fpmcts.configuration import choices, groups_of, shown, split
from fpmcts.interrupt import Interrupt
from fpmcts.tabular import algorithms
from fpmcts.training.algorithms import SCHEMAS, SEARCH, read_run, schema_of
from fpmcts.training.interface import RunConfig
from fpmcts.training.run import Run
from fpmcts.training.run_folder import RunFolderError
from fpmcts.training.terminal import Terminal
from games import GAMES
from games.choice import help_text as game_help
from games.help import error_text, first_line, keys_text, say, say_on_stderr
from games.settings import ConfigError, did_you_mean, leaf_keys
from networks.checkpoint import CheckpointError

HELP = f"""python train.py game={"|".join(GAMES)} [key=value …]

  python train.py game=doudizhu                              until Ctrl-C; the same command resumes
  python train.py game=doudizhu experiment=laptop            75 minutes of two cores
  python train.py game=doudizhu budget.minutes=10 run_dir=runs/ten
  python train.py game=leduc algorithm=smooth_uct            an algorithm on tables
  python train.py game=examples.sealed_bids                  a game of your own, by its module:
  docs/adding-a-game.md

A run is saved in run_dir (runs/<game>-<seed>) after every step. A choice is a file of conf/GROUP:
{{groups}}
Other keys set one value. What they mean, their defaults and ranges: python train.py --help KEY
{{keys}}
Options: --cfg job prints the whole configuration instead of running. Figures of papers:
python -m fpmcts.papers NAME"""


def help_text(topic: str) -> str:
    """Returns the help on a key, a group of keys or an algorithm; "" is the whole in short."""
    if not topic:
        groups = "".join(f"  {group}={'|'.join(choices(group))}\n" for group in groups_of("train"))
        schema = schema_of(SEARCH)
        names = ", ".join(f"{f.name}.…" if is_dataclass(f.type) else f.name for f in fields(schema))
        return HELP.format(
            groups=groups,
            keys=textwrap.fill(names, 110, initial_indent="  ", subsequent_indent="  ") + "\n",
        )
    if topic in algorithms.ALGORITHMS:
        options = algorithms.ALGORITHMS[topic].options
        return f"{first_line(options)}\n{keys_text(options, 'algorithm.')}"
    if topic in SCHEMAS and topic != SEARCH:
        return keys_text(read_run([f"algorithm={topic}"]))
    if topic == "game":
        return f"{keys_text(read_run([]), topic='game')}\n{game_help()}"
    if text := game_help(topic):
        return text
    schema = schema_of(SEARCH)
    text = keys_text(read_run([]), topic=topic)
    if not text:
        known = [*leaf_keys(schema), *(f.name for f in fields(schema)), *SCHEMAS]
        raise ConfigError(
            f"--help {topic}: no such key, group of keys or algorithm{did_you_mean(topic, known)}"
        )
    return text


def train(config: RunConfig) -> None:
    """Runs or resumes a run in its folder, until its budget is used up or Ctrl-C."""
    terminal = Terminal()
    what = "stopping after the current step, with a checkpoint"
    try:
        with Interrupt(terminal.note, what, terminal.close) as interrupt:
            run = Run(config, terminal.progress, terminal.note, lambda: interrupt.requested)
            for report in run:
                terminal.report(report.line, run.seconds)
    finally:
        terminal.close()


def main(arguments: list[str]) -> None:
    """Trains as the command line says."""
    line = split(arguments)
    if line.help is not None:
        say(help_text(line.help))
        return
    if not line.shows:
        say_on_stderr("loading what the run needs …")  # torch alone takes seconds
    config = read_run(line.overrides)
    if line.shows:
        say(shown(config.as_dict()))
    else:
        train(config)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (
        ConfigError,
        CheckpointError,
        RunFolderError,
        ClusterError,
        FloatingPointError,
        OSError,
    ) as error:
        sys.exit(f"train.py: {error_text(error)}")
    except KeyboardInterrupt:  # before the run has begun
        sys.exit(130)
