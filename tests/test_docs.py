"""Links between the pages, and from them to files and headings, lead somewhere."""

import re
import subprocess
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from fpmcts.papers import departures
from games.base.files import ROOT

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"`((?:[\w.-]+/)+[\w.-]+\.(?:py|md|yaml|json|toml|yml))`")
MADE_BY_RUNS = ("runs/", "shared/")
OF_THEIR_TIME = ("CHANGELOG.md", "docs/experiments.md")
"""Pages that name files as they were."""


def pages() -> list[str]:
    told = subprocess.run(
        ["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return told.stdout.split()


def slug(heading: str) -> str:
    """Returns the anchor of a heading, as GitHub makes it."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip().lower())
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


@cache
def anchors(path: Path) -> frozenset[str]:
    found: dict[str, int] = {}
    text = FENCE.sub("", path.read_text())
    for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE):
        found[slug(heading)] = found.get(slug(heading), 0) + 1
    named = re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text)
    return frozenset(
        f"{name}-{k}" if k else name for name, count in found.items() for k in range(count)
    ) | frozenset(named)


def broken(page: str) -> Iterator[str]:
    path = ROOT / page
    text = FENCE.sub("", path.read_text())
    for pair in LINK.findall(text):
        link = next(filter(None, pair))
        if "://" in link or link.startswith("mailto:"):
            continue
        name, _, anchor = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        if not target.exists():
            yield f"{page}: {link}: no such file"
        elif anchor and target.suffix == ".md" and anchor not in anchors(target):
            yield f"{page}: {link}: no such heading"
    for name in FILE.findall(text):
        if page in OF_THEIR_TIME or Path(name).stem.isupper():  # conf/game/NAME.yaml
            continue
        known = any(
            (folder / name).exists() for folder in (ROOT, path.parent, *path.parent.parents)
        )
        if not known and not name.startswith(MADE_BY_RUNS) and (ROOT / name.split("/")[0]).is_dir():
            yield f"{page}: `{name}`: no such file"


@pytest.mark.parametrize("page", pages())
def test_links_lead_somewhere(page: str) -> None:
    assert not list(broken(page))


def test_there_is_not_too_much_to_read() -> None:
    """Tables are data and do not count."""
    words = {
        page: sum(
            len(line.split())
            for line in (ROOT / page).read_text().splitlines()
            if not line.startswith("|")
        )
        for page in pages()
    }
    assert words["README.md"] <= 1200 and sum(words.values()) <= 18_000, words


def test_lists_of_departures_are_those_of_the_code() -> None:
    for page, text in departures.pages().items():
        assert (ROOT / page).read_text() == text, "python -m fpmcts.papers.departures writes it"


def test_the_names_of_the_api_are_there() -> None:
    """Sphinx, which reads them, is not part of the tests."""
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    found = re.findall(r"auto(?:class|function):: (\S+)(?:\n +:members:(.*))?", text)
    assert len(found) > 10
    for name, members in found:
        module, _, own = name.rpartition(".")
        thing = getattr(import_module(module), own)
        for member in filter(None, map(str.strip, members.split(","))):
            assert hasattr(thing, member) or member in thing.__annotations__, (name, member)
