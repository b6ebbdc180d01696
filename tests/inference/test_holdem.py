"""Hold'em, where drawn hands must not wear out: against all 1,225 hands listed, over the four
streets of some dozen games.
"""

from typing import NamedTuple

import numpy as np
import pytest

from games import make
from games.kernels import streams
from games.kernels.rows import take
from games.play.interface import Records
from games.poker.game import LimitPoker
from inference.determinizer import Determinizer, InferenceSettings
from tests.games import driver
from tests.inference.card_policies import CardPolicies

pytestmark = pytest.mark.slow  # plays twelve games twice

HANDS = 1225
"""Hands that the other player may hold before the flop."""
LANES = 12
DRAWN = 64
FLOOR = 0.25


class Street(NamedTuple):
    """What was found at the decisions of one street."""

    sizes: np.ndarray
    """Effective sample size of the weights that worlds come from."""
    alive: np.ndarray
    """Share of the particles that are still possible."""
    gain: np.ndarray
    """Log-probability of the true hand over the prior (nats), by the drawn hands."""
    exact: np.ndarray
    """The same by all hands."""
    error: np.ndarray
    """Total variation of the ranks that the other player holds, against all hands."""


def effective_size(determinizer: Determinizer, slot: int, beta: float) -> tuple[float, float]:
    particles = determinizer._particles
    posterior, phase1 = particles.posterior[slot, :-1], particles.phase1[slot, :-1]
    alive = posterior > -np.inf
    log_weights = beta * posterior[alive] + (1 - beta) * phase1[alive]
    weights = np.exp(log_weights - log_weights.max())
    return float(weights.sum() ** 2 / (weights**2).sum()), float(alive.mean())


def ranks(game: LimitPoker, probability: np.ndarray) -> np.ndarray:
    """Returns the expected number of cards of each rank (``[n, 13]``), half of it: a
    distribution.
    """
    held = np.zeros((len(game.spec.hidden_kinds), 13))
    for kind, name in enumerate(game.spec.hidden_kinds):
        held[kind, "23456789TJQKA".index(name[0])] += 0.5
        held[kind, "23456789TJQKA".index(name[2])] += 0.5
    return probability @ held


def follow(floor: float) -> list[Street]:
    """Plays random hands, and returns what a determinizer of drawn hands with a floor says on each
    street.
    """
    game = make("limit_holdem")
    assert isinstance(game, LimitPoker)
    policies = CardPolicies(game.spec)
    settings = InferenceSettings(phase1="none", particles=DRAWN, ess_floor=floor, active_below=0)
    drawn = Determinizer(game, policies, settings, LANES)
    listed = Determinizer(
        game, policies, InferenceSettings(phase1="none", particles=HANDS, active_below=0), LANES
    )
    states, rng = game.deal(streams(3, LANES)), np.random.default_rng(4)
    records = Records(
        np.full((LANES, game.spec.max_moves), -1, np.int16), np.zeros(LANES, np.int16)
    )
    first, second = streams(6, LANES), streams(7, LANES)
    found: list[list[tuple[float, ...]]] = [[] for _ in range(4)]
    while (lanes := np.flatnonzero(states.node >= 0)).size:
        here = take(states, lanes)
        seats = game.betting.player[here.node]
        views = game.view(here, seats)
        _, some = drawn.worlds(lanes, views, records, first, 8, here)
        _, every = listed.worlds(lanes, views, records, second, 8, here)
        assert np.isnan(every.ess_share).all() and np.isfinite(some.ess_share).all()
        by_drawn, by_listed = (
            d.marginals(lanes, views, records, first).probability[:, 0, :, 1]
            for d in (drawn, listed)
        )
        error = 0.5 * np.abs(ranks(game, by_drawn) - ranks(game, by_listed)).sum(axis=1)
        for i, lane in enumerate(lanes):
            size, alive = effective_size(drawn, lane * 2 + seats[i], some.beta[i])
            street = int(game.betting.round[here.node[i]])
            found[street].append((size, alive, some.gain[i], every.gain[i], error[i]))
            action = int(rng.choice([a for a in driver.legal_actions(game, states, lane) if a > 0]))
            driver.step(game.rules, states, lane, action)
            records.moves[lane, records.lengths[lane]] = action
            records.lengths[lane] += 1
    return [Street(*np.array(rows).T) for rows in found]


@pytest.fixture(scope="module")
def streets() -> list[Street]:
    return follow(FLOOR)


@pytest.fixture(scope="module")
def worn() -> list[Street]:
    """Without a floor: hands drawn once and weighed ever more."""
    return follow(0.0)


def test_enough_hands_count_on_every_street(streets: list[Street], worn: list[Street]) -> None:
    for street in streets:
        assert len(street.sizes) > LANES
        assert street.sizes.min() > 0.99 * FLOOR * DRAWN
    assert np.median(worn[3].sizes) < 0.6 * FLOOR * DRAWN
    assert streets[3].alive.mean() > 0.95 > 0.9 > worn[3].alive.mean()


def test_the_true_hand_is_as_likely_as_by_all_hands(
    streets: list[Street], worn: list[Street]
) -> None:
    for street in streets:
        assert abs((street.gain - street.exact).mean()) < 0.1
        assert street.error.mean() < 0.25
    assert worn[3].error.mean() > streets[3].error.mean() + 0.05
    assert worn[3].error.mean() > 0.3
