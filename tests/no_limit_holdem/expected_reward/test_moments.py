"""Means and variances of nodes against simulation and printed values."""

import math

import numpy as np
import pytest

from fpmcts.no_limit_holdem.expected_reward.moments import (
    add_sample,
    larger_of_two,
    max_distribution,
    maximum,
    update_opponent,
    variance_of_mean,
    weighted,
)
from fpmcts.no_limit_holdem.expected_reward.tree import BettingTree, empty_tree

DRAWS = 400_000


def node(
    mean: object, variance: object = 1, visits: object = 1, weight: object = 1
) -> tuple[BettingTree, int]:
    """Returns a node with three children."""
    tree = empty_tree(4)
    tree.first[0], tree.count[0] = 1, 3
    tree.mean[1:], tree.variance[1:] = mean, variance
    tree.visits[1:], tree.weight[1:] = visits, weight
    return tree, 0


def test_three_standard_normals_come_out_as_clark_has_them() -> None:
    """Not the exact 1.5 / sqrt(pi) = 0.84628: the larger of two is no normal value."""
    assert max_distribution(*node(0))[0] == pytest.approx(0.847647, abs=5e-7)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((0.0, 1.0), (0.5, 4.0)),
        ((20_000.0, 100.0), (20_010.0, 900.0)),
        ((3.0, 0.0), (3.0, 2.0)),
        ((1.0, 0.0), (9.0, 1.0)),
    ],
)
def test_larger_of_two_against_simulation(a: tuple[float, float], b: tuple[float, float]) -> None:
    rng = np.random.default_rng(1)
    drawn = np.maximum(*(rng.normal(m, math.sqrt(v), DRAWS) for m, v in (a, b)))
    mean, variance = larger_of_two(*a, *b)
    assert mean == pytest.approx(drawn.mean(), abs=5 * drawn.std() / math.sqrt(DRAWS))
    assert variance == pytest.approx(drawn.var(), rel=0.02)
    assert larger_of_two(*b, *a) == pytest.approx((mean, variance))


def test_children_without_samples_count_nowhere() -> None:
    place = node([1, 99, 3], visits=[2, 0, 6])
    assert weighted(*place) == pytest.approx((2.5, 40 / 64))
    assert maximum(*place) == (3.0, 1.0)
    assert max_distribution(*place) == pytest.approx(larger_of_two(1.0, 1.0, 3.0, 1.0))


def test_sample_weights_are_the_mean_of_all_samples() -> None:
    """Equation 3."""
    rng = np.random.default_rng(2)
    groups = [rng.normal(k, 1.0, size) for k, size in enumerate((3, 10, 40))]
    means, visits = [group.mean() for group in groups], [len(group) for group in groups]
    found, _ = weighted(*node(means, visits=visits))
    assert found == pytest.approx(np.concatenate(groups).mean())


@pytest.mark.parametrize("independent", [True, False])
def test_variance_of_an_opponents_node(independent: bool) -> None:
    """Independent errors of the children give the mean an error of variance sum of p² σ²; the
    text's sum of p σ² is larger.
    """
    rng = np.random.default_rng(3)
    p, value, variance = (
        np.array([0.5, 0.3, 0.2]),
        np.array([1.0, -4.0, 10.0]),
        np.array([4.0, 1.0, 9.0]),
    )
    drawn = rng.normal(value, np.sqrt(variance), (DRAWS, 3)) @ p
    tree, _ = node(value, variance, weight=p)
    update_opponent(tree, 0, independent)
    mean, found = tree.mean[0], tree.variance[0]
    assert mean == pytest.approx(drawn.mean(), abs=5 * drawn.std() / math.sqrt(DRAWS))
    if independent:
        assert found == pytest.approx(drawn.var(), rel=0.02)
    else:
        assert found == pytest.approx(float(p @ variance))
        assert found > 2 * drawn.var()


def test_leaf_is_the_standard_error_of_a_mean() -> None:
    """Section 4: sum of (V - x)² / (J (J - 1)); the mean of such variances is that of means over
    many leaves.
    """
    rng = np.random.default_rng(4)
    samples = rng.normal(7.0, 3.0, (4000, 5))
    means, variances = [], []
    for row in samples:
        mean = squares = 0.0
        for count, x in enumerate(row, 1):
            mean, squares = add_sample(mean, squares, count, x)
        assert mean == pytest.approx(row.mean())
        means.append(mean)
        variances.append(variance_of_mean(squares, 5, 0.0))
    assert np.mean(variances) == pytest.approx(9 / 5, rel=0.05)
    assert np.var(means) == pytest.approx(9 / 5, rel=0.1)
    assert variance_of_mean(0.0, 1, 123.0) == 123.0
