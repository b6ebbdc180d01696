"""The page in a real browser: games by keyboard, by taps and by buttons, and a replay with its
review.
"""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fpmcts.web.engine.asking import Answer
from games.play.decision import RETURN, WINS, Decision, RootMove
from tests.web.browser import Person, Site, launch, longest

BIDS = ("Be landlord", "Call 3", "叫地主", "抢地主")
"""What a review calls the last button of an auction."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    yield from launch()


@pytest.fixture(scope="module")
def site(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    made = Site(tmp_path_factory.mktemp("site"))
    yield made
    made.stop()


def test_the_table_of_a_hint_says_what_the_decision_says(browser: Any, site: Site) -> None:
    """The recommended move first and it alone as the best, those within its error marked ≈, values
    without ± exact, and one sentence; errors, counts and probabilities only where details are
    wanted; what is expected is what the recommended move is worth.
    """
    person = Person(browser, site)
    page = person.page

    def details(on: bool) -> None:
        page.evaluate("on => import('/static/words.js').then(all => all.setDetails(on))", on)

    shown = (
        "import('/static/vendor/preact.js').then(({ html, render }) => { const at = document.body;"
        "render('', at);"
        "render(html`<${Moves} result=${of} /><${Value} result=${of} />`, at);"
        "return [at.querySelector('.value b').textContent, at.querySelector('.why')?.textContent"
        ", ...[...at.querySelectorAll('tr')].map(row => [...row.cells].map(one => one.textContent"
        ").join('|') + (row.className.includes('first') ? '!' : ''))]; })"
    )
    policy = {"raise": 0.1, "pass": 0.0, "fold": 0.9}
    root = (
        RootMove("raise", 0.02, 24, 0.9, 0.04),
        RootMove("pass", 0.0, 1, 0.2, 0.1),
        RootMove("fold", 0.98, 39, 0.85, 0.03),
    )
    searched = Decision("fold", 1, policy, 0.86, WINS, root, playouts=64, value_error=0.03)
    assert person.run("thoughts", shown, Answer(searched, 64, 64).fields()) == [
        "Chance of winning: 85 %",
        "Instinct 98 %; 64 playouts find no better move.",
        "Move|Win %",
        "Foldbest|85!",
        "Raise|≈ 90",
        "Pass|20",
    ]
    details(True)
    assert person.run("thoughts", shown, Answer(searched, 64, 64).fields()) == [
        "Chance of winning: 85 ± 3 %",
        "Instinct 98 %; 64 playouts find no better move.",
        "Move|AI %|Win %|Tries|Instinct %",
        "Foldbest|90.0|85 ± 3|39|98.0!",
        "Raise|10.0|≈ 90 ± 4|24|2.0",
        "Pass|0.0|20 ± 10|1|0.0",
    ]
    policy = {"fold": 0.3, "raise": 0.7}
    root = (RootMove("fold", 0.3, 0, 1.17, 0.0), RootMove("raise", 0.7, 0, 1.17, 0.0))
    exact = Decision("fold", 1, policy, 1.17, RETURN, root, value_error=0.0)
    assert person.run("thoughts", shown, Answer(exact).fields()) == [
        "Expected result: +1.17",
        "Exact values: 2 moves are worth the same; the likeliest is first.",
        "Move|Result|Cost|Policy %",
        "Raisebest|1.17|–|70.0!",
        "Fold|≈ 1.17|–|30.0",
    ]
    details(False)
    assert person.run("thoughts", shown, Answer(exact).fields())[2:] == [
        "Move|Result|Cost",
        "Raisebest|1.17|–!",
        "Fold|≈ 1.17|–",
    ]
    person.close()


@pytest.mark.slow
def test_doudizhu_by_keyboard_alone(browser: Any, site: Site) -> None:
    person = Person(browser, site)
    page, press = person.page, person.page.keyboard.press
    chosen = ".hand [aria-pressed=true]"
    page.evaluate("location.hash = 'g=doudizhu&seed=7'")
    for _ in range(60):  # to the button that deals
        press("Tab")
        if page.evaluate("document.activeElement.type === 'submit'"):
            break
    press("Enter")
    page.wait_for_selector(".hand")
    assert page.evaluate("document.activeElement.closest('.hand') !== null")
    assert page.title() == "Your turn · Doudizhu"
    moves = 0
    while person.wait_for_turn():
        view = person.view()
        if moves == 0:  # a card by its rank, taken and given back, then by Tab and arrows
            press(view["legal"][0])
            assert person.count(chosen) == 1
            press("Escape")
            assert person.count(chosen) == 0
            page.locator(".hand button[tabindex='0']").focus()
            for arrow in ("ArrowRight", "ArrowLeft", "ArrowLeft"):
                press(arrow)
            assert page.evaluate("document.activeElement.closest('.hand') !== null")
            for pressed in ("true", "false"):  # Space toggles the focused card, and passes no turn
                press(" ")
                page.wait_for_selector(f".hand button:focus[aria-pressed={pressed}]")
            page.evaluate("document.activeElement.blur()")
        if moves % 2:
            press("/")
            page.wait_for_selector(".thoughts .moves")
            page.wait_for_selector(f"{chosen}, .toast:not(:empty)")
            press("Enter" if person.count(chosen) else " ")
        elif (move := longest(view)) == "pass":
            press(" ")
        else:
            for key in (*move, "Enter"):
                press(key)
        person.wait_after(view["ply"])
        if moves == 3:
            person.check()
        moves += 1
    assert moves > 3 and person.view()["over"]
    assert person.count("[aria-live]") == 1 and person.text("[aria-live]")
    person.check()
    person.close()


def test_doudizhu_by_taps(browser: Any, site: Site) -> None:
    person = Person(browser, site, width=390, language="zh", dark=True)
    page = person.page
    page.evaluate("location.hash = 'g=doudizhu&seed=7'")
    person.options()
    page.locator("input[value=fair]").tap()
    page.locator("button[type=submit]").tap()
    page.wait_for_selector(".hand")
    table = person.table
    assert page.evaluate("document.documentElement.lang") == "zh-CN"
    sizes = page.eval_on_selector_all(
        ".hand button", "all => all.map(one => one.getBoundingClientRect().width)"
    )
    assert len(sizes) == 20 and min(sizes) >= 24
    for _ in range(2):
        person.wait_for_turn()
        assert person.count(".thoughts button") == 0
        view = person.view()
        move = longest(view)
        for rank, count in Counter(move if move != "pass" else "").items():
            cards = page.locator(f".column[data-rank='{rank}'] button")
            for place in range(count):
                cards.nth(place).tap(position={"x": 8, "y": 8})
        buttons = page.locator(".buttons button")
        (buttons.first if move == "pass" else buttons.last).tap()
        person.wait_after(view["ply"])
        page.reload()  # in the middle of the game: it is still there
        page.wait_for_selector(".hand")
    person.play()
    assert person.view()["over"]
    below = "log => [log.scrollHeight - log.clientHeight, log.scrollTop]"
    most, scrolled = page.eval_on_selector(".log", below)
    assert most > 10 and scrolled == pytest.approx(most, abs=2)  # the last moves are shown
    page.locator(".tabs button").first.click()
    page.keyboard.press("Home")
    page.wait_for_selector(".thoughts .moves")  # not before the end of a fair game
    person.check()
    # A move says what it answers: one that arrives late is for no other table or position.
    moves = [json.loads(text) for text in person.sent if '"play"' in text]
    assert [move["move"] for move in moves] == [
        one["move"] for one in person.view()["moves"] if one["seat"] == 0
    ]
    assert len(moves) > 2 and all(move["table"] == table and "rev" in move for move in moves)
    person.close()


@pytest.mark.parametrize("width", [1280, 390])
def test_one_click_plays_what_was_played_last(browser: Any, site: Site, width: int) -> None:
    """Without scrolling; before any game Doudizhu with its auction."""
    person = Person(browser, site, width=width)
    page = person.page

    def play() -> tuple[str, str]:
        box = page.locator("button[type=submit]").bounding_box()
        assert box["y"] >= 0 and box["y"] + box["height"] < page.evaluate("innerHeight")
        page.locator("button[type=submit]").click()
        page.wait_for_selector(".felt")
        made = person.get(f"/api/tables/{person.table}")["summary"]
        page.evaluate("location.hash = ''")
        page.wait_for_selector(".new")
        return made["game"], made["mode"]

    sentence = "against two Instinct players, with hints"
    assert person.text(".now > small") == sentence
    assert person.text(".now button") == "Play Doudizhu with bidding"
    assert "Clearly stronger than Rulebook" in person.text(".rivals > small")
    assert "2.91 ± 0.13 points" in str(page.get_attribute(".rivals > small", "title"))
    page.locator(".rivals button", has_text="Easy").click()
    assert "against two Rulebook players" in person.text(".now > small")
    assert "Plays by hand-written rules" in person.text(".rivals > small")
    page.locator(".rivals button", has_text="Strong").click()
    assert person.text(".now > small") == sentence and person.count(".rivals .face") == 2
    assert play() == ("doudizhu:bidding=call,doubling=true", "hints")
    page.locator("input[value=leduc]").locator("..").click()
    person.options()
    page.locator("input[value=open]").click()
    page.evaluate("scrollTo(0, 0)")
    assert play() == ("leduc", "open")
    page.reload()
    page.wait_for_selector(".now .primary:enabled")
    assert play() == ("leduc", "open")
    page.locator("input[value=goofspiel]").locator("..").click()
    person.options()
    assert page.locator("input[value=hints]").is_disabled(), "nobody gives hints there"
    assert "no player of this game" in person.text("label:has(input[value=hints])")
    page.locator(".tile:has(input[value=goofspiel]) .help").click()
    assert "The higher card wins" in person.text("dialog[open]")
    person.check()
    person.close()


def test_a_board_by_taps_and_a_variant(browser: Any, site: Site) -> None:
    """Games that the page knows from their descriptions: squares to tap, and variants that the game
    declares.
    """
    person = Person(browser, site, width=390)
    page = person.page
    page.locator("input[value=phantom_tictactoe]").locator("..").tap()
    person.options()
    page.locator("input[value='phantom_tictactoe:variant=small']").tap()
    page.locator("input[name=seat]").nth(1).tap()
    page.locator("input[value=fair]").tap()
    page.locator("button[type=submit]").tap()
    page.wait_for_selector(".squares")
    while person.wait_for_turn():
        view = person.view()
        assert person.count(".squares button") == len(view["legal"])
        page.locator(".squares button").first.tap()
        person.wait_after(view["ply"])
    page.wait_for_selector(".steps")
    assert page.locator(".squares b", has_text="O").count() > 1
    assert person.count(".squares button") == 0
    person.new_table(game="goofspiel:cards=4", seats=["you", "random"], mode="fair")
    assert page.locator("h1").inner_text() == "Goofspiel · 4 cards"
    person.wait_for_turn()
    page.locator(".taps button", has_text="2").tap()
    person.wait_after(1)
    assert "prize 3: bid 2" in person.text(".board")
    person.check()
    person.close()


@pytest.mark.parametrize(
    ("game", "keys"), [("goofspiel:cards=13", "123456789abcd"), ("phantom_tictactoe", "123456789")]
)
def test_numbered_moves_by_keyboard_alone(browser: Any, site: Site, game: str, keys: str) -> None:
    person = Person(browser, site)
    page = person.page
    person.new_table(game=game, seats=["you", "random"], mode="fair")
    others = ("Tab", "Enter", " ", "Escape", "F5", "ArrowDown", "PageDown", "End", "x")
    taken = (
        "keys => keys.filter(key => !document.body.dispatchEvent("
        "new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true})))"
    )
    moves = 0
    while person.wait_for_turn():
        assert page.evaluate(taken, others) == [], "keys that the game does not use are left alone"
        view = person.view()
        if moves == 0:
            page.keyboard.press("Tab")
            assert page.evaluate("document.activeElement !== document.body")
        key = keys[int(view["legal"][-1]) - 1]
        assert page.locator(f"[aria-keyshortcuts='{key}']").count() == ("goofspiel" in game)
        page.keyboard.press(key)
        person.wait_after(view["ply"])
        own = [one["move"] for one in person.view()["moves"] if one["seat"] == 0]
        assert own[-1] == view["legal"][-1]
        moves += 1
    assert moves >= (12 if "goofspiel" in game else 3) and person.view()["over"]
    person.check()
    person.close()


def stored_review(person: Person) -> int:
    """Plays and reviews a game; returns how many of its decisions the page shows."""
    person.new_table(game="leduc", seats=["you", "random"], seed=11)
    person.play()
    return open_review(person)


def open_review(person: Person) -> int:
    """Opens the review of the finished game that is shown."""
    if not person.get(f"/api/tables/{person.table}")["summary"]["reviewed"]:
        person.page.locator(".finish .primary + button").click()
    person.page.wait_for_selector(".review .summary", timeout=5000)
    return person.count(".curve .point")


def test_every_ply_of_a_finished_game_is_thought_about(browser: Any, site: Site) -> None:
    """Each ply has thoughts, the log leads to it, and a line can be tried and left again."""
    person = Person(browser, site)
    page = person.page
    person.new_table(game="leduc", seats=["you", "random"], seed=11)
    person.play()
    moves = person.view()["moves"]
    page.locator(".tabs button", has_text="Thoughts").click()
    for ply, move in enumerate(moves):
        page.locator(".log button").nth(ply).click()
        name = ("You", "Random")[move["seat"]]
        page.wait_for_selector(f".thoughts .whose:has-text('{name}')")
        page.wait_for_selector(".thoughts .marked:has-text('Played')")
        assert person.text(".steps .count") == f"{ply} / {len(moves)}"
    page.keyboard.press("Home")
    page.locator(".finish button", has_text="Try moves").click()
    page.locator(".felt .buttons button", has_text="Bet 2").click()
    page.wait_for_selector(".status:has-text('Trying')")
    page.locator(".thoughts .moves button", has_text="Fold").click()
    page.wait_for_selector(".return.gain")
    person.check()
    page.locator(".status button").click()
    page.wait_for_selector(".next")
    assert person.view()["moves"] == moves
    person.close()


@pytest.mark.parametrize(
    ("frames", "times"), [(60, 6), (0, 2), pytest.param(60, 40, marks=pytest.mark.slow)]
)
def test_stored_reviews_are_shown(browser: Any, site: Site, frames: int, times: int) -> None:
    """The answer is there before the next frame, or in a tab behind others before any."""
    person = Person(browser, site, frames=frames)
    shown = stored_review(person)
    table = person.table
    for _ in range(times):
        person.page.evaluate("location.hash = ''")
        person.page.wait_for_selector(".new")
        person.open(table)
        assert open_review(person) == shown
        assert person.count(".review progress") == 0
    person.close()


def test_a_game_ends_with_its_review_and_the_score(browser: Any, site: Site) -> None:
    """The last position stays in view until the costliest move is asked for, with a word about it;
    points are summed over the series; the curve of the review ends with the result, which the last
    decision may have lost.
    """
    person = Person(browser, site)
    page = person.page
    person.new_table(game="leduc", seats=["you", "random"], seed=11)
    total = 0.0
    for hand in range(2):
        person.play()
        page.wait_for_selector(".review .summary")
        last = len(person.view()["moves"])
        assert person.text(".steps .count") == f"{last} / {last}"
        series = person.get(f"/api/tables/{person.table}/series")
        won = series["games"][-1][0]
        total += won
        page.wait_for_selector(".match td span")
        row = page.locator(".match tr", has_text="You").locator("td").all_inner_texts()
        sums = (won, total) if hand else (total,)  # after the first hand they are the same
        assert row == [f"{value:+g}".replace("-", "−") for value in sums]
        end = page.locator(".review .point").last.get_attribute("aria-label")
        assert end == f"move {last + 1}: {won:g}, Result".replace("-", "−")
        lost = page.locator(".review .point:is(.inaccuracy, .mistake, .blunder)").count() > 0
        assert person.text(".found").startswith("Your costliest move lost" if lost else "No clear")
        if not hand:
            page.keyboard.press("Enter")
            page.wait_for_selector(".play:not(.over)")
    page.locator(".tabs button", has_text="Thoughts").click()
    page.wait_for_selector(".thoughts")
    person.check()
    person.close()


def test_the_first_message_is_heard(browser: Any, site: Site) -> None:
    """It says that the players are ready, and there is no other."""
    person = Person(browser, site, frames=0)
    person.new_table()
    assert person.count(".play > .notice") == 0
    person.close()


def test_a_player_that_failed_is_asked_again(browser: Any, site: Site) -> None:
    person = Person(browser, site)
    table, sockets, joined = person.new_table(), list[Any](), list[str]()
    page = person.context.new_page()

    def through(socket: Any) -> None:
        server = socket.connect_to_server()
        socket.on_message(lambda text: (joined.append(text), server.send(text)))
        sockets.append(socket)

    page.route_web_socket("**/ws", through)
    page.goto(f"{site.origin}/#t={table}")
    page.wait_for_selector(".play[data-turn=mine]")
    for message in (
        {"type": "thinking", "table": table, "seat": 1},
        {"type": "error", "table": table, "code": "engine", "text": "it ended"},
    ):
        sockets[-1].send(json.dumps(message))
    page.locator(".status button", has_text="Try again").click()
    page.wait_for_selector(".status button", state="detached")
    assert page.locator(".thinking").count() == 0
    assert sum('"join"' in text for text in joined) == 2
    person.close()


def test_where_the_browser_keeps_nothing(browser: Any, site: Site) -> None:
    person = Person(browser, site)
    page = person.page
    page.evaluate(
        "() => { Storage.prototype.setItem = () => { throw new DOMException('full'); }; }"
    )
    page.locator(".settings [lang=zh]").first.click()
    page.wait_for_selector("h1:has-text('牌桌')")
    person.close()


def test_a_game_is_removed(browser: Any, site: Site) -> None:
    person = Person(browser, site)
    page = person.page
    person.new_table()
    page.locator("button.back").click()
    page.wait_for_selector(".recent li")
    page.on("dialog", lambda dialog: dialog.accept())
    page.locator(".recent [aria-label='Remove this game']").click()
    page.wait_for_selector(".recent li", state="detached")
    assert person.get("/api/tables")["tables"] == []
    person.check()
    person.close()


@pytest.mark.parametrize("width", [320, 390, 768])
def test_moves_that_arrive_stay_in_the_window(browser: Any, site: Site, width: int) -> None:
    person = Person(browser, site, width=width)
    person.page.evaluate(
        "const sheet = new CSSStyleSheet(); document.adoptedStyleSheets = [sheet];"
        "sheet.replaceSync('.played * { animation-play-state: paused !important; }');"
    )
    person.new_table()
    person.wait_for_turn()
    person.move(longest(person.view()))
    person.wait_after(2)
    assert person.count(".seat.right .played .word") == 1
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert person.page.evaluate(wide) <= 0
    person.close()


def test_a_card_keeps_its_suit(browser: Any, site: Site) -> None:
    """The one that is touched is played, after a reload too; no two cards are alike."""
    person = Person(browser, site)
    page = person.page

    def cards(part: str) -> list[str]:
        name = r"textContent.trim() + one.className.match(/kind-\w+( big)?/)[0]"
        names = f"all => all.map(one => one.querySelector('.rank').{name})"
        return list(page.locator(f"{part} .card").evaluate_all(names))

    person.new_table()
    page.keyboard.press("?")
    assert not any("kind-s" in one for one in cards(".hand"))
    page.locator("dialog .check", has_text="Suits").click()
    page.locator("dialog .primary").click()
    person.wait_for_turn()
    before, hand = cards(".hand"), person.view()["seats"][0]["cards"]
    rank = next(rank for rank in hand if hand.count(rank) > 1)
    page.locator(f".column[data-rank='{rank}'] button").first.click(position={"x": 8, "y": 8})
    touched = before[[*reversed(hand)].index(rank)]
    page.locator(".buttons .primary").click()
    person.wait_after(0)
    page.reload()
    page.wait_for_selector(".hand")
    left = cards(".hand")
    assert Counter(before) - Counter(left) == {touched: 1} and len(left) == len(before) - 1
    person.play()
    page.wait_for_selector(".steps")
    page.keyboard.press("Home")
    page.wait_for_selector(".next")
    assert cards(".next") == [touched] and cards(".lying") == before
    every = before + cards(".others .fanned")
    assert len(every) == len({*every}) == 54 and {*cards(".open-cards")} <= {*before}
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(".seat.bottom .played .card")
    assert cards(".seat.bottom .played") == [touched] and {*cards(".lying")} == {*left}
    person.close()


def test_what_the_page_computes(browser: Any, site: Site) -> None:
    person = Person(browser, site)
    facts = {"landlord": 1, "phase": "playing", "bombs": 1, "factor": 6, "spring": True}
    seats = [
        {"facts": {"bids": bid, "doubled": bid is None}} for bid in (None, "call 3", "no call")
    ]
    assert person.run("auction", "[factors(of), stake(of)]", {"facts": facts, "seats": seats}) == [
        [["bid", 3], ["bombs", 2], ["spring", 2], ["doubling", 2]],
        24,
    ]
    facts |= {"doubling": "each", "factor": 3}
    assert person.run("auction", "[factors(of), stake(of)]", {"facts": facts, "seats": seats}) == [
        [["bid", 3], ["bombs", 2], ["spring", 2], ["doubling", 1]],
        12,
    ]
    assert person.run("auction", "stake(of)", {"facts": {"bombs": 2}, "seats": []}) == 4
    moves = ["pass", "LB", "5", "3333", "444", "44", "3336", "3334", "33"]
    ordered = ["3334", "3336", "33", "444", "44", "5", "3333", "LB", "pass"]
    assert person.run("cards", "cheapestFirst(of)", moves) == ordered
    assert person.run("cards", "cheapestWith('6', of)", ["pass", "6666", "66", "77"]) == "66"
    seats = [{"cards": ["3", "3", "B"], "facts": {"played": ["4"]}}, {"facts": {"played": ["3"]}}]
    left = person.run("cards", "unseenCounts(of)", {"you": 0, "seats": seats})
    assert [left[0], left[1], left[2], left[-1]] == [["3", 1], ["4", 3], ["5", 4], ["B", 0]]
    before = {"you": 0, "seats": seats, "moves": [], "over": False}
    after = {"moves": [{"move": "LB"}], "over": True, "returns": [-2, 1, 1]}
    after = before | after | {"facts": {"spring": True, "landlord": 0}}
    for pair, names in (
        ([None, before], ["deal"]),
        ([before, before | {"moves": [{"move": "3333"}]}], ["bomb"]),
        ([before, after], ["rocket", "anti_spring", "lost"]),
        ([after, before], []),
    ):
        assert person.run("effects", "happened(...of)", pair) == names
    seats = [{"player": name, "name": name} for name in ("you", "random", "random")]
    called = "[1, 2].map(seat => calledTitle(of, seat))"
    assert person.run("players", called, {"you": 0, "seats": seats}) == [
        "Random, after you",
        "Random, before you",
    ], "no two are called alike"
    players = ["policy", "fpmcts-64", "rhcp", "pimc", "ismcts", "mcts", "you", "gone"]
    assert person.run("players", "of.map(playerTitle)", players) == [
        *("Instinct", "Search 64", "Rulebook", "Guesser", "Trial and error", "Reader"),
        *("You", "gone"),
    ], "plain names, where the page knows a player"
    names = {
        "As Ks Qs Js Ts 2d 2c": "straight flush to A",
        "5h 4h 3h 2h Ah Kd Kc": "straight flush to 5",
        "7s 7h 7d 7c 2d": "four 7s",
        "Qs Qh Qd 4c 4d 2s 2h": "full house, Qs and 4s",
        "As 9s 5s 3s 2s 3d 3c": "flush, A high",
        "Ts 9h 8d 7c 6s Ah 2d": "straight to 10",
        "5s 4h 3d 2c As Kd 9h": "straight to 5",
        "5s 5h 5d Kc 9s": "three 5s",
        "Ks Kh 3d 3c 2s 2h Ad": "two pair, Ks and 3s",
        "Js Jh 9d 5c 2s": "pair of Js",
        "As Jh 9d 5c 3s": "A high",
    }
    hands = [cards.split() for cards in names]
    assert person.run("poker", "of.map(handName)", hands) == [*names.values()]
    for own, board, lit in (
        ("9d 2c", "Kh 9h 3s 9s 8s", "9d Kh 9h 9s 8s"),
        ("Ah 2d", "5h 4h 3h 2h Kd", "Ah 5h 4h 3h 2h"),
        ("As 4d", "Kd Ks 4c 3c 3h", "Kd Ks 4d 4c As"),
        ("2c 2d", "7s 7h 7d 7c Jd", "7s 7h 7d 7c Jd"),
        ("Qd 4c", "Qs Qh 4d 4s 2h", "Qs Qh Qd 4c 4d"),
        ("2s 3d", "As Ks 9s 7s 5s", "As Ks 9s 7s 5s"),
    ):
        seats = [
            {"seat": seat, "cards": cards.split(), "facts": {"paid": 1, "folded": folded}}
            for seat, (cards, folded) in enumerate(
                ((own, False), ("8c 6d", False), ("Ac Ad", True))
            )
        ]
        view = {"game": "no_limit_holdem", "seats": seats, "public": {"public": board.split()}}
        found = person.run("poker", "winning(of)", view | {"returns": [2, -1, -1]})
        assert sorted(card[0] for card in found) == sorted(card[0] for card in lit.split()), own
        assert len({*found}) == 5 and {*found} <= {*own.split(), *board.split()}, "exactly five"
        seats[1]["facts"]["folded"] = True
        assert person.run("poker", "winning(of) ?? null", view | {"returns": [2, -1, -1]}) is None
    best = {"move": "3", "wp": 0.7, "se": 0.03, "points": None, "equal": True}
    game = {"classes": [5, 10, 15]}
    told = "of.map(([rows, move, game]) => costOfMove(rows, move, game))"
    assert person.run(
        "play",
        told,
        [
            [[best, best | {"move": "4", "wp": value, "se": se, "equal": False}], "4", game]
            for value, se in ((0.58, 0.03), (0.66, 0.0), (0.58, 0.09))
        ],
    ) == ["12 ± 4 %", None, None], "a clear loss of more than an inaccuracy, nothing else"
    assert person.run("words", "of.map(verdict)", [2, 0, -1]) == ["You won", "A draw", "You lost"]
    assert person.run("words", "of.map(gain)", [2, 0, -1, None]) == ["gain", "", "lose", ""]
    sizes = [len(person.run("poker", "pileOf(of)", bet)) for bet in (0, 0.5, 1, 3.5, 12, 99)]
    assert sizes == sorted(sizes) and sizes[0] == 0 < sizes[1], "more chips are a higher pile"
    judged = [{"class": one, "loss": loss} for one, loss in (("mistake", 7), ("blunder", 16))]
    judged += [{"class": "best", "loss": 0}, {"class": "unclear", "loss": 20}]
    assert person.run("review", "costliest(of)", judged) == judged[1]
    ends = [[0, 1], [-0.84, 0], [-6, 2.41], [-100, 35]]
    assert person.run("thoughts", "of.map(one => ticks(...one).map(v => +v.toFixed(6)))", ends) == [
        [0, 0.2, 0.4, 0.6, 0.8, 1],
        [-1, -0.8, -0.6, -0.4, -0.2, 0],
        [-6, -4, -2, 0, 2, 4],
        [-100, -50, 0, 50],
    ], "round numbers, with both ends between them"
    games = [[2, -1, -1], [-4, 8, -4]]
    found = person.run("replay", "sums(of).slice(-3).map(one => one.value)", games)
    assert found == [-2, 7, -5]
    heads = (
        "import('/static/vendor/preact.js').then(({ html, render }) => { const at = document.body;"
        "render(html`<${Moves} result=${of} />`, at); return [...at.querySelectorAll('th')]"
        ".map(one => one.textContent); })"
    )
    page = person.page
    page.evaluate("import('/static/words.js').then(all => all.setDetails(true))")
    row = {"move": "call", "visits": 8, "points": 1.0}
    for prior, more in ((None, []), (0.5, ["Instinct %"])):
        told = person.run("thoughts", heads, {"rows": [row | {"prior": prior}]})
        assert told == ["Move", "Result", "Tries", *more], "what is unknown is left out"
    person.close()


def test_the_page_can_be_installed(browser: Any, site: Site) -> None:
    """The manifest and its icons, behind the cookie and the content security policy."""
    person = Person(browser, site)
    tools = person.context.new_cdp_session(person.page)
    found = tools.send("Page.getAppManifest")
    assert json.loads(found["data"])["start_url"] == "/" and not found["errors"]
    faults = tools.send("Page.getInstallabilityErrors")["installabilityErrors"]
    assert {one["errorId"] for one in faults} <= {"in-incognito"}
    person.close()


def test_motion_can_be_off(browser: Any, site: Site) -> None:
    person = Person(browser, site)
    moving = "document.getAnimations().filter(one => one.playState === 'running').length"
    person.new_table()
    assert person.page.evaluate(moving) > 10
    person.page.emulate_media(reduced_motion="reduce")
    person.new_table()
    assert person.page.evaluate(moving) == 0
    person.page.emulate_media(reduced_motion="no-preference")
    person.page.keyboard.press("?")
    person.page.locator("dialog .check", has_text="Animations").click()
    person.page.locator("dialog .primary").click()
    person.new_table()
    assert person.page.evaluate(moving) == 0
    person.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bidding", "width", "language", "lead"),
    [("rob", 1280, "en", 0), ("rob", 390, "zh", 1), ("call", 320, "en", 0)],
)
def test_the_whole_game_by_clicks(
    browser: Any, site: Site, bidding: str, width: int, language: str, lead: int
) -> None:
    """A match of two deals: bids and doublings on their buttons, cards in the hand."""
    person = Person(browser, site, width=width, language=language)
    page = person.page
    person.options()
    page.locator(f"input[value='doudizhu:bidding={bidding},doubling=true']").click()
    page.locator("input[name=seat]").nth(lead).click()
    page.locator("input[value=fair]").click()
    page.locator(".go select").select_option("5")
    page.locator("input[inputmode=numeric]").first.fill("4")  # a deal in which a peasant doubles
    page.locator("button[type=submit]").click()
    page.wait_for_selector(".hand")
    asked = set()
    while person.wait_for_turn():
        view = person.view()
        asked.add(phase := view["facts"]["phase"])
        if "rob" in view["legal"]:
            assert ("抢地主" if language == "zh" else "Rob") in person.text(".status")
        if phase != "playing":
            hidden = phase == "calling"
            assert person.count(".open-cards .down") == 3 * hidden
            assert len(view["seats"][lead]["cards"]) == (
                17 if hidden or view["facts"]["landlord"] != lead else 20
            )
            box = page.locator(".bids button").last.bounding_box()
            assert box["x"] + box["width"] <= width, "every button is on the page"
            page.locator(".bids .primary").last.click()
        elif (move := longest(view)) == "pass":
            page.locator(".buttons button").first.click()
        else:
            for rank, count in Counter(move).items():
                for place in range(count):
                    page.locator(f".column[data-rank='{rank}'] button").nth(place).click(
                        position={"x": 8, "y": 8}
                    )
            page.locator(".buttons .primary").click()
        person.wait_after(view["ply"])
    assert asked == {"calling", "doubling", "playing"}
    view = person.view()
    won = max(abs(points) for points in view["returns"]) / 2
    assert f"= {won:g}" in person.text(".sum-line")
    page.locator(".finish button").last.click()
    page.wait_for_selector(".review .summary")
    for key in ("Home", *["ArrowRight"] * lead):
        page.keyboard.press(key)
    assert page.locator(".decision .word").first.inner_text() in BIDS
    page.evaluate("scrollTo(0, 0)")
    person.check()
    page.locator(".finish .primary").click()
    page.wait_for_selector(".play:not(.over)")
    assert person.get(f"/api/tables/{person.table}/series")["games"] == [view["returns"]]
    person.close()


@pytest.mark.slow
def test_replay_and_review(browser: Any, site: Site, tmp_path: Path) -> None:
    person = Person(browser, site, language="zh", dark=True)
    page = person.page
    table = person.new_table(seats=["you", "random", "random"])
    person.play()
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
    assert person.text(".steps .count") == f"{last} / {last}"
    page.keyboard.press("Home")
    assert person.text(".steps .count") == f"0 / {last}"
    for ply in range(last):
        assert person.count(".next") == 1, ply
        page.keyboard.press("ArrowRight")
    assert person.count(".next") == 0
    page.keyboard.press("ArrowLeft")
    person.check()
    person.open(table)
    page.locator(".finish button", has_text="找出损失最大的一手").click()
    page.wait_for_selector(".review .summary")
    page.keyboard.press("n")
    page.wait_for_selector(".decision.mistake, .decision.blunder, .decision.inaccuracy")
    assert person.count(".decision .moves") == 0  # the answer is not there before the try
    person.check()
    page.keyboard.press("r")
    page.wait_for_selector(".felt .hand")
    assert person.count(".others .cards.tiny") == 0  # what the mover did not see is hidden again
    page.keyboard.press("/")
    ply = int(person.text(".steps .count").split(" / ")[0])
    page.fill(".typed input", record["moves"][ply])
    page.keyboard.press("Enter")
    page.wait_for_selector(".answer")
    page.locator(".decision button", has_text="看答案").click()
    page.wait_for_selector(".decision .moves")
    person.check()
    page.evaluate("location.hash = 'puzzles'")
    page.wait_for_selector(".tool .hand")
    puzzle = person.get("/api/puzzles?game=doudizhu")["puzzles"][0]
    page.fill(".typed input", record["moves"][puzzle["ply"]])
    page.keyboard.press("Enter")
    page.wait_for_selector(".status .lose")  # the mistake itself does not solve it
    person.check()
    person.close()


def test_the_editor_and_puzzles(browser: Any, site: Site) -> None:
    person = Person(browser, site)
    page = person.page
    page.evaluate("location.hash = 'editor'")
    page.wait_for_selector(".tool form")
    for field, text in enumerate(
        ("345568889JQKAAAA2", "334466689TJQQKK2B", "34557799TTJJQK22L", "77T")
    ):
        page.locator(".tool form input").nth(field).fill(text)
    page.locator(".tool form button[type=submit]").click()
    page.wait_for_selector(".tool .felt")
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
    person.check()
    person.close()


def test_what_fails_while_the_ai_thinks_is_said(browser: Any, site: Site) -> None:
    person = Person(browser, site)
    page = person.context.new_page()
    faults = [
        {"type": "error", "code": "busy", "text": "one job is running"},
        {"type": "result", "error": {"code": "engine", "text": "it ended"}, "final": True},
    ]

    def through(socket: Any) -> None:
        server = socket.connect_to_server()

        def hear(text: str) -> None:
            if (said := json.loads(text))["type"] != "analyse":
                server.send(text)
            else:
                socket.send(json.dumps({"id": said["id"], "job": said["id"], **faults.pop(0)}))

        socket.on_message(hear)

    page.route_web_socket("**/ws", through)
    page.goto(f"{site.origin}/#t={person.new_table()}")
    for text in ("one job is running", "it ended"):
        page.locator(".think button", has_text="quick").click()
        page.wait_for_selector(f".toast:has-text('{text}')")
    person.close()


@pytest.mark.slow
def test_two_tabs_and_a_connection_that_comes_back(browser: Any, site: Site) -> None:
    person = Person(browser, site)
    other = person.context.new_page()
    sockets, sent = list[Any](), list[str]()
    down = False

    def through(socket: Any) -> None:
        server = socket.connect_to_server()
        socket.on_message(lambda text: (sent.append(text), server.send(text)))
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
    other.locator(".felt .buttons button").first.click()  # lost, not kept for later
    person.page.locator(".felt .buttons button").first.click()
    person.wait_after(ply)
    down = False
    other.wait_for_function(
        "ply => Number(document.querySelector('.play')?.dataset.ply) > ply", arg=ply
    )
    other.wait_for_selector("text=Connection lost", state="detached")
    assert len(sockets) > 1 and sum('"play"' in text for text in sent) == 1
    person.close()


@pytest.mark.slow
def test_share_outside_watch_and_results(browser: Any, site: Site) -> None:
    person = Person(browser, site, width=390, language="zh")
    page = person.page
    person.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=site.origin)
    person.new_table(game="kuhn", seats=["you", "random"], mode="fair", seed=12)
    person.wait_for_turn()
    assert person.count(".side button.link.small") == 0  # a detail
    page.locator(".settings .icon").click()
    page.locator("dialog[open] .check input").last.check()
    page.keyboard.press("Escape")
    page.locator(".side button.link.small").click()
    page.wait_for_selector(".toast:not(:empty)")
    copy = json.loads(page.evaluate("navigator.clipboard.readText()"))
    assert copy["game"] == "kuhn" and copy["seat"] == 0 and copy["legal"] and "hands" not in copy
    person.play()
    page.wait_for_selector(".steps")
    page.locator(".after button").last.click()
    page.wait_for_function(
        "navigator.clipboard.readText().then((text) => text.includes('#g=kuhn&seed=12'))"
    )
    page.goto("about:blank")
    page.goto(f"{site.origin}/#g=kuhn&seed=12")
    page.wait_for_selector(".new")
    assert page.locator("input[value=kuhn]").is_checked()
    assert page.locator(".go input[inputmode=numeric]").input_value() == "12"
    page.wait_for_selector(".stats td")
    person.check()
    # Paused as soon as it is shown: the game is over within seconds.
    page.evaluate(
        "() => { const clock = setInterval(() => {"
        "const pause = document.querySelector('.bar-top [aria-pressed=false]');"
        "if (pause) { pause.click(); clearInterval(clock); } }, 5); }"
    )
    person.new_table(seats=["random"] * 3, mode="open", seed=5)
    pace = page.locator(".bar-top select")
    pace.select_option("4")
    page.wait_for_selector(".bar-top [aria-pressed=true]")
    assert pace.input_value() == "4" and person.count(".play.over") == 0
    page.locator(".bar-top [aria-pressed=true]").click()
    page.wait_for_selector(".play.over")
    person.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "seats"), [("doudizhu", 3), ("limit_holdem", 2), ("no_limit_holdem:players=6", 6)]
)
@pytest.mark.parametrize("look", [(390, "zh", True), (1280, "en", False)])
def test_looks(
    browser: Any, site: Site, game: str, seats: int, look: tuple[int, str, bool]
) -> None:
    width, language, dark = look
    person = Person(browser, site, width=width, language=language, dark=dark)
    person.check()
    for mode in ("fair", "hints", "open"):
        person.new_table(game=game, seats=["you", *["random"] * (seats - 1)], mode=mode)
        person.wait_for_turn()
        person.check()
    person.play()
    person.check()
    person.page.keyboard.press("?")
    person.page.wait_for_selector("dialog[open]")
    person.check()
    person.close()


def test_a_poker_table_fits_its_window(browser: Any, site: Site) -> None:
    """Bets above the fold, players beside one another, for every number of them; and at the end
    their hands, which no name of a hand and no open card covers.
    """
    person = Person(browser, site)
    page = person.page
    parts = (
        "(of) => [...document.querySelectorAll(of)].map(one => {"
        "const {left, right, top, bottom} = one.getBoundingClientRect();"
        "return [left, right, top, bottom]; })"
    )

    def check(of: str, width: int, height: int) -> int:
        page.set_viewport_size({"width": width, "height": height})
        boxes = page.evaluate(parts, of)
        for k, (left, right, top, bottom) in enumerate(boxes):
            assert 0 <= left < right <= width and 0 <= top < bottom <= height, (of, width, k)
            assert not any(
                left < box[1] and box[0] < right and top < box[3] and box[2] < bottom
                for box in boxes[:k]
            ), (of, width, k)
        return len(boxes)

    for players, seed in ((2, 8), (3, 6), (6, 22)):
        seats = ["random"] * (players - 1) + ["you"]
        name = "no_limit_holdem" + f":players={players}" * (players > 2)
        person.new_table(game=name, seats=seats, mode="fair", seed=seed)
        person.wait_for_turn()
        own, plate = (page.locator(f".seat.bottom {one}") for one in (".cards", ".plate"))
        for width, height in ((1280, 800), (1366, 700), (390, 844), (844, 390)):
            assert own.count() == 1 and person.count(".lying") == 0
            gap = plate.bounding_box()["y"] - own.bounding_box()["y"]
            assert 0 < gap < own.bounding_box()["height"], "one's cards stand on one's own plate"
            assert check(".plate, .sizes, .amount, .buttons", width, height) == players + 3
        while person.wait_for_turn():
            ply = person.view()["ply"]
            page.keyboard.press("c")
            person.wait_after(ply)
        page.wait_for_selector(".steps")
        assert person.count(".pot b") == 0, "the pot is paid"
        for width, height in ((1280, 800), (390, 844)):
            assert check(".plate, .spot > .made, .center .open-cards", width, height) > players
        page.keyboard.press("Home")
        page.wait_for_selector(".next")
        assert person.count(".seat.bottom .card") == 2  # one's own hand, where nothing is played
    person.close()


def test_the_room_is_used(browser: Any, site: Site) -> None:
    """The tiles of the lobby leave no hole; plays are as large as the hand, in one row, and nothing
    leaves the window; the log's heading has two lines, numbers and headings of thoughts have one;
    rows of beliefs say how many cards they are of; results are beside the felt.
    """
    person = Person(browser, site)
    page = person.page

    def boxes(of: str, side: str) -> list[float]:
        code = "([of, side]) => [...document.querySelectorAll(of)].map(one =>"
        found = "one[side] ?? one.getBoundingClientRect()[side]"
        return list(page.evaluate(f"{code} {found})", [of, side]))

    ends = dict(zip(boxes(".tile", "top"), boxes(".tile", "right"), strict=True))
    assert len(ends) == 2 and len({*ends.values()}) == 1
    person.new_table(seats=["policy", "you", "policy"], seed=12)
    person.wait_for_turn()
    page.locator(".think button").first.click()
    page.wait_for_selector(".heat")
    page.locator(".thoughts .check input").check()
    assert page.locator(".heat").first.locator("th[scope=row]").all_inner_texts() == [
        f"≥ {count}" for count in (4, 3, 2, 1)
    ]
    assert "at least" in person.text(".hidden-hands > p:first-of-type")
    lines = (
        "all => Math.max(...all.map(one => { const range = document.createRange();"
        "range.selectNodeContents(one); return new Set([...range.getClientRects()]"
        ".filter(box => box.height > 9).map(box => box.top)).size; }))"
    )
    assert page.locator(".moves :is(th, td.num)").evaluate_all(lines) == 1
    for width, height in ((1280, 800), (1920, 1080)):
        page.set_viewport_size({"width": width, "height": height})
        played = boxes(".others .played .card", "offsetHeight")
        assert len(played) > 1 and min(played) >= boxes(".hand .card", "offsetHeight")[0]
        assert len({*boxes(".others .played .card", "offsetTop")}) == 1
        assert boxes(".controls", "bottom")[0] < height
        bar = zip(*(boxes(".board > *", side) for side in ("top", "bottom")), strict=True)
        assert len({round(sum(ends)) for ends in bar}) == 1, "bottom cards and stake in one row"
        assert boxes(".log thead", "height")[0] < 50 * height / 800
    hands = ["3345678TTJJQQKKA2", "4567899TJQKKAA223", "3445566778899TJ2L"]
    deal = {"rules": "standard", "hands": hands, "bottom": "AQB"}
    deal |= {"players": ["you", "random", "random"], "moves": ["34567", "56789", "6789T"]}
    files = {"data": json.dumps(deal), "headers": {"origin": site.origin}}
    record = person.context.request.post(f"{site.origin}/api/records", **files).json()
    person.new_table(continues=record["tables"][0]["id"], ply=3, seed=None)
    person.wait_for_turn()
    for width, height in ((1024, 768), (1280, 800), (1920, 1080)):
        page.set_viewport_size({"width": width, "height": height})
        sides = (boxes(".seat .played .cards", side) for side in ("left", "right"))
        ends = [end for pair in sorted(zip(*sides, strict=True)) for end in pair]
        assert len(ends) == 6 and ends == sorted(ends), "straights of all three side by side"
    person.new_table(game="no_limit_holdem:players=3", seats=["you", "random", "random"])
    person.wait_for_turn()
    assert "Full house" in person.text(".side .ladder") and person.count(".match") == 0
    page.keyboard.press("f")
    page.wait_for_selector(".steps")
    page.keyboard.press("Enter")
    page.wait_for_selector(".play:not(.over) .match td")
    person.check()
    person.close()


@pytest.mark.slow
def test_any_amount_by_field_slider_buttons_and_keys(browser: Any, site: Site) -> None:
    person = Person(browser, site)
    page, press = person.page, person.page.keyboard.press
    seats = ["random", "random", "you"]
    person.new_table(game="no_limit_holdem:players=3", seats=seats, mode="fair", seed=6)
    person.wait_for_turn()
    assert person.text("h1") == "No-limit Hold'em · three players"
    assert "stack 100 bb" in person.text(".seat.bottom") and "1.5 bb" in person.text(".pot")
    field = page.locator(".bet .chips")
    for wrong in ("1.5", "100.01", "2.505", ""):
        field.fill(wrong)
        press("Enter")
        assert "Enter an amount" in person.text("#bounds")
        assert field.get_attribute("aria-invalid") == "true"
    assert person.view()["ply"] == 0
    person.check()
    page.locator(".sizes button", has_text="½ pot").click()
    assert field.input_value() == "2.25" and person.count(".sizes [aria-pressed=true]") == 1
    slider = page.locator(".bet input[type=range]")
    slider.focus()
    press("ArrowRight")
    moved = field.input_value()
    assert float(moved) > 2.25 and slider.get_attribute("aria-valuetext") == f"{moved}\xa0bb"
    press("End")
    assert field.input_value() == "100"
    page.locator("h1").click()
    press("2")
    assert field.input_value() == "2.25"
    assert page.evaluate("document.activeElement.className") == "chips"
    field.fill("3.37")
    press("Enter")
    person.wait_after(0)
    assert person.view()["moves"][0] == {"seat": 2, "move": "r337"}
    assert "Preflop You Raise to 3.37" in person.text(".log").replace("\xa0", " ")
    assert "stack 96.63" in person.text(".seat.bottom")
    while person.wait_for_turn():
        ply = person.view()["ply"]
        press("c")  # calls or checks
        person.wait_after(ply)
    page.wait_for_selector(".steps")
    press("Enter")  # the next hand of the series
    page.wait_for_selector(".play:not(.over) .felt")
    series = person.get(f"/api/tables/{person.table}")["summary"]["series"]
    assert series["number"] == 2 and sum(series["returns"]) == 0
    person.close()
