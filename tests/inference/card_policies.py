"""Networks that see cards, for games whose deals are too many to look each one up."""

import math

import numpy as np

from games.play.interface import GameSpec
from networks.resnet import Outputs


class CardPolicies:
    """A fixed function of the observation and the seat, exact in any batch."""

    def __init__(self, spec: GameSpec) -> None:
        shape = (math.prod(spec.observation_shape), spec.policy_size)
        self.table = np.random.default_rng(5).integers(-8, 9, shape).astype(np.float32)

    def evaluate(
        self, observations: np.ndarray, seats: np.ndarray, want_hidden: bool = False
    ) -> Outputs:
        sums = observations.reshape(len(observations), -1).astype(np.float32) @ self.table
        sums += np.float32(5.0) * seats[:, None]
        return Outputs(2.5 * np.sin(sums), sums[:, 0], np.zeros((0, 1, 1), np.float32))
