"""Trains a player by self-play: ``python train.py game=doudizhu [key=value …]``.

Composes the configuration, and shows what the run says of itself (``training.loop``). The
keys are explained in ``training/config.py``; ``experiment=smoke`` runs the complete cycle in minutes, ``experiment=paper`` has
the paper's settings. ``algorithm=NAME`` runs a tabular algorithm instead, with the keys of ``training/tabular.py``.
"""

import sys
from pathlib import Path
from typing import Any

import hydra
from omegaconf import DictConfig

from evaluation.plots import ReportError, check_plots
from games import poker
from networks.checkpoint import CheckpointError
from reproduce.figures import parse_figure, play_figure
from runtime.interrupt import Interrupt
from runtime.settings import ConfigError
from training.loop import MakeTrainer, run_loop
from training.reports import Event
from training.run_folder import RunFolder, RunFolderError
from training.tabular import TabularTrainer, parse_tabular
from training.terminal import Terminal

CONF = Path(__file__).resolve().parent / "conf"
FIGURES = CONF / "figures"


def run(raw: DictConfig) -> None:
    """Runs or resumes the training run that a configuration describes."""
    if "algorithms" in raw:
        make_figure(raw)
    elif "algorithm" in raw:
        tabular = parse_tabular(raw)
        run_in(RunFolder.open(tabular, parse_tabular), TabularTrainer)
    else:
        # Torch is needed from here on: runs of tables start faster and in less memory without it.
        from runtime.device import choose_device
        from training.config import parse_config
        from training.trainer import Trainer

        config = parse_config(raw)
        choose_device(config.device)  # before anything is made
        run_in(RunFolder.open(config, parse_config), Trainer)


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


def run_in(opened: RunFolder[Any], make_trainer: MakeTrainer) -> None:
    """Runs or resumes a run in its folder, until its budget is used up or Ctrl-C."""
    terminal = Terminal()
    interrupt = Interrupt(terminal.note, "stopping after the current step, with a checkpoint", terminal.close)
    with opened as folder:
        for said in run_loop(folder, make_trainer, lambda: interrupt.requested):
            if isinstance(said, Event):
                terminal.progress(said)
            elif isinstance(said, str):
                terminal.note(said)
            else:
                terminal.report(*said)
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
