"""Self-play: whole games per second, and how much of the time the networks take."""

from dataclasses import replace

import numpy as np
from hydra import compose, initialize_config_dir

from benchmarks.table import Row
from fpmcts.selfplay import SelfPlayStatistics
from games.kernels import ROOT, Stream, deal_seeds
from training.config import TrainConfig, parse_config
from training.trainer import Trainer


def composed(*overrides: str) -> TrainConfig:
    """Returns the configuration of a command line of ``train.py``."""
    with initialize_config_dir(str(ROOT / "conf"), version_base="1.3"):
        return parse_config(compose("config", list(overrides)))


def play(config: TrainConfig, games: int) -> tuple[SelfPlayStatistics, dict[str, float]]:
    """Returns what a batch of self-play games looked like and its curves, after a small batch that compiles the kernels.

    The networks are those at the start of a run: untrained. Their policies are close to uniform, so the trees are wide and the
    games long.
    """
    for trainer, count in ((Trainer(replace(config, search=replace(config.search, playouts=2))), 4), (Trainer(config), games)):
        for _ in trainer.self_play(deal_seeds(0, count, Stream.TRAINING), (0,)):
            pass
    assert trainer.played is not None
    _, finished, statistics = trainer.played
    assert np.all(finished.final.winner >= 0)
    return statistics, trainer.self_play_scalars()


def run() -> list[Row]:
    """Returns the rates of the paper's setting and of the default one."""
    rows: list[Row] = []
    settings = (
        ("the paper's setting (three networks, 64 x 10, 400 playouts, filter), 128 games", ("experiment=paper",), 128, 0.5, 0.12),
        ("default (gumbel, 32 playouts, a quarter of the moves searched), 512 games", (), 512, 20.0, None),
        (
            "default with 64 x 10, 512 games in lock-step",
            ("network.channels=64", "network.blocks=10", "selfplay.lanes=512"),
            512,
            None,
            None,
        ),
    )
    for name, overrides, games, target, reference in settings:
        statistics, scalars = play(composed(*overrides), games)
        rows.append(
            {
                "name": f"self-play, {name}",
                "value": games / statistics.seconds,
                "unit": "games/s",
                "target": target,
                "reference": None if reference is None else {"DeltaDou on 68 CPUs": reference},
            }
        )
        share = 100 * scalars["throughput/network_share"]
        rows.append({"name": "  share of its time in network evaluation", "value": share, "unit": "%", "target": 60.0})
        rows.append({"name": "  evaluations", "value": scalars["throughput/evaluations_per_second"], "unit": "evaluations/s"})
    return rows
