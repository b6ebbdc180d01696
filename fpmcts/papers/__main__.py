"""Repeats figures and tables of papers: ``python -m fpmcts.papers leduc_figure2 [key=value …]``.

What a figure consists of stands in ``conf/papers/NAME.yaml``; the keys are explained by ``--help
NAME``. The same command goes on with a figure that was interrupted.
"""

import sys
from collections.abc import Callable, Sequence

from fpmcts.cluster.settings import ClusterError
from fpmcts.configuration import CONF, choices, read_file, shown, split
from fpmcts.evaluation.plots import ReportError, check_plots
from fpmcts.evaluation.units import StoreError
from fpmcts.interrupt import Interrupt
from fpmcts.papers import figures, ismcts_tables, reward_figures
from fpmcts.papers.job import Job
from fpmcts.training.run_folder import RunFolderError
from fpmcts.training.terminal import Terminal
from games.help import keys_text, say
from games.settings import ConfigError, did_you_mean
from networks.checkpoint import CheckpointError

KINDS: dict[str, tuple[type, Callable[[str, Sequence[str]], Job]]] = {
    "runs": (figures.FigureConfig, figures.read_job),
    "ismcts_tables": (ismcts_tables.TablesConfig, ismcts_tables.read_job),
    "reward_figures": (reward_figures.FiguresConfig, reward_figures.read_job),
}
"""The keys of a file in ``conf/papers`` and what reads it, by its key ``kind``; without one:
``runs``."""


def kind_of(name: str) -> str:
    """Returns the kind of a file in ``conf/papers``."""
    return str(read_file("papers", name).get("kind", "runs"))


def help_text(topic: str = "") -> str:
    """Returns what there is to repeat, and the keys: those of a name, or of figures made of
    runs.
    """
    sources = []
    for name in choices("papers"):
        lines = (CONF / "papers" / f"{name}.yaml").read_text().splitlines()
        about = next(line for line in lines if line.startswith("# ") and "@package" not in line)
        sources.append(f"  {name:28}{about.removeprefix('# ').partition(': python')[0]}")
    keys = keys_text(KINDS[kind_of(topic) if topic else "runs"][0])
    return "\n".join(["python -m fpmcts.papers NAME [key=value …]", "", *sources, "", keys])


def run(arguments: list[str]) -> None:
    """Plays the runs of a figure and draws it."""
    line = split(
        [
            argument
            for argument in arguments
            if "=" in argument or argument.startswith("-") or argument == "job"
        ]
    )
    names = [
        argument
        for argument in arguments
        if "=" not in argument and not argument.startswith("-") and argument != "job"
    ]
    if line.help is not None:
        say(help_text(names[0] if names else ""))
        return
    known = choices("papers")
    if len(names) != 1 or names[0] not in known:
        near = did_you_mean(names[0], known) if names else ""
        raise ConfigError(
            f"{' '.join(names) or 'no name'}: expected one of {', '.join(known)}{near}"
        )
    job = KINDS[kind_of(names[0])][1](names[0], line.overrides)
    if line.shows:
        say(shown(vars(job.config)))
        return
    check_plots()
    terminal = Terminal()
    interrupt = Interrupt(
        terminal.note, "stopping after the current step, with a checkpoint", terminal.close
    )
    terminal.note(job.about)
    lines = job.play(terminal.progress, lambda: interrupt.requested)
    terminal.close()
    if lines is None:
        terminal.note("stopped; the same command resumes it")
        return
    for text in lines:
        terminal.note(text)
    terminal.note(f"written to {job.result}")


if __name__ == "__main__":
    try:
        run(sys.argv[1:])
    except (
        ConfigError,
        CheckpointError,
        ReportError,
        RunFolderError,
        StoreError,
        ClusterError,
    ) as error:
        sys.exit(f"reproduce: {error}")
