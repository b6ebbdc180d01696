"""The environments of PettingZoo: its own tests, and what a seat gets to see."""

import numpy as np
import pytest

pytest.importorskip(
    "pettingzoo", reason="the extra interop is not installed: pip install 'fpmcts[interop]'"
)

from pettingzoo.test import api_test, seed_test

from fpmcts.adapters.pettingzoo_env import env
from games import GAMES
from games.kernels import kernel
from games.kernels.rows import Rules, States
from games.play.observer import Observer
from games.play.table import IllegalMove

OTHERS = [*sorted(set(GAMES) - {"kuhn", "goofspiel"}), "examples.sealed_bids"]


@pytest.mark.parametrize(
    "game", ["kuhn", "goofspiel", *(pytest.param(game, marks=pytest.mark.slow) for game in OTHERS)]
)
@pytest.mark.filterwarnings("ignore")
def test_its_own_tests_pass(game: str) -> None:
    api_test(env(game), num_cycles=40)
    seed_test(lambda: env(game), num_cycles=40)


@kernel
def own_card(rules: Rules, states: States, i: int, seat: int, out: np.ndarray) -> None:
    out[:] = 0
    out[1, states.cards[i, seat]] = 1


def test_an_observer_of_your_own() -> None:
    table = env("kuhn", observe=Observer(own_card, (2, 3)))
    table.reset(seed=1)
    for seat, name in enumerate(table.possible_agents):
        seen = table.observe(name)["observation"]
        assert table.observation_space(name)["observation"].shape == seen.shape == (2, 3)
        card = "JQK"[int(seen[1].argmax())]
        assert seen.sum() == 1 and table.table.describe(seat)["hand"] == [card]
    assert env("kuhn").game.spec.observation_shape != (2, 3)


def test_a_game_ends_with_the_returns() -> None:
    table = env("leduc", render_mode="ansi")
    table.reset(seed=3)
    totals = dict.fromkeys(table.possible_agents, 0.0)
    for seat in table.agent_iter():
        observation, reward, ended, _, info = table.last()
        totals[seat] += reward
        assert ended == (not info["moves"])
        np.testing.assert_array_equal(np.flatnonzero(observation["action_mask"]), info["moves"])
        table.step(None if ended else info["moves"][-1])
    assert tuple(totals.values()) == table.table.returns
    assert "raise" in table.render()


def test_a_hand_that_is_over_at_once_by_its_blinds() -> None:
    table = env("no_limit_holdem", small_blind=100, stacks=100)
    table.reset(seed=3)
    totals = {}
    for seat in table.agent_iter():
        _, totals[seat], ended, _, info = table.last()
        assert ended and not info["moves"]
        table.step(None)
    assert tuple(totals.values()) == table.table.returns


def test_an_illegal_action_is_refused() -> None:
    table = env("kuhn")
    table.reset(seed=0)
    with pytest.raises(IllegalMove, match="action 7"):
        table.step(7)
    with pytest.raises(ValueError, match="cards: options are for a game given by its name"):
        env(table.game, cards=4)
    with pytest.raises(ValueError, match="render_mode='video'"):
        env("kuhn", render_mode="video")
