"""Curves of an iteration's games: statistics of the games, searches and policies, rates, and the
quality of the searches' values by cards left (Brier score and AUC).
"""

import numpy as np
from scipy.stats import rankdata

from fpmcts.training.learner import teaches_policy
from fpmcts.training.policy_games import Played
from fpmcts.training.samples import Samples
from fpmcts.training.selfplay import Finished
from fpmcts.training.workers import Generated
from games.interface import Game
from games.rows import States, num_rows

GROUPS = ((1, 5), (6, 10), (11, 20))
"""Cards in the hand of the seat to move, inclusive."""


def search_curves(game: Game, played: Generated[Finished], workers: int) -> dict[str, float]:
    """Returns the curves of games with searches, given the number of workers that played them."""
    s, seconds, searches = (
        played.games.statistics,
        played.seconds,
        max(played.games.statistics.searches, 1),
    )
    counters, network, evaluations = zip(*played.work, strict=True)
    return (
        _finished(game, played.games.final)
        | {
            "self_play/moves_per_game": s.moves / s.games,
            "self_play/target_entropy": s.target_entropy / searches,
            "self_play/prior_entropy": s.prior_entropy / searches,
            "self_play/kl_target_prior": s.kl_target_prior / searches,
            "self_play/search_policy_match": s.top1_match / searches,
            "self_play/root_value_squared_error": s.root_value_error / searches,
            "self_play/sure_wins_per_game": s.sure_wins / s.games,
            "inference/ess_share": s.ess_share / max(s.ess_count, 1),
            "inference/true_world_rank": s.true_world_rank / max(s.truth_count, 1),
            "inference/true_hand_log_likelihood_over_prior": s.posterior_gain
            / max(s.truth_count, 1),
            "throughput/batch_fill": sum(c.evaluations for c in counters)
            / max(1, sum(c.room for c in counters)),
            "throughput/policy_cache_hits": sum(c.hits for c in counters)
            / max(1, sum(c.lookups for c in counters)),
            "throughput/games_per_second": s.games / seconds,
            "throughput/decisions_per_second": s.decisions / seconds,
            "throughput/searches_per_second": s.searches / seconds,
            "throughput/evaluations_per_second": sum(evaluations) / seconds,
            "throughput/network_share": sum(network) / seconds / workers,
            "throughput/inference_share": s.inference_seconds / seconds / workers,
            "time/generation_seconds": seconds,
        }
        | value_curves(game, played.games.samples)
    )


def policy_game_curves(game: Game, played: Generated[Played], win_only: bool) -> dict[str, float]:
    """Returns the curves of games of the policies alone, whose values are of ±1 (``win_only``) or
    of points.
    """
    (decisions, final), seconds = played.games, played.seconds
    results = np.sign(decisions.samples.result) if win_only else decisions.samples.result
    return _finished(game, final) | {
        "self_play/value_squared_error": float(np.mean((results - decisions.value) ** 2)),
        "self_play/open_decisions": float(np.mean(teaches_policy(decisions))),
        "throughput/games_per_second": num_rows(final) / seconds,
        "throughput/decisions_per_second": num_rows(decisions) / seconds,
        "time/generation_seconds": seconds,
    }


def _finished(game: Game, final: States) -> dict[str, float]:
    return {f"self_play/{name}": value for name, value in game.final_curves(final).items()}


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
