"""Every player, in Doudizhu and in Leduc, with untrained networks and short runs for those that
need some.
"""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from fpmcts.players import load_player
from fpmcts.players.lookup import names
from fpmcts.training.config import BootstrapSettings, TrainConfig
from fpmcts.training.fpmcts import FPMCTS
from fpmcts.training.interface import EpisodeBudget
from fpmcts.training.run import Run
from fpmcts.training.tabular import TabularConfig
from games import Choice, make
from games.base.files import ROOT
from games.play.agent import Agent
from games.play.interface import Game
from inference.determinizer import InferenceSettings
from networks.checkpoint import save
from networks.resnet import NetworkConfig

TINY = TrainConfig(
    run_dir="somewhere/secret",
    seed=3,
    device="cpu",
    precision="float32",
    threads=1,
    bootstrap=BootstrapSettings(kind="none"),
    network=NetworkConfig(objective="wp", channels=8, blocks=1, head_channels=2, head_units=8),
)
TINY_POKER = replace(
    TINY,
    objective="adp",
    game=Choice("leduc"),
    inference=InferenceSettings(phase1="none"),
    network=replace(TINY.network, objective="adp", value_head="scalar", hidden_head=False),
)


@pytest.fixture(scope="session")
def tiny() -> TrainConfig:
    """Returns the configuration of the run."""
    return TINY


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the folder of the run."""
    return saved(TINY, tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="session")
def poker_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the folder of a run on Leduc."""
    return saved(TINY_POKER, tmp_path_factory.mktemp("poker"))


@pytest.fixture(scope="session")
def tabular_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the folder of a run of Smooth UCT on Leduc, two steps long."""
    folder = tmp_path_factory.mktemp("tabular") / "run"
    config = TabularConfig(
        run_dir=str(folder), game=Choice("leduc"), budget=EpisodeBudget(episodes=1100)
    )
    assert len(list(Run.of(config))) == 2
    return folder


def saved(config: TrainConfig, folder: Path) -> Path:
    """Returns the folder with the networks of a run before its first step."""
    state = FPMCTS(config).state()
    networks = {k: v for k, v in state.arrays.items() if k.startswith("network.")}
    save(folder / "networks.safetensors", networks, state.meta | {"seconds": 0.0})
    return folder


DOUDIZHU, LEDUC = make("doudizhu"), make("leduc")
SEARCH = {"playouts": 8}
PROGRAM = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"protocol": 1}), flush=True)
    elif message["type"] == "view":
        legal, view = message["view"]["legal"], message["view"]
        assert all(card in view["hand"] + view["public"] for card in view["hand"])
        print(json.dumps({"move": legal[sum(map(ord, json.dumps(view))) % len(legal)]}), flush=True)
"""


@pytest.fixture
def made(
    kind: str, game: Game, run: Path, poker_run: Path, tabular_run: Path, tmp_path: Path
) -> Iterator[Agent]:
    """Yields the player of the parameters ``kind`` and ``game``."""
    big, program = game is DOUDIZHU, tmp_path / "player.py"
    program.write_text(PROGRAM)
    command = f"{sys.executable} {ROOT / 'examples' / 'external_player.py' if big else program}"
    networks = {"checkpoint": str(run if big else poker_run)}
    options: dict[str, dict[str, object]] = {
        "policy": networks,
        "fpmcts": networks | SEARCH,
        "lookahead": networks | {"playouts": 8},
        "pimc": {"worlds": 4},
        "ismcts": {"iterations": 500},
        "tabular": {"run": str(tabular_run)},
        "lbr": {"against": "random", "boards": 2},
        "mix": {"seats": ["random", "rhcp", "rhcp"] if big else ["random", "always_call"]},
        "open_spiel": {"bot": "uniform_random"},
        "rlcard": {"agent": "doudizhu-rule-v1" if big else "leduc-holdem-cfr"},
        "external": {"command": command},
    }
    agent = load_player(kind, game, seed=3, **options.get(kind, {}))
    yield agent
    getattr(agent, "close", lambda: None)()


CASES = [(kind, game) for game in (DOUDIZHU, LEDUC) for kind in names(game.spec.name)]
CASES.remove(("tabular", DOUDIZHU))  # no run of it
CASES.remove(("douzero", DOUDIZHU))  # test_douzero.py
EVERY = pytest.mark.parametrize(
    ("kind", "game"),
    [
        pytest.param(
            kind,
            game,
            id=f"{game.spec.name}-{kind}",
            marks=[pytest.mark.slow] if kind == "pimc" else [],
        )
        for kind, game in CASES
    ],
)
"""PIMC compiles for long; ``tests/games/doudizhu/players/test_pimc.py`` has the rest of it."""
