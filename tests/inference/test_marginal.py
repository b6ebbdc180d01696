"""The marginal form of phase 1 against enumeration and against the loss that trains it."""

import numpy as np
import pytest

from games.doudizhu.cards import pack, unpack
from games.doudizhu.marginal import draw_marginal, fill_table, log_marginal
from games.doudizhu.worlds import hidden_cards
from games.kernels import kernel, streams
from games.kernels.rows import take
from tests.inference.endgames import (
    DRAWS,
    FALSE_ALARM_Z,
    bounds,
    chi_square_z,
    endgames,
    hypergeometric,
    possible_hands,
    random_games,
)


@kernel
def draw_many(weights, table, need, rng, hands):
    for k in range(hands.size):
        hands[k] = draw_marginal(weights, table, need, rng, 0)


def tables(view, seat: int, logits: np.ndarray):
    free, fixed, need = hidden_cards(view, 0, seat)
    weights, table = fill_table(free, fixed, need, logits)
    return fixed, need, weights, table


def enumerate_q(view, seat: int, hands: np.ndarray, logits: np.ndarray) -> np.ndarray:
    """q of each hand (counts ``[W, 15]``), normalised over all of them."""
    log_q = np.log(hypergeometric(view, seat, hands)) + logits.astype(np.float64)[
        hands, np.arange(15)
    ].sum(axis=1)
    return np.exp(log_q - np.logaddexp.reduce(log_q))


@pytest.mark.parametrize("index", range(4))
@pytest.mark.parametrize("strength", [0.0, 1.5])
def test_draws_have_the_stated_distribution(index: int, strength: float) -> None:
    view, seat = list(endgames(index + 1))[index]
    logits = (strength * np.random.default_rng(index).normal(size=(5, 15))).astype(np.float32)
    hands = possible_hands(view, seat)
    expected = enumerate_q(view, seat, hands, logits)
    fixed, need, weights, table = tables(view, seat, logits)
    drawn = np.empty(DRAWS, np.uint64)
    draw_many(weights, table, need, streams(index, 1), drawn)
    keys = {int(h): i for i, h in enumerate(pack(hands))}
    counts = np.bincount([keys[int(h + fixed)] for h in drawn], minlength=len(hands))
    assert chi_square_z(counts, expected) < FALSE_ALARM_Z
    for hand, probability in zip(pack(hands), expected, strict=True):
        assert log_marginal(weights, table, hand - fixed) == pytest.approx(
            np.log(probability), abs=1e-6
        )


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_extreme_corrections_leave_every_world_possible(sign: float) -> None:
    played = random_games(20, 6, longest=0)
    for i in range(20):
        view = take(played.states, slice(i, i + 1))
        for seat in range(3):
            logits = np.full((5, 15), 1e30 * sign, np.float32)
            logits[::2] *= -1.0
            fixed, need, weights, table = tables(view, seat, logits)
            drawn = np.empty(5, np.uint64)
            draw_many(weights, table, need, streams(i, 1), drawn)
            size = bounds(view, seat)[3]
            for hand in (*(drawn + fixed), view.hands[0, (seat + 1) % 3]):
                assert unpack(hand).sum() == size
                assert np.isfinite(log_marginal(weights, table, hand - fixed))
