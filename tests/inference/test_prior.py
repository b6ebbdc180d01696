"""Draws from the prior against counting."""

import numpy as np
import pytest

from games.doudizhu.cards import pack
from games.doudizhu.worlds import draw_prior, hidden_cards, list_choices, log_prior
from games.generic import log_prior_hidden
from games.kernels import kernel, streams
from tests.inference.endgames import (
    DRAWS,
    FALSE_ALARM_Z,
    GAME,
    chi_square_z,
    endgames,
    hypergeometric,
    possible_hands,
)


@kernel
def draw_many(free, need, rng, hands):
    for k in range(hands.size):
        hands[k] = draw_prior(free, need, rng, 0)


@kernel
def log_prior_of_hand(rules, view, seat, hidden):
    return log_prior_hidden(rules, view, 0, seat, hidden)


@pytest.mark.parametrize("index", range(4))
def test_draws_have_the_hypergeometric_distribution(index: int) -> None:
    view, seat = list(endgames(index + 1))[index]
    free, fixed, need = hidden_cards(view, 0, seat)
    hands = possible_hands(view, seat)
    drawn = np.empty(DRAWS, np.uint64)
    draw_many(free, need, streams(index, 1), drawn)
    keys = {int(h): i for i, h in enumerate(pack(hands))}
    counts = np.bincount([keys[int(h + fixed)] for h in drawn], minlength=len(hands))
    assert chi_square_z(counts, hypergeometric(view, seat, hands)) < FALSE_ALARM_Z


def test_log_prior_and_list() -> None:
    choices = np.zeros(10_000, np.uint64)
    for view, seat in endgames(40):
        free, fixed, need = hidden_cards(view, 0, seat)
        hands = possible_hands(view, seat)
        expected = hypergeometric(view, seat, hands)
        assert expected.sum() == pytest.approx(1.0)
        total = list_choices(free, need, choices)
        assert sorted((choices[:total] + fixed).tolist()) == sorted(pack(hands).tolist())
        for hand, probability in zip(pack(hands), expected, strict=True):
            assert log_prior(free, need, hand - fixed) == pytest.approx(np.log(probability))
            assert log_prior_of_hand(GAME.rules, view, seat, np.array([hand])) == pytest.approx(
                np.log(probability)
            )
        if total > 1:
            assert list_choices(free, need, choices[: total - 1]) == -1
            assert list_choices(free, need, choices[:total]) == total
