"""Sequential tests: the likelihood ratio against its definition, error rates, and matches that end
early."""

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize

from fpmcts.evaluation import plan as plan_module
from fpmcts.evaluation import tournament as tournament_module
from fpmcts.evaluation.config import parse_command_line
from fpmcts.evaluation.match_result import MatchResult
from fpmcts.evaluation.plan import make_plan
from fpmcts.evaluation.sequential import ERROR, SequentialTest, log_likelihood_ratio
from fpmcts.evaluation.statistics import wins
from fpmcts.evaluation.tournament import play_tournament
from games.base.settings import ConfigError

SCORES = np.array([0.0, 0.5, 1.0])


def test_the_likelihood_is_the_largest_of_a_distribution_with_the_mean() -> None:
    """Against a general optimiser over all weights of the scores."""
    counts = np.array([130.0, 570.0, 160.0])

    def largest(mean: float) -> float:
        conditions = (
            {"type": "eq", "fun": lambda w: w.sum() - 1.0},
            {"type": "eq", "fun": lambda w: w @ SCORES - mean},
        )
        found = minimize(
            lambda w: -(counts @ np.log(w)) / counts.sum(),
            np.full(3, 1 / 3),
            bounds=[(1e-6, 1)] * 3,
            constraints=conditions,
            options={"ftol": 1e-14},
        )
        return float(-found.fun * counts.sum())

    expected = largest(0.53) - largest(0.5)
    assert log_likelihood_ratio(SCORES, counts, 0.5, 0.53) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize(("truth", "wrong"), [(0.5, "H1"), (0.53, "H0")])
def test_error_rates(truth: float, wrong: str) -> None:
    """400 matches, a look after every 100 of 8,000 decks: wrong verdicts in at most 5 %, and four
    standard errors above it."""
    rng = np.random.default_rng(int(1000 * truth))
    spread = 0.24
    probabilities = np.array([spread - (truth - 0.5), 1 - 2 * spread, spread + (truth - 0.5)])
    test, matches, looks, step = SequentialTest(0.5, 0.53), 400, 80, 100
    counts = rng.multinomial(step, probabilities, (matches, looks)).cumsum(axis=1)
    ratios = log_likelihood_ratio(SCORES, counts, test.p0, test.p1)
    bound = test.result(np.zeros(0)).bound
    crossed = np.abs(ratios) >= bound
    assert crossed.any(axis=1).all()
    first = crossed.argmax(axis=1)
    verdicts = ratios[np.arange(matches), first] > 0
    errors = int((verdicts == (wrong == "H1")).sum())
    assert errors <= ERROR * matches + 4 * np.sqrt(matches * ERROR * (1 - ERROR))
    assert (first.mean() + 1) * step < 2500


def match(
    folder: Path, *arguments: str, stop_after: int | None = None
) -> tuple[MatchResult | None, list[int], str]:
    """Returns a match of up to 60 decks in tasks of four, the games that were over, and a note;
    stopped after some tasks."""
    keys = ["device=cpu", "processes=1", f"unfinished={folder}"]
    usual = {"a": "rlcard_rule", "b": "random", "decks": "60"}
    usual |= dict(argument.split("=", 1) for argument in arguments)
    tournament = parse_command_line([*keys, *(f"{key}={text}" for key, text in usual.items())])
    seen, notes, asked = list[int](), list[str](), iter(range(1000))
    results = play_tournament(
        make_plan(tournament, tournament.config.game.make()),
        lambda what, done, total, unit: seen.append(done),
        lambda: stop_after is not None and next(asked) >= stop_after,
        notes.append,
    )
    return None if results is None else results["a", "b"], seen, " ".join(notes)


@pytest.mark.slow
def test_a_match_ends_when_it_is_clear(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a part of the whole match, ended after the first task at which the ratio of all decks
    before leaves the bounds."""
    monkeypatch.setattr(plan_module, "FAST_DECKS", 4)
    whole, *_ = match(tmp_path / "whole")
    assert whole is not None and whole.sequential is None and "LLR" not in str(whole)
    early, seen, _ = match(tmp_path / "whole", "sprt=[0.5,0.6]")
    assert not seen, "the games of the whole match are the same, so none is played"
    assert early is not None and early.sequential is not None
    decks = early.num_decks
    assert 8 < decks < 60 and decks % 4 == 0
    np.testing.assert_array_equal(early.games.returns, whole.games.returns[: 2 * decks])
    won = (whole.games.returns.reshape(-1, 2, 3)[:, [0, 1], [0, 1]] > 0).mean(axis=1)
    test = SequentialTest(0.5, 0.6)
    assert [test.result(won[:n]).accepted for n in range(4, decks, 4)] == [None] * (decks // 4 - 1)
    assert test.result(won[:decks]) == early.sequential
    assert f"H1, WP = 60 %, accepted over H0, WP = 50 % after {decks} decks" in str(
        early
    ) and "biased" in str(early)
    assert early.as_dict()["sequential"]["accepted"] == "H1"

    assert match(tmp_path / "again", "sprt=[0.5,0.6]", stop_after=2)[0] is None
    resumed, seen, note = match(tmp_path / "again", "sprt=[0.5,0.6]")
    assert note.startswith("continuing: 16 of 120 games") and seen[-1] == 2 * decks
    assert (
        resumed is not None
        and resumed.sequential == early.sequential
        and resumed.total == early.total
    )


def test_a_match_that_stays_open_says_so(tmp_path: Path) -> None:
    result, *_ = match(tmp_path, "decks=4", "sprt=[0.5,0.51]")
    assert "undecided between WP = 50 % (H0) and 51 % (H1) after 4 decks" in str(result)


def test_a_test_needs_the_share_of_games_won(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="sprt=.*leduc is not measured by the share"):
        match(tmp_path, "game=leduc", "a=random", "sprt=[0.5,0.6]")


def test_each_task_is_looked_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many of them: the time of all looks does not grow with the square of their number."""
    monkeypatch.setattr(plan_module, "FAST_DECKS", 1)
    looked: list[object] = []
    made = tournament_module.MatchResult
    monkeypatch.setattr(
        tournament_module, "MatchResult", lambda *given: looked.append(given) or made(*given)
    )
    result, *_ = match(tmp_path, "a=random", "decks=12", "sprt=[0.5,0.501]")
    assert result is not None and len(looked) == 12 + 1
    scores = wins(result.sides[0].returns).mean(axis=1)
    assert result.sequential == SequentialTest(0.5, 0.501).result(scores)
