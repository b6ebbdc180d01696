"""The scripts for users of the library run, with hardly any training."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from games.base.files import ROOT

SAY = {
    "leduc_in_python": ("NashConv: ", "uniform play: 4.747", "policy against always_call"),
    "own_game_in_python": ("NashConv of CFR+: 0.0000 chips", "policy against tabular: 2,000 decks"),
    "reference": ("NashConv ",),
    "own_root": ("ucb1 against fpmcts: 2 decks", "ucb1 against cautious: 2 decks"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SAY)
def test_they_run(name: str, tmp_path: Path) -> None:
    game = ["kuhn"] if name == "reference" else []
    command = [sys.executable, "-m", f"examples.{name}", *game, "0.02"]
    env = os.environ | {"PYTHONPATH": str(ROOT), "MPLBACKEND": "agg"}
    done = subprocess.run(
        command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0 and all(text in done.stdout for text in SAY[name]), done.stderr
