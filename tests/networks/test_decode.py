"""The kernels of decoding against numpy."""

import numpy as np
import pytest

from networks.decode import legal_logits, softmax


def oracle_logits(decoder: np.ndarray, policy: np.ndarray, actions: np.ndarray) -> np.ndarray:
    return np.array(
        [sum(policy[index] for index in decoder[action] if index >= 0) for action in actions]
    )


def oracle_log_softmax(logits: np.ndarray, temperature: float) -> np.ndarray:
    scaled = logits.astype(np.float64) / temperature
    return scaled - np.logaddexp.reduce(scaled)


def test_logits() -> None:
    rng = np.random.default_rng(0)
    decoder = np.where(rng.random((100, 6)) < 0.5, rng.integers(0, 40, (100, 6)), -1).astype(
        np.int16
    )
    policy = rng.normal(size=(5, 40)).astype(np.float32)
    actions = rng.integers(0, 100, 30).astype(np.int16)
    out = np.full(30, 7.0, np.float32)
    legal_logits(decoder, policy, 3, actions, 20, out)
    np.testing.assert_allclose(out[:20], oracle_logits(decoder, policy[3], actions[:20]), atol=1e-5)
    assert (out[20:] == 7.0).all()


@pytest.mark.parametrize("temperature", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_softmax(temperature: float, dtype: type) -> None:
    rng = np.random.default_rng(1)
    for n in (1, 2, 50):
        logits = (10 * rng.normal(size=60)).astype(dtype)
        expected = oracle_log_softmax(logits[:n], temperature)
        out = np.full(60, 7.0, dtype)
        softmax(logits, n, temperature, out)
        np.testing.assert_allclose(out[:n], np.exp(expected), atol=1e-6)
        assert (out[n:] == 7.0).all()


def test_in_place_and_large_logits() -> None:
    logits = np.array([1000.0, 999.0, -1000.0], np.float32)
    softmax(logits, 3, 1.0, logits)
    np.testing.assert_allclose(logits, [1 / (1 + np.exp(-1)), 1 / (1 + np.exp(1)), 0.0], atol=1e-6)
