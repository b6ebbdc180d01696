"""A sequential test: a match ends once it is clear which of two shares of games won explains it
better.

H0: the mean of the deck scores is ``p0``; H1: it is ``p1``, p0 < p1. After each task of the plan,
in order, the log-likelihood ratio of the two is compared with Wald's bounds, and the match ends
with H0 or H1 once it crosses one of them:

    LLR >=  log((1 - error) / error): H1 is accepted,
    LLR <= -log((1 - error) / error): H0 is accepted.

Either is wrongly accepted with a probability of at most about ``error``, despite the repeated
looks. For true means between p0 and p1, either answer may come, and the test takes longest.

The distribution of a deck's score is unknown (it is 0, 1/2 or 1 without draws); the hypotheses
concern only its mean. So the likelihood of a hypothesis is the maximum over all distributions with
its mean, on the observed scores: with the share q[v] of the decks at score v, the weights that
maximise sum over v of q[v] log w[v] subject to sum of w[v] v = p are

    w[v] = q[v] / (1 + x (v - p)),   x the root of sum over v of q[v] (v - p) / (1 + x (v - p)),

so LLR = n sum over v of q[v] log((1 + x0 (v - p0)) / (1 + x1 (v - p1))). The bounds are exact for
simple hypotheses, up to the overshoot of the LLR; for these they hold asymptotically:
``tests/evaluation/test_sequential.py`` measures the errors.

The mean of a match that ends early is biased away from the middle of p0 and p1: lucky stretches
reach the bounds.

Source: Wald 1945, "Sequential tests of statistical hypotheses"; Owen 1988 (the weights, empirical
likelihood); Li, Liu & Ying 2014, "Generalized sequential probability ratio test for separate
families of hypotheses"; Van den Bergh, "A practical introduction to the GSPRT" (the test of
Stockfish's patches by game pairs).
"""

import math
from dataclasses import asdict, dataclass

import numpy as np

ERROR = 0.05
"""Probability of accepting a hypothesis when the other one holds."""
PSEUDO_DECKS = 1e-3
"""Pseudo-decks added at the scores 0 and 1, so that every mean has a likelihood."""
BISECTIONS = 64


def _root(scores: np.ndarray, shares: np.ndarray, mean: float) -> np.ndarray:
    """Returns x (float64 ``[...]``) of shares ``[..., V]`` of the scores ``[V]``, which include 0
    and 1, for a mean in (0, 1).
    """
    away = scores - mean
    low = np.full(shares.shape[:-1], -1.0 / (1.0 - mean))
    high = np.full(shares.shape[:-1], 1.0 / mean)
    # The sum decreases from +infinity to -infinity between the poles of 0 and 1.
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        rises = (shares * away / (1.0 + middle[..., None] * away)).sum(axis=-1) > 0
        low, high = np.where(rises, middle, low), np.where(rises, high, middle)
    return (low + high) / 2


def log_likelihood_ratio(
    scores: np.ndarray, counts: np.ndarray, p0: float, p1: float
) -> np.ndarray:
    """Returns the log-likelihood ratio of mean p1 over mean p0 (float64 ``[...]``).

    Args:
        scores: The distinct scores of a deck, float ``[V]`` in [0, 1], including 0 and 1.
        counts: Decks with each score, ``[..., V]``.
        p0: Mean under H0, in (0, 1).
        p1: Mean under H1, in (0, 1).
    """
    decks = counts + PSEUDO_DECKS * ((scores == 0) | (scores == 1))
    total = decks.sum(axis=-1, keepdims=True)
    logs = [np.log1p(_root(scores, decks / total, p)[..., None] * (scores - p)) for p in (p0, p1)]
    return (decks * (logs[0] - logs[1])).sum(axis=-1)


@dataclass(frozen=True)
class SequentialResult:
    """The result of a sequential test after some decks.

    Attributes:
        p0: Mean score under H0.
        p1: Mean score under H1.
        ratio: The log-likelihood ratio.
        bound: A hypothesis is accepted at ± this ratio.
        decks: Number of decks.
    """

    p0: float
    p1: float
    ratio: float
    bound: float
    decks: int

    @property
    def accepted(self) -> str | None:
        """Returns "H0", "H1", or None while undecided."""
        if abs(self.ratio) < self.bound:
            return None
        return "H1" if self.ratio > 0 else "H0"

    def as_dict(self) -> dict[str, object]:
        """Returns all of it for JSON."""
        return {**asdict(self), "accepted": self.accepted, "error": ERROR}

    def __str__(self) -> str:
        """Returns the verdict, with the figures needed to interpret the scores."""
        figures = (
            f"after {self.decks:,} decks; LLR {self.ratio:+.2f}, bounds ±{self.bound:.2f}, errors "
            f"{100 * ERROR:g} %"
        )
        if self.accepted is None:
            shares = f"WP = {100 * self.p0:g} % (H0) and {100 * self.p1:g} % (H1)"
            return f"undecided between {shares} {figures}"
        texts = [f"H{k}, WP = {100 * p:g} %" for k, p in enumerate((self.p0, self.p1))]
        other, accepted = sorted(texts, key=lambda text: text.startswith(str(self.accepted)))
        biased = "scores of a match that ends by its results are biased"
        return f"{accepted}, accepted over {other} {figures}; {biased}"


@dataclass(frozen=True)
class SequentialTest:
    """A test of p0 against p1, 0 < p0 < p1 < 1, with ``error`` for either mistake."""

    p0: float
    p1: float
    error: float = ERROR

    def result(self, scores: np.ndarray, counts: np.ndarray | None = None) -> SequentialResult:
        """Returns the result after some decks.

        Args:
            scores: Scores of decks, float ``[N]`` in [0, 1].
            counts: Number of decks with each score, int ``[N]``; None: one each.
        """
        counts = np.ones(len(scores), np.int64) if counts is None else counts
        values, at = np.unique(np.concatenate([scores, [0.0, 1.0]]), return_inverse=True)
        decks = np.bincount(at[:-2], counts, len(values))
        ratio = float(log_likelihood_ratio(values, decks, self.p0, self.p1))
        bound = math.log((1 - self.error) / self.error)
        return SequentialResult(self.p0, self.p1, ratio, bound, int(counts.sum()))
