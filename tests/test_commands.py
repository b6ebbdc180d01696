"""The commands of the README run, and the configurations that come with the project compose."""

import ast
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from fpmcts.configuration import CONF, choices, groups_of
from fpmcts.evaluation.config import parse_command_line
from fpmcts.papers.__main__ import help_text
from fpmcts.training.algorithms import read_run
from fpmcts.training.config import TrainConfig
from fpmcts.training.tabular import TabularConfig

ROOT = Path(__file__).resolve().parent.parent
TRAIN = "python train.py "
EVALUATE = "python evaluate.py "
REPRODUCE = "python -m fpmcts.papers "


def readme_commands() -> list[str]:
    """Returns the lines of the README's code blocks that are commands, without their comments."""
    blocks = re.findall(
        r"^```\w*\n(.*?)^```", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL
    )
    lines = [line.split("#")[0].strip() for block in blocks for line in block.splitlines()]
    return [
        line for line in lines if re.match(r"(make|python|tensorboard)\b", line) and "…" not in line
    ]


def composed(overrides: list[str]) -> TrainConfig | TabularConfig:
    """Returns the checked configuration of a command line."""
    config: TrainConfig | TabularConfig = read_run(overrides)
    return config


@pytest.mark.parametrize("command", readme_commands())
def test_commands_of_the_readme_are_understood(command: str) -> None:
    words = shlex.split(command)
    if words[0] == "make":
        subprocess.run([*words, "--dry-run"], cwd=ROOT, check=True, capture_output=True)
    elif command.startswith(TRAIN):
        game = next(word for word in words if word.startswith("game=")).removeprefix("game=")
        assert composed(words[2:]).game.name == game
    elif command.startswith(REPRODUCE):
        assert words[3] in choices("papers")
    elif command.startswith(EVALUATE):
        assert len(parse_command_line(words[2:]).labels) >= 2


TRAINING_FILES = sorted(
    CONF / group / f"{name}.yaml" for group in groups_of("train") for name in choices(group)
)


@pytest.mark.parametrize("path", TRAINING_FILES, ids=lambda path: f"{path.parent.name}={path.stem}")
def test_every_file_of_the_configuration_composes(path: Path) -> None:
    override = f"{path.parent.name}={path.stem}"
    poker = override.endswith("=poker") or override == "inference=enumeration"
    composed([override, "game=leduc"] if poker else [override])


def test_papers_say_what_they_do() -> None:
    assert "python -m fpmcts.papers NAME" in help_text("lisy_tables")


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


def test_the_example_of_the_readme_plays_a_game() -> None:
    """The first block of Python in the README, as it stands."""
    (block,) = re.findall(
        r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL
    )
    result = subprocess.run(
        [sys.executable, "-c", block], cwd=ROOT, check=True, capture_output=True, text=True
    )
    points = ast.literal_eval(result.stdout)
    assert points[1] == points[2] == -points[0] != 0
