"""Bad input to ``train.py``: one clear line that names the thing, a non-zero exit status, nothing
overwritten.
"""

import runpy
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from fpmcts.training.algorithms import read_run
from games.base.files import ROOT
from games.base.help import error_text
from games.base.settings import ConfigError
from networks.checkpoint import CheckpointError


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Returns what the program, as ``python train.py``, says as it fails: for a text the system
    prints it and the exit status is 1.
    """

    def run(*arguments: str) -> str:
        monkeypatch.setattr(signal, "signal", lambda *_: None)  # those of pytest stay
        monkeypatch.setattr(sys, "argv", ["train.py", *arguments])
        with pytest.raises(SystemExit) as caught:
            runpy.run_path(str(ROOT / "train.py"), run_name="__main__")
        assert isinstance(caught.value.code, str)
        return caught.value.code

    return run


REFUSED = """
train.lr=fast | train.lr=fast: expected a value of type float
serch=paper | serch=paper: unknown key; did you mean search?
search=papel | search=papel: expected one of default, general, paper; did you mean paper?
cluster.actors=7 | cluster.kind=none | cluster.kind=ray
selfplay.exploration=0.3 | selfplay.searching=all | selfplay.searching=one
inference.candidates=900 | inference.phase1=marginal | inference.phase1=filter
train.recency_halving=9 train.recency=0 | train.recency=0.0 | train.recency>0
evaluation.search_every=2 evaluation.search_decks=0 | evaluation.search_decks=0 | \
evaluation.search_decks>0
episode.games=9 gradient.start=0 | gradient.start=0 | gradient.start=null or
selfplay.temperature_end=1 gradient.start=0 | gradient.start=0 | gradient.start=null or
network.value_scale=2 | network.value_head=win_stakes | network.value_head=s
network.value_scale=2 network.value_head=scalar | objective=wp | objective=adp
evaluation.baseline=random evaluation.decks=0 evaluation.search_decks=0 | \
evaluation.decks=0 and evaluation.search_decks=0 | evaluation.decks>0
inference.particles=9 inference.phase1=none inference.phase2=false | \
inference.phase1=none and inference.phase2=false | \
inference.phase1=marginal or filter or inference.phase2=true
bootstrap.games=9 init_from=models/doudizhu.safetensors | \
init_from=models/doudizhu.safetensors | init_from=null
train.hidden_weight=1 inference=filter network.hidden_head=false | network.hidden_head=false | \
network.hidden_head=true
inference.epsilon=0.1 inference.phase2=false | inference.phase2=false | inference.phase2=true
search.strength=50 search=paper | search.target=visits | search.target=advantages
gradient.lr=1e-3 gradient.start=null | gradient.start=null | gradient.start
bootstrap.games=9 bootstrap=none | bootstrap.kind=none | bootstrap.kind=heuristic
gradient.thaw=3 | gradient.thaw=3: needs gradient.frozen
budget.minutes=inf | budget.minutes=inf: expected a finite number
network.objective=adp | network.objective=adp: set only objective, which is wp
search.playouts=${x} | search.playouts=${x}: Interpolation key 'x' not found
seed=[ | seed=[: the value cannot be read
[=1 | [=1: expected key=value
game=../game/leduc | game=../game/leduc: there is no such module
seed=1 seed=2 | seed=2: seed is given twice
inference=enumeration | inference.active_below=0: inference would never be used in doudizhu
experiment=leduc_figure2 | experiment=leduc_figure2: a figure of several runs; draw it with
algorithm=uct search.playouts=8 | search.playouts=8: unknown key; algorithm=uct has no such key
algorithm=uct experiment=smoke | experiment=smoke: sets search, which algorithm=uct does not have
"""
"""A command line and how its error begins; or what has no effect beside what, and what to set."""
LONG = "seed=" + 5000 * "9" + " | seed=" + 194 * "9" + "…"


@pytest.mark.parametrize("line", [*REFUSED.strip().splitlines(), LONG])
def test_bad_key_is_named_in_one_line(line: str) -> None:
    overrides, words, *wanted = line.split(" | ")
    if wanted:
        words = f"{overrides.split()[0]}: has no effect with {words}"
    with pytest.raises(ConfigError) as caught:
        read_run(overrides.split())
    message = str(caught.value)
    assert message.startswith(words) and "\n" not in message, message
    assert all(f"; set {text}" in message for text in wanted), message


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("train.lr=-1", "train.lr=-1.0: expected at least 1e-12 and at most 10"),
        # Stores are checked before they are written to: until then the system promises more memory
        # than there is.
        pytest.param("train.reservoir=1000000000", "not fit", marks=pytest.mark.slow),
        pytest.param(
            "device=cuda",
            "device=cuda: this machine has no CUDA device",
            marks=pytest.mark.skipif(torch.cuda.is_available(), reason="there is a CUDA device"),
        ),
    ],
)
def test_what_cannot_begin_leaves_nothing_behind(
    refused: Callable[..., str], override: str, words: str, tmp_path: Path
) -> None:
    said = refused(override, f"run_dir={tmp_path / 'run'}")
    assert said.startswith("train.py: ") and words in said and "\n" not in said
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("run_dir", "name", "words"),
    [
        ("file", "file", "cannot be written"),
        (".", "checkpoint.safetensors", "truncated, damaged or not a checkpoint"),
    ],
)
def test_what_is_there_is_not_overwritten(
    refused: Callable[..., str], run_dir: str, name: str, words: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(b"mine")
    said = refused(f"run_dir={tmp_path / run_dir}")
    assert str(path) in said and words in said and "\n" not in said
    assert path.read_bytes() == b"mine"


def test_of_a_long_message_both_ends_are_shown() -> None:
    message = error_text(CheckpointError("does not fit: " + 500 * "a is 1, " + "expected 2"))
    assert len(message) <= 1000
    assert message.startswith("does not fit: a is") and message.endswith("expected 2")
    assert error_text(OSError(28, "No space left on device", "/x")) == "/x: No space left on device"
