"""Runs that learn a model of opponents: ``python train.py game=no_limit_holdem
algorithm=opponent_model hands=FILE_OR_FOLDER``.

A step is one task of the learner, such as the trees that predict folds before the flop; the run is
saved after each. The last writes the model and its report into the run folder. A step depends only
on the hands, the seed and the options, so a killed run resumes bit-for-bit.
"""

import hashlib
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

from fpmcts.no_limit_holdem.opponents.learn import TASKS, LearnOptions, assemble, gather, learn
from fpmcts.no_limit_holdem.opponents.model import Booster
from fpmcts.no_limit_holdem.opponents.model_file import MODEL_FILE, save
from fpmcts.no_limit_holdem.opponents.score import plot, report
from fpmcts.progress import Progress
from fpmcts.training.interface import Report, RunConfig, Saved
from games import Choice
from games.base.files import write
from games.base.settings import ConfigError
from networks.checkpoint import check_compatible

REPORT, CALIBRATION = "report.md", "calibration.png"
"""Files that a finished run leaves in its folder, with ``MODEL_FILE``."""


@dataclass(frozen=True)
class OpponentModelConfig(RunConfig):
    """A run that learns a model of opponents.

    Attributes:
        hands: A file or folder of hand histories in the PHH format (.phh, .phhs, compressed .xz);
            several separated by commas.
        game: ``name``: no_limit_holdem; its options do not matter here.
        algorithm: ``name``, and how trees are learned (``fpmcts.no_limit_holdem.opponents.learn``).
    """

    learned_by = "fpmcts.training.opponent_model:OpponentModelLearner"
    players = ("mcts",)
    hands: str | None = None
    game: Choice = field(default_factory=lambda: Choice("no_limit_holdem"))
    algorithm: LearnOptions = field(default_factory=LearnOptions)

    def check(self) -> None:
        """Raises ConfigError for another game."""
        if self.game.name != "no_limit_holdem":
            raise ConfigError(
                f"game={self.game.name} algorithm=opponent_model: expected game=no_limit_holdem"
            )

    def files(self) -> list[str]:
        """Returns the files and folders of hands. Raises ConfigError if there are none."""
        paths = [path for path in (self.hands or "").split(",") if path]
        if not paths:
            raise ConfigError(
                "hands=null: expected a file or folder of hand histories, such as "
                "hands=pluribus.phhs.xz"
            )
        for path in paths:
            if not Path(path).exists():
                raise ConfigError(f"hands={path}: no such file or folder")
        return paths


class OpponentModelLearner:
    """A model of opponents, learned from hands; see ``fpmcts.training.interface.Algorithm``.

    Args:
        config: Configuration of the run.
        is_new: Ignored.

    Attributes:
        steps: Tasks finished.
    """

    saves_each_step = True

    def __init__(self, config: OpponentModelConfig, is_new: bool = True) -> None:
        self.config, self.options = config, config.algorithm
        self.steps = 0
        self._learned: dict[str, Booster] = {}
        self._material = gather(config.files(), self.options)
        m, digest = self._material, hashlib.sha256()
        for array in [*m.rows, *m.shown, *m.held, *m.held_shown]:
            digest.update(array.tobytes())
        self._digest = digest.hexdigest()[:16]

    @property
    def about(self) -> str:
        """Description of the model and its hands."""
        m = self._material
        left_out = (
            f", {len(m.problems):,} left out (the first: {m.problems[0]})" if m.problems else ""
        )
        held = len(np.unique(m.held.hand))
        return (
            f"opponent_model: {len(m.rows.kind):,} decisions and {len(m.shown.kind):,} shown "
            f"hands of {m.num_hands:,} hands"
            f"{left_out}; {len(m.held.kind):,} decisions of {held:,} later hands are held out"
        )

    @property
    def spent(self) -> dict[str, int]:
        """Parts learned."""
        return {f"of {len(TASKS)} parts": self.steps}

    def step(self, progress: Progress) -> Report:
        """Learns the next part."""
        task, m = TASKS[self.steps], self._material
        progress(task.name, self.steps, len(TASKS), "parts")
        started = time.perf_counter()
        self._learned[task.name] = learn(task, m.rows, m.shown, self.options, self.config.seed)
        seconds = time.perf_counter() - started
        self.steps += 1
        trees = self._learned[task.name].first[-1]
        line = f"{self.steps} of {len(TASKS)}: {task.name}, {trees} trees in {seconds:.1f} s"
        scalars, is_last = {"throughput/seconds": seconds}, self.steps == len(TASKS)
        if is_last:
            line += self._finish(scalars)
        return Report(self.steps, line, scalars, is_last)

    def _finish(self, scalars: dict[str, float]) -> str:
        """Writes the model and its report; returns a text about them."""
        m, folder = self._material, Path(self.config.run_dir or ".")
        origin = {
            "hands": m.num_hands,
            "decisions": len(m.rows.kind),
            "shown": len(m.shown.kind),
            "seed": self.config.seed,
            "options": asdict(self.options),
        }
        learned = assemble(m, self._learned, origin)
        save(folder / MODEL_FILE, learned)
        if not len(m.held.kind):
            return f"; model in {folder / MODEL_FILE}; no hands were held out"
        head = {
            "learned from": f"{m.num_hands:,} hands, {len(m.rows.kind):,} decisions",
            "held out": "the hands after them",
        }
        text, figures = report(learned, m.held, m.held_shown, head)
        write(folder / REPORT, f"# Model of opponents\n\n{text}")
        try:
            plot(learned.model, m.held, folder / CALIBRATION)
        except ModuleNotFoundError:  # matplotlib comes with an extra
            pass
        decisions = figures["decisions"]
        loss, (share, error) = decisions["all"]["model"], decisions["below table"]
        scalars |= {"held_out/log_loss": loss, "held_out/below_table": share}
        return (
            f"; held-out log-loss {loss:.4f}, {100 * share:.2f} ± {100 * error:.2f} % below the "
            f"table of frequencies; model, report and plot in {folder}"
        )

    def state(self) -> Saved:
        """Returns the complete state for the next step: named arrays and metadata."""
        arrays = {
            f"part{k}.{name}": array
            for k, task in enumerate(TASKS[: self.steps])
            for name, array in self._learned[task.name]._asdict().items()
        }
        return Saved(arrays, self._identity() | {"step": self.steps})

    def load(self, saved: Saved) -> None:
        """Restores a result of ``state``. Raises CheckpointError if it is of other hands or
        options.
        """
        check_compatible(saved.meta, **self._identity())
        self.steps = saved.meta["step"]
        for k, task in enumerate(TASKS[: self.steps]):
            parts = (saved.arrays[f"part{k}.{name}"] for name in Booster._fields)
            self._learned[task.name] = Booster(*parts)

    def _identity(self) -> dict[str, object]:
        """Returns the metadata that a checkpoint must match."""
        return {"algorithm": asdict(self.options), "decisions": self._digest}
