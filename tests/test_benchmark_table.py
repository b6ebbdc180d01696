"""The ratios of the benchmarks: above 1 is good, whatever the unit."""

import io
import json

import pytest
from rich.console import Console

from benchmarks.__main__ import available, main
from benchmarks.compare import comparison
from benchmarks.table import Row, line_text, number_text, ratio, reference_text, table
from runtime.machine import machine

SPEED: Row = {"name": "games", "value": 30_000.0, "unit": "games/s", "target": 20_000.0, "reference": {"C++": 15_000.0}}
TIME: Row = {"name": "start", "value": 5.0, "unit": "s", "target": 15.0, "reference": "8 cores"}


def test_ratios() -> None:
    assert ratio(SPEED, 20_000) == 1.5
    assert ratio(TIME, 15) == 3.0
    assert ratio({**TIME, "less_is_better": False}, 10) == 0.5
    assert reference_text(SPEED) == "C++ 15,000 (×2)"
    assert reference_text(TIME) == "8 cores"
    assert reference_text({"name": "x", "value": 1.0, "unit": "s"}) == ""
    assert reference_text({"name": "x", "value": 4.0, "unit": "games/s", "reference": 2.0}) == "2 (×2)"


@pytest.mark.parametrize(("number", "text"), [(27_471.3, "27,471"), (15.24, "15.24"), (0.0018, "0.0018"), (-1234.0, "-1,234")])
def test_numbers(number: float, text: str) -> None:
    assert number_text(number) == text


def test_table_and_machine() -> None:
    out = io.StringIO()
    Console(file=out, width=200).print(table({"rules": [SPEED], "start": [TIME]}))
    assert "30,000" in out.getvalue() and "3.00" in out.getvalue()
    assert machine()["cores"] >= 1 and json.dumps(machine())


def test_line() -> None:
    assert line_text(SPEED) == "games: 30,000 games/s (target 20,000, ×1.50)"
    assert line_text({"name": "x", "value": 0.5, "unit": "s"}) == "x: 0.5 s"


def test_comparison_is_of_rows_in_both_and_above_one_where_b_is_better() -> None:
    def measured(games: float, start: float) -> dict[tuple[str, str], Row]:
        return {("rules", "games"): {**SPEED, "value": games}, ("player", "start"): {**TIME, "value": start}}

    rounds = [(measured(100, 4), measured(90, 2)), (measured(200, 4), measured(220, 1)), (measured(100, 4), measured(105, 4))]
    for first, _ in rounds:
        first["rules", "gone"] = SPEED
    out = io.StringIO()
    Console(file=out, width=200).print(comparison(rounds))
    rows = {line.split("│")[1].strip(): line for line in out.getvalue().splitlines() if "│" in line}
    assert set(rows) == {"rules: games", "player: start"}
    assert "1.050" in rows["rules: games"] and "0.900 to 1.100" in rows["rules: games"]
    assert "2.000" in rows["player: start"] and "1.000 to 4.000" in rows["player: start"]


def test_unknown_benchmark(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["nope"])
    assert "no benchmark named nope" in capsys.readouterr().err
    assert not {"table", "__main__"} & set(available())
