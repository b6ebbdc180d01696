"""Decoding of extremes; what it says else, the oracles of the search and of inference know."""

import numpy as np

from networks.decode import softmax


def test_in_place_and_large_logits() -> None:
    logits = np.array([1000.0, 999.0, -1000.0], np.float32)
    softmax(logits, 3, 1.0, logits)
    np.testing.assert_allclose(logits, [1 / (1 + np.exp(-1)), 1 / (1 + np.exp(1)), 0.0], atol=1e-6)
