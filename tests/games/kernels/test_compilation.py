"""Compilation ahead: warm-up runs are done once, and one that failed is reported and tried
again.
"""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numba
import pytest

from fpmcts.players import warmup
from fpmcts.players.search_agent import FPMCTSOptions
from fpmcts.players.warmup import warm_up_inference, warm_up_search
from fpmcts.search.roots import RULES
from fpmcts.training.interface import Report
from fpmcts.training.run import Run
from games import GAMES, kernels, make
from games.base.files import ROOT
from games.kernels.compilation import CompileClock, compile_ahead, is_compiled
from networks.checkpoint import save


@pytest.mark.parametrize("options", [{}, {"bidding": "call", "doubling": True}])
def test_the_search_of_the_warm_up_sees_all_cards(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a world with empty hands a rollout of the whole game went on for ever."""
    game, worlds = make("doudizhu", **options), []

    class Search:
        def __init__(self, *settings: object) -> None: ...

        def run(self, states: Any, *rest: object) -> None:
            worlds.append(states)

    monkeypatch.setattr(warmup, "Search", Search)
    warm_up_search(game)
    assert (worlds[0].hands > 0).all()


def test_the_digest_of_sources_leaves_out_remarks_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "PACKAGES", ())
    file, code = tmp_path / "bot.py", 'A = """\n# one\n"""\nSIDES = 6\nB = """\ntwo\n"""\n'

    def digest(text: str) -> str:
        file.write_text(text)
        return kernels.sources_digest(file)

    assert digest('"""A bot."""\n' + code + "# The end.\n") == digest(code)
    for old, new in (("6", "8"), ("# one", "# 1"), ("two", "2")):
        assert digest(code.replace(old, new)) != digest(code)


def test_each_run_is_done_once(tmp_path: Path) -> None:
    lines: list[str] = []
    parts = [("-c", f"open({str(tmp_path / name)!r}, 'a').write('x')") for name in ("a", "b")]
    short = [("-c", "pass"), *parts]
    for _ in range(2):
        compile_ahead(tmp_path / "cache", short, lines.append)
    assert (tmp_path / "a").read_text() == (tmp_path / "b").read_text() == "x"
    assert is_compiled(tmp_path / "cache", short)
    assert len(lines) == 4 and lines[0].startswith("compiling, once on this machine: 3 parts")


@pytest.mark.parametrize(
    "end",
    ["raise SystemExit('no such game')", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"],
)
def test_failed_run_is_reported_and_tried_again(tmp_path: Path, end: str) -> None:
    lines: list[str] = []
    parts = [("-c", f"open({str(tmp_path / 'a')!r}, 'a').write('x'); {end}"), ("-c", "pass")]
    for _ in range(2):
        compile_ahead(tmp_path / "cache", parts, lines.append)
    assert (tmp_path / "a").read_text() == "xx"
    assert not is_compiled(tmp_path / "cache", parts) and is_compiled(tmp_path / "cache", parts[1:])
    assert sum("no such game" in line or "status -9" in line for line in lines) == 2


@pytest.mark.parametrize("folder", ["", "beside"])
def test_runs_find_modules_as_the_script_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    """A game beside one's script, and in a relative PYTHONPATH."""
    (tmp_path / folder).mkdir(exist_ok=True)
    (tmp_path / folder / "game_beside_the_script.py").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(folder)
    parts = [("-m", "game_beside_the_script")]
    compile_ahead(tmp_path / "cache", parts)
    assert is_compiled(tmp_path / "cache", parts)


def test_rules_that_change_kernels_are_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A checkpoint may have another rule at the root; an auction and the number of cards change
    numbers alone.
    """
    asked: list[tuple[str, ...]] = []
    monkeypatch.setattr(warmup, "compile_ahead", lambda _, parts, __: asked.extend(parts))
    file, settings = tmp_path / "networks.safetensors", {"root": "examples.own_root"}
    save(file, {}, {"config": {"search": settings}})
    for name, options in [("doudizhu", {"bidding": "call", "doubling": True}), ("kuhn", {})]:
        warmup.compile_players(make(name, **options), [FPMCTSOptions(checkpoint=str(file))])
    warmup.compile_searches(make("goofspiel", cards=4))
    assert [part[2:] for part in asked] == [
        ("search", "doudizhu", "examples.own_root"),
        ("inference", "doudizhu"),
        ("search", "kuhn", "examples.own_root"),
        ("inference", "kuhn"),
        ("search", "goofspiel", "puct"),
        ("inference", "goofspiel"),
    ]


def test_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    lines: list[str] = []
    compile_ahead(tmp_path / "cache", [("-c", "pass")], lines.append)
    assert len(lines) == 1 and lines[0].startswith("compiling when needed")


def test_script_that_ends_takes_its_runs_with_it(tmp_path: Path) -> None:
    began = tmp_path / "process"
    part = f"import os, time; open({str(began)!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    script = (
        "import sys, time; from pathlib import Path\n"
        "from games.kernels.compilation import compile_beside\n"
        f"compile_beside(Path({str(tmp_path / 'cache')!r}), [('-c', sys.argv[1])])\n"
        f"while not (Path({str(began)!r}).exists() and Path({str(began)!r}).read_text()): "
        "time.sleep(0.01)"
    )
    subprocess.run([sys.executable, "-c", script, part], cwd=ROOT, check=True, timeout=60)
    with pytest.raises(ProcessLookupError):
        os.kill(int(began.read_text()), 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_every_game_warms_up(name: str) -> None:
    for root in RULES:
        warm_up_search(make(name), root)
    warm_up_inference(make(name))


def test_a_clock_counts_what_is_compiled_and_nothing_else() -> None:
    clock = CompileClock()
    compiled = numba.njit(lambda x: x + 1)
    compiled(1)
    assert (once := clock.seconds) > 0
    compiled(2)
    assert clock.seconds == once


def test_compiling_is_not_charged_to_the_budget(tmp_path: Path) -> None:
    run = Run(tmp_path, game="kuhn", algorithm="cfr_plus")

    def step(_: object) -> Report:
        numba.njit(lambda x: x + 1)(1)
        return Report(1, "", {})

    run.algorithm.step = step  # type: ignore[method-assign]
    with run.folder:
        began, clock = time.monotonic(), CompileClock()
        run.step()
        assert clock.seconds > 0.01
        assert run.seconds == pytest.approx(time.monotonic() - began - clock.seconds, abs=0.01)
