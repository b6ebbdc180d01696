"""Games of the policies alone, their advantages, and the learner's steps along them."""

import math
from collections import Counter
from typing import Any

import hypothesis
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import fpmcts.training.learner
from fpmcts.training.learner import (
    LEAST_CHANCE,
    Learner,
    choose_rows,
    inclusion,
    teaches_policy,
)
from fpmcts.training.learner_settings import GradientSettings, LearnerSettings
from fpmcts.training.policy_games import (
    STAGES,
    UNSOLVED,
    PolicyDecisions,
    play_policies,
    subtract_luck,
)
from games import make
from games.kernels import Stream, deal_seeds, streams
from games.kernels.rows import States, num_rows, take
from games.play.interface import Game, seats_to_move
from games.play.lockstep import Games
from networks import losses
from networks.evaluator import Evaluator
from networks.resnet import NetworkConfig, Networks, build_networks
from tests.games import driver
from tests.games.driver import legal_actions, observation

GAME: Game = make("doudizhu")
SHAPE = NetworkConfig(channels=8, blocks=1, objective="wp")


@pytest.fixture(scope="module")
def networks() -> Networks:
    return build_networks(GAME.spec, SHAPE, seed=3)


def play(
    networks: Networks, games: int | np.ndarray = 10, seed: int = 5, t: float = 1.0, **given: Any
) -> Games[PolicyDecisions]:
    """Returns games of the policies: so many, or those of seeds."""
    deals = deal_seeds(1, games, Stream.TRAINING) if isinstance(games, int) else games
    return play_policies(
        GAME,
        Evaluator(networks, precision="float32").evaluate,
        deals,
        streams(seed, len(deals), 2),
        3,
        lambda done: None,
        win_only=True,
        temperature=t,
        **{"lanes": 64, "decay": 0.9} | given,
    )


def log_policy(outputs: np.ndarray, states: States, i: int) -> dict[int, float]:
    """Returns the logs of the chances of the legal moves of a row, from the sums that the decoder
    lists.
    """
    legal = legal_actions(GAME, states, i).tolist()
    logits = np.array(
        [sum(outputs[p] for p in GAME.decoder[a] if p >= 0) for a in legal], np.float64
    )
    return dict(zip(legal, (logits - np.log(np.exp(logits).sum())).tolist(), strict=True))


@pytest.mark.parametrize("t", [1.0, 0.0])
def test_chances_and_values_are_those_of_the_networks(networks: Networks, t: float) -> None:
    """At temperature 0 the most likely move is certain."""
    played = play(networks, t=t)
    decisions, samples = played.decisions, played.decisions.samples
    assert np.all(played.states.winner >= 0)
    assert num_rows(decisions) > 50
    assert np.all(np.isnan(samples.root_value))
    assert np.all(np.abs(samples.result) >= 1.0) and np.all(samples.iteration == 3)
    seats = seats_to_move(GAME, samples.states)
    observations = np.stack(
        [observation(GAME, samples.states, i, seat) for i, seat in enumerate(seats)]
    )
    outputs = Evaluator(networks, precision="float32").evaluate(observations, seats.astype(np.int8))
    for i in range(num_rows(decisions)):
        log_p = log_policy(outputs.policy[i], samples.states, i)
        own, most = log_p[int(samples.actions[i, 0])], max(log_p.values())
        if t == 0.0:
            assert own == pytest.approx(most, abs=1e-4)
            own = most = 0.0
        assert decisions.log_prob[i] == pytest.approx(own, abs=1e-4)
        assert decisions.certainty[i] == pytest.approx(math.exp(most), abs=1e-4)
    np.testing.assert_allclose(decisions.value, outputs.value, atol=1e-5)


def test_the_rule_plays_sure_wins_in_all_but_one_of_eight_games(networks: Networks) -> None:
    deals = deal_seeds(2, 64, Stream.TRAINING)

    def decided(solve: bool) -> np.ndarray:
        """Returns the games in which a sure win was decided like other moves."""
        played = play(networks, deals, solve=solve)
        states = played.decisions.samples.states
        sure = [driver.sure_win(GAME.rules, states, i) >= 0 for i in range(num_rows(states))]
        return np.unique(played.owner[sure])

    unsolved = np.flatnonzero(deals % np.uint64(UNSOLVED) == 0)
    assert set(decided(True)) <= set(unsolved) and len(decided(True)) > 2
    assert len(decided(False)) > 32


def test_the_luck_of_a_deal_is_what_its_other_games_show(networks: Networks) -> None:
    """Against a slow oracle; and with one game a deal there is nothing to subtract."""
    deals = np.repeat(deal_seeds(2, 64, Stream.TRAINING), 3)
    played = play(networks, deals)
    rows, owner = played.decisions, played.owner
    taught, before = teaches_policy(rows), rows.advantage.astype(np.float64)
    subtract_luck(GAME, played, 1, taught, win_only=True)
    np.testing.assert_array_equal(rows.advantage, before.astype(np.float32))

    seats = seats_to_move(GAME, rows.samples.states)
    own: dict[tuple[int, int], list[int]] = {}
    for i in range(len(owner)):
        own.setdefault((owner[i], seats[i]), []).append(i)
    luck, kinds = np.zeros(len(owner)), {}
    for (game, seat), decisions in own.items():
        others = [k for k in range(game - game % 3, game - game % 3 + 3) if k != game]
        first = [own[k, seat][0] for k in others if (k, seat) in own]
        found = [np.sign(rows.samples.result[i]) - rows.value[i] for i in first]
        for number, i in enumerate(decisions):
            luck[i] = np.mean(found) if found else 0.0
            kinds.setdefault((seat, min(number, STAGES - 1), game // 3 % 2), []).append(i)
    expected = before.copy()
    for (seat, stage, half), at in kinds.items():
        other = np.array([i for i in kinds.get((seat, stage, 1 - half), []) if taught[i]], int)
        if luck[other].any():
            w = before[other] @ luck[other] / (luck[other] @ luck[other])
            expected[at] -= w * luck[at]
    subtract_luck(GAME, played, 3, taught, win_only=True)
    np.testing.assert_allclose(rows.advantage, expected, atol=1e-5)
    assert np.abs(before - expected).max() > 0.05


def test_moves_come_as_often_as_the_policy_says(networks: Networks) -> None:
    """The first decision of one deal, many times: chi-square of the moves against the noted
    chances.
    """
    deals = np.full(4000, deal_seeds(1, 1, Stream.TRAINING)[0])
    played = play(networks, deals, seed=9, lanes=512)
    chances: dict[int, float] = {}
    counts: Counter[int] = Counter()
    first = seats_to_move(GAME, played.decisions.samples.states) == 0
    for i in np.flatnonzero(first & (played.decisions.samples.states.length == 0)):
        action = int(played.decisions.samples.actions[i, 0])
        chances[action] = math.exp(played.decisions.log_prob[i])
        counts[action] += 1
    frequent = [a for a in chances if chances[a] * len(deals) >= 10]
    assert len(frequent) > 5 and sum(counts.values()) == len(deals)
    squares = sum(
        (counts[a] - len(deals) * chances[a]) ** 2 / (len(deals) * chances[a]) for a in frequent
    )
    assert squares < len(frequent) + 4 * math.sqrt(2 * len(frequent))


@pytest.mark.parametrize(("decay", "exploration"), [(0.0, 0.0), (0.9, 0.0), (1.0, 0.0), (0.9, 0.3)])
def test_advantages_against_the_definition(
    networks: Networks, decay: float, exploration: float
) -> None:
    """A_k = sum over i of lambda^i delta, summed forward for each seat of each game up to the next
    random move; lambda = 1 telescopes to z - v.
    """
    one_by_one = [
        play(networks, games=1 + g, lanes=1, decay=decay, exploration=exploration) for g in range(3)
    ]  # lanes=1: game by game, in order
    decisions = one_by_one[-1].decisions
    ends = [num_rows(p.decisions) for p in one_by_one]
    for start, end in zip([0, *ends[:-1]], ends, strict=True):
        rows = take(decisions, np.arange(start, end))
        seats = seats_to_move(GAME, rows.samples.states)
        for seat in range(3):
            mine = np.flatnonzero(seats == seat)
            values = np.append(rows.value[mine], np.sign(rows.samples.result[mine][-1:]))
            deltas = np.diff(values)
            for j, k in enumerate(mine):
                cut = np.flatnonzero(np.append(rows.explored[mine[j + 1 :]], True))[0] + 1
                expected = sum(decay**i * delta for i, delta in enumerate(deltas[j : j + cut]))
                assert rows.advantage[k] == pytest.approx(expected, abs=1e-5)
                if decay == 1.0:
                    assert rows.advantage[k] == pytest.approx(
                        np.sign(rows.samples.result[k]) - rows.value[k], abs=1e-5
                    )


def test_surrogate_against_its_formula() -> None:
    log_prob = torch.tensor(
        [math.log(0.5), math.log(0.5), math.log(0.1), math.log(0.1), math.log(0.2)],
        requires_grad=True,
    )
    old = torch.tensor([0.25, 0.25, 0.2, 0.2, 0.2]).log()
    advantage = torch.tensor([1.0, -1.0, 1.0, -1.0, 3.0])
    loss, clipped = losses.clipped_surrogate(log_prob, old, advantage, 0.2)
    np.testing.assert_allclose(loss.detach(), [-1.2, 2.0, -0.5, 0.8, -3.0], rtol=1e-6)
    np.testing.assert_array_equal(clipped, [1.0, 0.0, 0.0, 1.0, 0.0])
    loss.sum().backward()
    assert log_prob.grad is not None
    np.testing.assert_allclose(
        log_prob.grad, [0.0, 2.0, -0.5, 0.0, -3.0], atol=1e-6
    )  # r A, nothing where clipped


def learner_and_rows(networks: Networks) -> tuple[Learner, PolicyDecisions]:
    rows = play(networks).decisions
    net = build_networks(GAME.spec, SHAPE, seed=3).role(0)
    mine = take(rows, np.flatnonzero(seats_to_move(GAME, rows.samples.states) == 0))
    return Learner(GAME, net, LearnerSettings(), torch.device("cpu")), mine


def weighed(rows: PolicyDecisions) -> PolicyDecisions:
    """Returns decisions of which each that teaches weighs 1."""
    rows.samples.policy_weight[:] = teaches_policy(rows)
    return rows


@given(
    st.lists(st.sampled_from([0.0, 1e-3, 0.5, 1.0, 7.0, 1e4]), min_size=1, max_size=40),
    st.floats(0.05, 0.95),
)
@hypothesis.settings(max_examples=200, deadline=None)
def test_chances_in_proportion_to_sizes_have_the_mean_asked_for(
    sizes: list[float], share: float
) -> None:
    array = np.array(sizes)
    chances, positive = inclusion(array, share), array > 0.0
    assert (chances >= 0.0).all() and (chances <= 1.0 + 1e-12).all()
    if positive.mean() <= share:
        np.testing.assert_array_equal(chances, positive)
        return
    assert chances.mean() == pytest.approx(share)
    ratios = chances[positive] / array[positive]
    assert (ratios[chances[positive] < 1.0 - 1e-9] >= ratios.max() * (1.0 - 1e-9)).all()


def test_chosen_rows_weigh_as_much_as_all(networks: Networks) -> None:
    """The mean weight of a decision over the draws is 1, or 0 where it teaches nothing."""
    rows = play(networks).decisions
    teaches, number = teaches_policy(rows), np.arange(num_rows(rows), dtype=np.int32)
    rows.samples.iteration[:] = number
    weights, times, grid = np.zeros(len(number)), np.zeros(len(number)), 200
    for draw in (np.arange(grid) + 0.5) / grid:
        chosen = choose_rows(rows, np.full(len(number), draw)).samples
        weights[chosen.iteration] += chosen.policy_weight / grid
        times[chosen.iteration] += 1 / grid
    np.testing.assert_allclose(weights, teaches, atol=0.06)
    assert times.min() == pytest.approx(LEAST_CHANCE) and 0.4 <= times[teaches].mean() < 0.5


def test_praised_moves_become_likelier_and_the_entropy_keeps_the_policy_open(
    networks: Networks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fpmcts.training.learner, "CERTAIN", 1.1)
    monkeypatch.setattr(fpmcts.training.learner, "GRADIENT_VALUE_WEIGHT", 0.0)
    lost = {}
    for weight in (1.0, 0.0):
        learner, rows = learner_and_rows(networks)
        sign = np.where(np.arange(num_rows(rows)) % 2 == 0, 1.0, -1.0).astype(np.float32)
        praised = weighed(rows)._replace(advantage=sign)
        settings = GradientSettings(entropy=weight)
        statistics = {name: b.clone() for name, b in learner.net.named_buffers()}
        first, *_, last = [learner.gradient_step(praised, settings, 1e-2) for _ in range(20)]
        # Ratios are 1 before the first step.
        assert first["surrogate"] == pytest.approx(-sign.mean(), abs=0.05)
        assert all(torch.equal(b, statistics[name]) for name, b in learner.net.named_buffers())
        lost[weight] = first["entropy"] - last["entropy"]
    assert last["surrogate"] < first["surrogate"] - 0.05 and last["step_kl"] > 1e-3
    assert lost[1.0] < 0.5 * lost[0.0]


def test_random_moves_do_not_teach_the_policy(
    networks: Networks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fpmcts.training.learner, "CERTAIN", 1.1)
    rows = play(networks, exploration=0.3).decisions
    assert 0.2 < rows.explored.mean() < 0.4
    learner, _ = learner_and_rows(networks)
    mine = take(rows, np.flatnonzero(seats_to_move(GAME, rows.samples.states) == 0))
    wild = mine._replace(advantage=np.where(mine.explored, np.float32(1e6), np.float32(1.0)))
    assert abs(learner.gradient_step(weighed(wild), GradientSettings(), 1e-3)["surrogate"]) < 2.0


def test_certain_decisions_teach_the_value_alone(
    networks: Networks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fpmcts.training.learner, "CERTAIN", 1e-6)
    learner, rows = learner_and_rows(networks)
    rows = weighed(rows)
    parts = learner.gradient_step(rows, GradientSettings(), 1e-3)  # all of them are certain
    assert parts["surrogate"] == parts["step_kl"] == parts["clipped"] == 0.0
    again = learner.gradient_step(rows, GradientSettings(), 1e-3)
    assert again["value"] < parts["value"]
