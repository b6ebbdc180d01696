"""Checkpoints: what goes in comes out, anything damaged is refused."""

import json
import os
import pickle
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

from inference.determinizer import InferenceSettings
from networks import checkpoint
from networks.checkpoint import CheckpointError, check_compatible, load, save, settings_of
from networks.resnet import NetworkConfig, PolicyValueNet
from networks.weights import load_module, load_optimizer, module_arrays
from tests.networks.specs import DOUDIZHU, SMALL

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
        with pytest.raises(CheckpointError, match="truncated, damaged or not a checkp") as error:
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
    with pytest.raises(CheckpointError, match="truncated, damaged or not a checkpoint"):
        load(path)
    torch.save({"weight": torch.ones(3)}, path)
    with pytest.raises(CheckpointError, match="truncated, damaged or not a checkpoint"):
        load(path)
    assert not path.with_name("exploded").exists()


def test_foreign_safetensors(path: Path) -> None:
    save_file({"weight": np.ones(3)}, path)
    with pytest.raises(CheckpointError, match="not a checkpoint of this program"):
        load(path)


@pytest.mark.parametrize(
    ("kind", "shape", "said"),
    [
        ("BF16", [2], "weight is of type BF16; expected one of BOOL, F16"),
        ("F8_E4M3", [4], "weight is of type F8_E4M3"),
        ("F4", [8], "weight is of type F4"),
        ("F32", [1] * 70, "maximum supported dimension"),
        ("F32", [0, 2**62], "array is too big"),
    ],
)
def test_arrays_that_numpy_has_not(path: Path, kind: str, shape: list[int], said: str) -> None:
    size = 0 if 0 in shape else 4
    entry = {"dtype": kind, "shape": shape, "data_offsets": [0, size]}
    texts = {"format": checkpoint.FORMAT, "meta": "{}", "sha256": ""}
    header = json.dumps({"__metadata__": texts, "weight": entry}).encode()
    path.write_bytes(struct.pack("<Q", len(header)) + header + bytes(size))
    with pytest.raises(CheckpointError, match=f"^{path}.*{said}"):
        load(path)


@pytest.mark.parametrize("text", ["[]", "{", "[" * 100_000, '{"a":' * 1_000 + "1" + "}" * 1_000])
def test_metadata_that_are_no_object(
    path: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoint.json, "dumps", lambda *_, **__: text)
    save(path, ARRAYS, META)
    with pytest.raises(CheckpointError, match=f"^{path}: its metadata are not"):
        load(path)


def test_what_is_no_file_is_not_waited_for(path: Path) -> None:
    os.mkfifo(path)
    for given in (path, "/dev/zero", path.parent):
        with pytest.raises(CheckpointError, match=f"^{given} is not a file"):
            load(given)


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
    check_compatible(META, config={"network": {"dense": False}})  # a switch added since
    with pytest.raises(CheckpointError, match="dense is None, expected True"):
        check_compatible(META, config={"network": {"dense": True}})


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


def test_former_settings_keep_only_their_default() -> None:
    kept = settings_of(InferenceSettings, {"others": "ours", "history": 0}, "inference")
    assert kept == InferenceSettings()
    with pytest.raises(CheckpointError, match="inference.history=8 is no longer supported"):
        settings_of(InferenceSettings, {"history": 8}, "inference")
