"""What a cluster of many actors would do, by simulation from what one actor and one driver take: times here are not measured.

    weights ─▶ link ─▶ actors play units, one after another ─▶ link ─▶ driver takes answers in ─▶ learner

The link of the driver, its taking in and its learner are each served one thing at a time, in the order in which things come. An
actor begins its next unit at once (``cluster.in_flight``). A batch begins when the one before it is in, as in a run; with a lag
(``cluster.lag=1``) the games of an iteration begin when the learning of the one before begins, without when it ends. Left out:
faults, actors of different speeds, other use of the network, and that the driver's taking in and learning may share cores.
"""

import heapq
from collections.abc import Iterator, Mapping
from itertools import cycle
from typing import NamedTuple

import numpy as np


class Load(NamedTuple):
    """Games of one kind that an iteration plays."""

    games: int
    seconds: Mapping[int, float]  # mean seconds of a unit, by its games; between them by powers, beyond them by games
    spread: tuple[float, ...]  # seconds of single units over their mean, in turn
    bytes_per_game: float  # of answers


class Machines(NamedTuple):
    """Who does it."""

    actors: int
    actors_per_node: int  # weights are sent to each node once
    bandwidth: float  # bytes per second of the driver's link
    weights: float  # bytes
    take_seconds: float  # of the driver, per answer
    take_seconds_per_byte: float
    learn_seconds: float  # of the learner, per game of the first load
    unit_games: int = 0  # games of a unit; 0: the share of an actor


class Outcome(NamedTuple):
    """What some iterations took: seconds, and the shares of them in which actors, link and learner worked."""

    seconds: float
    actors: float
    link: float
    learner: float


def unit_seconds(load: Load, games: int) -> float:
    """Returns the mean seconds of a unit."""
    sizes = np.array(sorted(load.seconds))
    if not sizes[0] <= games <= sizes[-1]:
        nearest = int(sizes[0] if games < sizes[0] else sizes[-1])
        return load.seconds[nearest] * games / nearest
    known = [load.seconds[int(size)] for size in sizes]
    return float(np.exp(np.interp(np.log(games), np.log(sizes), np.log(known))))


class Served:
    """Something that serves one thing at a time."""

    def __init__(self) -> None:
        self.free, self.busy = 0.0, 0.0

    def serve(self, came: float, seconds: float) -> float:
        """Returns when something is done that came at some time and takes so long."""
        self.free, self.busy = max(self.free, came) + seconds, self.busy + seconds
        return self.free


def simulate(loads: tuple[Load, ...], machines: Machines, iterations: int, lag: int = 0) -> Outcome:
    """Returns what some iterations take, with all that they learn."""
    m, link, driver, learner = machines, Served(), Served(), Served()
    nodes, playing, begin, learned = -(-m.actors // m.actors_per_node), 0.0, 0.0, 0.0
    spreads: list[Iterator[float]] = [cycle(load.spread) for load in loads]
    for _ in range(iterations):
        for load, spread in zip(loads, spreads, strict=True):
            begin = link.serve(begin, nodes * m.weights / m.bandwidth)
            size = m.unit_games or max(1, -(-load.games // m.actors))
            free = [begin] * min(m.actors, -(-load.games // size))
            over: list[tuple[float, int]] = []
            for first in range(0, load.games, size):
                games = min(size, load.games - first)
                seconds = unit_seconds(load, games) * next(spread)
                end = heapq.heappop(free) + seconds
                playing += seconds
                heapq.heappush(free, end)
                over.append((end, games))
            for end, games in sorted(over):
                size_bytes = games * load.bytes_per_game
                here = link.serve(end, size_bytes / m.bandwidth)
                begin = driver.serve(here, m.take_seconds + size_bytes * m.take_seconds_per_byte)
        start = max(begin, learned)
        learned = learner.serve(start, loads[0].games * m.learn_seconds)
        begin = start if lag else learned
    return Outcome(learned, playing / learned / m.actors, link.busy / learned, learner.busy / learned)
