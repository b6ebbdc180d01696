"""IS-MCTS in the hashed table: against an oracle in Python with the same random numbers, resuming,
limits, learning.
"""

import math
import tracemalloc
from typing import Any

import numpy as np
import pytest

from fpmcts.tabular.algorithms import make
from fpmcts.tabular.hash_table import HEADER, HashTable, Rows, append, find, seat_key
from fpmcts.tabular.listed_game import listing, nash_conv, uniform
from games import make as make_game
from games.base.settings import ConfigError
from games.kernels import kernel, mix64, streams
from games.kernels.generic import current_seat, legal, step, team_return
from games.kernels.rows import take
from games.play.interface import Game
from tests.tabular.reference import same

GOLDEN, MASK = 0x9E3779B97F4A7C15, 2**64 - 1
SELECTIONS = ["uct", "exp3", "regret_matching"]


@kernel
def _key(rules: Any, states: Any, seat: int) -> np.uint64:
    return seat_key(rules, states, 0, seat)


class Oracle:
    """Algorithm 1 with algorithms 2 to 4 as they are printed."""

    def __init__(self, game: Game, options: dict[str, Any], seed: int) -> None:
        self.game, self.options, self.state = game, options, int(streams(seed, 1)[0])
        self.sets: dict[int, dict[str, Any]] = {}
        self.starts, chances = game.starts()
        self.cumulative = np.cumsum(chances)

    def bits(self) -> int:
        self.state = (self.state + GOLDEN) & MASK
        return int(mix64(np.uint64(self.state)))

    def distribution(self, row: dict[str, Any]) -> list[float]:
        """Returns p."""
        count, gamma = len(row["sum"]), self.options["gamma"]
        if self.options["selection"] == "exp3":
            exponents = [gamma / count * x for x in row["sum"]]
            return [1 / sum(math.exp(other - own) for other in exponents) for own in exponents]
        positive = [max(regret, 0.0) for regret in row["sum"]]
        return (
            [regret / sum(positive) for regret in positive]
            if sum(positive) > 0
            else [1 / count] * count
        )

    def select(self, row: dict[str, Any], bits: int) -> tuple[int, float]:
        count = len(row["sum"])
        row["n"] += 1
        if self.options["selection"] == "uct":
            two = 2 if self.options["form"] == "text" else 1
            value = [
                total / tried + self.options["c"] * math.sqrt(two * math.log(row["n"]) / tried)
                if tried
                else math.inf
                for total, tried in zip(row["sum"], row["tried"], strict=True)
            ]
            margin = self.options["tie_margin"]
            best = [k for k in range(count) if value[k] >= max(value) - margin]
            if self.options.get("ties") == "running":
                best, highest = [], -math.inf
                for k in range(count):
                    best = (
                        [k]
                        if value[k] > highest + margin
                        else best + [k] * (value[k] >= highest - margin)
                    )
                    highest = max(highest, value[k])
            slot = best[(bits & 0xFFFFFFFF) * len(best) >> 32]
            row["tried"][slot] += 1
            return slot, 1.0
        p = self.distribution(row)
        row["mean"] = [total + share for total, share in zip(row["mean"], p, strict=True)]
        mixed = [(1 - self.options["gamma"]) * share + self.options["gamma"] / count for share in p]
        mark, below = (bits >> 11) / 2**53, np.cumsum(mixed)
        slot = min(int((below <= mark).sum()), count - 1)
        return slot, mixed[slot]

    def iterate(self) -> None:
        rules, spec = self.game.rules, self.game.spec
        start = 0
        if len(self.cumulative) > 1:
            start = int(np.searchsorted(self.cumulative, (self.bits() >> 11) / 2**53, side="right"))
        states = take(self.starts, np.array([start]))
        path, new, actions = [], False, np.empty(spec.max_legal, np.int16)
        while (seat := current_seat(rules, states, 0)) >= 0:
            count, slot = legal(rules, states, 0, actions), 0
            if count > 1:
                bits = self.bits()
                if new:
                    slot = (bits & 0xFFFFFFFF) * count >> 32
                else:
                    key = int(_key(rules, states, seat))
                    new = key not in self.sets
                    row = self.sets.setdefault(
                        key,
                        {"n": 0, "sum": [0.0] * count, "tried": [0] * count, "mean": [0.0] * count},
                    )
                    slot, chance = self.select(row, bits)
                    path.append((row, slot, chance, seat))
            step(rules, states, 0, int(actions[slot]))
        for row, slot, chance, seat in path:
            reward = team_return(rules, states, 0, seat) / spec.max_return
            reward = (reward + 1) / 2 if self.options["rewards"] == "unit" else reward
            if self.options["selection"] == "regret_matching":
                row["sum"] = [regret - reward for regret in row["sum"]]
            row["sum"][slot] += reward / chance

    def policy(self, key: int) -> list[float]:
        row = self.sets[key]
        weights = row["tried"] if self.options["selection"] == "uct" else row["mean"]
        return [weight / sum(weights) for weight in weights]


@pytest.mark.parametrize(
    ("game", "selection", "rewards", "more"),
    [
        ("goofspiel", "uct", "signed", {"form": "text", "tie_margin": 0.0}),
        ("goofspiel", "uct", "unit", {}),
        ("goofspiel", "uct", "signed", {"ties": "running", "tie_margin": 0.05}),
        ("goofspiel", "exp3", "signed", {}),
        ("goofspiel", "exp3", "unit", {}),
        ("goofspiel", "regret_matching", "signed", {}),
        ("goofspiel", "regret_matching", "unit", {}),
        ("examples.sealed_bids", "exp3", "unit", {}),  # deals by chance
    ],
)
def test_every_number_is_that_of_the_algorithm_as_printed(
    game: str, selection: str, rewards: str, more: dict[str, Any]
) -> None:
    played = make_game(game, **({"cards": 4} if game == "goofspiel" else {}))
    own = (
        {"form": "authors", "c": 0.7, "tie_margin": 0.01} if selection == "uct" else {"gamma": 0.1}
    )
    options = {"selection": selection, "rewards": rewards} | own | more
    learner = make("ismcts", played, 3, **options)
    oracle = Oracle(played, options, 3)
    learner.run(1200)
    for _ in range(1200):
        oracle.iterate()
    assert int(learner.rng[0]) == oracle.state
    policy = learner.policy()
    assert learner.table.num_rows == len(oracle.sets)
    _, seats = learner.table.sizes_and_seats()
    for place, seat in zip(learner.table.places(), seats, strict=True):
        key = learner.table.rows.bits[place]
        at = _find(policy, key, seat) + HEADER
        expected = oracle.policy(int(key))
        assert policy.words[at : at + len(expected)] == pytest.approx(expected, abs=1e-9)


@kernel
def _find(rows: Rows, key: np.uint64, seat: int) -> int:
    return find(rows, key, seat)


def test_seats_with_one_key_have_rows_of_their_own() -> None:
    """``seat_key`` adds a constant, so keys that are multiples of it coincide."""
    table, key = HashTable(1, memory=1), np.uint64(7)
    assert append(table.rows, key, 0, 2, 1) == _find(table.rows, key, 0)
    assert _find(table.rows, key, 1) == -1
    second = append(table.rows, key, 1, 3, 1)
    table.set_words(table.words_in_use().copy())
    assert [_find(table.rows, key, seat) for seat in range(3)] == [0, second, -1]


def test_a_table_never_takes_more_than_its_memory() -> None:
    """Not even while it grows, the last step of which is less than a doubling."""
    tracemalloc.start()
    table = HashTable(2, memory=3)
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(6):
        table.rows.used[0] = table.rows.words.size
        table.grow(1, 1)
    peak = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    assert 2_900_000 < table.num_bytes <= 3_000_000
    assert peak <= 3_000_000


def test_a_table_that_fits_can_be_restored(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of different lengths up to the last word, of memory or of a place; the error names the
    least memory.
    """
    monkeypatch.setattr("fpmcts.tabular.hash_table._MOST_WORDS", 100_000)
    for memory in (1, 2):
        table, longest = HashTable(2, memory), HEADER + 2 * 7
        with pytest.raises(ValueError, match="expected at least 2 MB|it cannot grow further"):
            for key in range(2**20):
                table.grow(1, longest)
                append(table.rows, np.uint64(key), 0, 1 + key % 7, 2)
        free = table.rows.words.size - table.rows.used[0]
        assert free < longest
        restored = HashTable(2, memory)
        restored.set_words(table.words_in_use().copy())
        assert np.array_equal(restored.words_in_use(), table.words_in_use(), equal_nan=True)
    assert table.rows.words.size == 100_000


def test_a_deal_depends_on_the_seed_and_its_number_alone() -> None:
    learner = make("ismcts", make_game("goofspiel", prizes="random"), seed=3)
    whole = learner._deals(9)
    learner.counter[0] = 4
    assert np.array_equal(learner._deals(5).prizes, whole.prizes[4:])
    learner.seed = 4
    assert not np.array_equal(learner._deals(5).prizes, whole.prizes[4:])


def test_a_full_table_says_so_and_stays_whole() -> None:
    game = make_game("phantom_tictactoe", variant="full")
    small = make("ismcts", game, 0, selection="regret_matching", memory=1)
    with pytest.raises(
        ConfigError,
        match=(
            r"^algorithm.memory=1: [\d,]+ information sets fill the table \(1 MB\); expected at "
            r"least [\d,]+ MB"
        ),
    ):
        small.run(10**6)
    large = make("ismcts", game, 0, selection="regret_matching", memory=50)
    large.set_state(small.get_state())
    large.run(1000)
    whole = make("ismcts", game, 0, selection="regret_matching", memory=50)
    whole.run(large.episodes)
    assert same(whole, large)


def test_nash_conv_of_outcome_sampling_falls() -> None:
    game = make_game("goofspiel", cards=4)
    listed = listing(game)
    learner = make("outcome_sampling", game, 0)
    learner.run(300_000)
    assert nash_conv(listed, learner.policy()) < 0.5 * nash_conv(listed, uniform())


def test_only_counters_bound_the_episodes() -> None:
    """Counts of actions have 32 bits; Regret Matching and Exp3 keep none."""
    for selection in SELECTIONS:
        learner = make("ismcts", make_game("goofspiel", cards=4), 0, selection=selection)
        learner.counter[0] = 2**32 - 10
        if selection == "uct":
            with pytest.raises(ValueError, match="hold no more than 9 episodes"):
                learner.run(100)
        else:
            learner.run(100)


def test_exploration_is_stored_where_asked_for() -> None:
    game = make_game("goofspiel", cards=4)
    plain, stored = (
        make("ismcts", game, 0, selection="exp3", store_exploration=store)
        for store in (False, True)
    )
    plain.run(500)
    stored.run(500)
    assert same(plain, stored)
    rows = plain.policy()
    first = rows.words[HEADER : HEADER + 4]
    assert stored.policy().words[HEADER : HEADER + 4] == pytest.approx(0.9 * first + 0.025)
