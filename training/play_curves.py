"""Curves of the games that an iteration played: what they looked like, what searches and policies said, and how fast it went."""

import numpy as np

from fpmcts.policy_games import Played
from fpmcts.samples import Samples
from fpmcts.selfplay import Games, SelfPlayStatistics
from games.batches import States, num_rows
from games.interface import Game
from training.game_worker import Work
from training.value_curves import value_curves


def self_play_curves(
    game: Game, samples: Samples, games: Games, s: SelfPlayStatistics, work: list[Work], workers: int
) -> dict[str, float]:
    """Returns the curves of games with searches, given what the units cost, and how many workers did them."""
    searches, seconds, counters = max(s.searches, 1), max(s.seconds, 1e-9), [one.counters for one in work]
    network, evaluations = sum(one.seconds for one in work), sum(one.evaluations for one in work)
    return (
        _finished(game, games.final)
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
            "inference/true_hand_log_likelihood_over_prior": s.posterior_gain / max(s.truth_count, 1),
            "throughput/batch_fill": sum(c.evaluations for c in counters) / max(1, sum(c.room for c in counters)),
            "throughput/policy_cache_hits": sum(c.hits for c in counters) / max(1, sum(c.lookups for c in counters)),
            "throughput/games_per_second": s.games / seconds,
            "throughput/decisions_per_second": s.decisions / seconds,
            "throughput/searches_per_second": s.searches / seconds,
            "throughput/evaluations_per_second": evaluations / seconds,
            "throughput/network_share": network / seconds / workers,
            "throughput/inference_share": s.inference_seconds / seconds / workers,
            "time/generation_seconds": s.seconds,
        }
        | value_curves(game, samples)
    )


def policy_game_curves(game: Game, played: Played, certain: float, win_only: bool) -> dict[str, float]:
    """Returns the curves of games of the policies alone.

    Args:
        certain: Probability of the most likely move from which on a decision is not open.
        win_only: Whether values are of ±1 (objective "wp") or of points.
    """
    decisions, seconds = played.decisions, max(played.seconds, 1e-9)
    results = np.sign(decisions.samples.result) if win_only else decisions.samples.result
    return _finished(game, played.final) | {
        "self_play/value_squared_error": float(np.mean((results - decisions.value) ** 2)),
        "self_play/open_decisions": float(np.mean(decisions.certainty < certain)),
        "throughput/games_per_second": num_rows(played.final) / seconds,
        "throughput/decisions_per_second": num_rows(decisions) / seconds,
        "time/generation_seconds": played.seconds,
    }


def _finished(game: Game, final: States) -> dict[str, float]:
    return {f"self_play/{name}": value for name, value in game.final_curves(final).items()}
