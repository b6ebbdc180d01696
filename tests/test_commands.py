"""The commands and the Python of the README and the site run, and every configuration composes."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from fpmcts.configuration import choices, groups_of
from fpmcts.evaluation.config import parse_command_line
from fpmcts.players import analysis
from fpmcts.training.algorithms import read_run
from fpmcts.web.config import PlayConfig
from games.base.files import ROOT
from games.play.position import table_at

TRAIN = "python train.py "
EVALUATE = "python evaluate.py "
REPRODUCE = "python -m fpmcts.papers "


PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCKS = [
    (page.stem, *block)
    for page in PAGES
    for block in re.findall(r"^```(\S*)\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
]
COMMANDS = sorted(
    {
        line.split("#")[0].strip()
        for _, language, block in BLOCKS
        if language in ("", "sh")
        for line in block.splitlines()
        if re.match(r"(make|python|tensorboard|fpmcts)\b", line)
    }
)
PLAY = "python play.py"
ANALYSE = "fpmcts analyse "


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_of_the_pages_are_understood(command: str) -> None:
    words = shlex.split(command)
    if words[0] == "make":
        subprocess.run([*words, "--dry-run"], cwd=ROOT, check=True, capture_output=True)
    elif command.startswith(TRAIN):
        game = next(word for word in words if word.startswith("game=")).removeprefix("game=")
        assert read_run(words[2:]).game.name == game
    elif command.startswith(REPRODUCE):
        assert words[3] in choices("papers")
    elif command.startswith(EVALUATE):
        assert len(parse_command_line(words[2:]).labels) >= 2
    elif command.startswith(ANALYSE):
        game, position, _ = analysis.parse(words[2:])
        assert not table_at(game, position).is_over
    elif command.startswith(PLAY):
        assert {word.split("=")[0] for word in words[2:]} <= PlayConfig.__annotations__.keys()


FILES = {f"{group}={name}" for group in groups_of("train") for name in choices(group)}


@pytest.mark.parametrize("override", sorted(FILES - set(" ".join(COMMANDS).split())))
def test_every_other_file_of_the_configuration_composes(override: str) -> None:
    poker = override.endswith("=poker") or override == "inference=enumeration"
    headless = override in ("network=general", "network=paper")  # none for the hidden cards
    read_run([override, *["game=leduc"] * poker, *["inference=filter"] * headless])


HALF = [
    "bootstrap.games=2000",
    "bootstrap.games_per_step=1000",
    "episode.games=64",
    "episode.games_per_step=64",
    "evaluation.search_decks=4",
]


@pytest.mark.slow
def test_smoke(tmp_path: Path) -> None:
    """``experiment=smoke``, halved, is the complete cycle; the same command on the finished run has
    nothing left to do.
    """
    run = ["game=doudizhu", "experiment=smoke", "device=cpu", f"run_dir={tmp_path / 'run'}"]
    command = [sys.executable, "train.py", *run, *HALF]
    first = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900)
    assert first.returncode == 0, first.stdout + first.stderr
    second = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert second.returncode == 0, second.stdout + second.stderr
    assert "resuming" in second.stdout + second.stderr
    events = EventAccumulator(str(tmp_path / "run"))
    events.Reload()
    losses = [event.value for event in events.Scalars("loss/policy_0")]
    assert losses[1] < 0.9 * losses[0], (
        "the policy did not learn from the second half of the bootstrap"
    )
    # An untrained policy wins hardly a game; 100 decks have a standard error of about 2.5 points.
    assert events.Scalars("policy_against_rhcp/wp_all")[-1].value > 0.2


@pytest.mark.parametrize("page", ["README", "start", "evaluate", "api"])
def test_the_python_of_a_page_runs(
    page: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """As it stands, but for the minutes."""
    blocks = [block for name, language, block in BLOCKS if (name, language) == (page, "python")]
    monkeypatch.chdir(tmp_path)
    exec(re.sub(r'"minutes": \d+', '"minutes": 0.01', "\n".join(blocks)), {})
    assert " decks, " in capsys.readouterr().out
