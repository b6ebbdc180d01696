"""The rules at the root: the schedule's properties, the formulas against numpy, and limits worked
out by hand.
"""

import math

import numpy as np
import pytest

from fpmcts.roots.gumbel import Gumbel, halving_schedule, improved_policy, select, shrunk_advantages
from fpmcts.roots.puct import PUCT, visit_shares
from fpmcts.tree import Tree, add_node, make_tree
from tests.fpmcts.oracle import considered_visits


def root(priors: list[float], returns: list[list[float]], value: float = 0.0, t: int = 1) -> Tree:
    """Returns trees whose tree ``t`` has a root with the given returns of each move."""
    n = len(priors)
    tree = make_tree(2, 1, n)
    add_node(
        tree, t, np.uint64(1), value, np.arange(n, dtype=np.int16), np.array(priors, np.float32), n
    )
    for k, values in enumerate(returns):
        tree.visits[t, k] = tree.returns[t, k] = len(values)
        tree.total[t, k] = sum(values)
        tree.squares[t, k] = sum(v * v for v in values)
    return tree


def rule(strength: float, signal: float, floor: float, wanted: int = 0) -> Gumbel:
    """Returns the rule that tries the moves with so many visits."""
    return Gumbel(strength, signal, floor, 1.0, np.full((9, 1), wanted, np.int32))


def random_root(seed: int) -> tuple[Tree, np.ndarray, list[np.ndarray]]:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    priors = rng.dirichlet(np.ones(n)).astype(np.float32)
    returns = [rng.normal(rng.normal(), 0.8, rng.integers(0, 6)) for _ in range(n)]
    return root(priors.tolist(), [r.tolist() for r in returns], value=0.125), priors, returns


# ------------------------------------------------------------ halving_schedule


@pytest.mark.parametrize("num_simulations", [1, 2, 7, 16, 32, 100])
@pytest.mark.parametrize("m", [1, 2, 3, 4, 5, 8, 16])
def test_schedule(m: int, num_simulations: int) -> None:
    """Plays the schedule out: it is never short of a move, spends every simulation, and halves who
    is left.
    """
    sequence = halving_schedule(16, num_simulations)[m]
    assert len(sequence) == num_simulations
    assert sequence.tolist() == considered_visits(m, num_simulations)
    visits = [0] * m
    for wanted in sequence:
        visits[visits.index(wanted)] += 1  # raises if no move has as many visits
    assert sum(visits) == num_simulations
    assert visits == sorted(visits, reverse=True)


def test_schedule_by_hand() -> None:
    """8 moves, 32 simulations, 3 phases of ten or so: 1 each of 8, 2 each of 4, 5 each of 2, and
    what is left over to the 2.
    """
    sequence = halving_schedule(8, 32)[8].tolist()
    assert sequence[:16] == [0] * 8 + [1] * 4 + [2] * 4
    assert sequence[16:] == [3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10]


# ------------------------------------------------------------ shrunk_advantages


@pytest.mark.parametrize("seed", range(20))
def test_advantages_against_numpy(seed: int) -> None:
    tree, priors, returns = random_root(seed)
    out = np.full(len(priors) + 1, 7.0)
    baseline = shrunk_advantages(tree, 1, 0.3, out)
    counts = np.array([len(r) for r in returns])
    seen = counts > 0
    q = np.array([r.mean() if len(r) else 0.0 for r in returns])
    expected = np.average(q[seen], weights=priors[seen]) if seen.any() else 0.125
    freedom = (counts[seen] - 1).sum()
    noise = (sum(((r - r.mean()) ** 2).sum() for r in returns if len(r)) + 0.25) / (freedom + 1)
    shrunk = np.where(seen, (q - expected) * 0.09 / (0.09 + noise / np.maximum(counts, 1)), 0.0)
    assert baseline == pytest.approx(expected)
    np.testing.assert_allclose(out[:-1], shrunk, atol=1e-12)
    assert out[-1] == 7.0


def test_advantages_without_a_return_are_0() -> None:
    out = np.ones(2)
    assert shrunk_advantages(root([0.5, 0.5], [[], []], value=0.75), 1, 0.3, out) == 0.75
    assert out.tolist() == [0.0, 0.0]


def test_advantages_by_hand() -> None:
    """Q = 1 and 0, V = 1/2, σ² = (2 + 0.25) / (2 + 1) = 3/4, τ² = 1/4: factors 1/4 / (1/4 + 3/4 /
    n), n = 1 and 3.
    """
    out = np.empty(2)
    tree = root([0.5, 0.5], [[1.0], [-1.0, 0.0, 1.0]])
    assert shrunk_advantages(tree, 1, 0.5, out) == 0.5
    np.testing.assert_allclose(out, [0.5 / 4, -0.5 / 2])


def test_advantages_of_many_returns_are_not_shrunk() -> None:
    out = np.empty(2)
    tree = root([0.5, 0.5], [[1.0, 0.0] * 50_000, [0.25, -0.25] * 50_000])
    shrunk_advantages(tree, 1, 0.5, out)
    np.testing.assert_allclose(out, [0.25, -0.25], rtol=1e-4)


# ------------------------------------------------------------ policies


@pytest.mark.parametrize("floor", [1e-9, 0.01])
@pytest.mark.parametrize("seed", range(20))
def test_improved_policy_against_numpy(seed: int, floor: float) -> None:
    tree, priors, returns = random_root(seed)
    n = len(priors)
    out, advantages = np.full(n + 1, 7.0), np.empty(n)
    baseline = improved_policy(rule(6.0, 0.3, floor), tree, 1, out)
    assert baseline == shrunk_advantages(tree, 1, 0.3, advantages)
    weights = (priors + floor * np.array([r.size > 0 for r in returns])) * np.exp(6.0 * advantages)
    np.testing.assert_allclose(out[:n], weights / weights.sum(), rtol=1e-6)
    assert out[:n].sum() == pytest.approx(1.0, abs=1e-12)
    assert out[n] == 7.0


def test_improved_policy_is_the_prior_where_nothing_is_known() -> None:
    priors, out = [0.1, 0.2, 0.7], np.empty(3)
    for returns in ([[], [], []], [[0.5], [0.5], [0.5, 0.5]]):
        improved_policy(rule(8.0, 0.15, 1e-9), root(priors, returns), 1, out)
        np.testing.assert_allclose(out, priors, rtol=1e-6)


def test_improved_policy_bears_extremes() -> None:
    """Priors of 0 and returns of a thousand points: finite, sums to 1."""
    out = np.empty(3)
    improved_policy(
        rule(8.0, 0.15, 1e-9), root([0.0, 1.0, 0.0], [[1000.0] * 9, [-1000.0], []]), 1, out
    )
    assert np.isfinite(out).all()
    assert out.sum() == pytest.approx(1.0)
    assert out.argmax() == 0


def test_a_move_that_was_given_up_wins_from_the_floor() -> None:
    """Q = 1 and -1, V = -1: a prior of 1e-8 outweighs an advantage of 2 · 4 logits, a floor of
    0.01, 4.6 logits down, not.
    """
    tree, out = root([1.0, 1e-8], [[-1.0] * 9, [1.0] * 9]), np.empty(2)
    improved_policy(rule(4.0, 10.0, 1e-9), tree, 1, out)
    assert out[0] > 0.99
    improved_policy(rule(4.0, 10.0, 0.01), tree, 1, out)
    assert out[1] > 0.9


def test_visit_shares() -> None:
    out = np.full(4, 7.0)
    visit_shares(PUCT(2.0), root([0.2, 0.3, 0.5], [[1.0] * 3, [], [0.0]]), 1, out)
    assert out.tolist() == [0.75, 0.0, 0.25, 7.0]
    visit_shares(PUCT(2.0), root([0.25, 0.25, 0.5], [[], [], []]), 1, out)
    assert out.tolist() == [0.25, 0.25, 0.5, 7.0]


# ------------------------------------------------------------ select


@pytest.mark.parametrize("seed", range(10))
def test_gumbel_select_against_numpy(seed: int) -> None:
    tree, priors, _ = random_root(seed)
    rng = np.random.default_rng(seed)
    n = len(priors)
    noise, scratch = rng.gumbel(size=n).astype(np.float32), np.empty(n)
    for wanted in set(tree.visits[1].tolist()):
        chosen = select(rule(6.0, 0.3, 0.05, wanted), tree, 1, 0, noise, scratch)
        score = np.where(
            tree.visits[1] == wanted, noise + np.log(priors + 0.05) + 6.0 * scratch, -np.inf
        )
        assert chosen == score.argmax()


def test_gumbel_select_samples_the_prior() -> None:
    """With no visits, argmax(noise + log prior) is a sample of the prior: chi-square of 4 moves,
    4,000 draws.

    χ²(3) > 21.1 in one of 10,000 runs.
    """
    priors, rng = np.array([0.1, 0.2, 0.3, 0.4]), np.random.default_rng(0)
    tree = root(priors.tolist(), [[], [], [], []])
    counts, scratch = np.zeros(4), np.empty(4)
    for noise in rng.gumbel(size=(4000, 4)).astype(np.float32):
        counts[select(rule(8.0, 0.15, 1e-9, 0), tree, 1, 0, noise, scratch)] += 1
    assert ((counts - 4000 * priors) ** 2 / (4000 * priors)).sum() < 21.1


def test_gumbel_select_in_flight_takes_the_most_visited() -> None:
    tree = root([0.5, 0.3, 0.2], [[0.0], [0.0] * 3, [0.0]])
    assert select(rule(8.0, 0.15, 1e-9, 2), tree, 1, 0, np.zeros(3, np.float32), np.empty(3)) == 1


def test_considered_rows_cover_every_width() -> None:
    table = halving_schedule(8, 16)
    assert table.shape == (9, 16)
    assert table[1].tolist() == list(range(16))
    assert all(table[m].max() >= math.ceil(16 / m) - 1 for m in range(1, 9))
