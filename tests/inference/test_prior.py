"""The prior against counting."""

import numpy as np
import pytest

from games.doudizhu.cards import pack
from games.doudizhu.worlds import hidden_cards, list_choices, log_prior
from tests.games import driver
from tests.inference.endgames import (
    GAME,
    endgames,
    hypergeometric,
    possible_hands,
)


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
            generic = driver.log_prior_hidden(GAME.rules, view, 0, seat, np.array([hand]))
            assert generic == pytest.approx(np.log(probability))
        if total > 1:
            assert list_choices(free, need, choices[: total - 1]) == -1
            assert list_choices(free, need, choices[:total]) == total
