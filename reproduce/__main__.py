"""Repeats figures and tables of papers: ``python -m reproduce leduc_figure2 [key=value …]``.

What a figure consists of stands in ``conf/reproduce/NAME.yaml``; the keys are explained in ``reproduce/figures.py``. The same
command goes on with a figure that was interrupted.
"""

import sys
from pathlib import Path

from evaluation.plots import ReportError, check_plots
from networks.checkpoint import CheckpointError
from reproduce.figures import FigureConfig, play_figure, read_figure
from runtime.configuration import CONF, choices, shown, split
from runtime.help import keys_text, say
from runtime.interrupt import Interrupt
from runtime.settings import ConfigError, did_you_mean
from training.reports import Event
from training.run_folder import RunFolderError
from training.terminal import Terminal


def help_text() -> str:
    """Returns what there is to repeat, and the keys."""
    sources = []
    for name in choices("reproduce"):
        lines = (CONF / "reproduce" / f"{name}.yaml").read_text().splitlines()
        about = next(line for line in lines if line.startswith("# ") and "@package" not in line)
        sources.append(f"  {name:28}{about.removeprefix('# ').partition(': python')[0]}")
    return "\n".join(["python -m reproduce NAME [key=value …]", "", *sources, "", keys_text(FigureConfig)])


def run(arguments: list[str]) -> None:
    """Plays the runs of a figure and draws it."""
    line = split([argument for argument in arguments if "=" in argument or argument.startswith("-") or argument == "job"])
    if line.help is not None:
        say(help_text())
        return
    names = [argument for argument in arguments if "=" not in argument and not argument.startswith("-") and argument != "job"]
    known = choices("reproduce")
    if len(names) != 1 or names[0] not in known:
        near = did_you_mean(names[0], known) if names else ""
        raise ConfigError(f"{' '.join(names) or 'no name'}: expected one of {', '.join(known)}{near}")
    config, runs = read_figure(names[0], line.overrides)
    if line.shows:
        say(shown(vars(config)))
        return
    check_plots()
    terminal = Terminal()
    interrupt = Interrupt(terminal.note, "stopping after the current step, with a checkpoint", terminal.close)
    total = sum(run.budget.episodes or 0 for _, run in runs)
    terminal.note(f"{config.title}: {len(runs)} runs, {total:,} episodes in all, in {config.folder()}")
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
    for text in lines:
        terminal.note(text)
    terminal.note(f"drawn in {Path(config.folder()) / 'figure.png'}")


if __name__ == "__main__":
    try:
        run(sys.argv[1:])
    except (ConfigError, CheckpointError, ReportError, RunFolderError) as error:
        sys.exit(f"reproduce: {error}")
