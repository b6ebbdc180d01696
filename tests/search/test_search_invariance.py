"""What must not change the result of a search, and what several slots per tree may change."""

import numpy as np
import pytest

from fpmcts.search.result import SearchResult
from fpmcts.search.tree import make_policy_cache
from games.kernels import streams
from networks.resnet import Outputs
from tests.search.searching import make_search, run, search, settings, tree_of, worlds
from tests.search.test_search_oracle import positions, random_game
from tests.search.toy_game import End, Move, Tables, ToyGame, make_rules

TARGETS = pytest.mark.parametrize("target", ["visits", "advantages"])
SLOTS = pytest.mark.parametrize("slots", [1, 3])


def assert_equal(result: SearchResult, expected: SearchResult) -> None:
    """Compares bit by bit."""
    for name in SearchResult._fields:
        np.testing.assert_array_equal(getattr(result, name), getattr(expected, name), err_msg=name)


def row(result: SearchResult, k: int) -> SearchResult:
    """Returns one position, without the padding that wider positions beside it bring."""
    n = int(result.num_legal[k])
    return SearchResult(*(f[k : k + 1] if f.ndim == 1 else f[k : k + 1, :n] for f in result))


@TARGETS
@pytest.mark.parametrize("room", [(100, 0), (100, 5), (4, 1000)])
def test_the_policy_cache_changes_nothing(target: str, room: tuple[int, int]) -> None:
    """A stored policy draws one number and gives the same move as a fresh one. Room for no
    probability, for five, for four policies, for all.
    """
    for seed in range(4):
        game, tables = random_game(seed)
        given, here = settings(target, 60), positions(game)
        expected, _ = search(game, tables, given, here)
        calls = len(tables.calls)
        searcher = make_search(game, tables, given, len(here))
        searcher._forest = searcher._forest._replace(cache=make_policy_cache(len(here), *room))
        assert_equal(run(searcher, game, here), expected)
        assert len(tables.calls) - calls > calls


def test_seats_with_equal_keys_keep_their_policies() -> None:
    """``infoset_key`` tells apart what one seat knows; here seats 1 and 2 share their keys.

    Seat 1 moves after move 0 and pays, seat 2 after move 1 and takes, whatever they hold.
    """
    answers = [Move(seat, [End(1.0), End(-1.0)]) for seat in (1, 2)]
    rules = make_rules(Move(0, answers), 4, 2)
    first, second = rules.child[0]
    rules.seen[second, 2] = rules.seen[first, 1]
    game = ToyGame(rules)

    class Roles(Tables):
        def evaluate(self, observations: np.ndarray, seats: np.ndarray) -> Outputs[np.ndarray]:
            outputs = super().evaluate(observations, seats)
            chosen = np.maximum(seats - 1, 0)[:, None] == np.arange(outputs.policy.shape[1])
            return outputs._replace(policy=np.where(chosen, 99.0, 0.0).astype(np.float32))

    result, _ = search(game, Roles(game), settings("advantages", 60), [(0, 0)])
    assert result.q[0].tolist() == [1.0, -1.0]


@TARGETS
@SLOTS
def test_batches_of_any_size_give_the_same(target: str, slots: int) -> None:
    game, tables = random_game(1)
    given, here = settings(target, 40, slots=slots), positions(game)
    n = len(here)
    expected, _ = search(game, tables, given, here)
    for max_positions in (1, 3, n + 5):
        searcher, rows = make_search(game, tables, given, max_positions), worlds(game, here)
        assert_equal(searcher.run(rows, streams(0, n), np.arange(n)), expected)
        for field, old in zip(rows, worlds(game, here), strict=True):  # they are not changed
            np.testing.assert_array_equal(field, old)
    searcher = make_search(game, tables, given)
    for k in range(n):  # alone, in a search that has been used before
        alone = searcher.run(worlds(game, [here[k]]), streams(0, n), np.array([k]))
        assert_equal(alone, row(expected, k))


@TARGETS
def test_a_position_draws_from_its_lane_alone(target: str) -> None:
    game, tables = random_game(2)
    here = positions(game)
    n = len(here)
    expected, _ = search(game, tables, settings(target), here)
    lanes = np.arange(n)[::-1] * 2 + 1
    rng = streams(5, 2 * n)
    rng[lanes] = streams(0, n)
    before = rng.copy()
    searcher = make_search(game, tables, settings(target), n)
    assert_equal(searcher.run(worlds(game, here), rng, lanes), expected)
    changed = rng != before
    assert changed[lanes].all()
    assert not changed[0::2].any()
    again = searcher.run(worlds(game, here), rng, lanes)
    assert not np.array_equal(again.q, expected.q, equal_nan=True)  # the streams have moved on


def without_seat_2() -> tuple[ToyGame, Tables]:
    """Returns a random network and a game in which seat 2 never chooses and its card pays
    nothing.
    """

    def later(height: int, seat: int) -> Move | End:
        if height == 0:
            return End(lambda a, b, c: float(a > b) - 0.5)
        if seat == 2:
            return Move(2, [later(height - 1, 0)])
        return Move(
            seat,
            [
                later(height - 1, seat + 1),
                End(lambda a, b, c: 0.25 * b),
                later(height - 1, seat + 1),
            ],
        )

    game = ToyGame(make_rules(later(7, 0), 4, 3))
    return game, Tables(game, 8)


@TARGETS
@SLOTS
def test_cards_that_do_not_matter_can_be_swapped(target: str, slots: int) -> None:
    game, tables = without_seat_2()
    rows = worlds(game, [(0, 2)])

    def found() -> SearchResult:
        searcher = make_search(game, tables, settings(target, slots=slots))
        return searcher.run(rows, streams(0, 1), np.arange(1))

    first = found()
    rows.cards[:, 2] = [c for held in rows.cards.tolist() for c in range(4) if c not in held]
    assert_equal(found(), first)
    rows.cards[:, 1] = rows.cards[::-1, 1].copy()  # seat 1's card does matter
    assert not np.array_equal(found().q, first.q)


@TARGETS
@pytest.mark.parametrize("slots", [1, 2, 5, 100])
def test_every_simulation_comes_back(target: str, slots: int) -> None:
    for seed in range(4):
        game, tables = random_game(seed)
        here = positions(game)
        result, searcher = search(game, tables, settings(target, 47, slots=slots), here)
        assert (result.visits.sum(1) == 47).all()
        tree = searcher._forest.tree
        np.testing.assert_array_equal(tree.visits, tree.returns)
        for t in range(len(here)):
            for u in tree_of(searcher, t, game).values():
                if u.edges:
                    assert u.visits == 1 + sum(e.visits for e in u.edges.values())


def tree_of_depth(height: int) -> Move | End:
    return (
        End(1.0)
        if height == 0
        else Move(0, [tree_of_depth(height - 1), Move(1, [Move(2, [End(0.25)])]), End(-0.5)])
    )


@pytest.mark.parametrize("slots", [2, 7])
def test_slots_give_the_exact_values_where_nothing_is_random(slots: int) -> None:
    """Moves 1 and 2 always pay 0.25 and -0.5; the paths below move 0 pay what the network says they
    do.
    """
    game = ToyGame(make_rules(tree_of_depth(4), 4, 3))
    tables = Tables(game)
    tables.value[:] = 1.0
    result, searcher = search(game, tables, settings(playouts=200, slots=slots), [(0, 1)])
    assert result.visits.sum() == 200
    assert result.q[0, 1:].tolist() == [0.25, -0.5]
    nodes = tree_of(searcher, 0, game)
    for node, u in nodes.items():
        if node:
            for action, pays in ((1, 0.25), (2, -0.5)):
                assert set(u.edges[action].returns) <= {pays}
    # The visits of a move go into its child: once when it is added, once for each one that found it
    # in flight, the rest on.
    child = nodes[int(game.rules.child[0, 0])]
    passed = [value for e in child.edges.values() for value in e.returns]
    first = (result.visits[0, 0] - len(passed)) * 1.0
    assert result.q[0, 0] == pytest.approx((first + sum(passed)) / result.visits[0, 0], rel=1e-6)


@TARGETS
def test_the_scale_of_returns_changes_nothing(target: str) -> None:
    """All that a game pays, and networks expect, times 8, and the unit times 8: the same search."""
    game, tables = random_game(2)
    here = positions(game)
    expected, _ = search(game, tables, settings(target, 40, c=0.5), here)
    game.rules = game.rules._replace(payoff=8 * game.rules.payoff)
    tables.value *= 8
    found, _ = search(game, tables, settings(target, 40, c=0.5, unit=8.0), here)
    for name in ("visits", "target", "choice"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), err_msg=name)
    np.testing.assert_allclose(found.value, 8 * expected.value)
