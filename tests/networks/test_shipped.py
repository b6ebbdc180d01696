"""The weights that come with the project answer as they always did."""

from pathlib import Path

import numpy as np
import torch

from games import make
from networks.checkpoint import load
from networks.engine import NetworkEngine
from networks.resnet import NetworkConfig, build_networks
from networks.weights import load_module

WEIGHTS = Path(__file__).resolve().parents[2] / "models" / "frozen" / "2026-11.safetensors"
GOLDEN = [
    [0.2827557, -12.14814, -1.105071],
    [0.9724294, -15.7053, -0.7572832],
    [-0.2643435, 3.519015, -0.6443102],
]
"""For each network the answers to a random observation, recorded before heads were read from the
game: the ``wp`` value, a policy output and a hidden one."""


def test_answers() -> None:
    arrays, meta = load(WEIGHTS)
    settings = meta["config"]["network"]
    assert settings["value_head"] == "win_stakes"  # "win_bombs" in the file
    spec = make("doudizhu").spec
    networks = build_networks(spec, NetworkConfig(**settings | {"objective": "wp"}), seed=0)
    for k, net in enumerate(networks.distinct()):
        load_module(net, arrays, f"network.{k}")
        seen = np.random.default_rng(k).random((2, *spec.observation_shape)) < 0.2
        found = NetworkEngine(net.eval(), "float32")(
            torch.from_numpy(seen[:1].astype(np.int8)), True
        )
        answers = found.value[0], found.policy[0, 5], found.hidden[0, 1, 3]
        np.testing.assert_allclose(answers, GOLDEN[k], rtol=2e-4, atol=2e-4)
