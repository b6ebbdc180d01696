"""Outcome Sampling in the hashed table: against an oracle in Python with the same random numbers,
resuming, learning.
"""

import math

import numpy as np
import pytest

from fpmcts.tabular.algorithms import make
from fpmcts.tabular.hash_table import HEADER
from fpmcts.tabular.listed_game import listing, nash_conv, uniform
from games import make as make_game
from games.batches import take
from games.interface import Game, _legal, _play, _return, _seat
from games.kernels import mix64, streams
from tests.tabular.test_ismcts import GOLDEN, MASK, _key


class Oracle:
    """Lanctot et al. 2009, with stochastically weighted averaging; probabilities of whole paths as
    products.
    """

    def __init__(self, game: Game, epsilon: float, alternating: bool, seed: int) -> None:
        self.game, self.epsilon, self.alternating, self.state = (
            game,
            epsilon,
            alternating,
            int(streams(seed, 1)[0]),
        )
        self.regrets: dict[int, list[float]] = {}
        self.average: dict[int, list[float]] = {}
        self.starts, chances = game.starts()
        self.cumulative, self.episode = np.cumsum(chances), 0

    def fraction(self) -> float:
        self.state = (self.state + GOLDEN) & MASK
        return (int(mix64(np.uint64(self.state))) >> 11) / 2**53

    def iterate(self) -> None:
        rules, actions = self.game.rules, np.empty(self.game.spec.max_legal, np.int16)
        turn = self.episode % 2 if self.alternating else None
        self.episode += 1
        start = 0
        if len(self.cumulative) > 1:
            start = int(np.searchsorted(self.cumulative, self.fraction(), side="right"))
        states = take(self.starts, np.array([start]))
        path: list[
            tuple[int, int, int, list[float], float]
        ] = []  # seat, key, slot, sigma, probability of the sample
        while (seat := _seat(rules, states, 0)) >= 0:
            count, slot = _legal(rules, states, 0, actions), 0
            if count > 1:
                key = int(_key(rules, states, seat))
                positive = [
                    max(regret, 0.0) for regret in self.regrets.setdefault(key, [0.0] * count)
                ]
                sigma = (
                    [p / sum(positive) for p in positive]
                    if sum(positive) > 0
                    else [1 / count] * count
                )
                explore = self.epsilon if turn is None or seat == turn else 0.0
                mixed = [explore / count + (1 - explore) * p for p in sigma]
                if seat != turn:
                    own = math.prod(s[k] for who, _, k, s, _ in path if who == seat)
                    weight = own / math.prod(q for *_, q in path)
                    old = self.average.setdefault(key, [0.0] * count)
                    self.average[key] = [
                        total + weight * p for total, p in zip(old, sigma, strict=True)
                    ]
                slot = int(np.searchsorted(np.cumsum(mixed), self.fraction(), side="right"))
                path.append((seat, key, slot, sigma, mixed[slot]))
            _play(rules, states, 0, actions[slot : slot + 1].astype(np.int64))
        sampled = math.prod(q for *_, q in path)
        for at, (seat, key, slot, sigma, _) in enumerate(path):
            if turn is not None and seat != turn:
                continue
            others = math.prod(s[k] for who, _, k, s, _ in path if who != seat)
            after = math.prod(s[k] for who, _, k, s, _ in path[at + 1 :] if who == seat)
            change = _return(rules, states, 0, seat) * others / sampled * after
            old = self.regrets[key]
            self.regrets[key] = [
                r + change * ((k == slot) - sigma[slot]) for k, r in enumerate(old)
            ]


@pytest.mark.parametrize("updates", ["alternating", "parallel"])
@pytest.mark.parametrize(
    "game", ["goofspiel", "examples.sealed_bids"]
)  # without and with deals by chance
def test_every_number_is_that_of_the_algorithm(game: str, updates: str) -> None:
    played = make_game(game, **({"cards": 4} if game == "goofspiel" else {}))
    learner = make("outcome_sampling", played, 3, updates=updates, epsilon=0.4)
    oracle = Oracle(played, 0.4, updates == "alternating", 3)
    learner.run(800)
    for _ in range(800):
        oracle.iterate()
    assert int(learner.rng[0]) == oracle.state and learner.table.num_rows == len(oracle.regrets)
    rows = learner.table.rows
    for place in learner.table.places():
        key = int(rows.bits[place])
        count = len(oracle.regrets[key])
        words = rows.words[place + HEADER : place + HEADER + 2 * count].reshape(count, 2)
        assert words[:, 0] == pytest.approx(oracle.regrets[key], rel=1e-9, abs=1e-9)
        assert words[:, 1] == pytest.approx(
            oracle.average.get(key, [0.0] * count), rel=1e-9, abs=1e-9
        )


def test_nash_conv_falls() -> None:
    """Goofspiel with 4 cards, half a million episodes; uniform 1.75."""
    game = make_game("goofspiel", cards=4)
    learner = make("outcome_sampling", game)
    learner.run(500_000)
    assert nash_conv(listing(game), learner.policy()) < 0.05 * nash_conv(listing(game), uniform())
