"""The loop of a run: step, save, write the curves, report, until the budget is used up or the user stops it."""

import time
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from runtime.settings import ConfigError
from training.curves import Curves
from training.reports import Event, Report
from training.run_folder import RunFolder, Saved


class AnyTrainer(Protocol):
    """What the loop asks of a run: of networks (``training.trainer``) or of tables (``training.tabular``)."""

    saves_each_step: bool
    seconds: float

    @property
    def last_report(self) -> Report | None:
        """What the last step said."""

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


MakeTrainer = Callable[[Any, Saved | None], AnyTrainer]
"""(configuration, checkpoint to go on from or None) -> the run."""


def run_loop(
    folder: RunFolder[Any], make_trainer: MakeTrainer, is_stopped: Callable[[], bool], prepare: Callable[[], None] = lambda: None
) -> Iterator[Event | tuple[Report, float] | str]:
    """Runs or resumes the run of a folder; yields how far a step is, its report with the seconds so far, and lines for the user.

    Args:
        folder: Of the run.
        make_trainer: Makes its trainer.
        is_stopped: Whether to end after the step.
        prepare: Called before the first step.

    Raises:
        ConfigError, CheckpointError, RunFolderError: The run cannot begin, or not go on. What was saved is intact.
    """
    saved = folder.load()
    yield from folder.notes
    trainer = begin(folder, make_trainer, saved)
    yield f"new run in {folder.path}" if saved is None else f"resuming {folder.path} from {trainer.where()}"
    if all(bound is None for bound in vars(folder.config.budget).values()):
        yield "it runs until Ctrl-C and is saved after every step; the same command goes on"
    curves = Curves(folder.path, trainer.last_report.step if trainer.last_report else None)
    if trainer.last_report is not None:  # its points may not have reached the disk before the stop
        curves.add(trainer.last_report)
    yield trainer.description()
    prepare()
    is_saved = True
    while not is_stopped() and not trainer.is_finished(folder.config.budget):
        started = time.monotonic()
        yield from trainer.run_step()
        trainer.seconds += time.monotonic() - started
        is_saved = trainer.saves_each_step or folder.is_save_due()
        if is_saved:
            folder.save(trainer.get_state())
        report = trainer.last_report
        assert report is not None
        curves.add(report)
        yield report, trainer.seconds
    if not is_saved:
        folder.save(trainer.get_state())
    yield f"stopped after {trainer.where()}; the same command resumes it" if is_stopped() else "budget used up"


def begin(folder: RunFolder[Any], make_trainer: MakeTrainer, saved: Saved | None) -> AnyTrainer:
    """Returns the run as it was saved, or a new one; only then is there something in the folder to resume."""
    try:
        trainer = make_trainer(folder.config, saved)
    except MemoryError as error:
        raise ConfigError(f"the run does not fit into memory ({error}); give smaller stores, networks or fewer lanes") from error
    folder.begin()
    return trainer
