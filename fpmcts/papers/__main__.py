"""Repeats figures and tables of papers: ``python -m fpmcts.papers leduc_figure2 [key=value …]``.

``conf/papers/NAME.yaml`` defines a figure, and ``--help NAME`` explains its keys. The same command
resumes an interrupted figure.
"""

import sys
from collections.abc import Mapping, Sequence
from pkgutil import resolve_name

from fpmcts.command import run
from fpmcts.configuration import CONF, choices, read_file, shown, split
from fpmcts.interrupt import Interrupt
from fpmcts.papers.study import Study
from fpmcts.plots import check_plots
from fpmcts.terminal import Terminal
from games.base.help import keys_text, say
from games.base.settings import ConfigError, did_you_mean, flatten_config

KINDS: Mapping[str, str] = {
    "runs": "fpmcts.papers.figures:RunFigure",
    "ismcts_tables": "fpmcts.papers.ismcts_tables:MatchTables",
    "reward_figures": "fpmcts.papers.reward_figures:RewardFigures",
    "deltadou": "fpmcts.papers.deltadou:DeltaDou",
    "comparison": "fpmcts.papers.comparison:Comparison",
}
"""The class that reads a file in ``conf/papers``, by the file's key ``kind``; by default ``runs``.
"""


def kind_of(name: str) -> type[Study]:
    """Returns the class that reads a file in ``conf/papers``."""
    return resolve_name(KINDS[read_file("papers", name).get("kind", "runs")])


def help_text(topic: str = "", command: str = "fpmcts reproduce") -> str:
    """Returns the list of figures, and the keys of the named one (of a figure made of runs, if none
    is named).
    """
    sources = []
    for name in choices("papers"):
        lines = (CONF / "papers" / f"{name}.yaml").read_text().splitlines()
        about = next(line for line in lines if line.startswith("# ") and "@package" not in line)
        sources.append(f"  {name:28}{about.removeprefix('# ').partition(': python')[0]}")
    keys = keys_text(kind_of(topic or "leduc_figure2"))
    return "\n".join([f"{command} NAME [key=value …]", "", *sources, "", keys])


def main(arguments: Sequence[str], command: str = "fpmcts reproduce") -> int:
    """Plays what a figure needs and draws it; returns the exit status."""
    is_name = {word: "=" not in word and word[:1] != "-" and word != "job" for word in arguments}
    names = [word for word in arguments if is_name[word]]
    line = split([word for word in arguments if not is_name[word]])
    if line.help is not None:
        say(help_text(names[0] if names else "", command))
        return 0
    known = choices("papers")
    if len(names) != 1 or names[0] not in known:
        near = did_you_mean(names[0], known) if names else ""
        raise ConfigError(
            f"{' '.join(names) or 'no name'}: expected one of {', '.join(known)}{near}"
        )
    study = kind_of(names[0]).read(names[0], line.overrides)
    if line.shows:
        say(shown(dict(flatten_config(study))))
        return 0
    check_plots()
    terminal = Terminal()
    terminal.note(f"{study.title}: {study.about()}, in {study.folder()}")
    what = "stopping after the current step, with a checkpoint"
    with Interrupt(terminal.note, what, terminal.close) as interrupt:
        lines = study.play(terminal.progress, lambda: interrupt.requested)
    terminal.close()
    if lines is None:
        terminal.note("stopped; the same command resumes it")
        return 130
    for text in [*lines, *study.notes(), f"written to {study.folder() / study.result}"]:
        terminal.note(text)
    return 0


if __name__ == "__main__":
    run("reproduce", sys.argv[1:], "python -m fpmcts.papers")
