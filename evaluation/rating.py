"""Ratings from all pairs: the Bradley-Terry model on the Elo scale, with intervals from the decks.

Player i beats player j with probability 1 / (1 + 10^((r_j - r_i) / 400)); draws count as half a win. The ratings maximise the
likelihood of all games plus one virtual draw per pair, which keeps them finite where a player never lost. The model knows one
strength per player: where A beats B, B beats C and C beats A, the matrix says more than the ratings.

All pairs play the same decks from the first on, so the intervals come from resampling decks: a deck drawn twice counts twice in
every pair that played it.

Where the share of wins says little, as in poker, a player's standing is its mean score over the opponents instead
(``mean_scores``): no model, but also no better against a strong opponent than against a weak one.

Source: Bradley & Terry, "Rank analysis of incomplete block designs", Biometrika 1952.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_expit

from evaluation.statistics import Estimate

ELO = 400.0 / np.log(10.0)
"""Elo points per unit of log-odds."""
RESAMPLES = 1000
_PRECISELY = {"maxiter": 2000, "maxfun": 4000, "ftol": 0.0, "gtol": 1e-11, "maxcor": 20}


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
    wins /= wins.sum(axis=(-2, -1), keepdims=True)  # every table counts the same: all are fitted in one go
    games = wins + np.swapaxes(wins, -1, -2)
    shape = wins.shape[:-1]

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        """Returns the negative log-likelihood of all tables and its gradient."""
        strength = flat.reshape(shape)
        ahead = strength[..., :, None] - strength[..., None, :]
        slope = (games * expit(ahead) - wins).sum(axis=-1)
        return float(-(wins * log_expit(ahead)).sum()), slope.ravel()

    found = minimize(loss, np.zeros(np.prod(shape)), jac=True, method="L-BFGS-B", options=_PRECISELY).x.reshape(shape)
    return np.asarray(found - found.mean(axis=-1, keepdims=True))


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
