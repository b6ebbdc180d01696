"""Ratings from all pairs: the Bradley-Terry model on the Elo scale, with intervals from the decks.

Player i beats player j with probability 1 / (1 + 10^((r_j - r_i) / 400)); draws count as half a win. The ratings maximise the
likelihood of all games plus one virtual draw per pair, which keeps them finite where a player never lost.

All pairs play the same decks from the first on, so the intervals come from resampling decks: a deck drawn twice counts twice in
every pair that played it.

The model knows one strength per player: where A beats B, B beats C and C beats A, the matrix says more than the ratings. How
well it fits is told by the residuals r of all pairs that met: the share of games won less the share that the ratings foretell.
Their covariance S comes from the same resamples, fitted anew each, so it knows of shared decks and of the fitted strengths. If
strengths explain all, r' S^-1 r is distributed as chi-squared with as many degrees of freedom as there are pairs more than
strengths; S is inverted on that many of its directions, the widest.

Where the share of wins says little, as in poker, a player's standing is its mean score over the opponents instead
(``mean_scores``): no model, but also no better against a strong opponent than against a weak one.

Source: Bradley & Terry, "Rank analysis of incomplete block designs", Biometrika 1952.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc, expit, log_expit

from evaluation.statistics import Estimate

ELO = 400.0 / np.log(10.0)
"""Elo points per unit of log-odds."""
RESAMPLES = 1000
NEWTON_STEPS = 100
PRECISION = 1e-9
"""Of log-strengths."""


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


@dataclass(frozen=True)
class Fit:
    """How well one strength per player explains the results of all pairs.

    Attributes:
        pairs: That met.
        residuals: float64 ``[len(pairs)]``: the first one's share of games won less the share that the ratings foretell.
        errors: Their standard errors.
        chi_squared: Of all residuals together.
        freedom: Its degrees of freedom, at least 1: the pairs that met less the players, plus 1.
    """

    pairs: tuple[tuple[int, int], ...]
    residuals: np.ndarray
    errors: np.ndarray
    chi_squared: float
    freedom: int

    @property
    def probability(self) -> float:
        """Returns the probability of at least this ``chi_squared`` if strengths explain all."""
        return float(chdtrc(self.freedom, self.chi_squared))

    @property
    def worst(self) -> int:
        """Returns the position of the pair whose residual is largest in standard errors."""
        return int(np.argmax(np.abs(self.residuals) / self.errors))


def fit(wins: np.ndarray) -> np.ndarray:
    """Returns log-strengths with mean 0 (float64 ``[..., P]``).

    Args:
        wins: float64 ``[..., P, P]``: wins of i over j, draws as halves; the diagonal is ignored. One virtual draw is added to
            every pair that met. Players that no chain of matches connects have no defined difference.
    """
    wins = np.where(np.eye(wins.shape[-1], dtype=bool), 0.0, wins)
    met = (wins + np.swapaxes(wins, -1, -2)) > 0
    wins = wins + 0.5 * met
    wins /= wins.sum(axis=(-2, -1), keepdims=True)  # every table counts the same
    games = wins + np.swapaxes(wins, -1, -2)

    def losses(strengths: np.ndarray) -> np.ndarray:
        """Returns the negative log-likelihood of every table."""
        return np.asarray(-(wins * log_expit(_ahead(strengths))).sum(axis=(-2, -1)))

    strengths = np.zeros(wins.shape[:-1])
    loss = losses(strengths)
    for _ in range(NEWTON_STEPS):
        chances = expit(_ahead(strengths))
        curvature = games * chances * (1.0 - chances)
        hessian = np.eye(wins.shape[-1]) * curvature.sum(axis=-1, keepdims=True) - curvature
        slope = (games * chances - wins).sum(axis=-1)
        step = -(np.linalg.pinv(hessian, rcond=1e-12, hermitian=True) @ slope[..., None])[..., 0]
        if np.abs(step).max() < PRECISION:
            break
        size = np.ones((*loss.shape, 1))
        while (rises := (after := losses(strengths + size * step)) > loss + 1e-15).any():
            size = np.where(rises[..., None], size / 2, size)
        strengths, loss = strengths + size * step, after
    return np.asarray(strengths - strengths.mean(axis=-1, keepdims=True))


def _ahead(strengths: np.ndarray) -> np.ndarray:
    """Returns how far i is ahead of j (float64 ``[..., P, P]``)."""
    return np.asarray(strengths[..., :, None] - strengths[..., None, :])


@dataclass(frozen=True)
class Resamples:
    """The results of all pairs, and what they would be on other decks: row 0 is what was played.

    Attributes:
        wins: float64 ``[R, P, P]``: wins of i over j, draws as halves.
        strengths: float64 ``[R, P]``: what they fit.
    """

    wins: np.ndarray
    strengths: np.ndarray


def resampled(count: int, scores: Mapping[tuple[int, int], np.ndarray], num_teams: int = 2) -> Resamples:
    """Returns results and strengths.

    Args:
        count: Number of players, P.
        scores: For every pair (i, j) that met: float64 ``[D]``, i's share of the games won on deck d, decks from the first on.
        num_teams: Games per deck.
    """
    num_decks = max(len(score) for score in scores.values())
    rng = np.random.default_rng(0)
    weights = np.concatenate(
        [np.ones((1, num_decks)), rng.multinomial(num_decks, np.full(num_decks, 1 / num_decks), size=RESAMPLES)]
    )
    wins = np.zeros((len(weights), count, count))
    for (i, j), score in scores.items():
        used = weights[:, : len(score)]
        wins[:, i, j] = num_teams * used @ score
        wins[:, j, i] = num_teams * used @ (1.0 - score)
    return Resamples(wins, fit(wins))


def ratings(results: Resamples, reference: int) -> list[Rating]:
    """Returns the rating of every player, that of player ``reference`` being 0."""
    elo = ELO * (results.strengths - results.strengths[:, reference, None])
    low, high = np.quantile(elo[1:], [0.025, 0.975], axis=0)
    return [Rating(float(elo[0, k]), float(low[k]), float(high[k])) for k in range(elo.shape[1])]


def goodness(results: Resamples) -> Fit | None:
    """Returns how well strengths explain the results; None where there are no more pairs than any strengths explain."""
    wins, strengths = results.wins, results.strengths
    games = wins + np.swapaxes(wins, 1, 2)
    first, second = np.nonzero(np.triu(games[0]))
    freedom = len(first) - strengths.shape[1] + 1
    if freedom < 1:
        return None
    played, foretold = games[:, first, second], expit(strengths[:, first] - strengths[:, second])
    shares = np.divide(wins[:, first, second], played, out=foretold.copy(), where=played > 0)
    residuals = shares - foretold
    covariance = np.cov(residuals[1:], rowvar=False) + np.diag(0.25 / played[0] ** 2)  # half a game is as fine as results are
    widths, directions = np.linalg.eigh(covariance)
    along = residuals[0] @ directions[:, -freedom:]
    pairs = tuple(zip(first.tolist(), second.tolist(), strict=True))
    return Fit(pairs, residuals[0], np.sqrt(np.diag(covariance)), float((along**2 / widths[-freedom:]).sum()), freedom)


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
