"""Curves of an iteration's games: statistics of the games, searches and policies, rates, and the
quality of the searches' values by cards left (Brier score and AUC).
"""

from typing import Any

import numpy as np
from scipy.stats import rankdata

from fpmcts.training.learner import teaches_policy
from fpmcts.training.policy_games import PolicyDecisions
from fpmcts.training.samples import Samples
from games.kernels.rows import num_rows
from games.play.interface import Game
from games.play.lockstep import Games

GROUPS = ((1, 5), (6, 10), (11, 20))
"""Cards in the hand of the seat to move, inclusive."""


def search_curves(game: Game, played: Games[Samples], workers: int) -> dict[str, float]:
    """Returns the curves of games with searches, given the number of workers that played them."""
    work, seconds = played.work, played.work["seconds"]

    def ratios(of: str, over: str, *names: str) -> dict[str, float]:
        return {f"{of}/{name}": work[name] / max(work[over], 1) for name in names}

    rates = ("games", "decisions", "searches")
    return (
        _finished(game, played)
        | {
            "self_play/moves_per_game": work["moves"] / work["games"],
            "self_play/sure_wins_per_game": work["sure_wins"] / work["games"],
            "throughput/batch_fill": work["evaluations"] / max(1, work["room"]),
            "throughput/policy_cache_hits": work["hits"] / max(1, work["lookups"]),
            "throughput/evaluations_per_second": work["network_evaluations"] / seconds,
            "throughput/network_share": work["network_seconds"] / seconds / workers,
            "throughput/inference_share": work["inference_seconds"] / seconds / workers,
            "time/generation_seconds": seconds,
        }
        | {f"throughput/{name}_per_second": work[name] / seconds for name in rates}
        | ratios("self_play", "searches", "target_entropy", "prior_entropy", "kl_target_prior")
        | ratios("self_play", "searches", "search_policy_match", "root_value_squared_error")
        | ratios("inference", "ess_count", "ess_share")
        | ratios("inference", "truth_count", "true_world_rank")
        | ratios("inference", "truth_count", "true_hand_log_likelihood_over_prior")
        | value_curves(game, played.decisions)
    )


def policy_game_curves(
    game: Game, played: Games[PolicyDecisions], win_only: bool
) -> dict[str, float]:
    """Returns the curves of games of the policies alone, whose values are of ±1 (``win_only``) or
    of points.
    """
    decisions, seconds = played.decisions, played.work["seconds"]
    results = np.sign(decisions.samples.result) if win_only else decisions.samples.result
    return _finished(game, played) | {
        "self_play/value_squared_error": float(np.mean((results - decisions.value) ** 2)),
        "self_play/open_decisions": float(np.mean(teaches_policy(decisions))),
        "throughput/games_per_second": len(played.counts) / seconds,
        "throughput/decisions_per_second": num_rows(decisions) / seconds,
        "time/generation_seconds": seconds,
    }


def _finished(game: Game, played: Games[Any]) -> dict[str, float]:
    return {f"self_play/{name}": value for name, value in game.final_curves(played.states).items()}


def area_under_curve(scores: np.ndarray, won: np.ndarray) -> float:
    """Returns the probability that a won decision scores above a lost one, ties counting one half;
    NaN if either kind is missing.

    Computed from ranks (Mann & Whitney, 1947).
    """
    wins, losses = int(won.sum()), int((~won).sum())
    if wins == 0 or losses == 0:
        return float("nan")
    return float((rankdata(scores)[won].sum() - wins * (wins + 1) / 2) / (wins * losses))


def value_curves(game: Game, samples: Samples) -> dict[str, float]:
    """Returns Brier score and AUC of the root values of searched decisions, by cards left; only
    groups with both results.

    A root value on [-1, 1] is read as 2 P(win) - 1; points (objective "adp") are clipped to that.
    """
    searched = np.flatnonzero(np.isfinite(samples.root_value) & np.isfinite(samples.result))
    values, won = samples.root_value[searched], samples.result[searched] > 0
    left = game.cards_left(samples.states)[searched]
    curves: dict[str, float] = {}
    for low, high in GROUPS:
        rows = (left >= low) & (left <= high)
        area = area_under_curve(values[rows], won[rows])
        if np.isfinite(area):
            curves[f"value/auc_{low}_to_{high}_cards"] = area
            probabilities = np.clip((values[rows] + 1) / 2, 0, 1)
            curves[f"value/brier_{low}_to_{high}_cards"] = float(
                np.mean((probabilities - won[rows]) ** 2)
            )
    return curves
