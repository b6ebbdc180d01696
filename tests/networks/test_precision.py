"""``precision=auto`` is a rule by the processor and the size of the networks."""

import pytest
import torch

from fpmcts.players.trained import checkpoint_of, load_trained, untrained_of
from games import make
from networks import precision
from networks.engine import NetworkEngine
from networks.precision import has_bfloat16, is_fast_in_bfloat16, settled
from networks.resnet import NetworkConfig, PolicyValueNet
from tests.networks.specs import DOUDIZHU, SMALL

CPU, CUDA = torch.device("cpu"), torch.device("cuda")


def processor(
    monkeypatch: pytest.MonkeyPatch, bfloat16: bool, amx: bool, avx2: bool, intel: bool
) -> None:
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: bfloat16)
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: amx)
    monkeypatch.setattr(torch.cpu, "_is_avx2_supported", lambda: avx2)
    monkeypatch.setattr(precision, "_is_intel", lambda: intel)


@pytest.mark.parametrize(
    ("bfloat16", "amx", "avx2", "intel", "short", "long"),
    [
        (False, False, False, False, "float32", "float32"),
        (False, False, True, True, "float32", "int8"),
        (True, False, True, False, "bfloat16", "int8"),  # AMD
        (True, False, True, True, "float32", "int8"),  # bfloat16 is no faster there
        (True, True, True, True, "bfloat16", "int8"),
    ],
)
def test_the_rule(
    bfloat16: bool,
    amx: bool,
    avx2: bool,
    intel: bool,
    short: str,
    long: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    processor(monkeypatch, bfloat16, amx, avx2, intel)
    large = PolicyValueNet(DOUDIZHU, NetworkConfig(channels=64, blocks=8))
    assert settled("auto", large, CPU) == short and settled("auto", large, CPU, int8=True) == long
    small = PolicyValueNet(DOUDIZHU, SMALL)
    assert settled("auto", small, CPU, int8=True) == "float32"
    assert settled("bfloat16", small, CPU) == "bfloat16"
    assert NetworkEngine(small).setting.dtype == torch.float32
    assert has_bfloat16(CPU) == bfloat16 and is_fast_in_bfloat16(CPU) == (short == "bfloat16")


def test_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    net = PolicyValueNet(DOUDIZHU, SMALL)
    for capability, name in (((7, 5), "float32"), ((8, 0), "bfloat16")):
        monkeypatch.setattr(
            torch.cuda, "get_device_capability", lambda device, capability=capability: capability
        )
        assert settled("auto", net, CUDA, int8=True) == name


def test_unknown_precision() -> None:
    with pytest.raises(ValueError, match="precision is 'int4', expected one of auto"):
        settled("int4", PolicyValueNet(DOUDIZHU, SMALL), CPU)


def test_players_play_in_what_the_size_of_their_networks_says() -> None:
    """``untrained_of`` is enough to know it."""
    file = checkpoint_of(make("doudizhu"), None)
    found = load_trained(file, "doudizhu").evaluator.precision
    assert found == settled("auto", untrained_of(file, "doudizhu"), CPU)
