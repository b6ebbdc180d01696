"""The stages of a run of FPMCTS: bootstrap, iterations with searches, iterations of policy gradient."""

from collections.abc import Callable
from functools import partial

from runtime.progress import Progress
from training.bootstrap import bootstrap_games, bootstrap_step
from training.fpmcts import FPMCTS
from training.interface import Report
from training.policy_gradient import gradient_iteration


class Stages(FPMCTS):
    """A run of FPMCTS with all that it may begin and end with."""

    def stage(self) -> Callable[[Progress], Report]:
        """Returns what the next step is."""
        if self.bootstrap_done < bootstrap_games(self):
            return partial(bootstrap_step, self)
        if self.config.is_gradient(self.iteration):
            return partial(gradient_iteration, self)
        return self.search_iteration
