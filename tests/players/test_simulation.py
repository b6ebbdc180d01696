"""Rollouts of poker against exact values, where a game has both; and that hidden cards are not
read.
"""

import numpy as np
import pytest

from fpmcts.players import load_player
from fpmcts.players.luck import before_the_deal, luck_of
from games import make
from games.base.estimate import estimates
from games.play.question import ask
from games.play.table import Table
from games.poker.players.rollouts import of_table

LEDUC = make("leduc")
WORLDS = 4000


@pytest.fixture(scope="module")
def solver():
    """Returns the player of the stored tables: close to an equilibrium, so that playing on by them
    is a best answer to them.
    """
    return load_player("tabular", LEDUC)


@pytest.mark.parametrize("moves", [(), ("raise",), ("call", "raise"), ("call", "call")])
def test_moves_are_worth_what_the_tree_says(solver, moves: tuple[str, ...]) -> None:
    """Within four standard errors (one of eight comparisons fails once in 2,000 seeds), and 0.15
    chips for the floor under the opponent's moves, which blurs its hand."""
    table = Table(LEDUC, seed=11)
    for move in moves:
        table.play(move)
    question = ask(table, 0)
    found = estimates(solver.simulate(question, WORLDS)[0])
    exact = solver.exact.at(question.view.cards[0], int(question.view.node[0]))
    played = (
        exact.policy > 0.05
    )  # after moves that the tables do not make, they need not play on well
    assert played.any()
    floor = 0.15 if moves else 0.0
    for one, value in zip(np.array(found)[played], exact.values[played], strict=True):
        assert abs(one.mean - value) < 4.0 * one.error + floor


def test_the_opponent_s_cards_are_not_read(solver) -> None:
    table = Table(LEDUC, seed=11)
    deal = table.deal
    deal.cards[0, 1] = next(card for card in range(6) if card not in deal.cards[0])
    one, two = (solver.simulate(ask(each, 0), 50) for each in (table, Table(LEDUC, deal=deal)))
    np.testing.assert_array_equal(one[0], two[0])
    assert sum(p[1] for p in one[1].probabilities[0]) == pytest.approx(1.0)


@pytest.mark.parametrize("seed", [0, 3])
def test_luck_by_rollouts_is_that_of_the_tree(solver, seed: int) -> None:
    table = Table(LEDUC, seed=seed)
    while not table.is_over:
        table.play("call")
    exact = solver.luck(table, 0, 0)
    before = before_the_deal(LEDUC, solver, WORLDS, win_only=False)
    drawn = of_table(table, WORLDS, np.random.default_rng(1))
    found = luck_of(LEDUC, solver, table, before, *drawn, 1, win_only=False)
    assert found.result == exact.result and found.play_outs == WORLDS and exact.play_outs == 0
    for name in ("start", "deal", "later", "moved"):
        error = np.array(getattr(found, f"{name}_error"))
        assert (np.abs(np.array(getattr(found, name)) - getattr(exact, name)) <= 4.0 * error).all()
        assert (0.0 < error).all() and (error < 0.3).all()
