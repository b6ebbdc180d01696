"""A browser, a server over the real games for it, and a person that sits before it."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from fpmcts.web.errors import Json

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
HOW = (
    "apt-get install -y chromium fonts-wqy-microhei, or name one by CHROMIUM=/path/to/chromium; "
    "and pip install playwright"
)
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--no-first-run",
]
AXE = Path(__file__).with_name("vendor") / "axe.min.js"
SERIOUS = ("serious", "critical")
FRAMES = {
    60: "requestAnimationFrame = (act) => { const frame = 1000 / 60;"
    " return setTimeout(() => act(performance.now()), frame - (performance.now() % frame)); };"
    "cancelAnimationFrame = clearTimeout;",
    0: "requestAnimationFrame = () => 0;",
}
"""Scripts that give a page its frames per second: without a screen it draws as soon as it is idle,
which hides what goes wrong between an answer and the next frame; a tab behind others draws never.
"""
PATIENCE = 30_000
"""Milliseconds until something that should happen counts as not happening."""


def program() -> str | None:
    """Returns the path of a browser, None where none is installed."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, PROGRAMS)), None)


def launch() -> Iterator[Any]:
    """Yields a browser; skips where there is none."""
    path = program()
    if path is None:
        pytest.skip(f"no browser is installed: {HOW}")
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        pytest.skip(f"playwright is not installed: {HOW}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


def longest(view: Json) -> str:
    """Returns the legal move of the most cards, a pass only if nothing else is legal."""
    return max(view["legal"], key=lambda move: (move != "pass", len(move)))


class Site:
    """A running server, which leads a session of its own.

    Args:
        folder: Where it runs.
        options: Options of ``server.py``, where no command is given.
        command: Starts another server.
        environment: Of the server.
    """

    def __init__(
        self,
        folder: Path,
        *options: str,
        command: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.folder, self.errors, self.said = folder, folder / "errors.txt", folder / "said.txt"
        server = [sys.executable, str(Path(__file__).with_name("server.py")), str(folder)]
        with self.errors.open("w") as errors, self.said.open("w") as said:
            self.process = subprocess.Popen(
                command or [*server, *options],
                cwd=folder,
                env=environment,
                stdout=said,
                stderr=errors,
                start_new_session=True,
            )
        while not (found := re.search(r"(http://\S+)\s", self.said.read_text())):
            assert self.process.poll() is None, self.errors.read_text()
            time.sleep(0.02)
        self.address = found[1]
        self.origin = self.address.split("/?")[0]

    def stop(self, how: int = signal.SIGINT) -> None:
        """Ends it as Ctrl-C does, which the engine hears too."""
        os.killpg(self.process.pid, how)
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(15)


class Person:
    """Somebody with a page of their own, who notes everything that goes wrong on it.

    Args:
        browser: Of playwright.
        site: The server.
        width: Of the window, in pixels: 390 is a phone.
        language: "en" or "zh", as the system says.
        dark: Whether the system is dark.
        frames: Frames per second, a key of ``FRAMES``.
    """

    def __init__(
        self,
        browser: Any,
        site: Site,
        *,
        width: int = 1280,
        language: str = "en",
        dark: bool = False,
        frames: int = 60,
    ) -> None:
        self.origin, self.faults, self.sent = site.origin, list[str](), list[str]()
        phone = width < 700
        self.context = browser.new_context(
            viewport={"width": width, "height": 844 if phone else 800},
            locale="zh-CN" if language == "zh" else "en-US",
            color_scheme="dark" if dark else "light",
            has_touch=phone,
            is_mobile=phone,
        )
        self.context.set_default_timeout(PATIENCE)
        self.context.add_init_script(FRAMES[frames])
        self.page = self.context.new_page()
        self.page.on(
            "console",
            lambda message: (
                message.type in ("error", "warning") and self.faults.append(message.text)
            ),
        )
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on(
            "requestfailed",
            lambda request: (
                # What is under way when a page is left is given up by the browser, not refused.
                request.failure == "net::ERR_ABORTED"
                or self.faults.append(f"{request.url}: {request.failure}")
            ),
        )
        self.page.on(
            "request",
            lambda request: request.url.startswith(site.origin) or self.faults.append(request.url),
        )
        # From the first socket on: a later listener does not hear those that are open.
        self.page.on(
            "websocket", lambda socket: socket.on("framesent", lambda text: self.sent.append(text))
        )
        self.page.goto(site.address)
        self.page.wait_for_selector(".new")
        # The games may have to be compiled first.
        self.page.wait_for_selector(".notice", state="detached", timeout=4 * PATIENCE)

    def get(self, path: str) -> Any:
        """Returns what the server says."""
        answer = self.context.request.get(self.origin + path)
        assert answer.ok, answer.text()
        return answer.json()

    def new_table(self, **fields: Any) -> str:
        """Makes a table and opens it."""
        given = {
            "game": "doudizhu",
            "seats": ["you", "random", "random"],
            "mode": "hints",
            "seed": 7,
        } | fields
        given = {name: value for name, value in given.items() if value is not None}
        answer = self.context.request.post(
            f"{self.origin}/api/tables", data=given, headers={"origin": self.origin}
        )
        assert answer.ok, answer.text()
        table = str(answer.json()["id"])
        self.open(table)
        return table

    def options(self) -> None:
        """Unfolds the options of the lobby."""
        self.page.locator(".options summary").click()

    def open(self, table: str) -> None:
        """Shows a table."""
        self.page.evaluate("hash => { location.hash = hash; }", f"t={table}")
        self.page.wait_for_selector(".felt")

    @property
    def table(self) -> str:
        """Returns the id of the table that is shown."""
        return str(self.page.evaluate("location.hash")).partition("t=")[2]

    def view(self) -> Json:
        """Returns the view of the table that is shown."""
        view: Json = self.get(f"/api/tables/{self.table}")["view"]
        return view

    def wait_for_turn(self) -> bool:
        """Waits until it is our turn; returns False at the end of the game."""
        self.page.wait_for_selector(
            ".play[data-turn=mine], .play.over", timeout=4 * PATIENCE
        )  # players may have to be compiled
        return self.page.query_selector(".play.over") is None

    def wait_after(self, ply: int) -> None:
        """Waits until the page shows that the move at a ply was made. By the clock: a page without
        frames is asked no second time at the next frame.
        """
        self.page.wait_for_function(
            "ply => Number(document.querySelector('.play')?.dataset.ply) > ply",
            arg=ply,
            polling=50,
        )

    def move(self, move: str) -> None:
        """Types a move; on a phone, which has no line for it, cards by their keys. Where there is
        neither, presses the first button that is not to fold.
        """
        page = self.page
        if page.locator(".typed input").is_visible():
            page.fill(".typed input", move)
            page.keyboard.press("Enter")
        elif self.count(".hand") and move != "pass":
            for key in (*move, "Enter"):
                page.keyboard.press(key)
        else:
            page.locator(".buttons .primary, .hand ~ .buttons button").first.click()

    def play(self) -> None:
        """Plays the longest legal moves to the end of the game."""
        while self.wait_for_turn():
            view = self.view()
            self.move(longest(view))
            self.wait_after(view["ply"])

    def count(self, part: str) -> int:
        """Returns how often the page has a part."""
        return int(self.page.locator(part).count())

    def text(self, part: str) -> str:
        """Returns the text of a part of the page in one line."""
        return " ".join(self.page.locator(part).inner_text().split())

    def check(self) -> None:
        """Asserts that nothing went wrong, that the page is no wider than the window, in a wider
        font too, and that axe finds nothing serious.
        """
        assert not self.faults, self.faults
        for spacing in ("0.06em", ""):
            wide = self.page.evaluate(
                "spacing => { const root = document.documentElement;"
                "root.style.letterSpacing = spacing; return root.scrollWidth - root.clientWidth; }",
                spacing,
            )
            assert wide <= 0, f"{wide} px wider than the window at letter spacing {spacing!r}"
        self.page.evaluate(AXE.read_text())
        found = self.page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        serious = [one for one in found if one["impact"] in SERIOUS]
        assert not serious, json.dumps(serious, indent=1)

    def run(self, module: str, code: str, of: Any) -> Any:
        """Returns the value of an expression over what a module of the page exports."""
        found = f"all => {{ with (all) {{ return {code}; }} }}"
        return self.page.evaluate(f"of => import('/static/{module}.js').then({found})", of)

    def close(self) -> None:
        """Closes the page and asserts that nothing went wrong meanwhile."""
        self.context.close()
        assert not self.faults, self.faults
