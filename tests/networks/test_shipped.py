"""The weights that come with the project answer as they always did."""

from pathlib import Path

import numpy as np
import pytest
import torch

from games import make
from networks.checkpoint import load
from networks.engine import Engine
from networks.resnet import NetworkConfig, build_networks
from networks.weights import load_module

WEIGHTS = Path(__file__).resolve().parents[2] / "models" / "frozen" / "2026-11.safetensors"
GOLDEN: dict[str, list[list[float]]] = {
    "0": [
        [1.218384, 4.234116],
        [0.2827557, 0.9733484],
        [-12.14814, 2.120829],
        [-9.941967, -16.27525],
        [-1.105071, -0.5482758],
        [-0.125897, 0.3221609],
    ],
    "1": [
        [6.445427, 2.152925],
        [0.9724294, 0.9558203],
        [-15.7053, -17.85337],
        [-12.52678, -8.852377],
        [-0.7572832, -0.7508007],
        [-1.018308, 0.752013],
    ],
    "2": [
        [-1.115915, 5.080842],
        [-0.2643435, 0.9223452],
        [3.519015, 4.241172],
        [-13.40178, -14.52],
        [-0.6443102, -1.270064],
        [1.894612, -0.6910036],
    ],
}
"""For each network the answers to two random observations, recorded before heads were read from the
game: ``adp`` and ``wp`` values, two policy outputs and two hidden ones of each."""


@pytest.fixture(scope="module")
def answers() -> dict[str, np.ndarray]:
    arrays, meta = load(WEIGHTS)
    assert (
        meta["config"]["network"]["value_head"] == meta["network"]["value_head"] == "win_stakes"
    )  # "win_bombs" in the file
    spec = make("doudizhu").spec
    found = {}
    networks = build_networks(spec, NetworkConfig(**meta["config"]["network"]), seed=0)
    for k, net in enumerate(networks.distinct()):
        load_module(net, arrays, f"network.{k}")
        net.eval()
        planes = torch.from_numpy(
            (np.random.default_rng(k).random((2, *spec.observation_shape)) < 0.2).astype(np.int8)
        )
        rows = []
        for objective in ("adp", "wp"):
            net.config.objective = objective
            with torch.inference_mode():
                outputs = net.outputs(net(planes))
            engine = Engine(net, "float32")(planes, want_hidden=True)
            for mine, theirs in zip(outputs, engine, strict=True):
                assert torch.allclose(mine, theirs, rtol=1e-3, atol=1e-3)
            rows.append(outputs.value)
        rows += [
            outputs.policy[:, 5],
            outputs.policy[:, -1],
            outputs.hidden[:, 1, 3],
            outputs.hidden[:, 4, 9],
        ]
        found[str(k)] = torch.stack(rows).numpy()
    return found


@pytest.mark.parametrize("network", ["0", "1", "2"])
def test_answers(answers: dict[str, np.ndarray], network: str) -> None:
    np.testing.assert_allclose(answers[network], GOLDEN[network], rtol=2e-4, atol=2e-4)
