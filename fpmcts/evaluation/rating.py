"""Ratings from all pairs: the Bradley-Terry model on the Elo scale, with intervals from resampled
decks.

Player i beats player j with probability 1 / (1 + 10^((r_j - r_i) / 400)); draws count as half a
win. The ratings maximise the likelihood of all games plus one virtual draw per pair, which keeps
them finite if a player never lost.

All pairs play the same decks from the first on, so the intervals come from resampling decks: a deck
drawn twice counts twice in every pair that played it.

The model has one strength per player: if A beats B, B beats C and C beats A, the matrix says more
than the ratings. The *misfit* of a pair is the share of games won minus the share that the ratings
predict; its standard error comes from the same resamples, each refitted, so it accounts for shared
decks and fitted strengths.

Where the share of wins means little, as in poker, a player's standing is its mean score over the
opponents instead (``mean_scores``): no model, but also no better against a strong opponent than
against a weak one.

Source: Bradley & Terry, "Rank analysis of incomplete block designs", Biometrika 1952.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, log_expit

from games.base.estimate import Estimate

ELO = 400.0 / np.log(10.0)
"""Elo points per unit of log-odds."""
RESAMPLES = 1000


@dataclass(frozen=True)
class Rating:
    """A player's Elo above that of the reference player, and the ends of its 95 % interval."""

    elo: float
    low: float
    high: float


@dataclass(frozen=True)
class Misfit:
    """The difference between a pair's result and the ratings' prediction: a share of the games, its
    standard error, and the players.
    """

    pair: tuple[int, int]
    share: float
    error: float


def fit(wins: np.ndarray, start: np.ndarray | None = None) -> np.ndarray:
    """Returns log-strengths with mean 0 (float64 ``[P]``).

    Args:
        wins: float64 ``[P, P]``: wins of i over j, draws as halves; the diagonal is 0. One virtual
            draw is added to every pair that met. The difference of players that no chain of matches
            connects is undefined.
        start: Initial log-strengths; None: zeros.
    """
    wins = wins + 0.5 * ((wins + wins.T) > 0)
    games, total = wins + wins.T, wins.sum()

    def loss(strengths: np.ndarray) -> tuple[float, np.ndarray]:
        ahead = strengths[:, None] - strengths[None, :]
        slope = (games * expit(ahead) - wins).sum(axis=1)
        return float(-(wins * log_expit(ahead)).sum() / total), slope / total

    begin = np.zeros(len(wins)) if start is None else start
    found = minimize(loss, begin, jac=True, method="BFGS", options={"gtol": 1e-7}).x
    return found - found.mean()


def ratings(
    count: int,
    scores: Mapping[tuple[int, int], np.ndarray],
    reference: int,
    games_per_score: int = 2,
) -> tuple[list[Rating], list[Misfit]]:
    """Returns the rating of every player, 0 for player ``reference``, and the misfit of every pair.

    Misfits are empty if the pairs are too few to show any.

    Args:
        count: Number of players, P.
        scores: For every pair (i, j) that met: float64 ``[D]``, i's share of the games won on deck
            d, decks from the first on.
        reference: The player with Elo 0.
        games_per_score: Games that a deck's share averages over.
    """
    num_decks, generator = max(map(len, scores.values())), np.random.default_rng(0)
    even = np.full(num_decks, 1 / num_decks)
    wins = np.zeros((1 + RESAMPLES, count, count))
    for row in range(len(wins)):  # row 0: the original decks. All at once would be gigabytes.
        drawn = generator.multinomial(num_decks, even) if row else np.ones(num_decks)
        for (i, j), score in scores.items():
            here = drawn[: len(score)]
            wins[row, i, j] = games_per_score * (here @ score)
            wins[row, j, i] = games_per_score * (here @ (1.0 - score))
    played = fit(wins[0])
    strengths = np.array([played, *(fit(table, played) for table in wins[1:])])
    elo = ELO * (strengths - strengths[:, reference, None])
    low, high = np.quantile(elo[1:], [0.025, 0.975], axis=0)
    rated = [Rating(float(elo[0, k]), float(low[k]), float(high[k])) for k in range(count)]
    misfits = []
    for i, j in scores if len(scores) >= count else ():
        games, predicted = wins[:, i, j] + wins[:, j, i], expit(strengths[:, i] - strengths[:, j])
        apart = np.divide(wins[:, i, j], games, out=predicted.copy(), where=games > 0) - predicted
        # The error includes half a game.
        misfits.append(
            Misfit((i, j), float(apart[0]), float(np.hypot(apart[1:].std(), 0.5 / games[0])))
        )
    return rated, misfits


def mean_scores(scores: Sequence[np.ndarray]) -> Estimate:
    """Returns the mean of a player's scores over its opponents, with equal weights.

    The opponents share their decks, so the error is computed from each deck's contribution to the
    mean.

    Args:
        scores: For each opponent: float64 ``[D]``, the score on each deck, decks from the first on.
    """
    num_decks = max(map(len, scores))
    share = np.zeros(num_decks)  # a deck's contribution to the mean, minus its expectation
    for score in scores:
        share[: len(score)] += (score - score.mean()) / (len(score) * len(scores))
    mean = float(np.mean([score.mean() for score in scores]))
    scale = num_decks / (num_decks - 1) if num_decks > 1 else np.nan
    return Estimate(mean, float(np.sqrt((share**2).sum() * scale)), num_decks)
