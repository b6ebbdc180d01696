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

ROOT = Path(__file__).resolve().parent.parent
PIP = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check"]


def run(folder: Path, *command: str, **changes: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, env=os.environ | changes, capture_output=True, text=True, timeout=900
    )


def test_help_and_unknown_commands() -> None:
    told = run(ROOT, sys.executable, "-m", "fpmcts.command", "--help")
    assert told.returncode == 0 and "fpmcts train" in told.stdout
    wrong = run(ROOT, sys.executable, "-m", "fpmcts.command", "trian")
    assert wrong.returncode == 2 and wrong.stderr.startswith(
        "fpmcts trian: expected one of train, evaluate, play, analyse, reproduce"
    )


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
            "import conf, fpmcts, games, train; "
            "print(games.__file__, train.__file__, fpmcts.__path__)",
        )
        assert told.stdout.count(str(own)) == 3 and str(ROOT) not in told.stdout, told

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
    names = zipfile.ZipFile(wheel).namelist()
    assert {
        "conf/train.yaml",
        "models/doudizhu.safetensors",
        "fpmcts/web/static/index.html",
    } <= set(names)
    assert not any(name.startswith(("tests/", "runs/")) for name in names)
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
