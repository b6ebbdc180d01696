"""The engines against the network they were folded from, and independence of the batch and of
threads."""

from collections.abc import Iterator

import pytest
import torch

from games.play.interface import GameSpec
from networks import engine
from networks.engine import MAX_CHUNK, NetworkEngine
from networks.int8 import Int8Engine
from networks.resnet import PolicyValueNet
from tests.networks.specs import CONFIGS, needs_avx2, observations, trained

ERRORS = {"float32": 1e-5, "bfloat16": 0.02, "int8": 0.05}
"""Tolerances as a share of a head's largest output: activations have 8 bits or less, and errors
accumulate.
"""
INT8 = pytest.param("int8", marks=needs_avx2)
PRECISIONS = pytest.mark.parametrize("precision", ["float32", "bfloat16", INT8])


def made(precision: str, net: PolicyValueNet, spec: GameSpec) -> NetworkEngine | Int8Engine:
    if precision != "int8":
        return NetworkEngine(net, precision)
    return Int8Engine(net, torch.from_numpy(observations(200, spec, seed=1)))


@PRECISIONS
@pytest.mark.parametrize("name", CONFIGS)
def test_equals_the_network(name: str, precision: str) -> None:
    spec, config = CONFIGS[name]
    if (name, precision) == ("dense", "int8"):
        pytest.skip("there is none")
    net, planes = trained(config, spec), torch.from_numpy(observations(50, spec))
    with torch.no_grad():
        expected = net.outputs(net(planes))
    found = made(precision, net, spec)(planes, want_hidden=True)
    for values, reference in zip(found, expected, strict=True):
        assert values.shape == reference.shape and values.dtype == torch.float32
        if reference.numel():
            error = (values - reference).abs().max()
            assert error <= ERRORS[precision] * max(1.0, reference.abs().max())


def test_without_the_private_operations(monkeypatch: pytest.MonkeyPatch) -> None:
    net, planes = trained(), torch.from_numpy(observations(20))
    fused = NetworkEngine(net, "float32")(planes)
    monkeypatch.setattr(engine, "has_fused_convolutions", lambda dtype, device: False)
    plain = NetworkEngine(net, "float32")(planes)
    assert torch.allclose(fused.policy, plain.policy, atol=1e-5) and torch.allclose(
        fused.value, plain.value, atol=1e-5
    )


@pytest.fixture
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.mark.parametrize("name", ["win_stakes", "dense"])
@PRECISIONS
def test_rows_do_not_depend_on_the_batch(precision: str, name: str, one_thread: None) -> None:
    """Nor, in int8, on threads."""
    spec, config = CONFIGS[name]
    if (name, precision) == ("dense", "int8"):
        pytest.skip("there is none")
    run = made(precision, trained(config, spec), spec)
    planes = torch.from_numpy(observations(MAX_CHUNK + 77, spec))
    whole = run(planes, want_hidden=True)
    torch.set_num_threads(1 + (precision == "int8"))
    for rows in (slice(0, 1), slice(3, 40), slice(MAX_CHUNK - 5, MAX_CHUNK + 77)):
        for values, reference in zip(run(planes[rows], want_hidden=True), whole, strict=True):
            assert torch.equal(values, reference[rows])
