"""Trains a player by self-play: ``python train.py game=doudizhu [key=value …]``.

Owns the loop: builds the trainer, runs its steps, saves a checkpoint after each, and writes TensorBoard and the terminal. The
keys are explained in ``training/config.py``; ``experiment=smoke`` runs the complete cycle in minutes, ``experiment=paper`` has
the paper's settings. ``algorithm=NAME`` runs a tabular algorithm instead, with the keys of ``training/tabular.py``.
"""

import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import hydra
from omegaconf import DictConfig

from evaluation.plots import ReportError, check_plots
from games import poker
from networks.checkpoint import CheckpointError
from reproduce.figures import parse_figure, play_figure
from runtime.interrupt import Interrupt
from runtime.settings import ConfigError
from training.curves import Curves
from training.reports import Event, Report
from training.run_folder import RunFolder, RunFolderError, Saved
from training.tabular import TabularTrainer, parse_tabular
from training.terminal import Terminal

CONF = Path(__file__).resolve().parent / "conf"
FIGURES = CONF / "figures"


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


def run(raw: DictConfig) -> None:
    """Runs or resumes the training run that a configuration describes."""
    if "algorithms" in raw:
        make_figure(raw)
    elif "algorithm" in raw:
        tabular = parse_tabular(raw)
        run_in(RunFolder.open(tabular, parse_tabular), TabularTrainer)
    else:
        # Torch is needed from here on: runs of tables start faster and in less memory without it.
        from agents.rehearsal import compile_players
        from runtime.device import choose_device
        from training.config import parse_config
        from training.trainer import Trainer

        config = parse_config(raw)
        choose_device(config.device)  # before anything is made
        heuristic_first = config.bootstrap.kind == "heuristic" and not config.init_from
        prepare = partial(compile_players, config.game.name, wait=not heuristic_first)
        run_in(RunFolder.open(config, parse_config), Trainer, prepare)


def make_figure(raw: DictConfig) -> None:
    """Plays the runs of a figure and draws it."""
    config, runs = parse_figure(raw)
    check_plots()
    terminal = Terminal()
    interrupt = Interrupt(terminal.note, "stopping after the current step, with a checkpoint", terminal.close)
    terminal.note(f"{config.title}: {len(runs)} runs of {config.episodes:,} episodes in {config.folder()}")
    lines = None
    for event in play_figure(config, runs, lambda: interrupt.requested):
        if isinstance(event, Event):
            terminal.progress(event)
        else:
            lines = event
    terminal.close()
    if lines is None:
        terminal.note("stopped; the same command resumes it")
        return
    for line in lines:
        terminal.note(line)
    terminal.note(f"drawn in {config.folder() / 'figure.png'}")


def run_in(
    opened: RunFolder[Any],
    make_trainer: Callable[[Any], AnyTrainer],
    prepare: Callable[[Callable[[str], None]], None] = lambda say: None,
) -> None:
    """Runs or resumes a run in its folder, until its budget is used up or Ctrl-C.

    Args:
        opened: The folder.
        make_trainer: Makes the trainer of a configuration.
        prepare: Called before the first step with what shows a line.
    """
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
        prepare(terminal.note)
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


@hydra.main(version_base="1.3", config_path="conf", config_name="config")
def compose_and_run(raw: DictConfig) -> None:
    """Composes the configuration and runs it; errors of use become one line."""
    try:
        run(raw)
    except (ConfigError, CheckpointError, ReportError, RunFolderError, FloatingPointError) as error:
        sys.exit(f"train.py: {error}")


def primary(arguments: list[str]) -> tuple[str, list[str]]:
    """Returns the configuration that a command line asks for by algorithm, game or experiment, and the rest of it."""
    given = dict(argument.partition("=")[::2] for argument in arguments)
    if (FIGURES / f"{given.get('experiment')}.yaml").exists():
        return f"figures/{given['experiment']}", [a for a in arguments if not a.startswith("experiment=")]
    if given.get("algorithm", "fpmcts") != "fpmcts":
        return "tabular", arguments
    rest, game = [a for a in arguments if a != "algorithm=fpmcts"], given.get("game")
    if game not in poker.GAMES:
        return "config", rest
    return (game if (CONF / f"{game}.yaml").exists() else "poker"), rest


def main() -> None:
    """Trains as the command line says."""
    name, rest = primary(sys.argv[1:])
    sys.argv[1:] = [f"--config-name={name}", *rest]
    compose_and_run()


if __name__ == "__main__":
    main()
