"""The search as a whole: values that are known, invariances, and settings."""

from dataclasses import replace

import numpy as np
import pytest

from fpmcts.no_limit_holdem.expected_reward import search
from fpmcts.no_limit_holdem.expected_reward.search import Found
from fpmcts.no_limit_holdem.mcts import MCTSAgent, MCTSOptions
from fpmcts.no_limit_holdem.opponents.model import untrained
from games import make
from games.kernels import streams
from games.kernels.rows import take
from games.no_limit_holdem.state import CALL, FOLD, States
from games.play.question import Limits
from games.play.table import Table
from tests.games.no_limit_holdem.positions import at_table

FAST = MCTSOptions(iterations=3000, checkpoint="untrained")


def player(game, **changes) -> MCTSAgent:
    return MCTSAgent(game, replace(FAST, **changes), untrained())


def found(agent: MCTSAgent, view: States, seed: int = 1) -> Found:
    return agent.search(view, streams(seed, 1), Limits(), agent.counts)


def river(own: str) -> tuple[Table, States]:
    """Returns a table heads-up on the river after calls and checks, and the view of the mover, who
    holds ``own``.
    """
    board, calls = "2c 7d Kh 3s 8c", ["call"] * 6
    table = at_table([own, "5h 4d"], board, *calls, stacks=2000)
    assert table.seat == 0
    return table, table.view(0)


@pytest.mark.parametrize(
    "changes",
    [{}, {"cards": 4}, {"hands": 20}, {"backpropagation": "sample_weighted", "selection": "uct"}],
)
def test_the_best_hand_bets_and_the_worst_one_expects_less(changes: dict) -> None:
    table, nuts = river("Kc Ks")
    agent = player(table.game, **changes)
    strong, weak = found(agent, nuts), found(agent, river("6h 4h")[1])
    assert strong.actions[strong.best()] > CALL
    assert strong.value > 150 > weak.value
    assert strong.iterations == 3000
    assert strong.visits.sum() == 3000


def test_value_of_a_check_on_the_river_is_that_of_all_play() -> None:
    """With a random opponent whose actions reveal nothing: after a call on the river the hand is
    over at once.
    """
    table, view = river("Kc Ks")
    game = table.game
    table.play("call")
    table.play("r500")
    agent = player(game)
    result = found(agent, table.view(0))
    by_action = dict(zip(result.actions.tolist(), result.mean.tolist(), strict=True))
    assert by_action[FOLD] == -100.0
    # A set of kings is beaten by nothing on this board: it wins the 600 chips of the other.
    assert by_action[CALL] == pytest.approx(600.0)
    assert view.shown[0] == 5


def test_a_decision_depends_on_seed_and_view_alone() -> None:
    game = make("no_limit_holdem", players=3, stacks=20000)
    deal = game.deal(np.array([9, 10], np.uint64))
    views = game.view(deal, np.array([2, 2]))
    first, second = take(views, np.array([0])), take(views, np.array([1]))
    agent = player(game)
    before = found(agent, first)
    found(agent, second, seed=8)
    after = found(agent, first)
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))
    agent.start(2, 4)
    both = agent.act(np.arange(2), views, None)
    agent.start(2, 4)
    assert agent.act(np.array([1]), second, None)[0] == both[1]


def test_hidden_cards_change_nothing() -> None:
    game = make("no_limit_holdem", players=3)
    deal = game.deal(np.array([9], np.uint64))
    other = take(deal, np.array([0]))
    other.hole[0, 0], other.hole[0, 1] = deal.hole[0, 1], deal.hole[0, 0]
    tables = [Table(game, deal=state) for state in (deal, other)]
    agent = player(game)
    decisions = [replace(agent.decide(table), seconds=0.0) for table in tables]
    assert decisions[0] == decisions[1]


def test_a_full_tree_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "NODES", 10_000)
    game = make("no_limit_holdem", players=6)
    view = game.view(game.deal(np.array([2], np.uint64)), np.array([2]))
    result = found(player(game, iterations=100_000), view)
    assert 10 < result.iterations < 100_000
    assert result.nodes <= 10_000
