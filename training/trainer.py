"""A run of FPMCTS, one step at a time: bootstrap → (self-play ↔ learning ↔ evaluation) → policy gradient.

A step is what lies between two checkpoints: some heuristic games learned from once; some self-play games, with learning and
evaluation once an iteration is complete; or an iteration of policy gradient, where the run has such a stage. What a step does
depends on the state before it and on nothing else: its random streams are derived from the seed and the position of the step, so
a run that was killed and resumed equals one that was not.
"""

from collections.abc import Generator, Iterator
from dataclasses import replace

from agents.trained import checkpoint_file
from networks.checkpoint import CheckpointError, load
from networks.precision import settled
from training.bootstrap import bootstrap_step
from training.config import BudgetSettings, TrainConfig
from training.evaluation import Evaluation
from training.gradient_stage import gradient_step
from training.reports import Event, Report
from training.run_folder import Saved
from training.search_stage import search_step
from training.state import RunState
from training.workers import Workers


class Trainer:
    """Moves a run on by one step at a time.

    Args:
        config: Of the run.
        saved: The checkpoint to go on from; None: the run begins, from ``init_from`` if that is given.

    Attributes:
        state: All that the next step depends on.
        config: Of the run, its precision settled.
        workers: Play its games.
        evaluation: Measures it.
        saves_each_step: A checkpoint is written after every step.
    """

    saves_each_step = True

    def __init__(self, config: TrainConfig, saved: Saved | None = None) -> None:
        self.state = RunState.new(config)
        precision = settled(config.precision, self.state.nets[0], self.state.device)
        self.config = self.state.config = replace(config, precision=precision)
        if saved is not None:
            self.state.set_state(saved)
        elif config.init_from:
            try:
                self.state.load_networks(Saved(*load(checkpoint_file(config.init_from))))
            except CheckpointError as error:
                raise CheckpointError(f"init_from={config.init_from}: {error}") from error
        self.workers = Workers(self.state)
        self.evaluation = Evaluation(self.state, self.workers)

    @property
    def seconds(self) -> float:
        """Wall clock spent in steps, over all sessions."""
        return self.state.seconds

    @seconds.setter
    def seconds(self, value: float) -> None:
        self.state.seconds = value

    @property
    def last_report(self) -> Report | None:
        """What the last step said."""
        return self.state.last_report

    def run_step(self) -> Iterator[Event]:
        """Runs the next step; yields how far it is. Afterwards ``last_report`` is its report."""
        self.state.last_report = yield from self._next_stage()
        self.state.step += 1

    def _next_stage(self) -> Generator[Event, None, Report]:
        """Returns the step that is next."""
        state, start = self.state, self.config.gradient.start
        if state.bootstrap_done < state.bootstrap_games:
            return bootstrap_step(state, self.workers, self.evaluation)
        if start is not None and state.iteration >= start:
            return gradient_step(state, self.workers, self.evaluation)
        return search_step(state, self.workers, self.evaluation)

    def is_finished(self, budget: BudgetSettings) -> bool:
        """Returns whether the budget is used up."""
        late = budget.minutes is not None and self.state.seconds >= 60 * budget.minutes
        return late or (budget.iterations is not None and self.state.iteration >= budget.iterations)

    def description(self) -> str:
        """Returns what is trained, and on what."""
        c, nets = self.config, self.state.nets
        parameters = sum(p.numel() for p in nets[0].parameters())
        return (
            f"{c.game.name}: {len(nets)} networks of {c.network.channels} channels x {c.network.blocks} blocks "
            f"({parameters:,} parameters each), {c.search.root} with {c.search.playouts} playouts, "
            f"inference {c.inference.phase1}, on {self.state.device} with {self.state.threads} threads, "
            f"precision {c.precision}"
        )

    def where(self) -> str:
        """Returns how far the run is."""
        return f"step {self.state.step} (iteration {self.state.iteration}, {self.state.seconds / 60:.1f} min)"

    def get_state(self) -> Saved:
        """Returns all that the next step depends on."""
        return self.state.get_state()

    def set_state(self, saved: Saved) -> None:
        """Takes what ``get_state`` gave."""
        self.state.set_state(saved)
