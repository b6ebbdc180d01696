"""How good a run's players are: duplicate matches against a fixed player, and the exact measure of
small games.
"""

import math
from functools import cached_property
from typing import TYPE_CHECKING

from evaluation.decks import evaluation_decks
from evaluation.duplicate import summary
from evaluation.policy_table import ExactMeasure
from networks.evaluator import Evaluator
from runtime.progress import Progress
from training.workers import Players

if TYPE_CHECKING:
    from training.fpmcts import FPMCTS


class Evaluation:
    """Measures the networks that play.

    Args:
        run: The run, whose workers play the matches.

    Attributes:
        evaluator: Of the exact measure, which begins with the present weights.
    """

    def __init__(self, run: "FPMCTS") -> None:
        self._run = run
        self.evaluator = Evaluator(run.playing, run.config.precision, run.device, game=run.game)

    @cached_property
    def _measure(self) -> ExactMeasure:
        return ExactMeasure(self._run.game)

    def after_iteration(self, scalars: dict[str, float], progress: Progress) -> str:
        """Measures what is due after an iteration; adds the curves and returns the text."""
        settings, iteration, text = self._run.config.evaluation, self._run.iteration, ""
        if settings.decks:
            text += f"; {self.policy(scalars, progress)}"
        if settings.search_decks and iteration % settings.search_every == 0:
            text += f"; {self.search(scalars, progress)}"
        if settings.exact_every and iteration % settings.exact_every == 0:
            text += self.exact(scalars)
        return text

    def policy(self, scalars: dict[str, float], progress: Progress) -> str:
        """Plays the policy, greedy or mixed as suits the game, against the baseline; "" where there
        are no decks for it.
        """
        decks = self._run.config.evaluation.decks
        return self._match(False, decks, scalars, progress) if decks else ""

    def search(self, scalars: dict[str, float], progress: Progress) -> str:
        """Plays the search, as it is in training but without noise, against the baseline."""
        return self._match(True, self._run.config.evaluation.search_decks, scalars, progress)

    def exact(self, scalars: dict[str, float]) -> str:
        """Returns NashConv of the policy networks as text and adds it; "" where it cannot be
        computed.
        """
        self.evaluator.refresh(self._run.playing)
        value = self._measure.nash_conv(self.evaluator.evaluate)
        if value is None:
            return ""
        scalars["nash_conv/average_policy"] = value
        return f"; NashConv (both players' gains together) {value:.4f}"

    def _match(
        self, searches: bool, decks: int, scalars: dict[str, float], progress: Progress
    ) -> str:
        """Plays a match of the present weights; adds the scores and returns them as text."""
        run, baseline, name = (
            self._run,
            self._run.config.evaluation.baseline,
            "search" if searches else "policy",
        )
        run.settle(progress)
        players = Players(run.playing, run.filter_net)
        games = run.workers.match(
            players, evaluation_decks(run.game, run.config.seed, decks), searches, progress
        )
        result = summary(run.game.spec, (name, baseline), games)
        unit, group = run.game.spec.score, f"{name}_against_{baseline}"
        for label, score in [
            ("all", result.total),
            *zip(result.team_names, result.by_team, strict=True),
        ]:
            for measure, value in [("wp", score.wp)] * unit.tells_wins + [(unit.key, score.adp)]:
                scalars[f"{group}/{measure}_{label}"] = value.mean
                if math.isfinite(value.error):  # one deck has none
                    scalars[f"{group}/{measure}_{label}_standard_error"] = value.error
        wp, mean = result.total.wp, result.total.adp
        wins = f"WP {100 * wp.mean:.1f} ± {100 * wp.error:.1f} %, " if unit.tells_wins else ""
        return (
            f"{name} against {baseline} {wins}{unit.name} {mean.mean:+.{unit.digits}f} ± "
            f"{mean.error:.{unit.digits}f} ({len(result.games.returns):,} games)"
        )
