"""How good a run's players are: duplicate matches against a fixed player, and the exact measure of small games."""

import math
from collections.abc import Generator
from functools import cached_property

from evaluation.decks import evaluation_decks
from evaluation.duplicate import summary
from evaluation.policy_table import ExactMeasure
from networks.evaluator import Evaluator
from training.reports import Event
from training.state import RunState
from training.workers import Workers


class Evaluation:
    """Measures the networks that play.

    Args:
        state: Of the run.
        workers: Play the matches.

    Attributes:
        evaluator: Of the exact measure, which begins with the present weights.
    """

    def __init__(self, state: RunState, workers: Workers) -> None:
        self.state, self._workers = state, workers
        self.evaluator = Evaluator(state.playing, state.config.precision, state.device, game=state.game)

    @cached_property
    def _measure(self) -> ExactMeasure:
        return ExactMeasure(self.state.game)

    def after_iteration(self, scalars: dict[str, float]) -> Generator[Event, None, str]:
        """Measures what is due after an iteration; adds the curves and returns the text."""
        settings, iteration, text = self.state.config.evaluation, self.state.iteration, ""
        if settings.decks:
            text += f"; {(yield from self.policy(scalars))}"
        if settings.search_decks and iteration % settings.search_every == 0:
            text += f"; {(yield from self.search(scalars))}"
        if settings.exact_every and iteration % settings.exact_every == 0:
            text += self.exact(scalars)
        return text

    def policy(self, scalars: dict[str, float]) -> Generator[Event, None, str]:
        """Plays the policy, greedy or mixed as suits the game, against the baseline; "" where there are no decks for it."""
        decks = self.state.config.evaluation.decks
        return (yield from self._match(False, decks, scalars)) if decks else ""

    def search(self, scalars: dict[str, float]) -> Generator[Event, None, str]:
        """Plays the search, as it is in training but without noise, against the baseline."""
        return (yield from self._match(True, self.state.config.evaluation.search_decks, scalars))

    def exact(self, scalars: dict[str, float]) -> str:
        """Returns NashConv of the policy networks as text and adds it; "" where it cannot be computed."""
        self.evaluator.refresh(self.state.playing)
        value = self._measure.nash_conv(self.evaluator.evaluate)
        if value is None:
            return ""
        scalars["nash_conv/average_policy"] = value
        return f"; NashConv (both players' gains together) {value:.4f}"

    def _match(self, searches: bool, decks: int, scalars: dict[str, float]) -> Generator[Event, None, str]:
        """Plays a match of the present weights; adds the scores and returns them as text."""
        state, baseline, name = self.state, self.state.config.evaluation.baseline, "search" if searches else "policy"
        games = yield from self._workers.match(evaluation_decks(state.game, state.config.seed, decks), searches)
        result = summary(state.game.spec, (name, baseline), games)
        unit, group = state.game.spec.score, f"{name}_against_{baseline}"
        for label, score in [("all", result.total), *zip(result.team_names, result.by_team, strict=True)]:
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
