"""How a run departs from the paper."""

from fpmcts.training import departures
from fpmcts.training.algorithms import read_run


def test_every_departure_from_the_paper_has_a_sentence() -> None:
    """The default keeps the method; each key that differs says what it is, and the table of
    docs/train.md is about these keys.
    """
    default, paper = (read_run(["game=doudizhu", *words]) for words in ([], ["experiment=paper"]))
    found = departures.changed_keys(default, paper)
    keys = {one.what for one in found}
    assert {"search.target", "search.playouts", "game.encoding", "objective"} <= keys
    method = {"search.root", "search.c", "inference.phase2"}
    assert not keys & {*method, "selfplay.searching", "network.shared", "evaluation.decks"}
    for one in [*found, *departures.structural()]:
        assert len(one.why.split()) > 4 and one.why[-1] in ".)", one
    text = departures.text_of(default, paper)
    assert text.startswith(f"{len(found)} keys differ") and "\n  4.4: Decisions with" in text
    assert default.departures().startswith(f"{len(found)} keys differ from experiment=paper")
    assert paper.departures().startswith("settings of the paper")
    assert read_run(["game=kuhn"]).departures() == ""
