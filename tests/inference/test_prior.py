"""Draws from the prior against counting."""

import numpy as np
import pytest

from games.doudizhu.cards import pack, unpack
from games.doudizhu.worlds import draw_prior, hidden_cards, list_choices, log_prior
from games.generic import log_prior_hidden
from games.kernels import kernel, streams
from games.rows import take
from inference.positions import make_positions
from inference.prior import prior_worlds
from tests.inference.endgames import (
    DRAWS,
    FALSE_ALARM_Z,
    GAME,
    bounds,
    chi_square_z,
    endgames,
    hypergeometric,
    possible_hands,
    random_games,
    running,
    views,
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


def test_fixed_and_free_cards_are_the_bounds_of_the_game() -> None:
    played = random_games(60, 2, longest=12)
    for lane in running(played):
        for seat in range(3):
            view = GAME.view(take(played.states, [lane]), np.array([seat]))
            free, fixed, need = hidden_cards(view, 0, seat)
            _, fewest, most, size = bounds(view, seat)
            assert (unpack(fixed) == fewest).all()
            assert (unpack(free) == most - fewest).all()
            assert need == size - fewest.sum()


@pytest.mark.parametrize("longest", [0, 5, 20])
def test_worlds_are_deals_of_the_unseen_cards(longest: int) -> None:
    played = random_games(60, 3, longest)
    lanes = running(played)
    some = views(played, lanes)
    worlds = GAME.empty(len(lanes) * 5)
    prior_worlds(GAME.rules, make_positions(GAME, lanes, some), streams(0, 60), 5, 1, worlds)
    true = take(played.states, np.repeat(lanes, 5))
    rows, seats = np.arange(len(true.seat)), true.seat.astype(int)
    assert (worlds.hands.sum(axis=1) == true.hands.sum(axis=1)).all()
    assert (worlds.hands[rows, seats] == true.hands[rows, seats]).all()
    assert (unpack(worlds.hands).sum(axis=2) == unpack(true.hands).sum(axis=2)).all()
    known = np.maximum(unpack(true.bottom) - unpack(true.played[:, 0]), 0)
    assert (unpack(worlds.hands[:, 0]) >= known).all()
    for name in (
        "played",
        "bottom",
        "seat",
        "target",
        "passes",
        "bombs",
        "winner",
        "length",
        "key",
        "history",
    ):
        assert (getattr(worlds, name) == getattr(true, name)).all()
