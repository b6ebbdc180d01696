"""Ratings from all pairs: the Bradley-Terry model on the Elo scale, with intervals from the decks.

Player i beats player j with probability 1 / (1 + 10^((r_j - r_i) / 400)); draws count as half a win. The ratings maximise the
likelihood of all games plus one virtual draw per pair, which keeps them finite where a player never lost. The model knows one
strength per player: where A beats B, B beats C and C beats A, the matrix says more than the ratings.

All pairs play the same decks from the first on, so the intervals come from resampling decks: a deck drawn twice counts twice in
every pair that played it.

Where the share of wins says little, as in poker, a player's standing is its mean score over the opponents instead
(``mean_scores``): no model, but also no better against a strong opponent than against a weak one.

Source: Hunter, "MM algorithms for generalized Bradley-Terry models", Annals of Statistics 2004.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.statistics import Estimate

ELO = 400.0 / np.log(10.0)
"""Elo points per unit of log-odds."""
RESAMPLES = 1000
_STEPS = 10_000
_ENOUGH = 1e-9


@dataclass(frozen=True)
class Rating:
    """A player's rating.

    Attributes:
        elo: Above that of the reference player.
        low: Lower end of the 95 % interval.
        high: Upper end.
    """

    elo: float
    low: float
    high: float


def fit(wins: np.ndarray) -> np.ndarray:
    """Returns log-strengths with mean 0 (float64 ``[..., P]``).

    Args:
        wins: float64 ``[..., P, P]``: wins of i over j, draws as halves; the diagonal is ignored. One virtual draw is added to
            every pair that met. Players that no chain of matches connects have no defined difference.
    """
    wins = np.where(np.eye(wins.shape[-1], dtype=bool), 0.0, wins)
    met = (wins + np.swapaxes(wins, -1, -2)) > 0
    wins = wins + 0.5 * met
    games = wins + np.swapaxes(wins, -1, -2)
    total = wins.sum(axis=-1)
    strength = np.ones(total.shape)
    for _ in range(_STEPS):
        denominator = (games / (strength[..., :, None] + strength[..., None, :])).sum(axis=-1)
        updated = np.where(total > 0, total / np.maximum(denominator, 1e-300), 1.0)
        updated /= np.exp(np.log(updated).mean(axis=-1, keepdims=True))
        done = np.abs(np.log(updated) - np.log(strength)).max() < _ENOUGH
        strength = updated
        if done:
            break
    return np.asarray(np.log(strength))


def ratings(count: int, scores: Mapping[tuple[int, int], np.ndarray], reference: int, num_teams: int = 2) -> list[Rating]:
    """Returns the rating of every player.

    Args:
        count: Number of players, P.
        scores: For every pair (i, j) that met: float64 ``[D]``, i's share of the games won on deck d, decks from the first on.
        reference: The player whose rating is 0.
        num_teams: Games per deck.
    """
    num_decks = max(len(score) for score in scores.values())
    rng = np.random.default_rng(0)
    weights = np.concatenate(
        [np.ones((1, num_decks)), rng.multinomial(num_decks, np.full(num_decks, 1 / num_decks), size=RESAMPLES)]
    )  # row 0: every deck once
    wins = np.zeros((len(weights), count, count))
    for (i, j), score in scores.items():
        used = weights[:, : len(score)]
        wins[:, i, j] = num_teams * used @ score
        wins[:, j, i] = num_teams * used @ (1.0 - score)
    strengths = fit(wins)
    elo = ELO * (strengths - strengths[:, reference, None])
    low, high = np.quantile(elo[1:], [0.025, 0.975], axis=0)
    return [Rating(float(elo[0, k]), float(low[k]), float(high[k])) for k in range(count)]


def mean_scores(scores: Sequence[np.ndarray]) -> Estimate:
    """Returns the mean of a player's scores over its opponents, each of them counting the same.

    The opponents share their decks, so the error is that of the sum of what each deck adds to the means.

    Args:
        scores: For each opponent: float64 ``[D]``, the score on each deck, decks from the first on.
    """
    num_decks = max(len(score) for score in scores)
    share = np.zeros(num_decks)  # what a deck adds to the difference of the mean from its expectation
    for score in scores:
        share[: len(score)] += (score - score.mean()) / (len(score) * len(scores))
    mean = float(np.mean([score.mean() for score in scores]))
    error = float(np.sqrt((share**2).sum() * num_decks / (num_decks - 1))) if num_decks > 1 else float("nan")
    return Estimate(mean, error, num_decks)
