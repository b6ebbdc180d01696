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
from games.poker.game import LimitPoker
from games.tables import Tables
from tests.tabular import reference

GAMES = {
    "kuhn": make_game("kuhn"),
    "leduc": make_game("leduc"),
    "leduc with suits": make_game("leduc", suits=True),
}


def table(game: Tables, entries: dict[tuple[str, str], float]) -> np.ndarray:
    """Returns the entries of a reference as an array over information states and slots."""
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


def test_self_play_before_the_trees_are_grown() -> None:
    """After each of the first episodes: out-of-tree play updates nothing."""
    game = GAMES["leduc"]
    learner = make("smooth_uct", game, seed=3)
    slow = reference.SelfPlay(game.tables, int(streams(3, 1)[0]), 18.0, 0.1, 0.9, 0.002, 0.5)
    for _ in range(100):
        learner.run(1)
        slow.search(1)
        assert np.array_equal(reference.visits_of(learner), table(game.tables, slow.counts))


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


def test_the_exploration_of_equation_3() -> None:
    """Leduc, C = 10 and k = 0.25: the first round starts with a pot of 2 and 24 to come; see
    games/poker/README.md.
    """
    learner = make("smooth_uct", "leduc", exploration=10.0, betting_potential=0.25)
    exploration = learner.selection.exploration
    betting = learner.game.betting
    assert exploration[betting.round == 0].tolist() == [2 + 0.25 * 24] * 6
    # The second round starts with a pot of 2, 6 or 10 and 16 to come.
    assert set(exploration[betting.round == 1]) == {2 + 4.0, 6 + 4.0, 10.0}


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
