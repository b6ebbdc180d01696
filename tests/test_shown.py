"""Tables, decisions, reports and results are short in print and are tables in notebooks."""

import re
from typing import Any

from fpmcts.evaluation.duplicate import duplicate_match
from fpmcts.players import load_player
from games import make
from games.play.decision import Decision, RootMove
from games.play.table import Table


def cells(shown: Any) -> list[str]:
    return re.findall(r"<t[dh]>(.*?)</t[dh]>", shown._repr_html_())


def test_decisions_and_tables_are_short() -> None:
    table = Table(make("doudizhu"), seed=3)
    decision = load_player("policy", table.game).decide(table)
    assert len(repr(decision)) < 200 and len(str(decision).splitlines()) == 8
    assert max(map(len, str(table).splitlines())) <= 100
    assert "hand" in cells(table) and decision.move in cells(decision)


def test_a_search_shows_its_values_and_texts_are_escaped() -> None:
    root = (RootMove("<b>", 0.2, 1, None, None), RootMove("call", 0.8, 63, 0.5, 0.01))
    policy = {"call": 0.9, "<b>": 0.1}
    decision = Decision("call", 1, policy, 0.5, "wp", root, playouts=64, value_error=0.01)
    assert cells(decision) == [
        *("move", "policy", "value", "visits"),
        *("call", "0.900", "50.00 % ± 1.00", "63"),
        *("&lt;b&gt;", "0.100", "", "1"),
    ]


def test_results_are_records_by_deck() -> None:
    leduc = make("leduc")
    a, b = load_player("always_call", leduc), load_player("random", leduc)
    result = duplicate_match(leduc, a, b, 20, seed=1)
    records = result.records()
    assert len(records) == 40 and records[0].keys() == {
        *("deck", "player", "team", "wp", "mbb_per_hand")
    }
    returns = [record["mbb_per_hand"] for record in records]
    assert result.by_deck.ravel().tolist() == returns and result.adp.mean == sum(returns) / 40
    assert result.wp.mean == sum(record["wp"] for record in records) / 40
    assert cells(result)[3:6] == ["always_call", "all games", result.adp.text(1)]
