"""The evaluator: rows go to the network of their seat."""

import numpy as np
import pytest
import torch

from networks.evaluator import Evaluator
from networks.memory import MOST_BYTES, make_memory
from networks.resnet import NetworkConfig, Networks, build_networks
from tests.networks.specs import DOUDIZHU, SMALL, as_if_trained, observations


def three_networks() -> Networks:
    networks = build_networks(DOUDIZHU, SMALL, seed=0)
    for seat, net in enumerate(networks.distinct()):
        as_if_trained(net, seed=seat)
    return networks


@pytest.mark.parametrize("want_hidden", [False, True])
def test_rows_come_from_the_network_of_their_seat(want_hidden: bool) -> None:
    networks, planes = three_networks(), observations(40)
    seats = np.random.default_rng(0).integers(0, 3, 40).astype(np.int8)
    found = Evaluator(networks, "float32").evaluate(planes, seats, want_hidden)
    assert found.hidden.shape == ((40 if want_hidden else 0), 5, 15)
    for row, seat in enumerate(seats):
        net = networks.role(int(seat))
        with torch.no_grad():
            expected = net.outputs(net(torch.from_numpy(planes[row : row + 1])))
        for values, reference in zip(found[: 3 if want_hidden else 2], expected, strict=False):
            assert values.dtype == np.float32
            np.testing.assert_allclose(values[row], reference[0].numpy(), atol=1e-4)


@pytest.mark.parametrize("remembered", [0, 100])
def test_no_rows(remembered: int) -> None:
    evaluator = Evaluator(three_networks(), remembered=remembered)
    for want_hidden in (True, False):
        outputs = evaluator.evaluate(observations(0), np.zeros(0, np.int8), want_hidden)
        assert [values.shape for values in outputs] == [(0, 632), (0,), (0, 5, 15)]
    assert evaluator.num_evaluations == 0


@pytest.mark.parametrize("remembered", [0, 100])
def test_refresh_takes_over_new_weights(remembered: int) -> None:
    networks, planes, seats = three_networks(), observations(3), np.arange(3, dtype=np.int8)
    evaluator = Evaluator(networks, remembered=remembered)
    before = evaluator.evaluate(planes, seats).policy
    with torch.no_grad():
        networks.role(1).planes.weight.mul_(-1)
    np.testing.assert_array_equal(evaluator.evaluate(planes, seats).policy, before)
    evaluator.refresh(networks)
    after = evaluator.evaluate(planes, seats).policy
    assert [np.array_equal(after[row], before[row]) for row in range(3)] == [True, False, True]


def test_one_network_for_all_seats() -> None:
    networks = build_networks(DOUDIZHU, NetworkConfig(channels=8, blocks=1, shared=True), seed=0)
    planes = observations(2)
    planes[1] = planes[0]
    outputs = Evaluator(networks).evaluate(planes, np.array([0, 2], np.int8))
    np.testing.assert_array_equal(outputs.policy[0], outputs.policy[1])


@pytest.mark.parametrize(("value", "remembered"), [(np.nan, 0), (np.inf, 0), (np.nan, 100)])
def test_an_output_that_is_not_finite_is_an_error(value: float, remembered: int) -> None:
    networks = three_networks()
    with torch.no_grad():
        networks.role(2).globals.bias[5] = value
    evaluator = Evaluator(networks, remembered=remembered)
    evaluator.evaluate(observations(2), np.array([0, 1], np.int8))
    for _ in range(2):  # each time
        with pytest.raises(FloatingPointError, match="network 2: value is not finite"):
            evaluator.evaluate(observations(2), np.array([0, 2], np.int8))


def test_memory_is_bounded_in_bytes() -> None:
    memory = make_memory(100_000, 5000)
    assert MOST_BYTES / 4 < sum(array.nbytes for array in memory) <= MOST_BYTES


@pytest.mark.parametrize("remembered", [1000, 20])
def test_remembered_answers_are_the_same(remembered: int) -> None:
    """Rows that come again, twice in one batch, from another seat, and more of them than there is
    room for.
    """
    networks = three_networks()
    plain, remembers = Evaluator(networks), Evaluator(networks, remembered=remembered)
    planes, rng = observations(60), np.random.default_rng(1)
    for _ in range(4):
        rows, seats = rng.integers(0, 60, 50), rng.integers(0, 3, 50).astype(np.int8)
        for values, reference in zip(
            remembers.evaluate(planes[rows], seats),
            plain.evaluate(planes[rows], seats),
            strict=True,
        ):
            np.testing.assert_array_equal(values, reference)
    hidden = remembers.evaluate(planes[:3], np.zeros(3, np.int8), want_hidden=True).hidden
    assert hidden.shape == (3, 5, 15)
