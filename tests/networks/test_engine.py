"""The engine against the network it was folded from, and independence of the batch."""

import pytest
import torch

from networks import engine
from networks.engine import MAX_CHUNK, NetworkEngine
from tests.networks.specs import CONFIGS, observations, trained

BFLOAT16_ERROR = 0.02
"""Tolerance as a share of a head's largest output: activations have 8 bits, and errors accumulate.
"""


@pytest.mark.parametrize("name", CONFIGS)
@pytest.mark.parametrize(("precision", "error"), [("float32", 1e-5), ("bfloat16", BFLOAT16_ERROR)])
def test_equals_the_network(name: str, precision: str, error: float) -> None:
    spec, config = CONFIGS[name]
    net, planes = trained(config, spec), torch.from_numpy(observations(50, spec))
    with torch.no_grad():
        expected = net.outputs(net(planes))
    found = NetworkEngine(net, precision)(planes, want_hidden=True)
    for values, reference in zip(found, expected, strict=True):
        assert values.shape == reference.shape and values.dtype == torch.float32
        if reference.numel():
            assert (values - reference).abs().max() <= error * max(1.0, reference.abs().max())


def test_without_the_private_operations(monkeypatch: pytest.MonkeyPatch) -> None:
    net, planes = trained(), torch.from_numpy(observations(20))
    fused = NetworkEngine(net, "float32")(planes)
    monkeypatch.setattr(engine, "has_fused_convolutions", lambda dtype, device: False)
    plain = NetworkEngine(net, "float32")(planes)
    assert torch.allclose(fused.policy, plain.policy, atol=1e-5) and torch.allclose(
        fused.value, plain.value, atol=1e-5
    )


@pytest.mark.parametrize("name", ["win_stakes", "dense"])
@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_rows_do_not_depend_on_the_batch(precision: str, name: str) -> None:
    spec, config = CONFIGS[name]
    run = NetworkEngine(trained(config, spec), precision)
    planes = torch.from_numpy(observations(MAX_CHUNK + 77, spec))
    whole = run(planes, want_hidden=True)
    for rows in (slice(0, 1), slice(3, 40), slice(MAX_CHUNK - 5, MAX_CHUNK + 77)):
        for values, reference in zip(run(planes[rows], want_hidden=True), whole, strict=True):
            assert torch.equal(values, reference[rows])
