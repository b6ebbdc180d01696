"""The ratios of the benchmarks: above 1 is good, whatever the unit."""

import io
import json

import pytest
from rich.console import Console

from benchmarks.__main__ import available, main
from benchmarks.table import Row, machine, number_text, ratio, reference_text, table

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


def test_unknown_benchmark(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["nope"])
    assert "no benchmark named nope" in capsys.readouterr().err
    assert not {"table", "__main__"} & set(available())
