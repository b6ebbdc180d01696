"""The base of all figures and tables of papers, and lots of matches that are stored and resumed.

A *study* is a file in ``conf/papers``. Its class is a dataclass whose fields are the keys, with
checks before the start (``check``), one line of description (``about``), and ``play``. A new kind
of study is such a class and a line in ``fpmcts/papers/__main__.py``.
"""

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

from fpmcts.cluster.pools import Stopping
from fpmcts.cluster.processes import ProcessPool, calls
from fpmcts.cluster.settings import ClusterSettings
from fpmcts.cluster.store import ResultFile
from fpmcts.configuration import load, pairs
from fpmcts.machine import commit, machine
from fpmcts.progress import Progress
from games.base.files import sweep, write
from games.base.settings import ConfigError, build, did_you_mean, setting


@dataclass(frozen=True)
class Study(ABC):
    """Figures or tables.

    Attributes:
        kind: Name of the class that reads the file.
        name: Name of the study.
        title: Title of the report.
        run_dir: Folder of the runs or matches; null: runs/NAME.
        threads: Runs or lots in parallel; each lot in its own process.
        paper: The paper's own value of keys that set the size.
        departs: How the study differs from the paper, in sentences.
    """

    result: ClassVar[str] = "figure.png"
    """The file with the result."""

    kind: str = ""
    name: str = "figure"
    title: str = ""
    run_dir: str | None = None
    threads: int = setting(1, least=1, most=4096)
    paper: dict[str, float] = field(default_factory=dict)
    departs: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, name: str, overrides: Sequence[str]) -> Self:
        """Returns the study of ``conf/papers/NAME.yaml`` and a command line, checked. Raises
        ConfigError.
        """
        given = dict(pairs(overrides))
        if "cluster" in given:
            given["cluster.kind"] = given.pop("cluster")
        texts = ("run_dir", "title", "model")
        study: Self = build(cls, load(f"papers/{name}", given, texts))
        for key in study.paper:
            if not hasattr(study, key):
                raise ConfigError(f"paper.{key}: expected a key of the study")
        study.check()
        return study

    def folder(self) -> Path:
        """Returns the folder of the study."""
        return Path(self.run_dir or f"runs/{self.name}")

    def check(self) -> None:  # noqa: B027 - some have nothing to check
        """Raises ConfigError if it cannot be played."""

    @abstractmethod
    def about(self) -> str:
        """Describes what will be played, in a few words."""

    def notes(self) -> list[str]:
        """Returns the sentences that accompany every result: its size relative to the paper's, and
        how it departs from the paper.
        """
        sizes = [
            f"{key} {getattr(self, key):,.12g} of {value:,.12g}"
            for key, value in self.paper.items()
        ]
        size = [f"Size, ours of the paper's: {', '.join(sizes)}."] if sizes else []
        return [*size, *self.departs]

    def origin(self) -> dict[str, object]:
        """Returns where a result comes from, for JSON: its date, the commit, the machine, and the
        size.
        """
        return {
            "written": time.strftime("%Y-%m-%d"),
            "commit": commit(),
            "machine": machine(),
            "notes": self.notes(),
        }

    def footer(self, facts: Mapping[str, object]) -> str:
        """Returns the end of a report in Markdown: the notes, then facts and origin as JSON."""
        notes = "".join(f"- {note}\n" for note in self.notes())
        return f"{notes}\n{json.dumps({**facts, **self.origin()})}\n"

    @abstractmethod
    def play(self, progress: Progress, stopping: Stopping) -> list[str] | None:
        """Plays the missing parts and writes the result; returns lines for the terminal, or None if
        it was stopped early.
        """


@dataclass(frozen=True)
class LotsStudy(Study):
    """A study that consists of lots of matches.

    Attributes:
        cluster: Workers that play the lots: processes, or actors of a Ray cluster.
        seed: Seed of all matches.
        only: Names of the tables or figures to play; none: all.
    """

    cluster: ClusterSettings = field(default_factory=ClusterSettings)
    seed: int = setting(0, least=0, most=2**31)
    only: list[str] = field(default_factory=list)

    def chosen(self, names: Iterable[str]) -> list[str]:
        """Returns the names selected by ``only``. Raises ConfigError."""
        known = list(names)
        for name in self.only:
            if name not in known:
                raise ConfigError(
                    f"only={name}: expected some of {', '.join(known)}{did_you_mean(name, known)}"
                )
        return [name for name in known if not self.only or name in self.only]

    @abstractmethod
    def lots(self) -> Mapping[Any, tuple[int, tuple[object, ...]]]:
        """Returns the number of games and the arguments of ``play_lot`` by the name of each lot, a
        tuple.
        """

    @staticmethod
    @abstractmethod
    def play_lot(*arguments: Any) -> Any:
        """Returns the result of a lot; runs in its own process or in an actor. The last argument is
        called with games that are over.
        """

    @abstractmethod
    def identity(self) -> dict[str, object]:
        """Returns what results depend on, apart from the seed and the name of the lot."""

    @abstractmethod
    def report(self, results: Mapping[Any, Any]) -> tuple[str, list[str]]:
        """Returns the text of ``result`` for the finished lots, and lines for the terminal."""

    def play(self, progress: Progress, stopping: Stopping) -> list[str] | None:
        """Plays the missing lots and reports all stored ones; see ``Study``.

        Raises:
            ResultFileError: The folder holds results of other settings, or cannot be written.
            ClusterError: The cluster cannot be used.
        """
        lots = self.lots()
        own = {"seed": self.seed, **self.identity()}
        sizes = {lot: games for lot, (games, _) in lots.items()}
        units = {lot: arguments for lot, (_, arguments) in lots.items()}
        total = sum(sizes.values())
        pool = ProcessPool(partial(calls, self.play_lot), self.threads, self.cluster)
        with ResultFile(self.folder() / "lots.jsonl", own) as store:
            sweep(self.folder())

            def show(done: int) -> None:
                progress("matches", done, total, "games")

            results = dict(pool.results(units, sizes, show, store, stopping))
            text, summary = self.report(results)
            write(self.folder() / self.result, text)
        return summary if all(lot in results for lot in lots) else None
