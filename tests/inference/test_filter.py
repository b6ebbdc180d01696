"""The filter form of phase 1 with a score that is known."""

import numpy as np
import pytest
import torch
from torch import Tensor

from games.doudizhu.cards import pack, unpack
from games.kernels import streams
from games.kernels.rows import take
from inference.draws import Draws, empty_draws
from inference.filter import (
    FilterEngine,
    FilterNet,
    draw_filtered,
    filter_batch,
    filter_scores,
    num_world_planes,
    world_planes,
)
from inference.positions import make_positions
from tests.games import driver
from tests.inference.endgames import (
    GAME,
    endgames,
    hypergeometric,
    possible_hands,
    random_games,
    running,
    views,
)
from tests.networks.specs import DOUDIZHU, as_if_trained, observations

WORLD_PLANES = num_world_planes(GAME.spec)


def low_cards(planes: Tensor) -> Tensor:
    """Scores a world by the cards of the ranks 3 to 8 in the hand of the next seat; a tie goes to
    the lower rank's count.
    """
    weights = torch.tensor([1.0 + 0.01 * r if r < 6 else 0.0 for r in range(15)])
    return (planes[:, -WORLD_PLANES : -WORLD_PLANES // 2].float() * weights).sum(dim=(1, 2))


def score_of(hands: np.ndarray) -> np.ndarray:
    return unpack(hands)[..., :6] @ (1.0 + 0.01 * np.arange(6))


def test_scores_see_the_observation_and_the_world() -> None:
    played = random_games(5, 4, longest=10)
    states = take(played.states, running(played))
    seats = states.seat.astype(np.int64)
    seen = []

    def score(planes: Tensor) -> Tensor:
        seen.append(planes.numpy().copy())
        return low_cards(planes)

    hands = states.hands[np.arange(len(seats)), (seats + 1) % 3][:, None]
    np.testing.assert_allclose(
        filter_scores(GAME, states, seats, hands[:, :, None], score), score_of(hands), rtol=1e-6
    )
    for i, seat in enumerate(seats):
        rows = seen[0][i]
        assert (rows[:-WORLD_PLANES] == driver.observation(GAME, states, i, seat)).all()
        assert (rows[-8:-4].sum(axis=0) == unpack(states.hands[i, (seat + 1) % 3])).all()
        assert (rows[-4:].sum(axis=0) == unpack(states.hands[i, (seat + 2) % 3])).all()


def test_the_best_different_worlds_are_kept() -> None:
    played = random_games(30, 5, longest=16)
    lanes = running(played)
    positions = make_positions(GAME, lanes, views(played, lanes))
    rows = np.arange(len(lanes))
    rng, again = streams(6, 30), streams(6, 30)
    draws, everything = empty_draws(len(lanes), 20, 1, None), empty_draws(len(lanes), 200, 1, None)
    draw_filtered(GAME, positions, rows, rng, 200, low_cards, draws)
    draw_filtered(GAME, positions, rows, again, 200, low_cards, everything)
    rows = zip(
        draws.hidden[:, :-1, 0],
        everything.hidden[:, :-1, 0],
        everything.exists[:, :-1],
        strict=True,
    )
    for kept, candidates, exists in rows:
        candidates = candidates[exists]
        assert len(set(candidates.tolist())) == len(candidates)
        assert kept[: len(candidates)].tolist() == candidates[:20].tolist()
        assert (np.diff(score_of(candidates)) <= 1e-6).all()
    assert (draws.num_draws == 200).all()


def test_a_candidate_counts_as_often_as_it_was_drawn() -> None:
    for view, seat in endgames(5):
        positions = make_positions(GAME, np.zeros(1), view)
        draws = empty_draws(1, 400, 1, None)
        draw_filtered(GAME, positions, np.zeros(1, np.int64), streams(1, 1), 5000, low_cards, draws)
        hands = possible_hands(view, seat)
        prior = dict(
            zip(pack(hands).tolist(), np.log(hypergeometric(view, seat, hands)), strict=True)
        )
        copies = np.exp(draws.phase1 - draws.density)[0]
        drawn = draws.exists[0]
        assert copies[drawn].sum() == pytest.approx(5000)
        np.testing.assert_allclose(
            draws.phase1[0, drawn], [prior[int(h)] for h in draws.hidden[0, drawn, 0]]
        )
        assert np.corrcoef(copies[drawn], np.exp(draws.phase1[0, drawn]))[0, 1] > 0.9


def test_gain_of_the_true_hand_is_its_score_over_the_candidates() -> None:
    view, seat = next(endgames(1))
    truth = pack(possible_hands(view, seat)[-1:])
    positions = make_positions(GAME, np.zeros(1), view)

    def drawn(kept: int, shift: float) -> Draws:
        draws, rows = empty_draws(1, kept, 1, truth), np.zeros(1, np.int64)
        draw_filtered(
            GAME, positions, rows, streams(1, 1), 300, lambda p: low_cards(p) + shift, draws
        )
        return draws

    everything = drawn(300, 0.0)
    copies = np.exp(everything.phase1 - everything.density)[0] * everything.exists[0]
    mean = (copies * np.exp(score_of(everything.hidden[0, :, 0]))).sum() / 301
    for shift in (0.0, 50.0):
        gain = drawn(10, shift).gain[0]
        assert gain == pytest.approx(float(score_of(truth)[0]) - np.log(mean), abs=1e-4)


def test_training_batch() -> None:
    played = random_games(40, 7, longest=12)
    states = take(played.states, running(played))
    batch = filter_batch(GAME, states, streams(8, len(states.seat)), 6)
    assert batch.shape == (
        len(states.seat),
        7,
        GAME.spec.observation_shape[0] + WORLD_PLANES,
        15,
    )
    assert batch.dtype == np.int8
    counts = batch[:, :, -8:].reshape(len(states.seat), 7, 2, 4, 15).sum(axis=3)
    following, previous = ((states.seat.astype(int) + k) % 3 for k in (1, 2))
    rows = np.arange(len(states.seat))
    assert (counts[:, 0, 0] == unpack(states.hands[rows, following])).all()
    assert (counts[:, 0, 1] == unpack(states.hands[rows, previous])).all()
    assert (counts.sum(axis=2) == counts[:, :1].sum(axis=2)).all()
    assert (counts.sum(axis=3) == counts[:, :1].sum(axis=3)).all()
    assert (batch[:, 1:, :-8] == batch[:, :1, :-8]).all()
    assert FilterNet(GAME.spec)(torch.from_numpy(batch[:2].reshape(14, -1, 15))).shape == (14,)


def test_the_engine_equals_the_network() -> None:
    torch.manual_seed(0)
    net = as_if_trained(FilterNet(DOUDIZHU))
    rng = np.random.default_rng(1)
    worlds = world_planes(DOUDIZHU, *rng.integers(0, 5, (2, 30, 15)).astype(np.int8))
    planes = torch.from_numpy(np.concatenate([observations(30), worlds], axis=1))
    expected = net(planes)
    assert expected.shape == (30,)
    assert torch.allclose(FilterEngine(net, "float32")(planes), expected, atol=1e-5)
    assert torch.equal(FilterEngine(net, "int8")(planes), FilterEngine(net, "auto")(planes))
    assert (FilterEngine(net, "bfloat16")(planes) - expected).abs().max() < 0.02 * max(
        1.0, expected.abs().max()
    )


def test_planes_of_a_world() -> None:
    next_hand, previous_hand = np.array([[0, 3]], np.int8), np.array([[4, 1]], np.int8)
    assert world_planes(DOUDIZHU, next_hand, previous_hand)[0].T.tolist() == [
        [0, 0, 0, 0, 1, 1, 1, 1],
        [1, 1, 1, 0, 1, 0, 0, 0],
    ]
