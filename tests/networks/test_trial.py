"""The trial of precisions: what it chooses by given times, where there is none, and that it changes nothing else."""

from collections.abc import Callable
from types import SimpleNamespace

import pytest
import torch

from agents.trained import checkpoint_of, load_trained
from networks import trial
from networks.resnet import NetworkConfig, PolicyValueNet
from networks.trial import Choice, by_processor, choose_precision, fastest, measured_rates, products
from runtime.settings import ConfigError
from tests.networks.specs import DOUDIZHU, SMALL

CPU = torch.device("cpu")
LARGE = NetworkConfig(channels=64, blocks=3)
"""1.1 million products."""


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def lasting(self, *seconds: float) -> Callable[..., None]:
        """Returns a function whose calls last so long in turn."""
        calls = 0

        def run(*_: object) -> None:
            nonlocal calls
            self.now += seconds[calls % len(seconds)]
            calls += 1

        return run


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(trial, "time", SimpleNamespace(monotonic=made, thread_time=made))
    return made


@pytest.mark.parametrize(
    ("rates", "expected"),
    [
        ({"float32": 100.0, "bfloat16": 109.0}, "float32"),
        ({"float32": 100.0, "bfloat16": 111.0}, "bfloat16"),
        ({"float32": 100.0, "bfloat16": 180.0, "int8": 197.0}, "bfloat16"),
        ({"float32": 100.0, "bfloat16": 180.0, "int8": 199.0}, "int8"),
        ({"float32": 100.0, "bfloat16": 30.0, "int8": 220.0}, "int8"),
        ({"float32": 100.0}, "float32"),
    ],
)
def test_the_most_exact_of_the_fastest(rates: dict[str, float], expected: str) -> None:
    assert fastest(rates) == expected


def test_rates_are_those_of_the_median_batch(clock: Clock) -> None:
    """256 rows in 0.02 s are 12,800 a second; every third batch of the other one is held up tenfold, which does not count."""
    rates = measured_rates({"steady": clock.lasting(0.02), "held up": clock.lasting(0.01, 0.01, 0.1)})
    assert rates == pytest.approx({"steady": 12_800.0, "held up": 25_600.0})
    assert 0.6 <= clock.now <= 1.0  # 0.3 s for each, the first calls and the last round


def test_slow_machines_take_a_few_rounds_all_the_same(clock: Clock) -> None:
    assert measured_rates({"slow": clock.lasting(2.0)}) == {"slow": 128.0}
    assert clock.now == 2.0 * (1 + trial.LEAST_ROUNDS)


def large() -> PolicyValueNet:
    return PolicyValueNet(DOUDIZHU, LARGE)


def with_engines(monkeypatch: pytest.MonkeyPatch, clock: Clock, **seconds: float) -> None:
    """Lets engines of these names take so long for a batch."""
    engines = {name: clock.lasting(time) for name, time in seconds.items()}
    monkeypatch.setattr(
        trial, "_engines", lambda net, with_int8: {k: run for k, run in engines.items() if with_int8 or k != "int8"}
    )


def test_what_is_chosen_and_told(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    with_engines(monkeypatch, clock, float32=0.008, bfloat16=0.004, int8=0.002)
    threads, random = torch.get_num_threads(), torch.get_rng_state()
    net = large()
    torch.set_rng_state(random)
    found = choose_precision(net, CPU, with_int8=True)
    assert found.precision == "int8" and list(found.rates) == ["float32", "bfloat16", "int8"]
    assert str(found) == "int8 (128,000 evaluations/s on one thread; float32 32,000, bfloat16 64,000)"
    assert choose_precision(net, CPU, with_int8=False).precision == "bfloat16"
    assert torch.get_num_threads() == threads and torch.equal(torch.get_rng_state(), random)


@pytest.mark.parametrize("native", [False, True])
@pytest.mark.parametrize("has_int8", [False, True])
def test_only_what_the_processor_has_takes_part(native: bool, has_int8: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def check(device: torch.device) -> None:
        if not has_int8:
            raise ConfigError("none here")

    monkeypatch.setattr(trial, "by_processor", lambda device: "bfloat16" if native else "float32")
    monkeypatch.setattr(trial, "check_int8", check)
    for name in ("Engine", "Int8Engine"):
        monkeypatch.setattr(trial, name, lambda *_: lambda planes: None)
    expected = ["float32"] + ["bfloat16"] * native + ["int8"] * has_int8
    assert list(trial._engines(large(), with_int8=True)) == expected
    assert list(trial._engines(large(), with_int8=False)) == [name for name in expected if name != "int8"]


def test_no_trial_of_small_networks_on_gpus_or_without_a_choice(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("a trial")

    small = PolicyValueNet(DOUDIZHU, SMALL)
    assert products(small) == 15 * 4 * 3 * 16 * 16 < trial.LEAST_PRODUCTS <= products(large())
    monkeypatch.setattr(trial, "measured_rates", fail)
    monkeypatch.setattr(trial, "resolve_precision", lambda asked, device: torch.bfloat16)
    assert choose_precision(small, CPU, with_int8=True) == Choice("bfloat16")
    assert choose_precision(large(), torch.device("cuda"), with_int8=True) == Choice("bfloat16")
    with_engines(monkeypatch, clock, float32=0.1)
    monkeypatch.setattr(trial, "resolve_precision", lambda asked, device: torch.float32)
    assert choose_precision(large(), CPU, with_int8=False) == Choice("float32")


@pytest.mark.slow
def test_the_trial_of_the_weights_that_come_with_the_project() -> None:
    """The trial itself, on this machine: the choice is one of the fastest by its own rates, and it takes no longer than said."""
    net = load_trained(checkpoint_of("doudizhu", None), "doudizhu", "float32").networks.distinct()[0]
    found = choose_precision(net, CPU, with_int8=True)
    if not found.rates:
        pytest.skip("the processor has float32 alone")
    assert found.rates[found.precision] * (1.0 + trial.TIE) >= max(found.rates.values())
    assert by_processor(CPU) in found.rates
