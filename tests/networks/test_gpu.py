"""On a GPU: the same answers as on the CPU, and a run that learns. ``make gpu``."""

import numpy as np
import pytest
import torch

from fpmcts.progress import silent
from fpmcts.training.algorithms import read_run
from fpmcts.training.fpmcts import FPMCTS
from games import make
from networks.evaluator import Evaluator
from networks.resnet import NetworkConfig, build_networks

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device"),
]
SPEC = make("doudizhu").spec


@pytest.mark.parametrize(("precision", "tolerance"), [("float32", 1e-3), ("bfloat16", 0.05)])
def test_answers_are_those_of_the_cpu(precision: str, tolerance: float) -> None:
    networks = build_networks(SPEC, NetworkConfig(channels=16, blocks=2), seed=1)
    planes = (
        np.random.default_rng(0).integers(0, 2, (1500, *SPEC.observation_shape)).astype(np.int8)
    )
    seats = (np.arange(1500) % 3).astype(np.int8)
    expected = Evaluator(networks, "float32").evaluate(planes, seats, want_hidden=True)
    got = Evaluator(networks.to("cuda"), precision, "cuda").evaluate(
        planes, seats, want_hidden=True
    )
    for name, one, other in zip(expected._fields, expected, got, strict=True):
        np.testing.assert_allclose(
            other, one, atol=tolerance * max(1.0, float(abs(one).max(initial=0.0))), err_msg=name
        )


def test_a_run_learns() -> None:
    """Bootstrap, self-play on several threads, learning, and evaluation."""
    config = read_run(["experiment=smoke", "device=cuda", "threads=4", "train.averaging=10"])
    run, reports = FPMCTS(config), []
    while run.iteration < 1:
        reports.append(run.step(silent).scalars)
    assert reports[-1]["policy_against_rhcp/wp_all"] > 0.1
    assert (
        reports[1]["loss/policy_0"] < reports[0]["loss/policy_0"]
    )  # of the two steps of the bootstrap
