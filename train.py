"""Trains a player by self-play: ``python train.py game=doudizhu [key=value …]``.

Owns the loop: builds the trainer, runs its steps, saves a checkpoint after each, and writes TensorBoard and the terminal. The
configuration is that of ``conf/train.yaml``; its keys are explained in ``training/config.py``, those of the algorithms on tables
in ``training/tabular.py``.
"""

import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any, Protocol

from games import GAMES
from networks.checkpoint import CheckpointError
from runtime.configuration import choices, groups_of, shown, split
from runtime.help import first_line, keys_text, say
from runtime.interrupt import Interrupt
from runtime.settings import ConfigError, did_you_mean, leaf_keys
from tabular import algorithms
from training.algorithms import SEARCH, kind_of, read_run
from training.curves import Curves
from training.reports import Event, Report
from training.run_folder import RunFolder, RunFolderError, Saved
from training.terminal import Terminal

HELP = f"""python train.py game={"|".join(GAMES)} [key=value …]

  python train.py game=doudizhu                              until Ctrl-C; the same command resumes
  python train.py game=doudizhu experiment=laptop            75 minutes of two cores
  python train.py game=doudizhu budget.minutes=10 run_dir=runs/ten
  python train.py game=leduc algorithm=smooth_uct            an algorithm on tables

A run is saved in run_dir (runs/<game>-<seed>) after every step. A choice is a file of conf/GROUP:
{{groups}}
Other keys set one value. What they mean, their defaults and ranges: python train.py --help KEY
{{keys}}
Options: --cfg job prints the whole configuration in place of a run. Figures of papers: python -m reproduce NAME"""


class AnyTrainer(Protocol):
    """What the loop asks of a run: of networks (``training.trainer``) or of tables (``training.tabular``)."""

    saves_each_step: bool
    seconds: float
    last_report: Report | None

    def run_step(self) -> Iterator[Event]:
        """Runs the next step; yields how far it is."""

    def is_finished(self, budget: Any) -> bool:
        """Returns whether the budget is used up."""

    def where(self) -> str:
        """Returns how far the run is."""

    def description(self) -> str:
        """Returns what is trained, and on what."""

    def get_state(self) -> Saved:
        """Returns all that the next step depends on."""

    def set_state(self, saved: Saved) -> None:
        """Takes what ``get_state`` gave."""


def help_text(topic: str) -> str:
    """Returns the help on a key, a group of keys or an algorithm; "" is the whole in short."""
    if not topic:
        groups = "".join(f"  {group}={'|'.join(choices(group))}\n" for group in groups_of("train"))
        schema = kind_of(SEARCH).schema
        names = ", ".join(f"{f.name}.…" if is_dataclass(f.type) else f.name for f in fields(schema))
        return HELP.format(groups=groups, keys=textwrap.fill(names, 110, initial_indent="  ", subsequent_indent="  ") + "\n")
    if topic in algorithms.ALGORITHMS:
        options = algorithms.ALGORITHMS[topic].options
        return f"{first_line(options)}\n{keys_text(options, 'algorithm.')}"
    schema = kind_of(SEARCH).schema
    lines = keys_text(schema).split("\n")
    told = [k for k, line in enumerate(lines) if line.startswith(f"  {topic.removesuffix('.…')}") and line[2 + len(topic)] in ".="]
    if not told:
        names = [*leaf_keys(schema), *(f.name for f in fields(schema)), *algorithms.ALGORITHMS]
        raise ConfigError(f"--help {topic}: no such key, group of keys or algorithm{did_you_mean(topic, names)}")
    text = []
    for k in told:
        text.append(lines[k])
        for line in lines[k + 1 :]:
            if not line.startswith("      "):
                break
            text.append(line)
    return "\n".join(text)


def run_in(opened: RunFolder[Any], make_trainer: Callable[[Any], AnyTrainer]) -> None:
    """Runs or resumes a run in its folder, until its budget is used up or Ctrl-C."""
    terminal = Terminal()
    interrupt = Interrupt(terminal.note, "stopping after the current step, with a checkpoint", terminal.close)
    with opened as folder:
        trainer = make_trainer(folder.config)
        saved = folder.load()
        if saved is not None:
            trainer.set_state(saved)
            terminal.note(f"resuming {folder.path} from {trainer.where()}")
        else:
            terminal.note(f"new run in {folder.path}")
        curves = Curves(folder.path, trainer.last_report.step if trainer.last_report else None)
        if trainer.last_report is not None:  # its points may not have reached the disk before the stop
            curves.add(trainer.last_report)
        terminal.note(trainer.description())
        budget = folder.config.budget
        saved_last = True
        while not interrupt.requested and not trainer.is_finished(budget):
            started = time.monotonic()
            for event in trainer.run_step():
                terminal.progress(event)
            trainer.seconds += time.monotonic() - started
            saved_last = trainer.saves_each_step or folder.is_save_due()
            if saved_last:
                folder.save(trainer.get_state())
            assert trainer.last_report is not None
            curves.add(trainer.last_report)
            terminal.report(trainer.last_report, trainer.seconds)
        if not saved_last:
            folder.save(trainer.get_state())
        curves.close()
        stopped = f"stopped after {trainer.where()}; the same command resumes it"
        terminal.note(stopped if interrupt.requested else "budget used up")
    terminal.close()


def main(arguments: list[str]) -> None:
    """Trains as the command line says."""
    line = split(arguments)
    if line.help is not None:
        say(help_text(line.help))
        return
    config, kind = read_run(line.overrides)
    if line.shows:
        say(shown(config.as_dict()))
        return
    kind.check(config)
    run_in(RunFolder.open(config, kind.parse), kind.trainer)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (ConfigError, CheckpointError, RunFolderError, FloatingPointError) as error:
        sys.exit(f"train.py: {error}")
