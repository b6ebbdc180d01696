"""The search of ``examples.reference`` makes the visits of the kernels, and its NashConv is that of
the project.
"""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from examples.reference import (
    FPMCTS,
    GAMES,
    GAMMA,
    MASK,
    Deal,
    Node,
    Table,
    mix64,
    nash_conv,
)
from fpmcts.evaluation.policy_table import ExactMeasure
from fpmcts.search.search import Search, SearchSettings
from games import make
from games.kernels import streams
from games.play.interface import observed_by_movers
from games.poker.state import States
from networks.evaluator import Outputs

WORLDS, PLAYOUTS = 24, 150


class Networks:
    """Random outputs by observation, for the kernels and, as a table, for the reference."""

    def __init__(self, name: str) -> None:
        self.theirs = make(name)
        # The kernels count returns in stakes, the largest pot.
        self.ours = replace(GAMES[name], unit=float(self.theirs.rules.largest_pot))
        self.places = {self.ours.start: 0}
        for node in self.ours.nodes:
            for k, after in enumerate(node.children):
                self.places[after] = int(self.theirs.betting.child[self.places[node], k])
        self.outputs: dict[bytes, np.ndarray] = {}
        self.table: Table = {}
        random = np.random.default_rng(7)
        for node in self.ours.nodes:
            if node.seat < 0:
                continue
            seen, _ = observed_by_movers(
                self.theirs, self.states(self.ours.deals, node), np.arange(len(self.ours.deals))
            )
            for deal, observation in zip(self.ours.deals, seen, strict=True):
                fresh = np.float32(random.normal(size=4) * (1.5, 1.5, 1.5, 0.1))
                output = self.outputs.setdefault(observation.tobytes(), fresh)
                known = self.ours.known(deal, node)
                self.table[known] = softmax(output[node.legal]).tolist(), float(output[3])

    def states(self, deals: list[Deal], node: Node) -> States:
        """Returns the deals at a node, as the project has them."""
        place = np.full(len(deals), self.places[node], np.int32)
        return States(np.array(deals, np.int8), place)

    def evaluate(self, observations: np.ndarray, roles: np.ndarray) -> Outputs[np.ndarray]:
        rows = np.stack([self.outputs[observation.tobytes()] for observation in observations])
        return Outputs(
            rows[:, :3].copy(), rows[:, 3].copy(), np.zeros((len(rows), 0, 0), np.float32)
        )


def softmax(logits: np.ndarray) -> np.ndarray:
    """Returns what the kernels make of logits: float32."""
    weights = np.exp(logits.astype(np.float64) - float(logits.max()))
    return (weights.astype(np.float32) / weights.sum()).astype(np.float32)


@cache
def networks(name: str) -> Networks:
    return Networks(name)


@pytest.mark.parametrize("uniform", [0.0, 0.25])
@pytest.mark.parametrize("rollout", [False, True])
@pytest.mark.parametrize("target", ["advantages", "visits"])
def test_the_same_search_as_the_kernels(target: str, rollout: bool, uniform: float) -> None:
    """At every fourth decision node of Leduc, with worlds that inference draws."""
    nets, random = networks("leduc"), np.random.default_rng(3)
    rule = {"c": 0.2, "uniform": uniform, "target": target, "strength": 60.0, "signal": 0.15}
    kernels = SearchSettings(
        playouts=PLAYOUTS,
        worlds=WORLDS,
        slots=1,
        unit=1.0,
        solve=False,
        rollout=float(rollout),
        **rule,
    )
    search = Search(nets.theirs, nets.evaluate, kernels, max_positions=1, win_only=False)
    ours = FPMCTS(nets.ours, nets.table, playouts=PLAYOUTS, worlds=WORLDS, rollout=rollout, **rule)
    sizes = []
    for node in [node for node in nets.ours.nodes if node.seat >= 0][::4]:
        known = nets.ours.known(nets.ours.deals[random.integers(120)], node)
        worlds, rng = ours.infer(known, random), streams(len(sizes), 1)
        seed = mix64(int(rng[0]) + GAMMA & MASK)
        result = search.run(nets.states(worlds, node), rng, np.zeros(1, np.int64))
        improved = ours.search(node, worlds, seed)
        visits = np.array(ours.root.visits)
        with np.errstate(invalid="ignore"):
            q = np.array(ours.root.total) / visits
        assert result.actions[0].tolist() == node.legal
        assert result.visits[0].tolist() == visits.tolist()
        np.testing.assert_allclose(result.q[0], q, rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(result.target[0], improved, rtol=1e-5, atol=1e-8)
        assert search._forest.tree.num_nodes[0] == len(ours.tree)
        sizes.append(len(ours.tree))
    assert len(sizes) >= 8 and max(sizes) > 20  # the trees are not trivial


@pytest.mark.parametrize(("name", "uniform"), [("kuhn", 11 / 12), ("leduc", 4.747222)])
def test_the_same_nash_conv_as_the_project(name: str, uniform: float) -> None:
    nets = networks(name)
    even = {known: ([1 / len(p)] * len(p), value) for known, (p, value) in nets.table.items()}
    assert nash_conv(nets.ours, even) == pytest.approx(uniform, abs=1e-6)
    measured = ExactMeasure(nets.theirs).nash_conv(nets.evaluate)
    assert nash_conv(nets.ours, nets.table) == pytest.approx(measured, abs=1e-5)
    assert abs(measured - uniform) > 0.01
    assert pytest.approx(nets.theirs.return_unit * nets.ours.unit, rel=0.01) == GAMES[name].unit
