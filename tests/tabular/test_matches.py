"""Matches: against exact values of the full tree, symmetric seats, three players, bad input."""

import numpy as np
import pytest

from fpmcts.tabular.algorithms import make
from fpmcts.tabular.best_response import profile_values
from fpmcts.tabular.matches import ALWAYS_CALL, RANDOM, symmetric_play
from games import make as make_game
from games.play.tables import Tables
from games.poker.betting import Action
from games.poker.game import LimitPoker

LEDUC = make_game("leduc").tables
DEALS = 200_000


def calling(game: Tables) -> np.ndarray:
    calls = (game.betting.actions == Action.CALL).astype(float)
    order = np.argsort(game.betting.base)
    return np.repeat(calls[order], game.betting.num_buckets[order], axis=0)


def players(game: Tables) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Returns players of every kind, each with its policy as a table."""
    learner, sampling = (make(name, game.name, 1) for name in ("smooth_uct", "outcome_sampling"))
    learner.run(3_000)
    sampling.run(3_000)
    return {
        "random": (RANDOM, game.uniform_policy()),
        "always call": (ALWAYS_CALL, calling(game)),
        "greedy": (learner.greedy_slots(), learner.greedy_policy()),
        "other greedy": (sampling.greedy_slots(), sampling.greedy_policy()),
    }


def exact(game: Tables, first: np.ndarray, second: np.ndarray) -> float:
    """Returns what the first policy wins against the second, both seats alike, in the unit of
    ``evaluate.py``.
    """
    own = game.infoset_player[:, None] == 0
    front, back = (
        profile_values(game, np.where(own, first, second)),
        profile_values(game, np.where(own, second, first)),
    )
    return float(make_game(game.name).spec.score.per_return * (front[0] + back[1]) / 2)


@pytest.mark.parametrize("game", [LEDUC, make_game("kuhn").tables], ids=["leduc", "kuhn"])
def test_matches_against_exact_values(game: Tables) -> None:
    """All pairs of kinds, 200,000 deals each: within 5 standard errors (six pairs: a false alarm in
    250,000).
    """
    every = players(game)
    for number, (one, first) in enumerate(every.items()):
        for two, second in list(every.items())[number + 1 :]:
            result, other = symmetric_play(game, [first[0], second[0]], [0, 1], DEALS, seed=number)
            assert abs(result.mean - exact(game, first[1], second[1])) < 5 * result.error + 1e-9, (
                one,
                two,
            )
            assert other.mean == pytest.approx(
                -result.mean, abs=1e-6
            ) and other.error == pytest.approx(result.error)


def test_a_deterministic_policy_against_itself_wins_nothing() -> None:
    """The two seatings of a deal cancel exactly, so the standard error is 0 too."""
    for player in (players(LEDUC)["other greedy"][0], ALWAYS_CALL):
        result = symmetric_play(LEDUC, [player, player], [0, 1], 1000)[0]
        assert (result.mean, result.error, result.count) == (0, 0, 1000)


@pytest.fixture(scope="module")
def three() -> LimitPoker:
    game = make_game("limit_holdem", players=3, abstraction="made_hands")
    assert isinstance(game, LimitPoker)
    return game


def test_three_players(three: LimitPoker) -> None:
    """Three who always call have the same in every seat; a random player loses to two of them, who
    share what it loses.
    """
    alike = symmetric_play(three.tables, [ALWAYS_CALL, ALWAYS_CALL], [0, 1, 1], 2000)
    assert [result.mean for result in alike] == pytest.approx([0, 0], abs=1e-9)
    one, two = symmetric_play(three.tables, [RANDOM, ALWAYS_CALL], [0, 1, 1], 100_000)
    assert one.mean < -5 * one.error and two.mean == pytest.approx(-one.mean / 2)


def test_three_players_count_every_episode_once(three: LimitPoker) -> None:
    """The first to act is in its tree from the second visit of a bucket on; each episode passes one
    of its 169 starting hands.
    """
    learner = make("smooth_uct", three)
    learner.run(20_000)
    first_row, visits = learner.tables["first_row"], learner.tables["visits"][:, :-1]
    assert visits[first_row[0] : first_row[0] + 169].sum() == 20_000
    assert 0 < (first_row >= 0).sum() < len(first_row) // 100
    assert len(visits) == learner.game.betting.num_buckets[first_row >= 0].sum()


def test_bad_input() -> None:
    with pytest.raises(ValueError, match=r"line_up = .*: expected 2 numbers, each of 0 to 1"):
        symmetric_play(LEDUC, [RANDOM, ALWAYS_CALL], [0, 1, 1], 10)
    with pytest.raises(ValueError, match="leduc expects"):
        symmetric_play(LEDUC, [make("uct", "kuhn").greedy_slots(), ALWAYS_CALL], [0, 1], 10)
