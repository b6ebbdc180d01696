"""Trees worked out by hand."""

from dataclasses import replace

import numpy as np
import pytest

from tests.search.searching import search, settings, tree_of
from tests.search.toy_game import End, Move, Tables, ToyGame, make_rules


def toy(start: Move, num_actions: int = 3) -> tuple[ToyGame, Tables]:
    """Returns a game of four cards and a network that says 0 and uniform."""
    game = ToyGame(make_rules(start, 4, num_actions))
    return game, Tables(game)


def bandit(seat: int = 0) -> tuple[ToyGame, Tables]:
    """Returns a root where every move ends the game: it pays -1, 0 and 1 to the team to move."""
    sign = 1 if seat == 0 else -1
    game, tables = toy(Move(seat, [End(1.0 * sign), End(0.0), End(-1.0 * sign)]))
    tables.set_probabilities(0, [0.2, 0.3, 0.5])
    return game, tables


@pytest.mark.parametrize("seat", range(3))
def test_bandit_by_puct(seat: int) -> None:
    """c = 2, v(root) = 0; the scores Q + 2 π √N(u) / (1 + N(a)) of moves 0, 1, 2:

    N(u) 1:  .4   .6   1.0*    2:  .57  .85* -.29    3:  .69* .52  -.13
    N(u) 4: 1.4*  .6   0       5: 1.30* .67  .12    6: 1.24* .73  .22    7: 1.21* .79  .32    8:
    1.19* .85  .41
    """
    game, tables = bandit(seat)
    orders = []
    for playouts in range(1, 9):
        result, searcher = search(game, tables, settings(playouts=playouts), [(0, 1)])
        orders.append(result.visits[0].tolist())
    assert orders == [
        [0, 0, 1],
        [0, 1, 1],
        [1, 1, 1],
        [2, 1, 1],
        [3, 1, 1],
        [4, 1, 1],
        [5, 1, 1],
        [6, 1, 1],
    ]
    assert result.actions[0].tolist() == [0, 1, 2]
    assert result.num_legal.tolist() == [3]
    assert result.q[0].tolist() == [1.0, 0.0, -1.0]
    assert result.target[0].tolist() == [0.75, 0.125, 0.125]
    np.testing.assert_allclose(result.prior[0], [0.2, 0.3, 0.5], rtol=1e-6)
    assert result.value.tolist() == [0.625]
    assert result.choice.tolist() == [0]
    assert tree_of(searcher, 0, game)[0].visits == 9
    assert searcher.counters.evaluations == 1  # the root; the end of the game needs no network


def test_the_first_move_may_be_drawn_from_the_policy() -> None:
    """Algorithm 1, line 23; p-UCT would always begin with move 2."""
    game, tables = bandit()
    given = settings(playouts=1, draw_first=True)
    first = [
        int(search(game, tables, given, [(0, 1)], seed=seed)[0].visits[0].argmax())
        for seed in range(40)
    ]
    np.testing.assert_allclose(np.bincount(first) / 40, [0.2, 0.3, 0.5], atol=0.2)


def test_bandit_by_advantages() -> None:
    """The root tries every move though the prior has given one up, and the policy is the prior
    shifted by the advantages.

    Returns have no spread within a move: σ² = 0.25 / (freedom + 1).
    """
    game, tables = toy(Move(0, [End(-1.0), End(1.0), End(0.5), End(0.0)]), num_actions=4)
    tables.set_probabilities(0, [0.5, 0.0, 0.25, 0.25])
    given = settings("advantages", 16, uniform=1.0, c=1e6, signal=0.5, strength=2.0)
    result, _ = search(game, tables, given, [(0, 0)])
    assert result.visits[0].tolist() == [4, 4, 4, 4]  # c outweighs Q
    # V = -1 / 2 + 1 / 8 + 0, the noise is 0.25 / (12 + 1) / 4, and τ² = 1/4.
    advantages = (np.array([-1.0, 1.0, 0.5, 0.0]) + 0.375) * 0.25 / (0.25 + 0.25 / 52)
    weights = np.array([0.5, 1e-9, 0.25, 0.25]) * np.exp(2.0 * advantages)
    np.testing.assert_allclose(result.target[0], weights / weights.sum(), rtol=1e-4)
    np.testing.assert_allclose(
        result.value[0], (weights * [-1.0, 1.0, 0.5, 0.0]).sum() / weights.sum(), rtol=1e-4
    )
    assert result.choice.tolist() == [2]
    result, _ = search(game, tables, replace(given, prior_floor=1.0, strength=9.0), [(0, 0)])
    assert result.choice.tolist() == [1]


def two_levels() -> tuple[ToyGame, Tables]:
    """Returns a game in which seats 1 and 2 answer move 0 of the root before seat 0 moves again, at
    twice the stake.

    0 ─0─▶ 1 (seat 1) ─0─▶ 2 (seat 2, forced) ─▶ 3 (seat 0) ─▶ 4, 5
    │                 └─1─▶ 6 (seat 2, forced) ─▶ 7 (seat 0) ─0─▶ 8 pays -2, ─1─▶ 9 pays 2
    └──1─▶ 10 pays 1
    """
    left = Move(2, [Move(0, [End(0.0), End(0.0)], stake=2.0)])
    right = Move(2, [Move(0, [End(-2.0, 2.0), End(2.0, 2.0)], stake=2.0)], stake=2.0)
    game, tables = toy(Move(0, [Move(1, [left, right]), End(1.0)]))
    tables.set_probabilities(0, [0.75, 0.25])
    tables.set_probabilities(1, [0.0, 1.0])
    tables.value[7] = 0.25
    return game, tables


def test_two_levels_are_expanded_at_once() -> None:
    """c = 2; scores of moves 0, 1 of the root:

    N(u) 1: 1.5*  0.5            seat 1 plays 1, seat 2 is forced, leaf 7: 0.25 · stake 2 = 0.5
    N(u) 2: 0.5 + 1.06*   0.71   at 7 both moves are worth 0.5 and tie: the first, which pays -2; so
    Q(0) = (0.5 - 2) / 2 N(u) 3: -0.75 + 0.87  0.87*  the game ends with 1
    N(u) 4: -0.75 + 1.00  1 + 0.5*
    """
    game, tables = two_levels()
    result, searcher = search(game, tables, settings(playouts=4), [(0, 2)])
    assert tables.calls == [(0, 2, 0), (1, 0, 1), (7, 2, 0)]
    assert result.visits[0].tolist() == [2, 2]
    assert result.q[0].tolist() == [-0.75, 1.0]
    assert result.target[0].tolist() == [0.5, 0.5]
    assert result.value.tolist() == [0.125]
    tree = tree_of(searcher, 0, game)
    assert set(tree) == {0, 7}  # neither the others' nodes nor forced ones
    assert [tree[0].visits, tree[7].visits] == [5, 2]
    assert tree[7].value == 0.5
    assert {a: (e.visits, e.returns) for a, e in tree[7].edges.items()} == {
        0: (1, [-2.0]),
        1: (0, []),
    }


def test_a_policy_is_asked_for_once_per_information_set() -> None:
    game, tables = two_levels()
    search(game, tables, settings(playouts=200), [(0, 2)])
    others = [card for _, card, seat in tables.calls if seat == 1]
    assert others == [0, 1, 3]  # in the order of the worlds, of which each card has two
    assert [call for call in tables.calls if call[2] == 0] == [(0, 2, 0), (7, 2, 0)]


def solved(pays: float) -> tuple[ToyGame, Tables]:
    """Returns a game with a node (2) that seat 0 wins for sure with card 3: move 1, a forced
    answer, move 0; it pays ``pays``.
    """
    last = Move(0, [End(pays, abs(pays)), End(-pays, abs(pays))], stake=2.0, sure={3: 0})
    middle = Move(0, [End(-1.0), Move(1, [Move(2, [last], stake=2.0)], stake=2.0)], sure={3: 1})
    return toy(Move(0, [Move(1, [middle]), End(0.0)]))


@pytest.mark.parametrize(("win_only", "value"), [(False, 4.0), (True, 1.0)])
def test_a_sure_win_is_never_searched(win_only: bool, value: float) -> None:
    """Its value is what it pays when it is played out: here the stake doubles twice on the way."""
    game, tables = solved(4.0)
    result, searcher = search(game, tables, settings(playouts=10), [(0, 3)], win_only=win_only)
    tree = tree_of(searcher, 0, game)
    assert set(tree) == {0, 2}
    assert tree[2].value == value
    assert tree[2].edges == {}
    assert tree[2].visits == result.visits[0, 0]
    assert result.q[0, 0] == value
    assert tables.calls == [(0, 3, 0)]


def test_a_sure_win_that_loses_the_thread_counts_the_stake() -> None:
    game, tables = solved(4.0)
    game.rules.sure[6] = -1
    _, searcher = search(game, tables, settings(playouts=2), [(0, 3)])
    assert tree_of(searcher, 0, game)[2].value == 2.0


@pytest.mark.parametrize("slots", [1, 4])
def test_moves_are_compared_on_the_same_worlds_and_random_numbers(slots: int) -> None:
    """Both moves lead to the same random subgame; with as many visits they have the very same mean
    return.
    """

    def subgame() -> Move:
        ends = [End(lambda a, b, c: 1.0 * b - c), End(lambda a, b, c: 2.0 * c), End(-3.0)]
        return Move(1, [Move(2, ends), Move(2, ends[::-1])])

    game, tables = toy(Move(0, [subgame(), subgame()]))
    result, _ = search(
        game,
        tables,
        settings("advantages", 40, uniform=1.0, c=1e6, slots=slots),
        [(0, c) for c in range(4)],
    )
    assert (result.visits == 20).all()
    np.testing.assert_array_equal(result.q[:, 0], result.q[:, 1])
    assert len(np.unique(result.q)) == 4
