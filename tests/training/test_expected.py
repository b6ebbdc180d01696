"""What reports say of a run: how it departs from the paper, what it should have reached, and what
looks wrong.
"""

import json
from pathlib import Path

import pytest

from fpmcts.training import departures, expected
from fpmcts.training.algorithms import read_run

WON = "policy_against_rhcp/wp_all"
CONFIG = {"game": {"name": "kuhn"}, "seed": 1, "train": {"lr": 0.5}}


def test_every_departure_from_the_paper_has_a_sentence() -> None:
    """The default keeps the method; each key that differs says what it is, and the table of
    docs/train.md is about these keys.
    """
    default, paper = (read_run(["game=doudizhu", *words]) for words in ([], ["experiment=paper"]))
    found = departures.changed_keys(default, paper)
    keys = {one.what for one in found}
    assert {"search.target", "search.playouts", "game.encoding", "objective"} <= keys
    method = {"search.root", "search.c", "inference.phase2", "selfplay.posterior"}
    assert not keys & {*method, "selfplay.searching", "network.shared", "evaluation.decks"}
    for one in [*found, *departures.structural()]:
        assert len(one.why.split()) > 4 and one.why[-1] in ".)", one
    text = departures.text_of(default, paper)
    assert text.startswith(f"{len(found)} keys differ") and "\n  Algorithm 1, line 23: " in text
    assert default.departures().startswith(f"{len(found)} keys differ from experiment=paper")
    assert paper.departures().startswith("settings of the paper")
    assert read_run(["game=kuhn"]).departures() == ""


def test_a_report_says_what_runs_of_its_settings_have_reached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    curve = {"config": expected.learned_by(CONFIG), "points": [[0, 0.5, 0.0], [10, 0.7, 0.0]]}
    monkeypatch.setattr(expected, "FILE", tmp_path / "curves.json")
    expected.FILE.write_text(json.dumps({"x": curve}))
    watch = expected.Watch(CONFIG | {"seed": 2}, "rhcp")
    assert watch.text(5, {WON: 0.6}) == "; expected 58 to 62 %"
    assert watch.text(5, {}) == watch.text(11, {WON: 0.7}) == ""
    assert expected.Watch(CONFIG | {"train": {"lr": 0.1}}, "rhcp").text(5, {WON: 0.6}) == ""
    later = {"switch": False}  # a key added since
    assert expected.Watch(CONFIG | later, "rhcp").text(5, {WON: 0.6})
    assert not expected.Watch(CONFIG | {"switch": True}, "rhcp").text(5, {WON: 0.6})


@pytest.mark.parametrize(
    ("reports", "word"),
    [
        ([{"value/auc_1_to_5_cards": 0.51}], "won from lost games"),
        ([{"self_play/prior_entropy": 0.001}], "collapsed"),
        ([{WON: 0.7}, {WON: 0.55}], "wins 55 % and won 70 % before"),
        (
            [{"throughput/games_per_second": 30.0}, {"throughput/games_per_second": 2.0}],
            "is the machine busy",
        ),
        ([{WON: 0.7, "value/auc_1_to_5_cards": 0.9}, {WON: 0.65}], ""),
    ],
)
def test_a_report_warns_of_what_looks_wrong(reports: list[dict[str, float]], word: str) -> None:
    watch = expected.Watch(CONFIG, "rhcp")
    *_, text = [watch.text(k, report) for k, report in enumerate(reports)]
    assert word in text and ("warning" in text) == bool(word)
