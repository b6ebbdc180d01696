"""The determinizer against Bayes' rule by enumeration, and its invariances."""

from collections.abc import Iterator

import numpy as np
import pytest
from torch import Tensor

from games.doudizhu.cards import unpack
from games.kernels import streams
from games.kernels.rows import concatenate, put, take
from inference.determinizer import Determinizer, Diagnostics, InferenceSettings
from inference.draws import empty_draws
from inference.filter import num_world_planes
from inference.particles import NO_PARTICLES
from inference.positions import make_positions
from inference.replay import Replayer
from tests.games import driver
from tests.games.doudizhu.positions import deal_hidden
from tests.inference.bayes import posterior
from tests.inference.endgames import (
    GAME,
    FakeEvaluator,
    Played,
    States,
    play_on,
    possible_hands,
    random_games,
    running,
    views,
)

PHASE1 = ("marginal", "filter", "none")
LARGE = 400
"""More particles than an endgame has worlds."""
SMALL = 12
WORLD_PLANES = num_world_planes(GAME.spec)


def score(planes: Tensor) -> Tensor:
    return planes[:, -WORLD_PLANES:, ::2].float().sum(dim=(1, 2))


def make(lanes: int, evaluator: FakeEvaluator | None = None, **settings) -> Determinizer:
    settings = {"candidates": 100, "particles": SMALL} | settings
    settings["candidates"] = max(settings["candidates"], settings["particles"])
    return Determinizer(
        GAME, evaluator or FakeEvaluator(), InferenceSettings(**settings), lanes, score
    )


def worlds_of(
    determinizer: Determinizer,
    played: Played,
    lanes: np.ndarray,
    num_worlds: int = 8,
    seed: int = 0,
    truth: bool = False,
) -> tuple[States, Diagnostics]:
    """The worlds of some lanes; the streams are those of the seed."""
    rng = streams(seed, len(played.records.lengths))
    true = take(played.states, lanes) if truth else None
    return determinizer.worlds(lanes, views(played, lanes), played.records, rng, num_worlds, true)


def slots(played: Played, lanes: np.ndarray) -> np.ndarray:
    return lanes * 3 + played.states.seat[lanes]


def weights(determinizer: Determinizer, slot: int) -> dict[int, float]:
    """The posterior of each hand of the next seat by the particles of a slot, before tempering;
    particles are no duplicates.
    """
    particles = determinizer._particles
    log_weights, hands = particles.posterior[slot, :-1], particles.hidden[slot, :-1, 0]
    log_weights = log_weights - np.logaddexp.reduce(log_weights)
    return {
        int(h): float(np.exp(w)) for h, w in zip(hands, log_weights, strict=True) if w > -np.inf
    }


def endgames(count: int, most_cards: int = 15) -> Iterator[tuple[Played, int]]:
    """Yields (games, lane) of running games with few cards left and more than one world."""
    played = random_games(120, 21, most_cards=most_cards)
    for lane in running(played):
        view = views(played, np.array([lane]))
        if count and 3 <= len(possible_hands(view, int(view.seat[0]))) <= 60:
            count -= 1
            yield played, int(lane)


@pytest.mark.parametrize(("temperature", "epsilon"), [(1.0, 0.05), (2.5, 0.0)])
def test_posterior_is_that_of_bayes(temperature: float, epsilon: float) -> None:
    """The weights of the hands, and the counts per rank of both other seats; asking for these draws
    no number.
    """
    evaluator = FakeEvaluator(seed=1, strength=3.0)
    determinizer = make(120, evaluator, particles=LARGE, temperature=temperature, epsilon=epsilon)
    for played, lane in endgames(4):
        lanes, rng = np.array([lane]), streams(0, 120)
        view = views(played, lanes)
        seat, moves = int(view.seat[0]), played.records.moves[lane, : played.records.lengths[lane]]
        exact = posterior(GAME, evaluator.evaluate, view, seat, moves, None, temperature, epsilon)
        packed = {hand: weight for (hand,), weight in exact.items()}
        hands, expected = unpack(np.array([*packed], np.uint64)), np.array([*packed.values()])
        unseen = GAME.hidden_targets(view, np.array([seat]))[0][0]
        counts = np.zeros((2, 15, 5))
        for hand, weight in zip(hands, expected, strict=True):
            counts[0, np.arange(15), hand] += weight
            counts[1, np.arange(15), unseen - hand] += weight
        _, diagnostics = worlds_of(determinizer, played, lanes, truth=True)
        found = weights(determinizer, lane * 3 + seat)
        assert found == pytest.approx(packed, rel=1e-5)
        assert np.isnan(diagnostics.ess_share[0]) and diagnostics.beta[0] == 1.0
        truth = packed[int(played.states.hands[lane, (seat + 1) % 3])]
        heavier, equal_weight = (
            (expected > truth * (1 + 1e-6)).sum(),
            (np.abs(expected / truth - 1) <= 1e-6).sum(),
        )
        assert diagnostics.rank[0] == pytest.approx((heavier + 0.5 * equal_weight) / len(hands))
        beliefs = determinizer.marginals(lanes, view, played.records, rng)
        np.testing.assert_allclose(beliefs.probability[0], counts, atol=1e-6)
        assert beliefs.listed[0] and np.isnan(beliefs.ess[0]) and not beliefs.prior_only[0]
        assert (rng == streams(0, 120)).all()


@pytest.mark.parametrize("phase1", PHASE1)
def test_weights_divide_by_the_density_of_phase_1(phase1: str) -> None:
    """Sampled particles weigh the posterior over what they were drawn from, also where they were
    kept for three moves.
    """
    evaluator, kept = FakeEvaluator(seed=2), 0
    for played, lane in endgames(3):
        lanes = np.array([lane])
        view = views(played, lanes)
        seat = int(view.seat[0])
        few = len(possible_hands(view, seat)) - 1
        determinizer = make(
            120, evaluator, phase1=phase1, particles=few, candidates=300, ess_floor=0.0
        )
        density = None
        for _ in range(2):
            _, diagnostics = worlds_of(determinizer, played, lanes)
            assert diagnostics.fresh[0] == (density is None)
            kept += density is not None
            view, length = views(played, lanes), played.records.lengths[lane]
            if density is None:
                density = log_density(determinizer, view, seat, phase1)
            moves = played.records.moves[lane, :length]
            bayes = posterior(GAME, evaluator.evaluate, view, seat, moves, None, 1.0, 0.05)
            particles, slot = determinizer._particles, lane * 3 + seat
            drawn = particles.posterior[slot, :-1] > -np.inf
            log_posterior = np.log([bayes[int(h),] for h in particles.hidden[slot, :-1, 0][drawn]])
            constant = particles.posterior[slot, :-1][drawn] - log_posterior + density[drawn]
            np.testing.assert_allclose(constant, constant[:1].repeat(drawn.sum()), atol=1e-5)
            play_on(one_lane(played, lane), 1, longest=length + 3)
            if lane not in running(played) or not drawn.any():
                break
    assert kept


def one_lane(played: Played, lane: int) -> Played:
    """Returns a game of its own, whose moves change the whole."""
    row = slice(lane, lane + 1)
    return Played(take(played.states, row), take(played.records, row))


def log_density(determinizer: Determinizer, view: States, seat: int, phase1: str) -> np.ndarray:
    """Log-density of each particle of the seat's slot, drawn anew from the same streams."""
    lane = int(np.flatnonzero(determinizer._particles.moves != NO_PARTICLES)[0]) // 3
    draws = empty_draws(1, determinizer.settings.particles, 1, None)
    determinizer._phase1(make_positions(GAME, np.array([lane]), view), streams(0, 120), draws)
    assert draws.num_draws[0] == (300 if phase1 == "filter" else determinizer.settings.particles)
    return draws.density[0, :-1]


def test_listed_worlds_kept_weigh_as_much_as_from_scratch() -> None:
    played, evaluator = random_games(16, 41, most_cards=16), FakeEvaluator(seed=3)
    kept, scratch = (make(16, evaluator, particles=100) for _ in range(2))
    worlds_of(kept, played, running(played))
    compared = 0
    for _ in range(3):
        lanes = running(played)
        for lane in lanes:  # one more move in each game
            play_on(one_lane(played, lane), int(lane), int(played.records.lengths[lane]) + 1)
        lanes = running(played)
        scratch.reset(lanes)
        worlds_of(scratch, played, lanes)
        _, diagnostics = worlds_of(kept, played, lanes)
        for slot, fresh, ess in zip(
            slots(played, lanes), diagnostics.fresh, diagnostics.ess_share, strict=True
        ):
            if not fresh and np.isnan(ess):
                assert weights(kept, slot) == pytest.approx(weights(scratch, slot), rel=1e-6)
                compared += 1
    assert compared > 5


@pytest.mark.parametrize("phase1", PHASE1)
@pytest.mark.parametrize("phase2", [False, True])
def test_worlds_are_deals_of_the_unseen_cards(phase1: str, phase2: bool) -> None:
    played = random_games(30, 61, longest=0)
    determinizer = make(30, phase1=phase1, phase2=phase2)
    for longest in (0, 6, 15, 30):
        play_on(played, longest, longest)
        lanes = running(played)
        worlds, diagnostics = worlds_of(determinizer, played, lanes, 7, seed=longest)
        true = take(played.states, np.repeat(lanes, 7))
        rows = np.arange(len(true.seat))
        assert (worlds.hands.sum(axis=1) == true.hands.sum(axis=1)).all()
        assert (worlds.hands[rows, true.seat] == true.hands[rows, true.seat]).all()
        assert (unpack(worlds.hands).sum(axis=2) == unpack(true.hands).sum(axis=2)).all()
        known = np.maximum(unpack(true.bottom) - unpack(true.played[:, 0]), 0)
        assert (unpack(worlds.hands[:, 0]) >= known).all()
        assert driver.equal(worlds._replace(hands=true.hands), true)
        active = (unpack(played.states.hands[lanes]).sum(axis=2) < 15).any(axis=1)
        active &= phase2 or phase1 != "none"
        assert (np.isfinite(diagnostics.beta) == active).all()


@pytest.mark.parametrize("phase1", PHASE1)
def test_hidden_cards_change_nothing(phase1: str) -> None:
    """Worlds and their order are the same whatever the others hold, and whether or not the truth is
    given for diagnostics.
    """
    played = random_games(20, 71, longest=16)
    lanes, rng = running(played), np.random.default_rng(0)
    dealt = [
        deal_hidden(take(played.states, [lane]), int(played.states.seat[lane]), rng)
        for lane in lanes
    ]
    swapped = Played(GAME.empty(20), played.records)
    put(swapped.states, lanes, concatenate(dealt))
    assert (swapped.states.hands[lanes] != played.states.hands[lanes]).any(axis=1).sum() > 15
    results = [
        worlds_of(make(20, phase1=phase1), games, lanes, truth=truth)[0]
        for games in (played, swapped)
        for truth in (False, True)
    ]
    given_full = make(20, phase1=phase1).worlds(
        lanes,
        take(swapped.states, lanes),
        played.records,
        streams(0, 20),
        8,
        take(played.states, lanes),
    )
    assert all(driver.equal(results[0], other) for other in (*results[1:], given_full[0]))


@pytest.mark.parametrize("phase1", PHASE1)
def test_batch_and_lane_change_nothing(phase1: str) -> None:
    """A game gets the same worlds alone, in another lane, among others, and with a small buffer of
    decisions.
    """
    played, evaluator = random_games(8, 81, longest=12), FakeEvaluator()
    together, alone, tight = (make(8, evaluator, phase1=phase1) for _ in range(3))
    tight._replayer = Replayer(GAME, evaluator.evaluate, 1.0, 0.05, buffer=1)
    reversed_lanes = make(8, evaluator, phase1=phase1)
    for longest in (12, 16, 22):
        play_on(played, longest, longest)
        lanes = running(played)
        expected, diagnostics = worlds_of(together, played, lanes, seed=longest)
        assert driver.equal(expected, worlds_of(tight, played, lanes, seed=longest)[0])
        singles = [
            worlds_of(alone, played, lanes[i : i + 1], seed=longest) for i in range(len(lanes))
        ]
        assert driver.equal(expected, concatenate([worlds for worlds, _ in singles]))
        for name, column in zip(diagnostics._fields, diagnostics, strict=True):
            np.testing.assert_array_equal(
                column, np.concatenate([getattr(single, name) for _, single in singles])
            )
        there = Played(
            take(played.states, slice(None, None, -1)), take(played.records, slice(None, None, -1))
        )
        rng = streams(longest, 8)[::-1].copy()
        moved, _ = reversed_lanes.worlds(7 - lanes, views(there, 7 - lanes), there.records, rng, 8)
        assert driver.equal(expected, moved)


def test_new_particles_are_drawn_when_too_few_count() -> None:
    played = random_games(60, 91, longest=14)
    determinizer = make(
        60, FakeEvaluator(strength=0.4), particles=64, ess_floor=0.2, active_below=21
    )
    lanes = running(played)
    _, first = worlds_of(determinizer, played, lanes)
    _, second = worlds_of(determinizer, played, lanes)
    assert first.fresh.all()
    assert (second.fresh == (first.ess_share < 0.2)).all()
    assert (second.num_evaluations[~second.fresh] == 0).all()
    assert (first.num_evaluations > 64).all()
    tempered = first.beta < 1.0
    assert (tempered == (first.ess_share < 0.2)).all()
    assert 5 < tempered.sum() < 55


def test_particles_may_be_drawn_at_each_decision() -> None:
    """4.3: as if nothing had been seen before, whatever counts."""
    played = random_games(60, 91, longest=14)
    lanes, given = running(played), {"active_below": 21, "ess_floor": 0.0, "temperature": 2.0}
    kept, drawn = make(60, **given), make(60, keep=False, **given)
    worlds_of(kept, played, lanes)
    first, _ = worlds_of(drawn, played, lanes, seed=1)
    second, diagnostics = worlds_of(drawn, played, lanes)
    assert not worlds_of(kept, played, lanes)[1].fresh.any()
    assert diagnostics.fresh.all() and (diagnostics.beta == 1.0).all()
    assert driver.equal(second, worlds_of(make(60, **given), played, lanes)[0])
    assert not driver.equal(first, second)


def test_without_evidence_the_posterior_is_the_prior() -> None:
    """Before the first move phase 2 undoes phase 1: its corrections stand for the moves, which
    count once.
    """
    played, lanes = random_games(50, 111, longest=0), np.arange(50)
    _, diagnostics = worlds_of(
        make(50, FakeEvaluator(strength=0.0), active_below=21), played, lanes, truth=True
    )
    assert (diagnostics.num_evaluations == 1).all()
    np.testing.assert_allclose(diagnostics.ess_share, 1.0)
    np.testing.assert_allclose(diagnostics.gain, 0.0, atol=1e-9)
    np.testing.assert_allclose(diagnostics.rank, 0.5)
    determinizer = make(50, FakeEvaluator(strength=0.5), active_below=21, particles=100)
    _, diagnostics = worlds_of(determinizer, played, lanes, truth=True)
    assert diagnostics.phase1_gain.std() > 0.5
    assert abs(diagnostics.gain.mean()) < 0.3


def test_without_phase_2_the_particles_are_those_of_phase_1() -> None:
    played, lanes = random_games(50, 112, longest=0), np.arange(50)
    _, diagnostics = worlds_of(make(50, active_below=21, phase2=False), played, lanes, truth=True)
    np.testing.assert_allclose(diagnostics.gain, diagnostics.phase1_gain, atol=1e-9)
    np.testing.assert_allclose(diagnostics.ess_share, 1.0)
    np.testing.assert_allclose(diagnostics.rank, 0.5)


def test_particles_of_another_game_are_not_used() -> None:
    played, other = (random_games(20, seed, longest=15) for seed in (121, 122))
    play_on(other, 123, longest=16)
    lanes = running(other)
    forgetful, reset = make(20, active_below=21), make(20, active_below=21)
    worlds_of(forgetful, played, running(played))
    expected, _ = worlds_of(reset, other, lanes)
    found, diagnostics = worlds_of(forgetful, other, lanes)
    assert diagnostics.fresh.all()
    assert driver.equal(found, expected)
    worlds_of(reset, other, lanes)
    reset.reset(lanes[:3])
    _, diagnostics = worlds_of(reset, other, lanes)
    assert diagnostics.fresh[:3].all()


def test_a_record_must_lead_to_its_view() -> None:
    played, other = (random_games(20, seed, longest=15) for seed in (131, 132))
    with pytest.raises(
        ValueError, match="lanes \\[0, 1, 2, 3, 4\\]: the record does not lead to the view"
    ):
        worlds_of(make(20, active_below=21), Played(played.states, other.records), running(played))


def test_marginals_are_those_of_the_particles_that_worlds_come_from() -> None:
    played = random_games(30, 141, longest=15)
    lanes = running(played)
    for phase2 in (False, True):
        asked, silent = (
            make(30, active_below=21, phase2=phase2, particles=64, ess_floor=0.3) for _ in range(2)
        )
        worlds, diagnostics = worlds_of(asked, played, lanes, 400)
        beliefs = asked.marginals(lanes, views(played, lanes), played.records, streams(7, 30))
        again = asked.marginals(lanes, views(played, lanes), played.records, streams(8, 30))
        assert (beliefs.probability == again.probability).all()
        np.testing.assert_allclose(beliefs.probability.sum(axis=3), 1.0)
        np.testing.assert_allclose(beliefs.ess, diagnostics.ess_share * 64)
        rows = np.arange(len(worlds.seat))
        for k in (1, 2):
            held = unpack(worlds.hands[rows, (worlds.seat + k) % 3]).reshape(len(lanes), 400, 15)
            found = (held[:, :, :, None] == np.arange(5)).mean(
                axis=1
            )  # systematic resampling: rounded up or down, per particle
            np.testing.assert_allclose(found, beliefs.probability[:, k - 1], atol=64 / 400)
            assert np.abs(found - beliefs.probability[:, k - 1]).mean() < 0.01
        worlds_of(silent, played, lanes, 400)
        play_on(played, 142, longest=16)
        after = running(played)
        if phase2:
            assert driver.equal(
                worlds_of(asked, played, after)[0], worlds_of(silent, played, after)[0]
            )
        lanes = after
