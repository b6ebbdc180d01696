"""No-limit Hold'em in a real browser: any amount by field, slider, buttons and keys; stacks, pots and positions; every look."""

import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.web.browser import Person, Site, launch

LOOKS = list(itertools.product((390, 1280), (False, True)))
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    yield from launch()


@pytest.fixture(scope="module")
def site(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    made = Site(tmp_path_factory.mktemp("site"))
    yield made
    made.stop()


@pytest.fixture(scope="module")
def shots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = Path(os.environ["SHOTS"]) if "SHOTS" in os.environ else tmp_path_factory.mktemp("shots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def flat(person: Person, part: str) -> str:
    """Returns the text of a part of the page in one line."""
    return " ".join(person.page.locator(part).inner_text().split())


def call_to_the_end(person: Person) -> None:
    """Calls or checks until the hand is over."""
    while person.wait_for_turn():
        ply = person.view()["ply"]
        person.page.keyboard.press("c")
        person.wait_after(ply)


def test_any_amount_by_field_slider_buttons_and_keys(browser: Any, site: Site, shots: Path) -> None:
    person = Person(browser, site, shots, "bets")
    page, press = person.page, person.page.keyboard.press
    page.locator("input[value=no_limit_holdem]").click()
    assert [one.strip() for one in page.locator(".choices label:has(input[name=variant])").all_inner_texts()] == [
        "heads-up",
        "three players",
        "six players",
    ]
    person.new_table(game="no_limit_holdem:players=3", seats=["random", "random", "you"], mode="fair", seed=6)
    person.wait_for_turn()
    assert page.locator("h1").inner_text() == "No-limit Hold'em · three players"
    assert "button" in flat(person, ".seat.bottom") and "stack 10000" in flat(person, ".seat.bottom")
    assert "bet 50" in flat(person, ".others") and "bet 100" in flat(person, ".others") and "150" in flat(person, ".pot")
    field, bounds = page.locator(".bet .chips"), page.locator("#bounds")
    assert field.input_value() == "200" and "200" in bounds.inner_text() and "10000" in bounds.inner_text()
    for wrong in ("150", "10001", "250.5", "-300", "", "many"):
        field.fill(wrong)
        press("Enter")
        assert "cannot be bet" in bounds.inner_text() and field.get_attribute("aria-invalid") == "true"
    assert person.view()["ply"] == 0
    person.check("wrong")
    page.locator(".sizes button", has_text="½ pot").click()
    assert field.input_value() == "225" and page.locator(".sizes [aria-pressed=true]").count() == 1
    slider = page.locator(".bet input[type=range]")
    slider.focus()
    for _ in range(5):
        press("ArrowRight")
    moved = int(field.input_value())
    assert 225 < moved < 400 and slider.get_attribute("aria-valuetext") == str(moved)
    press("End")
    assert field.input_value() == "10000"
    press("Home")
    assert field.input_value() == "200"
    page.locator(".typed input").fill("raise 123")
    press("Enter")
    page.wait_for_selector(".toast:not(:empty)")
    assert "any raise to 200 … 10000 chips" in flat(person, ".toast")
    page.locator("h1").click()
    press("2")
    assert field.input_value() == "225" and page.evaluate("document.activeElement.className") == "chips"
    field.fill("337")
    press("Enter")
    person.wait_after(0)
    assert person.view()["moves"][0] == {"seat": 2, "move": "r337"}
    assert "Raise to 337" in flat(person, ".log") and "stack 9663" in flat(person, ".seat.bottom")
    call_to_the_end(person)
    page.wait_for_selector(".steps")
    press("Home")
    press("ArrowRight")
    assert "Raise to 337" in flat(person, ".seat.bottom")
    person.check("replayed")
    press("End")
    press("Enter")  # the next hand of the series
    page.wait_for_selector(".play:not(.over) .felt")
    summary = person.get(f"/api/tables/{person.table}")["summary"]
    assert summary["series"]["number"] == 2 and sum(summary["series"]["returns"]) == 0
    person.close()


@pytest.mark.parametrize(("width", "dark"), LOOKS, ids=[f"{w}-{'dark' if dark else 'light'}" for w, dark in LOOKS])
@pytest.mark.parametrize("players", [2, 3, 6])
def test_every_look(browser: Any, site: Site, shots: Path, players: int, width: int, dark: bool) -> None:
    language = "zh" if dark else "en"
    name = f"nolimit{players}-{width}-{'dark' if dark else 'light'}"
    person = Person(browser, site, shots, name, width=width, language=language, dark=dark)
    game = "no_limit_holdem" if players == 2 else f"no_limit_holdem:players={players}"
    seats = ["random"] * (players - 1) + ["you"]
    for mode in ("fair", "open"):
        person.new_table(game=game, seats=seats, mode=mode, seed=8)
        person.wait_for_turn()
        person.check(mode)
    for _ in range(2):
        if person.wait_for_turn():
            ply = person.view()["ply"]
            if person.view()["facts"]["raise"]:
                person.page.keyboard.press("1")
                person.page.keyboard.press("Enter")
            else:
                person.page.keyboard.press("c")
            person.wait_after(ply)
    if person.wait_for_turn():
        person.check("later")
    call_to_the_end(person)
    person.page.wait_for_selector(".steps")
    person.check("over")
    person.close()


@pytest.mark.parametrize("width", [390, 1280])
def test_side_pots_are_shown(browser: Any, site: Site, shots: Path, width: int) -> None:
    person = Person(browser, site, shots, f"sides-{width}", width=width)
    deal = {
        "deal": {
            "hands": [["Ah", "Ad"], ["Kh", "Kd"], ["Qh", "Qd"]],
            "public": ["2s", "7c", "9d", "Jc", "3s"],
            "stacks": [1000, 3000, 9000],
        }
    }
    moves = ["r2000", "call", "call"]
    person.new_table(
        game="no_limit_holdem:players=3", seats=["random", "you", "random"], mode="open", seed=None, deal=deal, moves=moves
    )
    person.wait_for_turn()
    told = flat(person, ".pots")
    assert "main pot 3000 SB, BB, BTN" in told and "side pot 1 2000 BB, BTN" in told
    person.check("pots")
    call_to_the_end(person)
    person.check("over")
    person.close()
