"""The second learner, for comparison: a small network over the same columns, for all rounds at once."""

from collections.abc import Sequence

import numpy as np
import torch

from opponent_models.dataset import Rows
from opponent_models.learn import LearnOptions, learn, tasks
from opponent_models.learned import assemble, gather
from opponent_models.score import MODEL, PREDICTORS, losses, predictions, saved
from opponent_models.table import ROW_RAISES, ROW_SEATS

EPOCHS, BATCH, WIDTH, RATE, DECAY = 12, 512, 96, 1e-3, 1e-3
_ILLEGAL = -1e9


def _inputs(rows: Rows, mean: np.ndarray | None = None, scale: np.ndarray | None = None) -> tuple[torch.Tensor, ...]:
    """Returns inputs, and the logarithms of what is legal: columns as they are and by size, round and raises as marks."""
    x = np.sign(rows.columns) * np.log1p(np.abs(rows.columns))
    marks = np.eye(8 * ROW_RAISES, dtype=np.float32)[rows.row // ROW_SEATS]
    seats = np.eye(ROW_SEATS, dtype=np.float32)[rows.row % ROW_SEATS]
    mean = x.mean(axis=0) if mean is None else mean
    scale = x.std(axis=0) + 1e-3 if scale is None else scale
    may = np.stack([rows.legal & 1 > 0, np.ones(len(rows.legal), bool), rows.legal & 2 > 0], axis=1)
    bars = np.where(may, 0.0, _ILLEGAL).astype(np.float32)
    data = np.concatenate([np.clip((x - mean) / scale, -5, 5), marks, seats], axis=1).astype(np.float32)
    return torch.from_numpy(data), torch.from_numpy(bars), torch.from_numpy(mean), torch.from_numpy(scale)


def network_chances(learned_from: Rows, asked: Rows, seed: int = 0) -> np.ndarray:
    """Returns what a network, learned from some rows, foretells of others: float64 ``[N, 3]``."""
    generator = torch.Generator().manual_seed(seed)
    x, bars, mean, scale = _inputs(learned_from)
    y = torch.from_numpy(learned_from.kind.astype(np.int64))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        net = torch.nn.Sequential(
            torch.nn.Linear(x.shape[1], WIDTH), torch.nn.ReLU(), torch.nn.Dropout(0.1), torch.nn.Linear(WIDTH, WIDTH),
            torch.nn.ReLU(), torch.nn.Dropout(0.1), torch.nn.Linear(WIDTH, 3),
        )  # fmt: skip
        optimizer = torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=DECAY)
        steps = EPOCHS * (len(y) // BATCH + 1)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
        for _ in range(EPOCHS):
            for batch in torch.randperm(len(y), generator=generator).split(BATCH):
                optimizer.zero_grad()
                torch.nn.functional.cross_entropy(net(x[batch]) + bars[batch], y[batch]).backward()
                optimizer.step()
                schedule.step()
    net.eval()
    x, bars, _, _ = _inputs(asked, mean.numpy(), scale.numpy())
    with torch.no_grad():
        return torch.softmax(net(x) + bars, dim=1).double().numpy()


def compared(paths: Sequence[str]) -> str:
    """Returns the log-loss of trees and network on the last hands of files, which neither has learned from."""
    options = LearnOptions(showdown=False)
    material = gather(paths, options)
    parts = {task.name: learn(task, material.rows, material.shown, options, 0) for task in tasks(False)}
    scorer = assemble(material, options, parts, {}).scorer
    held = material.held
    foretold = predictions(scorer, held) | {"network": network_chances(material.rows, held)}
    foretold["mean of model and network"] = (foretold[MODEL] + foretold["network"]) / 2
    loss = {name: losses(chances, held.kind) for name, chances in foretold.items()}
    lines = [f"{len(held.kind):,} held-out decisions of {len(np.unique(held.hand)):,} hands; log-loss in nats"]
    for name in (*PREDICTORS, "network", "mean of model and network"):
        share, error = saved(loss[name], loss["table"], held.hand)
        lines.append(f"{name:26} {loss[name].mean():.4f}   {100 * share:6.2f} ± {100 * error:.2f} % below the table")
    return "\n".join(lines)
