"""Checkpoints: what goes in comes out, anything damaged is refused, a failed write leaves the old
file.
"""

import errno
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

from networks import checkpoint
from networks.checkpoint import CheckpointError, check_compatible, load, save
from networks.resnet import NetworkConfig, PolicyValueNet
from networks.weights import load_module, load_optimizer, module_arrays, optimizer_arrays
from tests.networks.specs import DOUDIZHU, SMALL, observations

ARRAYS = {
    "reservoir.rng": np.array([2**64 - 1, 3], np.uint64),
    "reservoir.actions": np.arange(-3, 9, dtype=np.int16).reshape(3, 4),
    "reservoir.target": np.linspace(0, 1, 12, dtype=np.float16).reshape(4, 3).T,
    "network.weight": np.random.default_rng(0).normal(size=(2, 3, 4)).astype(np.float32),
    "double": np.array(1 / 3),
    "flags": np.array([True, False]),
    "planes": np.zeros((0, 53, 15), np.int8),
}
META = {
    "iteration": 3,
    "seconds": 1.5,
    "rng": 2**127 + 1,
    "game": "doudizhu",
    "config": {"network": {"channels": 48}},
    "x": None,
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "latest.safetensors"


@pytest.fixture
def good(path: Path) -> Path:
    save(path, ARRAYS, META)
    return path


def assert_good(path: Path) -> None:
    arrays, meta = load(path)
    assert meta == META and arrays.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype and arrays[name].shape == array.shape
        np.testing.assert_array_equal(arrays[name], array)


def test_round_trip(good: Path) -> None:
    assert_good(good)
    assert os.listdir(good.parent) == [good.name]


def test_arrays_may_be_changed_after_loading(good: Path) -> None:
    arrays, _ = load(good)
    arrays["network.weight"][:] = 0
    assert_good(good)


def test_missing(path: Path) -> None:
    with pytest.raises(CheckpointError, match=f"no checkpoint at {path}"):
        load(path)


def test_truncated_anywhere(good: Path) -> None:
    whole = good.read_bytes()
    for length in {0, 1, 7, 8, 9, 100, len(whole) // 2, len(whole) - 1}:
        good.write_bytes(whole[:length])
        with pytest.raises(CheckpointError, match="truncated, damaged or no checkpoint") as error:
            load(good)
        assert "\n" not in str(error.value)


def test_one_wrong_bit_anywhere(good: Path) -> None:
    whole = bytearray(good.read_bytes())
    for position in range(0, len(whole), 3):
        damaged = bytearray(whole)
        damaged[position] ^= 1 << (position % 8)
        good.write_bytes(damaged)
        try:
            load(good)
        except CheckpointError:
            continue
        # Unread: white space that pads the header.
        assert (
            whole[position : position + 1].isspace() and damaged[position : position + 1].isspace()
        )


def test_a_pickle_is_refused_unread(path: Path) -> None:
    class Bomb:
        def __reduce__(self) -> tuple[Any, ...]:
            return (os.mkdir, (str(path.with_name("exploded")),))

    path.write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(CheckpointError, match="truncated, damaged or no checkpoint"):
        load(path)
    torch.save({"weight": torch.ones(3)}, path)
    with pytest.raises(CheckpointError, match="truncated, damaged or no checkpoint"):
        load(path)
    assert not path.with_name("exploded").exists()


def test_foreign_safetensors(path: Path) -> None:
    save_file({"weight": np.ones(3)}, path)
    with pytest.raises(CheckpointError, match="no checkpoint of this program"):
        load(path)


@pytest.mark.parametrize("step", ["save_file", "_to_disk", "replace"])
def test_a_full_disk_leaves_the_old_file(
    good: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os if step == "replace" else checkpoint, step, full)
    with pytest.raises(CheckpointError, match="cannot write .*No space left on device.* intact"):
        save(good, {"new": np.ones(3)}, {})
    assert os.listdir(good.parent) == [good.name]
    assert_good(good)


def test_metadata_that_json_cannot_hold(path: Path) -> None:
    with pytest.raises((TypeError, ValueError)):
        save(path, ARRAYS, {"loss": float("nan")})
    assert not path.exists()


def test_compatible() -> None:
    check_compatible(META, game="doudizhu", config={"network": {"channels": 48}})
    with pytest.raises(
        CheckpointError,
        match="game is 'doudizhu', expected 'leduc'; config.network.channels is 48, expected 32",
    ):
        check_compatible(META, game="leduc", config={"network": {"channels": 32}})
    with pytest.raises(CheckpointError, match="policy_size is None, expected 632"):
        check_compatible(META, policy_size=632)


def optimizers(net: PolicyValueNet) -> dict[str, torch.optim.Optimizer]:
    return {
        "adamw": torch.optim.AdamW(net.parameters(), lr=1e-2),
        "fused": torch.optim.AdamW(net.parameters(), lr=1e-2, fused=True),
        "sgd": torch.optim.SGD(net.parameters(), lr=1e-2, momentum=0.9),
    }


@pytest.mark.parametrize("name", ["adamw", "fused", "sgd"])
def test_learning_goes_on_where_it_stopped(path: Path, name: str) -> None:
    planes = torch.from_numpy(observations(16))

    def fresh(seed: int) -> tuple[PolicyValueNet, torch.optim.Optimizer]:
        torch.manual_seed(seed)
        net = PolicyValueNet(DOUDIZHU, SMALL)
        return net, optimizers(net)[name]

    def learn(net: PolicyValueNet, optimizer: torch.optim.Optimizer) -> None:
        for _ in range(2):
            optimizer.zero_grad()
            raw = net(planes)
            (raw.policy.square().mean() + raw.value.sum() + raw.hidden.square().mean()).backward()
            optimizer.step()

    net, optimizer = fresh(0)
    learn(net, optimizer)
    save(path, module_arrays(net, "network.0") | optimizer_arrays(optimizer, "optimizer.0"), {})
    learn(net, optimizer)

    resumed, resumed_optimizer = fresh(1)
    arrays, _ = load(path)
    load_module(resumed, arrays, "network.0")
    load_optimizer(resumed_optimizer, arrays, "optimizer.0")
    learn(resumed, resumed_optimizer)
    for (key, value), other in zip(
        net.state_dict().items(), resumed.state_dict().values(), strict=True
    ):
        assert torch.equal(value, other), key


def test_a_network_of_another_size_is_refused() -> None:
    arrays = module_arrays(PolicyValueNet(DOUDIZHU, SMALL), "network.0")
    other = PolicyValueNet(DOUDIZHU, NetworkConfig(channels=8, blocks=2, head_units=16))
    with pytest.raises(CheckpointError, match="does not fit.*stem") as error:
        load_module(other, arrays, "network.0")
    assert "\n" not in str(error.value)
    net = PolicyValueNet(DOUDIZHU, SMALL)
    state = {"o.0.exp_avg": np.zeros(3, np.float32), "o.0.step": np.array(1.0, np.float32)}
    with pytest.raises(CheckpointError, match="optimizer state 0.exp_avg has shape"):
        load_optimizer(torch.optim.AdamW(net.parameters()), state, "o")
    with pytest.raises(CheckpointError, match="the checkpoint more"):
        load_optimizer(
            torch.optim.AdamW(net.parameters()), {"o.999.step": np.array(1.0, np.float32)}, "o"
        )
