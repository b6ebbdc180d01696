"""The losses against enumeration and plain formulas; their gradients repeat bit for bit."""

import math
from itertools import product

import numpy as np
import pytest
import torch
from torch import Tensor

from networks.losses import LEAST_TARGET, hidden_loss, policy_loss, stake_classes, value_loss


def ragged(rows: int, seed: int = 0) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Random arguments of ``policy_loss``: policy ``[rows, 632]``, decoder ``[500, 6]``, offsets,
    actions, targets.
    """
    rng = np.random.default_rng(seed)
    decoder = np.where(rng.random((500, 6)) < 0.5, rng.integers(0, 632, (500, 6)), -1).astype(
        np.int16
    )
    counts = rng.integers(1, 30, rows)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    actions = np.concatenate([rng.choice(500, n, replace=False) for n in counts]).astype(np.int16)
    targets = np.concatenate([rng.dirichlet(np.full(n, 0.3)) for n in counts]).astype(np.float32)
    policy = 2 * rng.normal(size=(rows, 632)).astype(np.float32)
    return tuple(torch.from_numpy(array) for array in (policy, decoder, offsets, actions, targets))


def test_policy_loss_row_by_row() -> None:
    policy, decoder, offsets, actions, targets = ragged(40)
    policy.requires_grad_()
    found = policy_loss(policy, decoder, offsets, actions, targets)
    weights = torch.linspace(0, 1, 40)
    (gradient,) = torch.autograd.grad(
        (found.cross_entropy * weights).sum(), policy, retain_graph=True
    )
    (reverse_gradient,) = torch.autograd.grad((found.reverse_kl * weights).sum(), policy)

    rows = []
    for row in range(40):
        legal = slice(offsets[row], offsets[row + 1])
        columns = decoder[actions[legal].long()].long()
        logits = torch.stack(
            [policy[row, [c for c in entries if c >= 0]].sum() for entries in columns]
        )
        log_p, target = logits.log_softmax(0), targets[legal]
        p = log_p.exp()
        rows.append(
            torch.stack(
                [
                    -(target * log_p).sum(),
                    (p * (log_p - target.clamp(min=LEAST_TARGET).log())).sum(),
                    -(p * log_p).sum(),
                    -torch.xlogy(target, target).sum(),
                    p.max(),
                    (p.argmax() == target.argmax()).float(),
                ]
            )
        )
    expected = torch.stack(rows, dim=1)
    for values, reference in zip(found, expected, strict=True):
        assert torch.allclose(values, reference, atol=1e-5)
    for found_gradient, column in ((gradient, 0), (reverse_gradient, 1)):
        (expected_gradient,) = torch.autograd.grad(
            (expected[column] * weights).sum(), policy, retain_graph=True
        )
        assert torch.allclose(found_gradient, expected_gradient, atol=1e-6)
    assert not any(
        values.requires_grad for values in found[3:]
    )  # after the entropy, which may be rewarded


def test_value_loss_by_hand() -> None:
    """P(win) 3/4; bombs given a win 1/2, 1/4, 1/8, 1/8, given a loss uniform."""
    logs = [0.5, 0.25, 0.125, 0.125, 0.25, 0.25, 0.25, 0.25]
    raw = torch.tensor([[math.log(3), *map(math.log, logs)]]).expand(5, -1)
    losses = value_loss(
        raw, torch.tensor([1.0, 2.0, 64.0, -1.0, -4.0]), "adp", 1.0, (1.0, 2.0, 4.0, 8.0)
    )
    chances = [3 / 4 / 2, 3 / 4 / 4, 3 / 4 / 8, 1 / 4 / 4, 1 / 4 / 4]
    assert losses.exp().reciprocal().tolist() == pytest.approx(chances, rel=1e-5)
    even = torch.zeros(1, 3, requires_grad=True)
    value_loss(even, torch.zeros(1), "wp", 1.0, (0.0,)).sum().backward()
    assert even.grad is not None and even.grad[0, 0] == 0.0  # no win, no loss: half a win


def test_returns_belong_to_the_nearest_class_by_ratio() -> None:
    found = {0: [0.0, 0.5, 1.0, -1.4], 1: [1.5, 2.0, -2.8], 2: [2.9, 4.0], 3: [-8.0, 64.0]}
    for place, returns in found.items():
        classes = stake_classes(torch.tensor(returns), (1.0, 2.0, 4.0, 8.0))
        assert classes.tolist() == [place] * len(returns)
    assert stake_classes(torch.tensor([0.0, -64.0]), (1.0,)).tolist() == [0, 0]


def test_scalar_value_loss_by_hand() -> None:
    raw, returns = (
        torch.atanh(torch.tensor([[0.5], [-0.25], [0.5]])),
        torch.tensor([2.0, -8.0, 64.0]),
    )
    assert value_loss(raw, returns, "adp", 8.0, ()).tolist() == pytest.approx(
        [0.0625, 0.5625, 0.25], rel=1e-5
    )
    assert value_loss(raw, returns, "wp", 1.0, ()).tolist() == pytest.approx(
        [0.25, 0.5625, 0.25], rel=1e-5
    )


def hands(rows: int, length: int, seed: int) -> tuple[Tensor, ...]:
    """Random arguments of ``hidden_loss`` but the logits: fewest, most, counts int ``[rows,
    length]``, size int ``[rows]``.
    """
    rng = np.random.default_rng(seed)
    most = rng.integers(0, 5, (rows, length))
    counts = rng.integers(0, most + 1)
    fewest = rng.integers(0, counts + 1) * (rng.random((rows, length)) < 0.3)
    return tuple(torch.from_numpy(array) for array in (fewest, most, counts, counts.sum(axis=1)))


def log_likelihood(logits: Tensor, fewest: list[int], most: list[int], counts: list[int]) -> Tensor:
    """log p(counts) by enumeration of all hands of its size."""

    def log_weight(hand: tuple[int, ...]) -> Tensor:
        ways = math.prod(
            math.comb(m - f, c - f) for f, m, c in zip(fewest, most, hand, strict=True)
        )
        return math.log(ways) + sum(logits[c, r] for r, c in enumerate(hand))

    ranges = [range(f, m + 1) for f, m in zip(fewest, most, strict=True)]
    worlds = [hand for hand in product(*ranges) if sum(hand) == sum(counts)]
    return log_weight(tuple(counts)) - torch.stack([log_weight(hand) for hand in worlds]).logsumexp(
        0
    )


@pytest.mark.parametrize("length", [1, 2, 3, 5])
def test_hidden_loss_against_enumeration(length: int) -> None:
    fewest, most, counts, size = hands(12, length, seed=length)
    torch.manual_seed(length)
    logits = (3 * torch.randn(12, 5, length, dtype=torch.float64)).requires_grad_()
    found = hidden_loss(logits, fewest, most, counts, size)
    (gradient,) = torch.autograd.grad(found.nll.sum(), logits)
    rows = zip(fewest.tolist(), most.tolist(), counts.tolist(), strict=True)
    arguments = list(rows)
    expected = -torch.stack([log_likelihood(logits[row], *arguments[row]) for row in range(12)])
    prior = -torch.stack(
        [log_likelihood(torch.zeros_like(logits[row]), *arguments[row]) for row in range(12)]
    )
    (expected_gradient,) = torch.autograd.grad(expected.sum(), logits)
    assert torch.allclose(found.nll, expected, atol=1e-9) and torch.allclose(
        found.prior_nll, prior, atol=1e-9
    )
    assert torch.allclose(gradient, expected_gradient, atol=1e-9)


def test_corrections_may_be_extreme() -> None:
    arguments = hands(50, 15, seed=4)
    logits = (40 * torch.randn(50, 5, 15)).requires_grad_()
    found = hidden_loss(logits, *arguments)
    found.nll.sum().backward()
    assert (
        torch.isfinite(found.nll).all()
        and torch.isfinite(logits.grad).all()
        and (found.nll >= -1e-3).all()
    )
