"""The command ``fpmcts train``: help, and a run that is shown on the terminal.

The configuration comes from ``conf/train.yaml``, the run from ``fpmcts/training/run.py``. The keys
are explained in ``fpmcts/training/config.py``, those of the tabular algorithms in
``fpmcts/training/tabular.py``.
"""

import textwrap
from collections.abc import Sequence
from dataclasses import fields, is_dataclass

from fpmcts.configuration import choices, groups_of, shown, split
from fpmcts.interrupt import Interrupt
from fpmcts.tabular import algorithms
from fpmcts.terminal import Terminal
from fpmcts.training.algorithms import SCHEMAS, SEARCH, read_run, schema_of
from fpmcts.training.departures import text_of
from fpmcts.training.interface import RunConfig
from fpmcts.training.run import Run
from games import GAMES
from games.base.help import first_line, keys_text, say
from games.base.settings import ConfigError, did_you_mean, leaf_keys
from games.play.choice import help_text as game_help

HELP = f"""{{command}} game={"|".join(GAMES)} [key=value …]

  {{command}} game=doudizhu                              until Ctrl-C; the same command resumes
  {{command}} game=doudizhu budget.minutes=10 run_dir=runs/ten
  {{command}} game=leduc algorithm=smooth_uct            an algorithm on tables
  {{command}} game=mine.game                             a game of your own, by its module:
  docs/adding-a-game.md

A run saves its state in run_dir (runs/<game>-<seed>). A choice is a file of conf/GROUP:
{{groups}}
Other keys set one value. What they mean, their defaults and ranges: {{command}} --help KEY
{{keys}}
Options: --cfg job prints the whole configuration instead of running; --departures how a run of
Doudizhu departs from its paper. Figures of papers: python -m fpmcts.papers NAME"""


def help_text(words: str, command: str) -> str:
    """Returns the help on a key, a group of keys, an algorithm or a game; for "" an overview.

    Args:
        words: The topic; further words ``key=value`` choose the configuration whose values are
            shown.
        command: Name of the command.
    """
    topic, *given = words.split() or [""]
    topic = topic.removeprefix("algorithm=")
    if not topic:
        groups = "".join(f"  {group}={'|'.join(choices(group))}\n" for group in groups_of("train"))
        schema = schema_of(SEARCH)
        names = ", ".join(f"{f.name}.…" if is_dataclass(f.type) else f.name for f in fields(schema))
        return HELP.format(
            command=command,
            groups=groups,
            keys=textwrap.fill(names, 110, initial_indent="  ", subsequent_indent="  ") + "\n",
        )
    if topic in algorithms.ALGORITHMS:
        options = algorithms.ALGORITHMS[topic].options
        return f"{first_line(options)}\n{keys_text(options, 'algorithm.')}"
    if topic in SCHEMAS and topic != SEARCH:
        return keys_text(read_run([f"algorithm={topic}", *given]))
    if topic == "game":
        return f"{keys_text(read_run(given), topic='game')}\n{game_help()}"
    if text := game_help(topic):
        return text
    files = f"{topic}: one of {', '.join(choices(topic))}\n" if topic in groups_of("train") else ""
    if topic == "algorithm":
        return f"{files}The keys of one: {command} --help NAME"
    for name in (SEARCH, *{schema: name for name, schema in SCHEMAS.items()}.values()):
        if text := keys_text(read_run([f"algorithm={name}", *given]), topic=topic):
            break
    if not (text := files + text):
        schema = schema_of(SEARCH)
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
            run = Run.of(config, terminal.progress, terminal.note, lambda: interrupt.requested)
            for report in run:
                terminal.report(report.line, run.seconds)
    finally:
        terminal.close()


def main(arguments: Sequence[str], command: str = "fpmcts train") -> int:
    """Runs a command line; returns the exit status."""
    lists = "--departures" in arguments
    line = split([word for word in arguments if word != "--departures"])
    if line.help is not None:
        say(help_text(line.help, command))
    elif lists:
        config, paper = read_run(line.overrides), read_run(["experiment=paper"])
        if type(config) is not type(paper) or config.game.name != paper.game.name:
            raise ConfigError("--departures: lists those of game=doudizhu from DeltaDou")
        say(text_of(config, paper))
    elif line.shows:
        say(shown(read_run(line.overrides).as_dict()))
    else:
        train(read_run(line.overrides))
    return 0
