"""The package that others install: settings, weights and page travel with it, and its commands work
from any folder.
"""

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from fpmcts import __version__, command
from games.base import files

ROOT = Path(__file__).resolve().parent.parent
PIP = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check"]


def run(folder: Path, *command: str, **changes: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, env=os.environ | changes, capture_output=True, text=True, timeout=900
    )


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        ("--version", 0, f"fpmcts {__version__}"),
        ("--help", 0, "fpmcts train"),
        (
            "trian",
            2,
            "fpmcts trian: expected one of train, evaluate, play, analyse, puzzles,",
        ),
        ("train --help", 0, "fpmcts train game=doudizhu"),
        ("evaluate --help", 0, "fpmcts evaluate a="),
        ("play --help", 0, "fpmcts play port=0"),
        ("bench --help", 0, "fpmcts bench [-h]"),
        ("play prt=0", 1, "fpmcts play: prt=0: unknown key"),
    ],
)
def test_a_command_names_itself_as_it_was_typed(
    arguments: str,
    status: int,
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["fpmcts", *arguments.split()])
    monkeypatch.setattr(sys, "path", [*sys.path])
    try:
        code = command.main() or 0
    except SystemExit as end:
        code = end.code
    said = "".join(capsys.readouterr()) + (code if isinstance(code, str) else "")
    assert words in said and "python" not in said.replace("python -m fpmcts.papers", "")
    assert (1 if isinstance(code, str) else code) == status


def test_play_without_its_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fpmcts.web.server.main", None)
    with pytest.raises(SystemExit, match=r"^fpmcts play: .*: pip install 'fpmcts\[play\]'$"):
        command.run("play", [], "fpmcts play")


def test_settings_and_weights_are_found_in_a_clone_and_where_the_wheel_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "ROOT", tmp_path)
    assert files.shipped("conf") == tmp_path / "conf"
    (tmp_path / "fpmcts" / "conf").mkdir(parents=True)
    assert files.shipped("conf") == tmp_path / "fpmcts" / "conf"


def test_one_version_everywhere() -> None:
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"\n## {__version__}" in (ROOT / "CHANGELOG.md").read_text()


BOT = """
import pyspiel

def make(game, seat, seed):
    return pyspiel.load_bot("uniform_random", game, seat, {"seed": seed})
"""


def build_wheel(folder: Path) -> Path:
    """Returns a wheel of the files that git knows, built beside a copy of them."""
    source = folder / "source"
    files = run(
        ROOT, "git", "ls-files", "--cached", "--others", "--exclude-standard"
    ).stdout.splitlines()
    for name in files:
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((ROOT / name).read_bytes())
    built = run(source, *PIP, "wheel", "--no-deps", "--no-build-isolation", "-w", str(folder), ".")
    assert built.returncode == 0, built.stderr
    (wheel,) = folder.glob("fpmcts-*.whl")
    return wheel


class Installed:
    """A wheel in an environment of its own, run from a folder that has nothing to do with the
    sources.

    What the wheel depends on is not installed a second time: it is looked up behind the
    environment's own packages.
    """

    def __init__(self, wheel: Path, folder: Path) -> None:
        self.python, self.work = folder / "environment" / "bin" / "python", folder / "work"
        self.work.mkdir()
        venv.create(folder / "environment", with_pip=True, symlinks=True)
        (own,) = (folder / "environment" / "lib").glob("python*/site-packages")
        (own / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
        installed = run(
            self.work, str(self.python), *PIP[1:], "install", "--no-deps", "--no-index", str(wheel)
        )
        assert installed.returncode == 0, installed.stderr
        self.environment = {
            name: value for name, value in os.environ.items() if not name.startswith("PYTHON")
        }
        told = self.run(
            str(self.python),
            "-c",
            "import fpmcts, games; from games.base.files import shipped; "
            "print(fpmcts.__path__, games.__path__, shipped('conf'), shipped('models'))",
        )
        assert told.stdout.count(str(own)) == 4 and str(ROOT) not in told.stdout, told

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=self.work,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=1800,
        )

    @property
    def command(self) -> str:
        return str(self.python.with_name("fpmcts"))


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("package")
    wheel = build_wheel(folder)
    content, information = zipfile.ZipFile(wheel), f"fpmcts-{__version__}.dist-info"
    names, metadata = content.namelist(), content.read(f"{information}/METADATA").decode()
    assert "Typing :: Typed" in metadata and "](" not in metadata  # its links would be dead
    assert {
        "fpmcts/conf/train.yaml",
        "fpmcts/models/doudizhu.safetensors",
        "fpmcts/web/static/index.html",
        "fpmcts/benchmarks/rules.py",
        "fpmcts/py.typed",
    } <= set(names)
    assert {name.split("/")[0] for name in names} == {
        *("fpmcts", "games", "networks", "inference", information)
    }
    return Installed(wheel, folder)


@pytest.mark.slow
def test_an_installed_wheel_trains_and_evaluates(installed: Installed) -> None:
    """A minute of training, from any folder; what was learned plays, and so does what came with the
    package.
    """
    trained = installed.run(
        installed.command, "train", "game=leduc", "budget.minutes=1", "run_dir=mine"
    )
    assert trained.returncode == 0 and (installed.work / "mine").is_dir(), trained.stderr
    for game in (("game=leduc", "a.checkpoint=mine"), ("game=doudizhu",)):
        played = installed.run(
            installed.command, "evaluate", *game, "a=policy", "b=random", "decks=20", "processes=1"
        )
        assert played.returncode == 0 and "policy against random" in played.stdout, played.stderr
    (installed.work / "my_bots.py").write_text(BOT)
    bot = ("a=random", "b=open_spiel", "b.bot=my_bots:make")
    played = installed.run(
        installed.command, "evaluate", "game=kuhn", *bot, "decks=20", "processes=2"
    )
    assert played.returncode == 0 and "random against open_spiel" in played.stdout, played.stderr


@pytest.mark.slow
def test_an_installed_wheel_serves_a_game_in_a_browser(
    installed: Installed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page that travels with the package, in a real browser: a whole game against the players
    of the project.
    """
    from tests.web import browser as page_tests
    from tests.web.browser import Person, Site, launch

    monkeypatch.setattr(
        page_tests, "PATIENCE", 300_000
    )  # the lobby waits until the players are compiled
    browsers = launch()
    command = [installed.command, "play", "port=0", "browser=false"]
    browser = next(browsers)
    site = Site(installed.work, command=command, environment=installed.environment)
    try:
        person = Person(browser, site)
        person.new_table(seats=["you", "rhcp", "random"], mode="fair")
        person.play()
        assert person.view()["ply"] > 3
        person.check()
        person.close()
    finally:
        site.stop()
        browsers.close()
    assert site.process.returncode == 0
