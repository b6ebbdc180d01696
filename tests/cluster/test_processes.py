"""Units: results that are kept are those that were given, and nothing damaged or of others
counts."""

import ast
import os
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fpmcts.cluster.pools import ignore
from fpmcts.cluster.processes import ProcessPool, WorkerKilledError, calls
from fpmcts.cluster.store import ResultFile, ResultFileError, as_arrays, as_text
from games.kernels import PARSING
from games.kernels.sources import program_sources

IDENTITY = {"seed": 1, "sizes": (1, 2)}


def test_results_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file.jsonl"
    with ResultFile(path, IDENTITY) as store:
        store.add(("a", 1), [1.5, None])
    with ResultFile(path, IDENTITY) as store:
        store.add(("b", 2), "text")
    with ResultFile(path, IDENTITY) as store:
        assert dict(store.finished()) == {("a", 1): [1.5, None], ("b", 2): "text"}
    with ResultFile(path, IDENTITY, resume=False) as store:
        assert not list(store.finished())
    assert not path.exists(), "without results"
    arrays = {"x": np.arange(5, dtype=np.int8), "y": np.full((2, 2), np.nan)}
    for name, array in as_arrays(as_text(arrays)).items():
        np.testing.assert_array_equal(array, arrays[name])
        assert array.dtype == arrays[name].dtype


def test_nothing_is_parsed_beside_a_compilation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As arrays and sources are: two threads in ``ast`` fail before Python 3.11.8."""
    parse, held = ast.parse, list[bool]()

    def watched(*given: Any, **keys: Any) -> Any:
        held.append(PARSING.is_locked())
        return parse(*given, **keys)

    monkeypatch.setattr(ast, "parse", watched)
    (tmp_path / "player.py").write_text("import json")
    program_sources(["python", str(tmp_path / "player.py")])
    as_arrays(as_text({"x": np.arange(5)}))
    assert len(held) >= 2 and all(held)


def test_nothing_damaged_counts(tmp_path: Path) -> None:
    """Whatever byte is flipped or wherever the file was cut off: the other results stay, and new
    ones can be added."""
    path = tmp_path / "file.jsonl"
    results = {("a",): 1, ("b",): [2], ("c",): "three"}
    with ResultFile(path, IDENTITY) as store:
        for unit, result in results.items():
            store.add(unit, result)
    whole, head = path.read_bytes(), len(path.read_bytes().splitlines()[0]) + 1
    damaged = [
        whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :] for at in range(head, len(whole))
    ]
    for content in [*damaged, *(whole[:at] for at in range(head, len(whole)))]:
        path.write_bytes(content)
        with ResultFile(path, IDENTITY) as again:
            found = dict(again.finished())
            assert found.items() <= results.items()
            again.add(("d",), 4)
        with ResultFile(path, IDENTITY) as again:
            assert dict(again.finished()) == found | {("d",): 4}


def test_results_of_others_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    with ResultFile(path, IDENTITY) as store:
        store.add(("a",), 1)
        with pytest.raises(ResultFileError, match="file.jsonl: the same command is running"):
            ResultFile(path, IDENTITY)
    with pytest.raises(
        ResultFileError,
        match=r"file.jsonl: holds results with different settings \(seed\); give another folder",
    ):
        ResultFile(path, IDENTITY | {"seed": 2})
    path.write_text("something else\n")
    with pytest.raises(ResultFileError, match="different settings"):
        ResultFile(path, IDENTITY)
    assert path.read_text() == "something else\n"


UNITS = """
import math, os


def root(x, tick):
    tick(1)
    return math.isqrt(x)


def process(tick):
    return os.getpid()


def killed(tick):
    os.kill(os.getpid(), 9)
"""
"""Units of a module that other processes find, too."""


@pytest.mark.parametrize("processes", [1, 2])
def test_units_are_done_in_any_number_of_processes(
    processes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "units_of_test.py").write_text(UNITS)
    monkeypatch.syspath_prepend(tmp_path)
    module = import_module("units_of_test")

    def run(function: Callable[..., int], units: list[tuple[int, ...]], *watch: Any) -> set[int]:
        made: ProcessPool[Any, int] = ProcessPool(partial(calls, function), processes)
        return {x for _, x in made.run(units, *watch)}

    squares = [(x * x,) for x in range(6)]
    ticks: list[tuple[int, int]] = []
    assert run(module.root, squares, lambda *at: ticks.append(at)) == set(range(6))
    assert {done for _, done in ticks} <= {0, 1} and {k for k, _ in ticks} == set(range(6))
    assert (run(module.process, [()] * 4) == {os.getpid()}) == (processes == 1)
    with pytest.raises(ValueError, match="nonnegative"):
        run(module.root, [(1,), (-1,), (2,)])
    if processes > 1:
        with pytest.raises(
            WorkerKilledError, match="one of 2 processes ended abruptly, .* is kept"
        ):
            run(module.killed, [()] * 2)
    asked = iter([False] * 2)
    assert len(run(module.root, squares, ignore, lambda: next(asked, True))) < 6


STUBBORN = """
import signal, subprocess, sys, time
from pathlib import Path
from fpmcts.child_program import ChildProgram

held = []


def unit(folder, fails, tick):
    code = (
        "import os, signal, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
        "os.close(0); open(sys.argv[1] + str(os.getpid()), 'w'); time.sleep(60)"
    )
    held.append(ChildProgram([sys.executable, "-c", code, folder + "/"]))
    while len(list(Path(folder).iterdir())) < 2:
        time.sleep(0.01)
    if fails:
        raise ValueError("a player failed")
    while True:
        time.sleep(0.01)
"""
"""A unit that starts a program which ends by nothing but SIGKILL."""


def test_no_program_outlives_a_unit_that_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "stubborn.py").write_text(STUBBORN)
    (tmp_path / "programs").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    function = import_module("stubborn").unit
    units = [(str(tmp_path / "programs"), fails) for fails in (False, True)]
    with pytest.raises(ValueError, match="a player failed"):
        list(ProcessPool(partial(calls, function), 2).run(units))
    programs = [int(path.name) for path in (tmp_path / "programs").iterdir()]
    assert len(programs) == 2
    for program in programs:
        with pytest.raises(ProcessLookupError):
            os.kill(program, 0)
