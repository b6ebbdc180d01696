"""Neural fictitious self-play: transitions, targets, best responses, whole runs, and what is
refused.
"""

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from fpmcts.evaluation.duplicate import evaluation_decks
from fpmcts.nfsp.games import Transitions, draw_seats, next_decisions, play
from fpmcts.nfsp.trainer import NFSP, NFSPConfig
from fpmcts.players.lookup import Entrant, Host, PlayerError
from fpmcts.players.policy import PolicyOptions
from fpmcts.players.search_agent import FPMCTSOptions
from fpmcts.progress import silent
from fpmcts.training.run import Run
from fpmcts.training.samples import Samples
from games import make
from games.base.settings import ConfigError
from games.kernels import Stream, deal_seeds, streams
from games.kernels.rows import num_rows, take
from games.play.interface import seats_to_move
from tests.games import driver
from tests.training.tiny_run import config, same


def configuration(*overrides: str) -> NFSPConfig:
    return config("algorithm=nfsp", *overrides, base=["game=kuhn"])


def some_games(
    trainer: NFSP, count: int, anticipatory: float, exploration: float = 0.0
) -> tuple[Transitions, Samples]:
    """Plays games by the networks of a trainer."""
    deals = deal_seeds(3, count, Stream.TRAINING, 0)
    responds, explores = (
        draw_seats(3, count, 2, chance, Stream.PLAY, k)
        for k, chance in ((1, anticipatory), (2, exploration))
    )
    q, average = trainer._responses.evaluate, trainer._averages.evaluate
    rng = streams(3, count, Stream.PLAY, 0)
    return play(trainer.game, q, average, deals, responds, explores, rng, 0, 50, lambda over: None)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=30))
@settings(max_examples=100, deadline=None)
def test_next_decisions(pairs: list[tuple[int, int]]) -> None:
    pairs = sorted(pairs, key=lambda pair: pair[0])
    owner = np.array([pair[0] for pair in pairs], np.int64)
    seats = np.array([pair[1] for pair in pairs], np.int64)
    for k, after in enumerate(next_decisions(owner, seats)):
        assert after == next((j for j in range(k + 1, len(pairs)) if pairs[j] == pairs[k]), -1)


def test_transitions_are_those_of_the_games() -> None:
    trainer = NFSP(configuration("game=leduc"))
    told, responses = some_games(trainer, 300, 0.3)
    movers = seats_to_move(trainer.game, told.states)
    assert (seats_to_move(trainer.game, told.following) == movers).all()
    last = told.is_last
    for before, after in zip(take(told.states, last), take(told.following, last), strict=True):
        np.testing.assert_array_equal(before, after)
    # A game has one last decision of each seat that decided; the two results of a game are
    # opposite.
    assert 300 <= last.sum() <= 600
    assert abs(told.result).max() <= 1 and abs(told.result).max() > 0
    # The seats that answered are those that were drawn, and what they played is what they learn
    # from.
    assert 0.2 < num_rows(responses) / num_rows(told) < 0.4
    np.testing.assert_array_equal(responses.target[:, 0], 1)


def test_random_players_teach_their_own_q_alone() -> None:
    trainer = NFSP(configuration("game=leduc"))
    everybody, nobody = some_games(trainer, 100, 1.0, 1.0), some_games(trainer, 100, 1.0)
    assert not num_rows(everybody[0]) and not num_rows(everybody[1])
    assert num_rows(nobody[0]) == num_rows(nobody[1])
    transitions, responses = some_games(trainer, 300, 1.0, 0.3)
    whole, told = num_rows(some_games(trainer, 300, 1.0)[0]), num_rows(transitions)
    assert 0.5 * whole < told < 0.9 * whole  # those of games in which the other seat was not random
    assert num_rows(responses) < told


def test_a_game_depends_neither_on_the_others_nor_on_their_number() -> None:
    trainer = NFSP(configuration("game=leduc"))
    many, few = (some_games(trainer, count, 0.3)[0] for count in (40, 10))
    count = num_rows(few)
    np.testing.assert_array_equal(many.actions[:count], few.actions)


def test_targets_against_a_loop() -> None:
    """At the last decision the result; else the largest value of a legal move at the next one, by
    the target network.
    """
    trainer = NFSP(configuration("game=leduc"))
    learner, game = trainer.q_learners[0], trainer.game
    for part, own in zip(learner.target, learner.layers.parts, strict=True):
        own[...] = part[...] = np.random.default_rng(0).normal(scale=0.3, size=part.shape)
    net = trainer.q.distinct()[0]
    learner.layers.publish(net)
    told = some_games(trainer, 60, 0.3)[0]
    rows = take(told, np.flatnonzero(seats_to_move(game, told.states) == 0))
    found = learner.targets(rows, trainer.q_learners)
    decided = 0
    for k in range(num_rows(rows)):
        if rows.is_last[k]:
            assert found[k] == rows.result[k]
            continue
        decided += 1
        seat = int(seats_to_move(game, rows.following)[k])
        seen = np.empty((1, *game.spec.observation_shape), np.int8)
        driver.observe(game.rules, rows.following, k, seat, seen[0])
        with torch.no_grad():
            outputs = net(torch.from_numpy(seen)).policy[0].numpy()
        moves = driver.legal_actions(game, rows.following, k)
        values = [
            sum(outputs[place] for place in game.decoder[action] if place >= 0) for action in moves
        ]
        assert found[k] == pytest.approx(max(values), abs=1e-5)
    assert decided > 10


def test_targets_are_those_of_the_next_role() -> None:
    """As after an auction; here the next decision is another seat's."""
    trainer = NFSP(configuration("game=leduc"))
    first, second = trainer.q_learners
    second.target[-1][:] = 3.0, -1.0, 2.0
    played = some_games(trainer, 60, 0.3)[0]
    movers = seats_to_move(trainer.game, played.states)
    others = take(played, np.flatnonzero((movers == 1) & ~played.is_last))
    assert num_rows(others)
    targets = [learner.targets(others, trainer.q_learners) for learner in (first, second)]
    np.testing.assert_array_equal(*targets)


@pytest.mark.slow
def test_a_short_run_comes_closer_to_an_equilibrium() -> None:
    trainer = NFSP(
        configuration("algorithm.games=512", "evaluation.exact_every=20", "evaluation.decks=50")
    )
    scalars = [trainer.step(silent) for _ in range(20)][-1].scalars
    assert scalars["nash_conv/average_policy"] < 0.75  # uniform: 11/12
    assert "policy_against_random/mbb_per_hand_all" in scalars


def test_matches_are_played_where_nash_conv_is_not_computed() -> None:
    keys = ["algorithm.games=8", "evaluation.exact_every=0", "evaluation.decks=2"]
    trainer = NFSP(configuration(*keys))
    scalars = [trainer.step(silent) for _ in range(10)][-1].scalars
    assert "policy_against_random/mbb_per_hand_all" in scalars
    assert "nash_conv/average_policy" not in scalars


def test_matches_are_those_of_the_present_weights() -> None:
    trainer = NFSP(configuration("algorithm.games=8"))
    decks = evaluation_decks(trainer.game, 0, 100)
    for net in trainer.average.distinct():
        torch.nn.init.normal_(net.planes.bias, std=5.0)
        torch.nn.init.normal_(net.globals.bias, std=5.0)
    found = trainer._match(decks, False, silent).returns
    trainer._averages.refresh(trainer.average)
    np.testing.assert_array_equal(found, trainer._match(decks, False, silent).returns)


def test_resumed_equals_uninterrupted_and_its_average_plays(tmp_path: Path) -> None:
    keys = ["algorithm.games=64", "algorithm.batch_size=16", "algorithm.target_steps=5"]
    keys += ["algorithm.memory=300", "algorithm.reservoir=40"]
    states = []
    for name, budgets in (("whole", (384,)), ("run", (192, 384))):
        for episodes in budgets:
            run = Run.of(
                configuration(*keys, f"run_dir={tmp_path / name}", f"budget.episodes={episodes}")
            )
            assert list(run)
        states.append(run.algorithm.state())
    same(*(state.arrays for state in states))
    game = make("kuhn")
    path = str(tmp_path / "run")
    players = {
        "policy": Entrant(PolicyOptions(checkpoint=path), "average"),
        "fpmcts": Entrant(FPMCTSOptions(checkpoint=path), "search"),
    }
    maker = Host(game, players)
    assert maker.make("policy").name == "average"
    with pytest.raises(PlayerError, match="no search"):
        maker.make("fpmcts")


@pytest.mark.parametrize(
    "key",
    [
        *("network.shared=true", "network.dense=false", "network.blocks=1", "device=cuda"),
        *("search.playouts=3", "evaluation.baseline=always_call"),
    ],
)
def test_bad_keys_are_named(key: str) -> None:
    with pytest.raises(ConfigError, match=f"{key}.*algorithm=nfsp"):
        configuration(key)
