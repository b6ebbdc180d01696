"""How good a run's players are: duplicate matches against a fixed player, and the exact measure of
small games.
"""

import math
from collections.abc import Callable
from functools import cached_property

import torch

from fpmcts.evaluation.decks import evaluation_decks
from fpmcts.evaluation.match import PlayedGames
from fpmcts.evaluation.match_result import MatchResult
from fpmcts.evaluation.policy_table import ExactMeasure
from fpmcts.progress import Progress
from fpmcts.training.config import TrainConfig
from games.batches import States
from games.interface import Game
from networks.evaluator import Evaluator
from networks.resnet import Networks


class Evaluation:
    """Measures the networks that play.

    Args:
        config: Of the run.
        game: Its game.
        networks: What is measured.
        device: Of the networks.
        match: Plays decks of a match, with or without searches.

    Attributes:
        evaluator: Of the exact measure, which begins with the present weights.
    """

    def __init__(
        self,
        config: TrainConfig,
        game: Game,
        networks: Networks,
        device: torch.device,
        match: Callable[[States, bool, Progress], PlayedGames],
    ) -> None:
        self._config, self._game, self._networks, self._play = config, game, networks, match
        self.evaluator = Evaluator(self._networks, config.precision, device, game=game)

    @cached_property
    def _measure(self) -> ExactMeasure:
        return ExactMeasure(self._game)

    def after_iteration(self, iteration: int, scalars: dict[str, float], progress: Progress) -> str:
        """Measures what is due after an iteration; adds the curves and returns the text."""
        settings, text = self._config.evaluation, ""
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
        decks = self._config.evaluation.decks
        return self._match(False, decks, scalars, progress) if decks else ""

    def search(self, scalars: dict[str, float], progress: Progress) -> str:
        """Plays the search, as it is in training but without noise, against the baseline."""
        return self._match(True, self._config.evaluation.search_decks, scalars, progress)

    def exact(self, scalars: dict[str, float]) -> str:
        """Returns NashConv of the policy networks as text and adds it; "" where it cannot be
        computed.
        """
        self.evaluator.refresh(self._networks)
        value = self._measure.nash_conv(self.evaluator.evaluate)
        if value is None:
            return ""
        scalars["nash_conv/average_policy"] = value
        return f"; NashConv (both players' gains together) {value:.4f}"

    def _match(
        self, searches: bool, decks: int, scalars: dict[str, float], progress: Progress
    ) -> str:
        """Plays a match of the present weights; adds the scores and returns them as text."""
        spec, baseline = self._game.spec, self._config.evaluation.baseline
        name = "search" if searches else "policy"
        dealt = evaluation_decks(self._game, self._config.seed, decks)
        result = MatchResult((name, baseline), spec, self._play(dealt, searches, progress))
        unit, group = spec.score, f"{name}_against_{baseline}"
        for label, score in [
            ("all", result.total),
            *zip(spec.team_names, result.by_team, strict=True),
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
