"""Speed of the networks on Doudizhu observations, by size, batch and precision, on one thread."""

from collections.abc import Iterator
from functools import partial

import numpy as np
import torch

from games.base.settings import ConfigError
from games.doudizhu.game import Doudizhu
from networks.evaluator import Evaluator
from networks.precision import check_int8
from networks.resnet import NetworkConfig, Networks, build_networks

from .measure import Row, median_seconds, rate

GAME = Doudizhu()
SIZES = ((32, 5), (48, 6), (64, 8), (64, 10))
BATCHES = (64, 256, 1024)


def observations(count: int) -> np.ndarray:
    """Returns random planes, int8 ``[count, C, L]``; the speed does not depend on their values."""
    return (
        np.random.default_rng(0)
        .integers(0, 5, (count, *GAME.spec.observation_shape))
        .astype(np.int8)
    )


def networks_of(channels: int, blocks: int) -> Networks:
    """Returns an untrained network for each seat."""
    return build_networks(GAME.spec, NetworkConfig(channels=channels, blocks=blocks), seed=0)


def run() -> Iterator[Row]:
    """Yields evaluations per second, and how long it takes to take over new weights."""
    precisions, threads = ["float32", "bfloat16"], torch.get_num_threads()
    try:
        check_int8(torch.device("cpu"))
        precisions.append("int8")
    except ConfigError:
        pass
    torch.set_num_threads(1)
    for channels, blocks in SIZES:
        networks = networks_of(channels, blocks)
        for precision in precisions:
            evaluator = Evaluator(networks, precision, game=GAME)
            name = f"{channels}x{blocks}, {precision}"
            for n in BATCHES:
                function = partial(evaluator.evaluate, observations(n), np.zeros(n, np.int8))
                yield rate(f"{name}, batches of {n}", "evaluations", n, function)
            seconds = median_seconds(partial(evaluator.refresh, networks))
            yield Row(f"{name}, taking over the weights of three networks", 1e3 * seconds, "ms")
    torch.set_num_threads(threads)
