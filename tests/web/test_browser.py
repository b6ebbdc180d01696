"""The page in a real browser: whole games by keyboard alone, by taps alone, by buttons, and a
replay with its review.

Screenshots lie in the folder that SHOTS names, else in pytest's temporary folder.
"""

import itertools
import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.web.browser import Person, Site, launch


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
    folder = (
        Path(os.environ["SHOTS"]) if "SHOTS" in os.environ else tmp_path_factory.mktemp("shots")
    )
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def spoken(person: Person) -> str:
    """Returns what the live region says."""
    assert person.page.locator("[aria-live]").count() == 1
    return person.page.locator("[aria-live]").inner_text()


def longest(view: dict[str, Any]) -> str:
    """Returns the legal move of the most cards, a pass only where there is no other."""
    return max(view["legal"], key=lambda move: (move != "pass", len(move)))


@pytest.mark.slow
def test_doudizhu_by_keyboard_alone(browser: Any, site: Site, shots: Path) -> None:
    person = Person(browser, site, shots, "keyboard")
    page, press = person.page, person.page.keyboard.press
    person.check("lobby")
    for _ in range(60):  # to the button that deals
        press("Tab")
        if page.evaluate("document.activeElement.type === 'submit'"):
            break
    press("Enter")
    page.wait_for_selector(".hand")
    moves = 0
    while person.wait_for_turn():
        view = person.view()
        if moves == 0:  # a card by its rank, taken and given back, then by Tab and arrows
            rank = view["legal"][0]
            press(rank)
            assert page.locator(".hand [aria-pressed=true]").count() == 1
            press("Escape")
            assert page.locator(".hand [aria-pressed=true]").count() == 0
            page.locator(".hand button[tabindex='0']").focus()
            press("ArrowRight")
            press("ArrowLeft")
            press("ArrowLeft")
            assert page.evaluate("document.activeElement.closest('.hand') !== null")
            person.check("table")
        if moves % 2:
            press("/")
            page.wait_for_selector(".thoughts .moves")
            page.wait_for_selector(".hand [aria-pressed=true], .toast:not(:empty)")
            press("Enter" if page.locator(".hand [aria-pressed=true]").count() else " ")
        else:
            move = longest(view)
            if move == "pass":
                press(" ")
            for rank, count in Counter("" if move == "pass" else move).items():
                for _ in range(count):
                    press(rank)
            if move != "pass":
                press("Enter")
        person.wait_after(view["ply"])
        if moves == 3:
            person.check("middle")
        moves += 1
    assert moves > 3 and person.view()["over"]
    assert spoken(person)
    person.check("over")
    person.close()


def test_doudizhu_by_taps_alone(browser: Any, site: Site, shots: Path) -> None:
    person = Person(browser, site, shots, "taps", width=390, language="zh", dark=True)
    page = person.page
    person.check("lobby")
    page.locator("input[value=fair]").tap()
    page.locator("button[type=submit]").tap()
    page.wait_for_selector(".hand")
    assert page.evaluate("document.documentElement.lang") == "zh-CN"
    sizes = page.eval_on_selector_all(
        ".hand button", "all => all.map(one => one.getBoundingClientRect().width)"
    )
    assert len(sizes) == 20 and min(sizes) >= 24
    moves = 0
    while person.wait_for_turn():
        view = person.view()
        move = longest(view)
        if move == "pass":
            page.locator(".buttons button").first.tap()
        else:
            for rank, count in Counter(move).items():
                cards = page.locator(f".column[data-rank='{rank}'] button")
                for place in range(count):
                    cards.nth(place).tap(position={"x": 8, "y": 8})
            assert page.locator(".hand [aria-pressed=true]").count() == len(move)
            if moves == 0:
                person.check("chosen")
            page.locator(".buttons button").last.tap()
        person.wait_after(view["ply"])
        if moves == 1:  # in the middle of the game: it is still there
            page.reload()
            page.wait_for_selector(".hand")
        moves += 1
    assert page.locator(".thoughts").count() == 0 and person.view()["over"]
    person.check("over")
    person.close()


def test_a_board_by_taps_and_a_variant(browser: Any, site: Site, shots: Path) -> None:
    """Games that the page knows from their descriptions: squares to tap, and variants that the game
    declares.
    """
    person = Person(browser, site, shots, "board", width=390)
    page = person.page
    page.locator("input[value=phantom_tictactoe]").tap()
    page.locator("input[value='phantom_tictactoe:variant=small']").tap()
    page.locator("input[name=seat]").nth(1).tap()
    page.locator("input[value=fair]").tap()
    page.locator("button[type=submit]").tap()
    page.wait_for_selector(".squares")
    while person.wait_for_turn():
        view = person.view()
        assert page.locator(".squares button").count() == len(view["legal"])
        page.locator(".squares button").first.tap()
        person.wait_after(view["ply"])
    page.wait_for_selector(".steps")
    assert (
        page.locator(".squares b", has_text="O").count() > 1
        and page.locator(".squares button").count() == 0
    )
    person.check("over")
    person.new_table(game="goofspiel:cards=4", seats=["you", "random"], mode="fair")
    assert page.locator("h1").inner_text() == "Goofspiel · 4 cards"
    person.wait_for_turn()
    page.locator(".felt .buttons button", has_text="2").tap()
    person.wait_after(1)
    assert "prize 3: bid 2" in flat(person, ".board")
    person.check("bids")
    person.close()


@pytest.mark.slow
def test_replay_and_review(browser: Any, site: Site, shots: Path, tmp_path: Path) -> None:
    person = Person(browser, site, shots, "replay", language="zh", dark=True)
    page = person.page
    table = person.new_table(seats=["you", "random", "random"])
    while person.wait_for_turn():
        view = person.view()
        page.fill(".typed input", longest(view))
        page.keyboard.press("Enter")
        person.wait_after(view["ply"])
    with page.expect_download() as download:
        page.locator("a[download]").click()
    file = tmp_path / "game.jsonl"
    download.value.save_as(file)
    record = json.loads(file.read_text())
    page.locator("button.back").click()
    page.wait_for_selector(".new")
    page.set_input_files("input[type=file]", file)
    page.wait_for_selector(".steps")
    assert person.table != table
    last = len(record["moves"])
    assert page.locator(".steps .count").inner_text() == f"{last} / {last}"
    page.keyboard.press("Home")
    assert page.locator(".steps .count").inner_text() == f"0 / {last}"
    for ply in range(last):
        assert page.locator(".next").count() == 1, ply
        page.keyboard.press("ArrowRight")
    assert page.locator(".next").count() == 0
    page.keyboard.press("ArrowLeft")
    person.check("replay")
    person.open(table)
    page.locator(".after button", has_text="复盘").click()
    page.locator(".review button.primary").click()
    page.wait_for_selector(".review .summary")
    page.keyboard.press("n")
    page.wait_for_selector(".decision.mistake, .decision.blunder, .decision.inaccuracy")
    assert page.locator(".decision .moves").count() == 0  # the answer is not there before the try
    person.check("mistake")
    page.keyboard.press("r")
    page.wait_for_selector(".felt .hand")
    others = page.locator(".others .cards.tiny").count()
    assert others == 0  # hands that the mover did not see are face down again
    page.keyboard.press("/")
    page.fill(
        ".typed input",
        record["moves"][int(page.locator(".steps .count").inner_text().split(" / ")[0])],
    )
    page.keyboard.press("Enter")
    page.wait_for_selector(".answer")
    page.locator(".decision button", has_text="看答案").click()
    page.wait_for_selector(".decision .moves")
    person.check("answer")
    page.emulate_media(media="print")
    person.shot("print")
    page.emulate_media(media="screen")
    page.evaluate("location.hash = 'puzzles'")
    page.wait_for_selector(".tool .hand")
    puzzle = person.get("/api/puzzles?game=doudizhu")["puzzles"][0]
    page.fill(".typed input", record["moves"][puzzle["ply"]])
    page.keyboard.press("Enter")
    page.wait_for_selector(".status .lose")  # the mistake itself does not solve it
    person.check("puzzle")
    person.close()


def test_the_editor_and_puzzles(browser: Any, site: Site, shots: Path) -> None:
    person = Person(browser, site, shots, "tools")
    page = person.page
    page.evaluate("location.hash = 'editor'")
    page.wait_for_selector(".tool form")
    for field, text in enumerate(
        ("345568889JQKAAAA2", "334466689TJQQKK2B", "34557799TTJJQK22L", "77T")
    ):
        page.locator(".tool form input").nth(field).fill(text)
    page.locator(".tool form button[type=submit]").click()
    page.wait_for_selector(".tool .felt")
    person.check("deal")
    page.locator(".tool form button", has_text="Play this deal").click()
    page.wait_for_selector(".play .hand")
    assert person.get(f"/api/tables/{person.table}")["view"]["public"]["bottom"] == ["7", "7", "T"]
    page.evaluate("location.hash = 'editor'")
    page.locator(".tool select").first.select_option("leduc")
    for field, text in enumerate(("Jh", "Qs", "Ks")):
        page.locator(".tool form input").nth(field).fill(text)
    page.locator(".tool form button[type=submit]").click()
    page.wait_for_selector(".tool .felt .kind-s")
    page.evaluate("location.hash = 'puzzles'")
    page.wait_for_selector(".tool > p")
    person.check("puzzles")
    person.close()


def play_by_typing(person: Person) -> None:
    """Plays a game to its end."""
    while person.wait_for_turn():
        view = person.view()
        person.page.fill(".typed input", longest(view))
        person.page.keyboard.press("Enter")
        person.wait_after(view["ply"])


@pytest.mark.slow
def test_moves_that_are_not_seen(browser: Any, site: Site, shots: Path) -> None:
    """A game that the page knows nothing of: the other's bid is hidden, by text and to the ear,
    until the end.
    """
    person = Person(browser, site, shots, "bids", width=390, dark=True)
    person.new_table(game="examples.sealed_bids", seats=["you", "random"], mode="fair", seed=4)
    assert person.page.locator("h1").inner_text() == "Sealed Bids"
    person.wait_for_turn()
    person.page.locator(".felt .buttons button", has_text="bid 2").tap()
    person.page.wait_for_selector(".seat.top .word.unseen")
    assert flat(person, ".seat.top .word") == "hidden" and "hidden" in flat(person, ".log")
    person.wait_for_turn()
    assert "bid" not in person.page.locator(".seat.top").inner_text() and "cards 1" in flat(
        person, ".seat.bottom"
    )
    person.check("hidden")
    person.page.locator(".felt .buttons button", has_text="Call").tap()
    person.page.wait_for_selector(".steps")
    assert (
        "bids" in person.page.locator(".seat.top").inner_text()
        and "hidden" not in person.page.locator(".log").inner_text()
    )
    person.check("over")
    person.close()


def flat(person: Person, part: str) -> str:
    """Returns the text of a part of the page in one line."""
    return " ".join(person.page.locator(part).inner_text().split())


@pytest.mark.slow
def test_two_tabs_and_a_connection_that_comes_back(browser: Any, site: Site, shots: Path) -> None:
    person = Person(browser, site, shots, "tabs")
    other = person.context.new_page()
    sockets: list[Any] = []
    down = False

    def through(socket: Any) -> None:
        socket.connect_to_server()
        sockets.append(socket)
        if down:
            socket.close()

    other.route_web_socket("**/ws", through)
    table = person.new_table(game="leduc", seats=["you", "random"], seed=11)
    other.goto(f"{site.origin}/#t={table}")
    other.wait_for_selector(".play[data-turn=mine]")
    person.wait_for_turn()
    other.locator(".felt .buttons button", has_text="Check").click()
    person.wait_after(0)  # what one tab does, the other shows
    person.wait_for_turn()
    down = True
    sockets[-1].close()
    other.wait_for_selector("text=Connection lost")
    ply = person.view()["ply"]
    person.page.locator(".felt .buttons button").first.click()
    person.wait_after(ply)
    down = False
    other.wait_for_function(
        "ply => Number(document.querySelector('.play')?.dataset.ply) > ply", arg=ply
    )
    other.wait_for_selector("text=Connection lost", state="detached")
    assert len(sockets) > 1
    person.close()


@pytest.mark.slow
@pytest.mark.parametrize(("width", "language"), [(390, "zh"), (1280, "en")])
def test_share_outside_watch_and_results(
    browser: Any, site: Site, shots: Path, width: int, language: str
) -> None:
    person = Person(browser, site, shots, f"share-{width}", width=width, language=language)
    page = person.page
    person.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=site.origin)

    def copied() -> str:
        return str(page.evaluate("navigator.clipboard.readText()"))

    person.new_table(game="kuhn", seats=["you", "random"], mode="fair", seed=12)
    person.wait_for_turn()
    page.locator(".side button.link.small").click()
    page.wait_for_selector(".toast:not(:empty)")
    told = json.loads(copied())
    assert told["game"] == "kuhn" and told["seat"] == 0 and told["legal"] and "hands" not in told
    play_by_typing(person)
    page.wait_for_selector(".steps")
    page.locator(".after button").last.click()
    page.wait_for_function(
        "navigator.clipboard.readText().then((text) => text.includes('#g=kuhn&seed=12'))"
    )
    page.goto("about:blank")
    page.goto(f"{site.origin}/#g=kuhn&seed=12")
    page.wait_for_selector(".new")
    assert (
        page.locator("input[value=kuhn]").is_checked()
        and page.locator(".go input[inputmode=numeric]").input_value() == "12"
    )
    page.wait_for_selector(".stats td")
    person.check("results")
    person.new_table(game="doudizhu", seats=["random", "random", "random"], mode="open", seed=5)
    page.locator(".bar-top button[aria-pressed]").click()
    page.wait_for_selector(".bar-top button[aria-pressed=true]")
    before = person.view()["ply"]
    page.locator(".bar-top button[aria-pressed=true] + button").click()
    person.wait_after(before)
    assert person.view()["ply"] == before + 1 and all(
        seat["cards"] for seat in person.view()["seats"]
    )
    person.check("watching")
    page.locator(".bar-top select").select_option("4")
    page.locator(".bar-top button[aria-pressed=true]").click()
    page.wait_for_selector(".play.over")
    person.check("watched")
    person.close()


SEATS = {"doudizhu": 3, "leduc": 2, "kuhn": 2, "limit_holdem": 2}
SEATS |= {"no_limit_holdem": 2, "no_limit_holdem:players=3": 3, "no_limit_holdem:players=6": 6}
LOOKS = list(itertools.product((390, 1280), ("en", "zh"), (False, True)))


@pytest.mark.slow
@pytest.mark.parametrize("game", [*SEATS])
@pytest.mark.parametrize(
    ("width", "language", "dark"),
    LOOKS,
    ids=[f"{w}-{lang}-{'dark' if dark else 'light'}" for w, lang, dark in LOOKS],
)
def test_every_look(
    browser: Any, site: Site, shots: Path, game: str, width: int, language: str, dark: bool
) -> None:
    person = Person(
        browser,
        site,
        shots,
        f"{game}-{width}-{language}-{'dark' if dark else 'light'}",
        width=width,
        language=language,
        dark=dark,
    )
    person.check("lobby")
    seats = ["you", *["random"] * (SEATS[game] - 1)]
    for mode in ("fair", "hints", "open"):
        person.new_table(game=game, seats=seats, mode=mode)
        person.wait_for_turn()
        person.check(mode)
    play_by_typing(person)
    person.check("over")
    for page in ("puzzles", "editor"):
        person.page.evaluate("hash => { location.hash = hash; }", page)
        person.page.wait_for_selector(".tool")
        person.check(page)
    person.page.keyboard.press("?")
    person.page.wait_for_selector("dialog[open]")
    person.check("keys")
    person.close()


def call_to_the_end(person: Person) -> None:
    """Calls or checks until the hand is over."""
    while person.wait_for_turn():
        ply = person.view()["ply"]
        person.page.keyboard.press("c")
        person.wait_after(ply)


@pytest.mark.slow
def test_any_amount_by_field_slider_buttons_and_keys(browser: Any, site: Site, shots: Path) -> None:
    person = Person(browser, site, shots, "bets")
    page, press = person.page, person.page.keyboard.press
    page.locator("input[value=no_limit_holdem]").click()
    assert [
        one.strip()
        for one in page.locator(".choices label:has(input[name=variant])").all_inner_texts()
    ] == [
        "heads-up",
        "three players",
        "six players",
    ]
    person.new_table(
        game="no_limit_holdem:players=3", seats=["random", "random", "you"], mode="fair", seed=6
    )
    person.wait_for_turn()
    assert page.locator("h1").inner_text() == "No-limit Hold'em · three players"
    assert "button" in flat(person, ".seat.bottom") and "stack 10000" in flat(
        person, ".seat.bottom"
    )
    assert (
        "bet 50" in flat(person, ".others")
        and "bet 100" in flat(person, ".others")
        and "150" in flat(person, ".pot")
    )
    field, bounds = page.locator(".bet .chips"), page.locator("#bounds")
    assert (
        field.input_value() == "200"
        and "200" in bounds.inner_text()
        and "10000" in bounds.inner_text()
    )
    for wrong in ("150", "10001", "250.5", "-300", "", "many"):
        field.fill(wrong)
        press("Enter")
        assert (
            "cannot be bet" in bounds.inner_text() and field.get_attribute("aria-invalid") == "true"
        )
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
    assert (
        field.input_value() == "225"
        and page.evaluate("document.activeElement.className") == "chips"
    )
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
