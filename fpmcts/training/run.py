"""A run: steps of an algorithm until a budget is used up, saved in a folder.

    train.py ─▶ Run ─▶ algorithm.step (fpmcts/training/fpmcts.py: play ─▶ reservoirs ─▶ learn ─▶
    evaluate) ─▶ Report

From Python, without a command line:

    for report in Run(TrainConfig.parse({"game": {"name": "leduc"}, ...})):
        print(report.line, report.scalars["nash_conv/average_policy"])
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict

from fpmcts.progress import Progress, silent
from fpmcts.training.curves import Curves
from fpmcts.training.interface import Algorithm, Report, RunConfig, Saved
from fpmcts.training.run_folder import RunFolder
from games.compilation import CompileClock
from games.settings import ConfigError
from networks.checkpoint import CHECKPOINT, naming

_COMPILING = CompileClock()


class Run:
    """A new run in its folder, or the one that is there. Its reports are what one iterates over; it
    is saved on the way.

    Args:
        config: Of the run.
        progress: Called with how far a step is.
        say: Shows a line.
        stopping: Whether to end after the present step.

    Attributes:
        config: Of the run, ``run_dir`` and what it began from filled in.
        algorithm: What is trained.
        last: What the last step said, None before the first.
        seconds: Wall clock spent in steps, over all sessions, without compilation.

    Raises:
        ConfigError, CheckpointError, RunFolderError: The run cannot begin, or cannot be resumed.
            What was saved is intact; a folder in which nothing had begun is as it was.
    """

    def __init__(
        self,
        config: RunConfig,
        progress: Progress = silent,
        say: Callable[[str], None] = lambda line: None,
        stopping: Callable[[], bool] = lambda: False,
    ) -> None:
        self._progress, self._say, self._stopping = progress, say, stopping
        self.seconds = 0.0
        self.last: Report | None = None
        self.folder = RunFolder.open(config)
        self.config = self.folder.config
        try:
            saved = self.folder.load()
            try:
                self.algorithm: Algorithm = self.config.start()
            except MemoryError as error:
                smaller = "give smaller stores, networks or fewer lanes"
                raise ConfigError(
                    f"the run does not fit into memory ({error}); {smaller}"
                ) from error
            if saved is not None:
                with naming(self.folder.path / CHECKPOINT):
                    self.load(saved)
            self.folder.begin()
        except BaseException:
            self.folder.close()
            raise
        for line in self.folder.notes:
            say(line)
        say(
            f"new run in {self.folder.path}"
            if saved is None
            else f"resuming {self.folder.path} from {self.where()}"
        )

    def __iter__(self) -> Iterator[Report]:
        """Continues the run until its budget is used up or it is asked to stop; yields the report
        of every step.
        """
        with self.folder:
            if all(bound is None for bound in vars(self.config.budget).values()):
                self._say("runs until Ctrl-C and is saved on the way; the same command resumes it")
            curves = Curves(self.folder.path, self.last.step if self.last else None)
            if self.last is not None:  # its points may not have reached the disk before the stop
                curves.add(self.last)
            self._say(self.algorithm.about)
            self.config.prepare(self._say)
            is_saved = True
            while not self._stopping() and not self.is_finished():
                try:
                    report = self.step()
                except ConfigError:  # a full table, which is whole: what was reported is kept
                    if not is_saved:
                        self.save()
                    raise
                is_saved = self.algorithm.saves_each_step or self.folder.is_save_due()
                if is_saved:
                    self.save()
                curves.add(report)
                yield report
            if not is_saved:
                self.save()
            self._say(
                f"stopped after {self.where()}; the same command resumes it"
                if self._stopping()
                else "budget used up"
            )

    def step(self) -> Report:
        """Returns the report of the next step, which is neither saved nor drawn."""
        started, compiled = time.monotonic(), _COMPILING.seconds
        self.last = self.algorithm.step(self._progress)
        self.seconds += time.monotonic() - started - (_COMPILING.seconds - compiled)
        return self.last

    def save(self) -> None:
        """Writes a checkpoint. Raises CheckpointError where it cannot be written; the one before is
        intact.
        """
        self.folder.save(self.state())

    def is_finished(self) -> bool:
        """Returns whether the budget is used up, or nothing is left to do."""
        spent = self.algorithm.spent | {"minutes": self.seconds / 60}
        bounds = vars(self.config.budget).items()
        nothing_left = self.last is not None and self.last.is_last
        return nothing_left or any(
            bound is not None and spent[key] >= bound for key, bound in bounds
        )

    def where(self) -> str:
        """Returns how far the run is."""
        counts = [f"{count:,} {name}" for name, count in self.algorithm.spent.items()]
        return ", ".join([*counts, f"{self.seconds / 60:.1f} min"])

    def state(self) -> Saved:
        """Returns the checkpoint of the run: that of the algorithm, and the clock."""
        saved = self.algorithm.state()
        report = None if self.last is None else asdict(self.last)
        return Saved(saved.arrays, saved.meta | {"seconds": self.seconds, "report": report})

    def load(self, saved: Saved) -> None:
        """Takes what ``state`` gave."""
        self.algorithm.load(saved)
        self.seconds = saved.meta["seconds"]
        report = saved.meta["report"]
        self.last = None if report is None else Report(**report)
