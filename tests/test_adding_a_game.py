"""The example of docs/adding-a-game.md: it is trained by the command and played at a table."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from examples import sealed_bids
from fpmcts.evaluation import command as evaluate
from fpmcts.players import load_player
from fpmcts.players.warmup import warm_up_inference
from fpmcts.training import command as train
from fpmcts.training.algorithms import read_run
from games import make
from games.base.files import ROOT
from games.kernels import kernel, streams
from games.kernels.generic import GENERIC, HIDDEN_MOVE, UNSEEN_MOVE, register_all, seen_move
from games.play.interface import GameSpec
from games.play.table import Table

NAME = "examples.sealed_bids"
SMALL = [
    "threads=1",
    "network.channels=8",
    "network.blocks=1",
    "network.head_channels=4",
    "network.head_units=32",
    "search.playouts=64",
    "search.worlds=16",
    "inference.particles=16",
    "episode.games=64",
    "episode.games_per_step=64",
    "train.batch_size=128",
    "device=cpu",
]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the folder of a run that the command has trained."""
    folder = tmp_path_factory.mktemp("sealed") / "run"
    train.main([f"game={NAME}", f"run_dir={folder}", "budget.iterations=2", *SMALL])
    return folder


@pytest.mark.parametrize(
    ("kind", "options"), [("random", {}), ("policy", {}), ("fpmcts", {"playouts": 32})]
)
def test_it_is_played_at_a_table(kind: str, options: dict[str, Any], run: Path) -> None:
    """What a player decides follows from what its seat sees: neither the card nor the bid of the
    other matter.
    """
    game = make(NAME)
    player = load_player(kind, game, None if kind == "random" else str(run), seed=1, **options)
    decided = []
    for other, bid in ((0, "bid 0"), (2, "bid 2")):
        deal = game.deal(np.zeros(1, np.uint64))
        table = Table(game, deal=deal._replace(cards=np.array([[1, other]], np.int8)))
        for fixed in (None, bid, None):
            decision = player.decide(table)
            if fixed is None:
                decided.append((decision.move, decision.policy, decision.value))
            table.play(fixed or decision.move)
        assert table.is_over and sum(table.returns) == 0
        assert table.describe(0)["moves"][1] is None  # seen, but not which
    assert decided[:2] == decided[2:]


def test_the_command_evaluates_it(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [
        f"game={NAME}",
        "a=fpmcts",
        f"a.checkpoint={run}",
        "a.playouts=32",
        "b=random",
        "processes=1",
        "device=cpu",
    ]
    assert evaluate.main([*given, "decks=60", f"unfinished={tmp_path}"]) == 0
    found = re.search(r"chips \+([0-9.]+) ± ([0-9.]+)", capsys.readouterr().out)
    assert found and float(found[1]) > 3 * float(found[2])


SPOILED = {
    "unknown module": ("", "there is no such module"),
    "no class": ("x = 1", "has no GAME, the class of the game"),
    "kernels": (
        "from games.play.interface import Game\nclass GAME(Game):\n    rules = ()",
        "kernels are missing: legal, step, .*hidden_of",
    ),
    "name": (
        "from examples.sealed_bids import SealedBids as GAME",
        "its spec says name='examples.sealed_bids'; expected",
    ),
}


@pytest.mark.parametrize(("text", "message"), SPOILED.values(), ids=SPOILED)
def test_errors_say_what_is_missing(
    text: str,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    package = f"mine_{abs(hash(request.node.name))}"
    (tmp_path / package).mkdir()
    if text:
        (tmp_path / package / "bids.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ValueError, match=message):
        make(f"{package}.bids")


def test_settings_that_fit_any_game() -> None:
    """They state their constants in units of the returns."""
    config = read_run([f"game={NAME}", "search.playouts=8"])
    found = config.game.name, config.objective, config.search.playouts
    assert found == (NAME, "adp", 8)
    assert (config.search.rollout, config.search.unit) == (1.0, 0.0)


def test_settings_may_lie_beside_the_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine_too").mkdir()
    copy = Path(sealed_bids.__file__).read_text()
    (tmp_path / "mine_too" / "bids.py").write_text(copy)
    (tmp_path / "mine_too" / "bids.yaml").write_text("# @package _global_\nsearch: {worlds: 7}")
    monkeypatch.syspath_prepend(tmp_path)
    config = read_run(["game=mine_too.bids"])
    found = config.game.name, config.search.worlds, config.search.unit
    assert found == ("mine_too.bids", 7, 0.0)


@kernel
def _seen_first_move(rules: Any, states: Any) -> int:
    """Returns what seat 1 sees of a first move of seat 0."""
    return seen_move(rules, states, 0, 0, 1)


@pytest.mark.slow
def test_moves_that_are_not_even_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bids are not in the other's record, where they would be its last moves; nor after kernels
    have run for the original, whose classes have the same names.
    """
    copy = Path(sealed_bids.__file__).read_text().replace("HIDDEN_MOVE", "UNSEEN_MOVE")
    (tmp_path / "unnoticed").mkdir()
    (tmp_path / "unnoticed" / "bids.py").write_text(copy.replace(NAME, "unnoticed.bids"))
    monkeypatch.syspath_prepend(tmp_path)
    seen = [
        _seen_first_move(game.rules, game.deal(streams(0, 1)))
        for game in (make(NAME), make("unnoticed.bids"))
    ]
    assert seen == [HIDDEN_MOVE, UNSEEN_MOVE]
    warm_up_inference(make("unnoticed.bids"))


def test_the_unit_is_the_size_of_a_usual_return() -> None:
    """A random game of sealed bids is folded for 1 chip, or called for 1 to 5: the mean square is
    (1 + 31 / 3) / 2.
    """
    assert make(NAME).return_unit == pytest.approx(np.sqrt((1 + 31 / 3) / 2), rel=0.05)


def test_kernels_are_registered_by_name() -> None:
    with pytest.raises(ValueError, match="kernel shuffle: not compiled; write @kernel above it"):
        register_all(tuple, shuffle)
    with pytest.raises(ValueError, match="kernel shuffle: expected one of legal, step"):
        register_all(tuple, kernel(shuffle))


def shuffle(rules: Any) -> int:
    return 0


def test_the_page_explains_every_kernel_and_field() -> None:
    page = (ROOT / "docs" / "adding-a-game.md").read_text()
    shown = re.findall(r"^:(?:pyobject|start-at|end-before): (.*)$", page, re.MULTILINE)
    examples = (ROOT / "examples" / f"{name}.py" for name in ("sealed_bids", "liars_dice"))
    code = "".join(path.read_text() for path in examples)
    assert len(shown) > 4 and all(text in code for text in shown)
    for name in [*GENERIC, *GameSpec._fields]:
        assert f"`{name}`" in page, f"{name} is not explained"
