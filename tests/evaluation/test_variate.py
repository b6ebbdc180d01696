"""Control variates: a naive oracle, no bias, intervals that hold the truth, and matches as they are played."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from evaluation.config import parse_command_line
from evaluation.duplicate import deck_scores, with_variate
from evaluation.plan import make_plan
from evaluation.tournament import play_tournament
from evaluation.variate import FOLDS, controlled
from games import make
from runtime.settings import ConfigError


def oracle(scores: list[float], variate: list[float]) -> tuple[float, float]:
    """Returns mean and standard error as the module's docstring defines them, deck by deck."""
    n, others = len(scores), variate[len(scores) :]
    m = sum(others) / len(others)
    results, weights = [], []
    for d in range(n):
        rest = [k for k in range(n) if k % FOLDS != d % FOLDS]
        slope = np.polyfit([variate[k] for k in rest], [scores[k] for k in rest], 1)[0]
        weights.append(slope * len(others) / (n + len(others)))
        results.append(scores[d] - weights[d] * (variate[d] - m))
    error = np.var(results, ddof=1) / n + np.mean(weights) ** 2 * np.var(others, ddof=1) / len(others)
    return float(np.mean(results)), float(np.sqrt(error))


def decks_of(rng: np.random.Generator, count: int, others: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns scores (mean 0.7) of ``count`` decks, and a variate of correlation 0.64 of these and ``others``."""
    luck = rng.random(count + others)
    own = np.where(rng.random(count) < 0.8, luck[:count], rng.random(count))
    cheap = np.where(rng.random(count + others) < 0.8, luck, rng.random(count + others))
    return (own < 0.7).astype(float), (cheap < 0.7).astype(float)


def test_equals_the_oracle() -> None:
    scores, variate = decks_of(np.random.default_rng(1), 53, 80)
    told = controlled(scores, variate)
    assert (told.estimate.mean, told.estimate.error) == pytest.approx(oracle(scores.tolist(), variate.tolist()), rel=1e-12)
    assert told.estimate.count == 53 and told.plain.mean == scores.mean()


@pytest.mark.parametrize("others", [100, 5000])
def test_no_bias_and_intervals_that_hold_the_truth(others: int) -> None:
    """1,000 simulated matches of 100 decks: few other decks, whose mean has an error as large, and many.

    The mean of the estimates lies within 4 standard errors of the truth (a false alarm in 16,000 seeds); if intervals cover with
    probability 0.95, the share of those that hold the truth lies within 0.95 ± 0.028, 4 standard errors. Without the error of the
    variate's mean it would be about 0.87 with few other decks.
    """
    rng = np.random.default_rng(2)
    told = [controlled(*decks_of(rng, 100, others)) for _ in range(1000)]
    means = np.array([one.estimate.mean for one in told])
    assert abs(means.mean() - 0.7) < 4 * means.std() / np.sqrt(1000)
    covered = np.mean([low <= 0.7 <= high for low, high in (one.estimate.interval() for one in told)])
    assert 0.922 <= covered <= 0.978
    plain = np.array([one.plain.mean for one in told])
    assert means.var() < (0.9 if others == 100 else 0.7) * plain.var()


def test_a_variate_that_says_nothing_changes_nothing() -> None:
    scores = np.random.default_rng(3).random(60)
    told = controlled(scores, np.full(200, 0.5))
    assert told.weight == 0.0 and told.estimate.mean == pytest.approx(scores.mean())
    assert told.gain == pytest.approx(1.0)


def test_too_few_decks() -> None:
    with pytest.raises(ValueError, match="got 49 decks and 51 others"):
        controlled(np.zeros(49), np.zeros(100))


def test_the_cheap_match_begins_with_the_decks_of_the_dear_one(tmp_path: Path) -> None:
    """RHCP against random, told by itself: the same games again, so that the answer is the mean over all decks."""
    words = ["a=rhcp", "b=random", "variate=[x,random]", "x=rhcp", "decks=60", "variate_decks=100", "device=cpu", "processes=1"]
    tournament = parse_command_line([*words, f"unfinished={tmp_path}"])
    cheap, game = tournament.variate(), make("doudizhu")
    assert cheap is not None and cheap.labels == ("x", "random") and cheap.num_decks() == 160
    plan, cheap_plan = make_plan(tournament, game), make_plan(cheap, game)
    for own, all_decks in zip(plan.decks, cheap_plan.decks, strict=True):
        np.testing.assert_array_equal(own, all_decks[:60])
    results, told = play_tournament(plan), play_tournament(cheap_plan)
    assert results is not None and told is not None
    result = with_variate(game.spec, results["a", "b"], told["x", "random"])
    assert result.variate is not None and result.variate.other_decks == 100
    won = deck_scores(game.spec, told["x", "random"].games)[1].mean(axis=1)
    assert won.shape == (160,)
    assert result.variate.wp.weight == pytest.approx(100 / 160)
    assert result.variate.wp.estimate.mean == pytest.approx(won.mean())
    assert result.as_dict()["variate"]["wp"]["mean"] == result.variate.wp.estimate.mean
    assert "without the luck of the decks  WP" in str(result) and "over 100 other decks" in str(result)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["variate=[policy]"], "two different players"),
        (["variate=[policy,policy]"], "two different players"),
        (["variate=[policy,nobody]"], "unknown player"),
        (["variate=[policy,rhcp]", "decks=49"], "49 decks are too few to fit a weight; expected at least 50"),
        (["variate=[policy,rhcp]", "slow_decks=20"], "20 decks are too few"),
        (["variate=[policy,rhcp]", "sprt=[0.5,0.6]"], "expected one of the two"),
        (["variate=[policy,rhcp]", "decks=games.jsonl"], "drawn at random"),
        (["variate=[policy,rhcp]", "variate_decks=10"], "variate_decks=10"),
        (["variate_decks=1000"], "of what match"),
    ],
)
def test_nonsense_is_refused(words: list[str], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        parse_command_line(["a=fpmcts", "b=rhcp", *words])


def test_no_variate_among_many() -> None:
    with pytest.raises(ConfigError, match="not agents or table"):
        parse_command_line(["agents=[policy,rhcp,random]", "variate=[policy,rhcp]"])


def test_no_variate_of_three_teams() -> None:
    """A game of which nothing is asked but its teams."""
    three: Any = SimpleNamespace(spec=make("doudizhu").spec._replace(teams=(0, 1, 2)))
    tournament = parse_command_line(["a=random", "b=rhcp", "variate=[policy,rhcp]"])
    with pytest.raises(ConfigError, match="games of two teams; doudizhu has 3 here"):
        make_plan(tournament, three)


def test_no_variate_of_players_that_learn() -> None:
    words = ["game=no_limit_holdem", "a=best_hand", "b=always_call", "variate=[mcts,always_call]", "mcts.adapt=true"]
    with pytest.raises(ConfigError, match="mcts learns from deck to deck"):
        make_plan(parse_command_line(words), make("doudizhu"))
