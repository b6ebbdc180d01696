"""The strength of a run's players: duplicate matches against a fixed player, and exact measures in
small games.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from fpmcts.evaluation.duplicate import evaluation_decks
from fpmcts.evaluation.match import PlayedGames
from fpmcts.evaluation.match_result import MatchResult
from fpmcts.evaluation.policy_table import ExactMeasure
from fpmcts.progress import Progress
from games.kernels.rows import States
from games.play.interface import Game
from networks.evaluator import Evaluator
from networks.resnet import Networks


@dataclass
class Evaluation:
    """Measures the networks of a run.

    Attributes:
        game: The game.
        seed: Seed of the decks.
        baseline: The fixed player.
        networks: What is measured.
        evaluator: Of the networks, in the exact measure; it begins with the present weights.
        play: Plays decks of a match, with or without searches.
    """

    game: Game
    seed: int
    baseline: str
    networks: Networks
    evaluator: Evaluator
    play: Callable[[States, bool, Progress], PlayedGames]

    @cached_property
    def _measure(self) -> ExactMeasure:
        return ExactMeasure(self.game)

    def exact(self, scalars: dict[str, float]) -> str:
        """Returns NashConv of the policy networks as text and adds it; "" where it cannot be
        computed.
        """
        self.evaluator.refresh(self.networks)
        value = self._measure.nash_conv(self.evaluator.evaluate)
        if value is None:
            return ""
        scalars["nash_conv/average_policy"] = value
        return f"; NashConv {value:.4f}"

    def match(
        self, searches: bool, decks: int, scalars: dict[str, float], progress: Progress
    ) -> str:
        """Plays a match of the present weights, with the search as it is in training but without
        noise, or with the policy, greedy or mixed as suits the game; adds the scores and returns
        them as text, "" where there are no decks for it.
        """
        if not decks:
            return ""
        spec, baseline = self.game.spec, self.baseline
        name = "search" if searches else "policy"
        dealt = evaluation_decks(self.game, self.seed, decks)
        result = MatchResult((name, baseline), spec, self.play(dealt, searches, progress))
        unit, group = spec.score, f"{name}_against_{baseline}"
        for label, score in [
            ("all", result.total),
            *zip(spec.team_names, result.by_team, strict=True),
        ]:
            for measure, value in [("wp", score.wp)] * unit.reports_wins + [(unit.key, score.adp)]:
                scalars[f"{group}/{measure}_{label}"] = value.mean
                if math.isfinite(value.error):  # undefined for one deck
                    scalars[f"{group}/{measure}_{label}_standard_error"] = value.error
        wp, mean = result.total.wp, result.total.adp
        wins = f"WP {100 * wp.mean:.1f} ± {100 * wp.error:.1f} %, " if unit.reports_wins else ""
        return (
            f"; {name} against {baseline} {wins}{unit.name} {mean.mean:+.{unit.digits}f} ± "
            f"{mean.error:.{unit.digits}f} ({len(result.games.returns):,} games)"
        )
