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
    "pettingzoo_game": ("of 20 games against random peasants",),
    "open_spiel_measure": ("our tables in OpenSpiel's Kuhn: NashConv 0.0000",),
    "open_spiel_player": ("tabular against open_spiel: 20 decks, 40 games",),
    "rlcard_player": ("rhcp against rlcard: 20 decks, 40 games",),
    "rlcard_referee": ("both say the same",),
    "own_root": ("ucb1 against fpmcts: 2 decks", "ucb1 against cautious: 2 decks"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SAY)
def test_they_run(name: str, tmp_path: Path) -> None:
    needed = {"open_spiel": "pyspiel", "pettingzoo": "pettingzoo", "rlcard": "rlcard"}
    adapter = needed.get(name.rpartition("_")[0])
    if adapter:
        pytest.importorskip(adapter, reason="pip install 'fpmcts[interop]'")
    given = [] if adapter else [*["kuhn"] * (name == "reference"), "0.02"]
    command = [sys.executable, "-m", f"examples.{name}", *given]
    env = os.environ | {"PYTHONPATH": str(ROOT), "MPLBACKEND": "agg"}
    done = subprocess.run(
        command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0 and all(text in done.stdout for text in SAY[name]), done.stderr
