"""The kernels against the papers' pseudocode with the same random numbers
(tests/tabular/reference.py).
"""

import numpy as np
import pytest

from fpmcts.tabular.algorithms import make
from fpmcts.tabular.self_play import ucb
from fpmcts.tabular.walks import DenseRows
from games import make as make_game
from games.kernels import random_u64, streams
from games.play.tables import Tables
from games.poker.game import LimitPoker
from tests.tabular import reference

GAMES = {
    "kuhn": make_game("kuhn"),
    "leduc": make_game("leduc"),
    "leduc with suits": make_game("leduc", suits=True),
}


def table(game: Tables, entries: dict[tuple[str, str], float]) -> np.ndarray:
    """Returns the entries of a reference as an array over information sets and slots."""
    actions = game._by_infoset(
        np.array(["".join("fcr"[a] for a in row if a >= 0) for row in game.betting.actions])
    )
    result = np.zeros((game.num_infosets, game.max_actions))
    for row, (text, legal) in enumerate(zip(game.infoset_texts(), actions, strict=True)):
        result[row, : len(legal)] = [entries.get((text, a), 0) for a in str(legal)]
    return result


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
@pytest.mark.parametrize(
    ("name", "options", "schedule"),
    [
        (
            "smooth_uct",
            {"gamma": 0.1, "eta": 0.9, "d": 0.05, "exploration": 3.0, "betting_potential": None},
            (3.0, 0.1, 0.9, 0.05),
        ),
        (
            "smooth_uct",
            {"gamma": 0.4, "eta": 0.7, "d": 0.5, "exploration": 16.0},
            (16.0, 0.4, 0.7, 0.5, 0.5),
        ),
        ("uct", {"exploration": 12.0, "betting_potential": 0.1}, (12.0, 1.0, 1.0, 0.0, 0.1)),
    ],
)
def test_self_play(
    game: LimitPoker, name: str, options: dict[str, float], schedule: tuple[float, ...]
) -> None:
    episodes = 4000
    learner = make(name, game, seed=11, **options)
    learner.run(episodes)
    slow = reference.SelfPlay(game.tables, int(streams(11, 1)[0]), *schedule)
    slow.search(episodes)
    assert np.array_equal(reference.visits_of(learner), table(game.tables, slow.counts))
    assert reference.values_of(learner) == pytest.approx(table(game.tables, slow.values), abs=1e-12)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_one_seat_against_random_moves(game: LimitPoker) -> None:
    learner = make("uct_against_random", game, seed=11, exploration=12.0, betting_potential=0.1)
    learner.run(1)
    learner.run(3000)
    slow = reference.AgainstRandom(game.tables, int(streams(11, 1)[0]), 12.0, 1.0, 1.0, 0.0, 0.1)
    slow.search(3001)
    assert np.array_equal(reference.visits_of(learner), table(game.tables, slow.counts))
    assert reference.values_of(learner) == pytest.approx(table(game.tables, slow.values), abs=1e-12)
    assert learner.tables["won"].tolist() == [slow.won]


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
@pytest.mark.parametrize("updates", ["alternating", "parallel"])
def test_outcome_sampling(game: LimitPoker, updates: str) -> None:
    episodes, epsilon = 3001, 0.5
    learner = make("outcome_sampling", game, seed=11, updates=updates, epsilon=epsilon)
    learner.run(episodes)
    slow = reference.OutcomeSampling(
        game.tables, int(streams(11, 1)[0]), epsilon, updates == "alternating"
    )
    slow.search(episodes)
    assert learner.tables["regrets"] == pytest.approx(
        table(game.tables, slow.regrets), rel=1e-9, abs=1e-9
    )
    assert learner.tables["weights"] == pytest.approx(
        table(game.tables, slow.weights), rel=1e-9, abs=1e-9
    )


def test_ties_are_broken_uniformly() -> None:
    """UCB where three actions have the same statistics, 30,000 draws: each within 5 standard errors
    of a third (1 in 600,000).
    """
    words = np.zeros(6)
    rows, rng, counts = DenseRows(words, words.view(np.uint32)), streams(1, 1), np.zeros(3)
    rows.counts[6:9] = 4
    for _ in range(30_000):
        bits = np.uint64(random_u64(rng, 0) & 0xFFFFFFFF)
        counts[ucb(rows, np.uint64(0), np.uint64(6), np.uint64(12), 3, 1.0, bits)] += 1
    assert abs(counts - 10_000).max() < 5 * np.sqrt(30_000 * 2 / 9)
