"""The probe of single decisions: one judgement picks, the other one tells the worth."""

import numpy as np
import pytest

from agents.general.policy import PolicyAgent
from agents.trained import checkpoint_of, load_trained
from benchmarks import root_regret
from benchmarks.root_regret import Decision, Probe, Setting, budget, judgements, report
from evaluation.duplicate import duplicate_match


def test_judgements_by_hand() -> None:
    """The first judgement picks move 1 (worth 0.2 to the second), the second one move 2 (worth -0.1 to the first)."""
    judged = np.array([[0.0, 0.5, -0.1, np.nan], [0.1, 0.2, 0.4, 0.9]])
    decision = Decision(np.array([0.7, 0.2, 0.1, 0.0]), judged, np.array([0, 1, 3]))
    regrets, bests = judgements([decision])
    np.testing.assert_allclose(regrets, [[(0.2 - 0.1 + -0.1 - 0.0) / 2, (0.0 + -0.1 - 0.5) / 2, np.nan]])
    np.testing.assert_allclose(bests, [[[0.2, 0.1], [0.1, -0.1]]])


def test_noise_is_no_regret() -> None:
    """Moves of equal worth: with one judgement the best of 8 would seem 1.4 deviations better than any other."""
    rng = np.random.default_rng(0)
    decisions = [Decision(np.full(8, 1 / 8), rng.normal(size=(2, 8)), np.array([0])) for _ in range(4000)]
    regrets, _ = judgements(decisions)
    assert abs(regrets.mean()) < 5 * regrets.std() / np.sqrt(len(regrets))


def test_regret_is_what_the_choice_lacks() -> None:
    rng = np.random.default_rng(1)
    worth = np.array([0.0, 1.0, 0.5])
    decisions = [Decision(np.full(3, 1 / 3), worth + rng.normal(scale=0.1, size=(2, 3)), np.array([0, 1, 2])) for _ in range(500)]
    assert judgements(decisions)[0].mean(axis=0) == pytest.approx([1.0, 0.0, 0.5], abs=0.02)


def test_probe_plays_as_the_policy_and_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(root_regret, "JUDGE", root_regret.JUDGE._replace(playouts=32, particles=8))
    trained = load_trained(checkpoint_of("doudizhu", None), "doudizhu")
    settings = [Setting(8, 8, 2e-3)]
    probe, policy = Probe(trained, settings, share=1.0), PolicyAgent(trained.game, trained.evaluator.evaluate, solve=True)
    assert duplicate_match(trained.game, probe, policy, 2, 0).total.wp.mean == 0.5
    assert len(probe.decisions) > 1
    for decision in probe.decisions:
        assert decision.prior.max() < root_regret.OPEN
        assert decision.choices.shape == (2,) and decision.judged.shape == (2, decision.prior.size)
    assert probe.met[0] > 0 and probe.met[1] == len(probe.decisions)
    by_player, by_prior = report(probe.decisions, settings)
    assert by_player.row_count == 2 and by_prior.row_count == 5
    assert budget(probe.decisions, probe.met, settings, 4).row_count == 2


def test_budget_adds_up() -> None:
    """Two open decisions a game, of which one loses 0.4 and one nothing, and a closed one that loses 0.1: 20 + 5 points."""
    worth = np.array([[0.0, 0.4], [0.0, 0.4]])
    decisions = [
        Decision(np.array([0.9, 0.1]), worth, np.array([0])),
        Decision(np.array([0.1, 0.9]), worth, np.array([1])),
        Decision(np.array([0.96, 0.04]), worth / 4, np.array([0]), is_open=False),
    ]
    table = budget(decisions, [10, 20], [], 10)
    assert [next(iter(column.cells)) for column in table.columns] == ["policy", "5.0 ± 0.0", "20.0 ± 14.1", "25.0 ± 14.1"]
