"""Every ``python -m …`` beside the three scripts: what is given wrongly ends in one line, at
once.
"""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import benchmarks.__main__ as all_benchmarks
import fpmcts.papers.__main__ as papers
from examples import analysis, rule_hands
from fpmcts.command import run
from fpmcts.papers.figures import RunFigure
from fpmcts.players import warmup
from games.base.files import ROOT
from games.base.settings import ConfigError

OPPONENTS = "models/no_limit_holdem-opponents.safetensors"
CASES: list[tuple[Callable[..., Any], str, str]] = [
    (all_benchmarks.main, "compare", "no benchmark named compare; there are: rules,"),
    (
        all_benchmarks.main,
        "rules --json /missing/x",
        "--json /missing/x: the folder /missing does not",
    ),
    (analysis.main, "regret --checkpoint /missing", "there is no checkpoint at /missing"),
    (analysis.main, "regret --decks -3", "expected 0 < share <= 1"),
    (rule_hands.main, "x.phhs 0", "COUNT 0: expected at least 1"),
    (rule_hands.main, "x.txt 1", "x.txt: expected a name that ends in .phh or .phhs"),
    (rule_hands.main, "/missing/x.phhs 1", "/missing/x.phhs: the folder /missing does not"),
    (warmup.main, "", "the following arguments are required: part, game"),
    (warmup.main, "foo leduc", "invalid choice: 'foo'"),
    (warmup.main, "search nothing", "game=nothing: expected one of doudizhu,"),
    *(
        (partial(run, name), arguments, words)
        for name, arguments, words in (
            ("export", "/missing x", "there is no checkpoint at /missing"),
            ("export", "/missing x --half", "--half: expected a run of networks"),
            ("export", "models/leduc-tables.safetensors x", "was exported before; expected a run"),
            ("check", "/dev/zero", "/dev/zero: no such file or folder"),
            ("check", "", "the following arguments are required: FILES"),
            ("score", "", "expected MODEL FILES, such as: fpmcts score models/"),
            ("score", f"{OPPONENTS} /dev/zero", "/dev/zero: no such file or folder"),
            ("score", "/dev/zero x", "/dev/zero is not a file"),
        )
    ),
]


@pytest.mark.parametrize(("main", "arguments", "words"), CASES)
def test_what_is_given_wrongly_ends_in_one_line(
    main: Callable[..., Any],
    arguments: str,
    words: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    words_given = [str(ROOT / a) if a.startswith("models") else a for a in arguments.split()]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["program", *words_given])
    with pytest.raises(SystemExit) as caught:
        if isinstance(main, partial):
            main(words_given, f"fpmcts {main.args[0]}")
        else:
            main()
    code = caught.value.code
    said = code if isinstance(code, str) else capsys.readouterr().err.rstrip("\n")
    assert code not in (0, None) and words in said.rpartition("\n")[2], said
    assert not list(tmp_path.iterdir())


def test_a_stopped_figure_is_no_success(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RunFigure, "play", lambda *given: None)
    assert papers.main(["kuhn_figure1", f"run_dir={tmp_path}"]) == 130


def test_papers() -> None:
    for arguments in ([""], ["--help", "foo"], ["foo"], ["leduc_figure2", "threads=0"]):
        with pytest.raises(ConfigError, match="expected"):
            papers.main(arguments)
