"""The files of the page: what is vendored is what it says, nothing is fetched from elsewhere, and
all of it is small.
"""

import hashlib
import json
import re
from pathlib import Path

import pytest

from games import GAMES, game_class
from games.base.files import ROOT

STATIC = ROOT / "fpmcts" / "web" / "static"


@pytest.mark.parametrize(
    "folder", [STATIC / "vendor", ROOT / "tests" / "web" / "vendor"], ids=["page", "tests"]
)
def test_vendored_files_are_what_the_readme_says(folder: Path) -> None:
    rows = [
        line.split("|")[1:-1]
        for line in (folder / "README.md").read_text().splitlines()
        if line.startswith("| `")
    ]
    told = {name.strip(" `"): digest.strip(" `") for name, *_, digest in rows}
    there = {path.name: path.read_bytes() for path in folder.glob("*.js")}
    assert {name: hashlib.sha256(content).hexdigest() for name, content in there.items()} == told
    licences = re.findall(r"`(LICENSE[^`]*)`", str(rows))
    assert licences and all(len((folder / name).read_text()) > 500 for name in licences)


def test_nothing_comes_from_elsewhere() -> None:
    own = [
        path
        for path in STATIC.iterdir()
        if path.suffix in (".js", ".css", ".html", ".svg", ".webmanifest")
    ]
    for path in own:
        text = path.read_text().replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://|innerHTML|insertAdjacentHTML|eval\(|@import", text), (
            path.name
        )
    for path in STATIC.glob("*.js"):
        for name in re.findall(r'from "([^"]+)"', path.read_text()):
            assert name.startswith("./") and (STATIC / name).is_file(), (path.name, name)


@pytest.mark.parametrize("game", GAMES)
def test_every_game_presents_itself_in_both_languages(game: str) -> None:
    page = json.loads((ROOT / "games" / game / f"{game}.json").read_text())
    english, chinese = page["en"], page["zh"]
    assert english.keys() == chinese.keys() == {"title", "text", "words", "rules"}
    assert english["words"].keys() == chinese["words"].keys()
    variants = {f"variant_{label}" for label in game_class(game).variants}
    assert variants <= english["words"].keys()
    shapes = [[len(lines) for _, lines in own["rules"]] for own in (english, chinese)]
    assert shapes[0] == shapes[1]
    results = (ROOT / "docs" / "results.md").read_text().replace(",", "")
    for measured in page.get("strength", {}).values():
        assert {one["level"] for one in measured.values()} <= {"easy", "normal", "strong"}
        for one in measured.values():
            assert "mean" not in one or f"{one['mean']} ± {one['se']}" in results


def test_every_word_is_there_in_both_languages() -> None:
    english, chinese = (
        json.loads((STATIC / f"words.{language}.json").read_text()).keys()
        for language in ("en", "zh")
    )
    assert english - chinese <= {"of"}, sorted(english - chinese)
    server = {name for name in chinese if name.startswith("error_")}  # it speaks English itself
    page = (ROOT / "docs" / "web-protocol.md").read_text().partition("## Error codes")[2]
    codes = {
        code
        for line in re.findall("(?m)^- .*", page)
        for code in re.findall(r"`(\w+)`", line.partition(":")[0])
    }
    assert {f"error_{code}" for code in codes} <= server
    assert chinese - server <= english, sorted(chinese - english)
    used = {
        key
        for path in STATIC.glob("*.js")
        if path.name != "words.js"
        for key in re.findall(r"\bt\(\"(\w+)\"", path.read_text())
    }
    assert used <= english, sorted(used - english)
