"""What larger networks see in the same decisions of Doudizhu: ``python -m benchmarks.capacity [NAME ...] [--games N]``.

The networks of a checkpoint play games against themselves. Networks of several sizes, grown from that checkpoint so that they
begin with its answers (``networks.growth``), learn from the decisions of the same games, once and in the same order: who won, the
hidden hands, and the moves that were played. Told are their losses on games that were held out, against those of the first
network, decision by decision (± standard error over games), and what a decision costs.

A name is ``CHANNELSxBLOCKS``, with ``hK`` for a head of K channels and 8 K units: ``64x8 64x8h32 96x12``. ``attention64x6``
begins from nothing, as ``new64x8`` does: 6 blocks of self-attention over the ranks, 4 heads, in place of convolutions.
``--only SEAT`` learns one seat alone.
"""

import argparse
import math
import re
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from rich.table import Table
from torch import Tensor, nn

from agents.trained import Trained, checkpoint_of, load_trained
from benchmarks.table import make_console
from fpmcts.learner import Learner, encode
from fpmcts.learner_settings import LearnerSettings
from fpmcts.policy_games import PolicyGames
from fpmcts.samples import Samples
from games.batches import num_rows, take
from games.interface import Game, seats_to_move
from games.kernels import Stream, deal_seeds, streams
from networks import losses
from networks.growth import grow
from networks.resnet import NetworkConfig, PolicyValueNet
from networks.weights import module_arrays

BATCH = 1024
SEED = 20
HEADS = 4
PARTS = ("value", "hidden", "policy")


class AttentionBlock(nn.Module):
    """x + attention over the positions, then x + two layers; both begin as the identity. ``[N, C, 1, L]`` to the same."""

    def __init__(self, channels: int, length: int) -> None:
        super().__init__()
        self.place = nn.Parameter(torch.randn(length, channels) * 0.02)
        self.before, self.between = nn.LayerNorm(channels), nn.LayerNorm(channels)
        self.attention = nn.MultiheadAttention(channels, HEADS, batch_first=True)
        self.layers = nn.Sequential(nn.Linear(channels, 2 * channels), nn.ReLU(), nn.Linear(2 * channels, channels))
        last = self.layers[-1]
        assert isinstance(last, nn.Linear)
        for weight in (self.attention.out_proj.weight, last.weight, last.bias):
            nn.init.zeros_(weight)

    def forward(self, x: Tensor) -> Tensor:
        """Returns the block's output."""
        rows = x[:, :, 0].transpose(1, 2)
        y = self.before(rows + self.place)
        rows = rows + self.attention(y, y, y, need_weights=False)[0]
        rows = rows + self.layers(self.between(rows))
        return rows.transpose(1, 2).unsqueeze(2)


def parsed(name: str, config: NetworkConfig) -> tuple[str, NetworkConfig]:
    """Returns the form of a network, "grown", "new" or "attention", and its size.

    Raises:
        ValueError: The name is none.
    """
    found = re.fullmatch(r"(new|attention)?(\d+)x(\d+)(?:h(\d+))?", name)
    if found is None:
        raise ValueError(f"no network is called {name!r}; expected CHANNELSxBLOCKS, as in 96x12, 64x8h32, new64x8, attention64x6")
    form, channels, blocks, head = found.groups()
    size = replace(config, channels=int(channels), blocks=int(blocks))
    return form or "grown", replace(size, head_channels=int(head), head_units=8 * int(head)) if head else size


def network(name: str, game: Game, small: PolicyValueNet) -> PolicyValueNet:
    """Returns the network of a name, which answers as ``small`` does unless it begins from nothing."""
    form, config = parsed(name, small.config)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        net = PolicyValueNet(game.spec, config)
        if form == "attention":
            net.blocks = nn.ModuleList(AttentionBlock(config.channels, net.length) for _ in range(config.blocks))
    if form == "grown":
        grow(net, module_arrays(small, "net"), "net")
    return net


def play(trained: Trained, games: int, path: int) -> Samples:
    """Returns the decisions of so many games of the policies, those of a game after each other."""
    player = PolicyGames(trained.game, trained.evaluator.evaluate, lanes=2048, win_only=trained.objective == "wp")
    seeds = deal_seeds(SEED, games, Stream.TRAINING, path)
    shown = -1
    for done, played in player.play(seeds, streams(SEED, games, Stream.PLAY, path), 0):
        if 20 * done // games > shown:
            shown = 20 * done // games
            print(f"{done:,} of {games:,} games", file=sys.stderr, flush=True)
        if played is not None:
            return played.decisions.samples
    raise AssertionError


def games_of(samples: Samples) -> np.ndarray:
    """Returns the game of each decision (int64 ``[N]``, ascending), told by the landlord's cards at first."""
    dealt = samples.states.hands[:, 0] + samples.states.played[:, 0]
    return np.cumsum(np.append(True, dealt[1:] != dealt[:-1])) - 1


@torch.no_grad()
def held_out_losses(game: Game, net: PolicyValueNet, held: Samples) -> np.ndarray:
    """Returns the losses ``PARTS`` of each decision in nats, float64 ``[N, 3]``."""
    net.eval()
    decoder, parts = torch.from_numpy(game.decoder.astype(np.int64)), list[np.ndarray]()
    for first in range(0, num_rows(held), BATCH):
        rows = take(held, slice(first, first + BATCH))
        observations, offsets, actions, target = map(torch.from_numpy, encode(game, rows.states, rows.actions, rows.target))
        raw, config = net(observations), net.config
        result = torch.from_numpy(rows.result)
        value = losses.value_loss(raw.value, result, config.objective, net.value_scale, net.stake_factors)
        _, *hands = map(
            torch.from_numpy, map(np.ascontiguousarray, game.hidden_targets(rows.states, seats_to_move(game, rows.states)))
        )
        hidden = losses.hidden_loss(raw.hidden, *hands).nll
        policy = losses.policy_loss(raw.policy, decoder, offsets, actions, target).cross_entropy
        parts.append(torch.stack([value, hidden, policy], dim=1).double().numpy())
    return np.concatenate(parts)


def clustered(values: np.ndarray, games: np.ndarray) -> tuple[float, float]:
    """Returns the mean of values (``[N]``) and its standard error, the decisions of a game being one draw."""
    _, places = np.unique(games, return_inverse=True)
    sums = np.bincount(places, values - values.mean())
    return float(values.mean()), math.sqrt(float((sums**2).sum())) / len(values)


def learn(learner: Learner, rows: Samples, lr: float, progress: str) -> float:
    """Learns from all rows once, at a rate that falls to 0 as a cosine; returns decisions a second."""
    order = np.random.default_rng(SEED).permutation(num_rows(rows))
    steps, started = num_rows(rows) // BATCH, time.perf_counter()
    for k in range(steps):
        rate = lr * 0.5 * (1.0 + math.cos(math.pi * k / steps))
        numbers = learner.step(None, take(rows, order[k * BATCH : (k + 1) * BATCH]), rate, parts=1)
        if k % 50 == 49:
            left = (time.perf_counter() - started) / (k + 1) * (steps - k - 1)
            text = f"{progress}: step {k + 1} of {steps}, value {numbers['value']:.3f}, {left:.0f} s left"
            print(text, file=sys.stderr, flush=True)
    return steps * BATCH / (time.perf_counter() - started)


def main() -> None:
    """Measures and prints a table, a row as soon as it is known to the error stream."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=["64x8", "64x8h32", "64x16", "96x12", "attention64x6", "new64x8"])
    parser.add_argument("--checkpoint", type=Path, default=checkpoint_of("doudizhu", None))
    parser.add_argument("--games", type=int, default=65_536, help="to learn from")
    parser.add_argument("--held", type=int, default=16_384, help="games held out")
    parser.add_argument(
        "--lr", type=float, default=3e-4, help="learning rate at first of grown networks; new ones take 4 times it"
    )
    parser.add_argument("--only", type=int, metavar="SEAT", help="one seat's network alone")
    options = parser.parse_args()
    torch.set_num_threads(1)
    trained = load_trained(options.checkpoint, "doudizhu")
    game, small = trained.game, trained.networks
    for name in options.names:
        try:
            parsed(name, small.seat(0).config)
        except ValueError as error:
            parser.error(str(error))
    learned, held = play(trained, options.games, 0), play(trained, options.held, 1)
    owner, movers = games_of(held), (seats_to_move(game, learned.states), seats_to_move(game, held.states))
    seats = range(game.spec.num_seats) if options.only is None else [options.only]
    settings = LearnerSettings(batch_size=BATCH, divergence="forward", replicas=1)
    title = f"{num_rows(learned):,} decisions of {options.games:,} games learned from"
    title += f", {num_rows(held):,} of {options.held:,} held out"
    table = Table("network", "parameters", *(f"{part} loss" for part in PARTS), "rows/s learned", "evaluations/s", title=title)
    first: np.ndarray = np.zeros(0)
    for name in ["as it is", *options.names]:
        lost, rates, rows = np.zeros((num_rows(held), len(PARTS))), list[float](), np.zeros(num_rows(held), bool)
        for seat in seats:
            net, there = small.seat(seat), np.flatnonzero(movers[1] == seat)
            if name != "as it is":
                net = network(name, game, net)
                lr = options.lr * (1 if parsed(name, net.config)[0] == "grown" else 4)
                mine = take(learned, np.flatnonzero(movers[0] == seat))
                rates.append(learn(Learner(game, net, settings, torch.device("cpu")), mine, lr, f"{name}, seat {seat}"))
            started = time.perf_counter()
            lost[there], rows[there] = held_out_losses(game, net, take(held, there)), True
            evaluated = len(there) / (time.perf_counter() - started)
        lost = lost[rows]
        cells = [f"{value:.4f} ± {error:.4f}" for value, error in (clustered(part, owner[rows]) for part in lost.T)]
        if len(first) == 0 or name == options.names[0]:
            first = lost
        if name not in ("as it is", options.names[0]):
            cells = [
                f"{part:.4f} ({value:+.4f} ± {error:.4f})"
                for part, (value, error) in zip(
                    lost.mean(axis=0), (clustered(column, owner[rows]) for column in (lost - first).T), strict=True
                )
            ]
        size = sum(parameter.numel() for parameter in net.parameters())
        table.add_row(name, f"{size:,}", *cells, f"{np.mean(rates):,.0f}" if rates else "", f"{evaluated:,.0f}")
        print(name, f"{size:,}", *cells, *(f"{rate:,.0f}" for rate in rates), f"{evaluated:,.0f}", sep=" | ", file=sys.stderr)
    make_console().print(table)


if __name__ == "__main__":
    main()
