"""Reviews: the statistics on synthetic searches, and what is kept back."""

import asyncio
import json
from dataclasses import asdict, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from fpmcts.web.engine.asking import Answer, EngineQuestion
from fpmcts.web.errors import RefusedError
from fpmcts.web.review import reviewer
from fpmcts.web.review.comparing import CLASSES as NAMES
from fpmcts.web.review.comparing import SPEEDS, classify
from fpmcts.web.review.judging import Judgement, Played, Review, judge_game
from fpmcts.web.server import app
from fpmcts.web.tables.store import Series, StoredGame, TableSettings
from games.base.estimate import Estimate
from games.play.decision import WINS, Decision, RootMove
from tests.web.conftest import HANDS, TOKEN, Site, Tab, opened
from tests.web.fake import ToyGames, ToyTable

CLASSES = (5.0, 10.0, 15.0)


class Analyst:
    """Finds moves to be worth what it is given, with noise that follows from the seed, and notes
    what it is asked.
    """

    def __init__(self, noise: float, **worth: float) -> None:
        self.noise, self.worth = noise, worth
        self.asked: list[tuple[int, int, int, tuple[str, ...] | None]] = []

    async def __call__(self, ply: int, playouts: int, seed: int, moves: Any) -> Answer:
        self.asked.append((ply, playouts, seed, moves))
        drawn = np.random.default_rng([seed, playouts]).normal(0.0, self.noise, len(self.worth))
        found = zip(self.worth.items(), drawn, strict=True)
        rows = tuple(RootMove(move, 0.5, playouts, worth + d, 0.01) for (move, worth), d in found)
        return Answer(Decision("best", 0, None, 0.6, WINS, rows), playouts, playouts)


def reviewed(ask: Any, seed: int = 0, moves: list[Played] | None = None) -> Review:
    played = [Played(0, 0, "played", 2)] if moves is None else moves
    review = Review("normal", seed, CLASSES, (0,))
    asyncio.run(judge_game(review, ask, played, lambda *_: None))
    return review


def test_errors_cover_the_truth() -> None:
    """Of 300 reviews of a move that is 12 points worse, with noise of 6 points a search, all but
    about 5 % are within 2 SE (16 differences: 93.6 % by Student's t; the bound fails once in
    10,000).
    """
    covered, classes = 0, []
    for seed in range(300):
        decision = reviewed(Analyst(0.06, best=0.6, played=0.48), seed).decisions[0]
        assert decision.loss is not None and decision.se is not None
        covered += abs(decision.loss - 12.0) <= 2.0 * decision.se
        classes.append(decision.name(CLASSES))
    assert 0.88 <= covered / 300 <= 0.985
    assert classes.count("mistake") > 200


@pytest.mark.parametrize(
    ("worth", "played", "best", "name"),
    [
        (0.70, 0.48, "rival", "blunder"),
        (0.50, 0.48, "best", "mistake"),
        (0.50, 0.70, "played", "better"),
        (0.50, 0.60, "best", "good"),
    ],
)
def test_the_best_move_is_what_the_second_stage_supports(
    worth: float, played: float, best: str, name: str
) -> None:
    """The first search puts a move that it hardly tried at 0.8 ± 0.03, and chose one worth 0.6; the
    second finds out what both are worth, and the move that was played.
    """
    analyst = Analyst(0.01, best=0.6, rival=worth, played=played)

    async def ask(ply: int, playouts: int, seed: int, moves: Any) -> Answer:
        answer = await analyst(ply, playouts, seed, moves)
        rows = list(answer.decision.root or ())
        if moves is None:
            rows[1] = RootMove("rival", 0.1, 5, 0.8, 0.03)
        return replace(answer, decision=replace(answer.decision, root=tuple(rows)))

    decision = reviewed(ask).decisions[0]
    searched = [(playouts, moves) for _, playouts, _, moves in analyst.asked]
    assert searched[1:] == [(192, ("played", "best", "rival"))] * 16
    assert decision.name(CLASSES) == name and decision.found_best() == best
    decision.shown = True
    told = decision.fields(CLASSES)
    assert told["rows"][0]["move"] == best and told["loss"] == pytest.approx(
        100 * (max(worth, 0.6) - played), abs=2.0
    )


def test_stages_and_what_is_searched() -> None:
    ask = Analyst(0.06, best=0.6, played=0.48)
    moves = [
        Played(0, 0, "played", 2),
        Played(1, 1, "played", 9),
        Played(2, 0, "pass", 1),
        Played(3, 0, "best", 2),
    ]
    review = reviewed(ask, moves=moves)
    assert [(d.ply, d.name(CLASSES)) for d in review.decisions] == [
        (0, "mistake"),
        (3, "best"),
    ] and review.forced == {0: 1}
    speed = SPEEDS["normal"]
    assert [(ply, playouts) for ply, playouts, _, _ in ask.asked] == [(0, 256), (3, 256)] + [
        (0, 128)
    ] * 16
    assert len({seed for _, _, seed, _ in ask.asked}) == 2 + speed.pairs
    assert {moves for *_, moves in ask.asked[2:]} == {("played", "best")}
    assert (
        Review.parse({**json.loads(json.dumps(asdict(review))), "of_another_version": 1}) == review
    )
    summary = review.fields()["summary"][0]
    assert summary["decisions"] == 3 and summary["mistake"] == 1 and summary["forced"] == 1


@pytest.mark.parametrize(
    ("mean", "se", "name"),
    [
        *((9.9, 2.4, NAMES[0]), (10.0, 2.5, NAMES[1]), (15.0, 3.75, NAMES[2])),
        *((15.0, 3.8, NAMES[1]), (15.0, 7.0, "unclear"), (5.0, 1.3, "unclear")),
        *((4.9, 0.0, "good"), (-1.0, 0.5, "good"), (-1.0, 0.4, "better")),
    ],
)
def test_classes_follow_from_their_definition(mean: float, se: float, name: str) -> None:
    """At least t, and at least t / 2 within two standard errors."""
    assert classify(Estimate(mean, se), CLASSES) == name


def opinion(question: EngineQuestion) -> Answer:
    """Likes cards by their names: a is worth most; passing costs 12 points, b and c 1 (a little
    more or less by the seed).
    """
    table = ToyGames().table("toy", record=question.record)
    worth = {"a": 0.60, "b": 0.59, "c": 0.59, "d": 0.59, "p": 0.48}
    moves = list(question.moves or [move.text for move in table.legal()])
    drawn = np.random.default_rng(question.seed).normal(0.0, 0.01, len(moves))
    rows = [
        RootMove(move, 0.1, 9, worth[move[0]] + float(d), 0.01)
        for move, d in zip(moves, drawn, strict=True)
    ]
    best = min(moves, key=lambda move: (-worth[move[0]], move))
    rows.sort(key=lambda row: row.move != best)
    return Answer(Decision(best, 0, None, 0.6, WINS, tuple(rows)), 9, 9)


def test_review_retry_reveal_and_puzzles(client: TestClient, site: Site) -> None:
    site.engine.answer = opinion
    table = opened(client, "pass", "a2", "a3", "a1", "pass")
    with Tab(client, table) as tab:
        assert tab.refused("try", ply=0, move="a1") == "not_reviewed"
        tab.say("review", seats=[0, 1])
        frames = []
        while not frames or frames[-1]["type"] != "result":
            frames.append(tab.get())
        assert frames[0]["type"] == "queued" and {frame.get("stage") for frame in frames[1:-1]} == {
            1,
            2,
        }
        review = frames[-1]["review"]
        classes = {d["ply"]: d["class"] for d in review["decisions"]}
        assert {ply: classes[ply] for ply in (0, 1, 3)} == {
            0: "mistake",
            1: "best",
            3: "best",
        } and 2 not in classes
        for frame in frames:  # the answer is not sent before the try
            for decision in [
                *frame.get("decisions", []),
                *frame.get("review", {}).get("decisions", []),
            ]:
                assert ("best" in decision) == (not decision["hidden"])
                assert decision["ply"] != 0 or "best" not in decision
        puzzles = client.get("/api/puzzles?game=toy").json()["puzzles"]
        assert [p["ply"] for p in puzzles if p["ply"] == 0] == [0]
        view = client.get(f"/api/tables/{table}/puzzle?ply=0").json()["view"]
        assert view["you"] == 0 and "a1" in view["legal"] and view["seats"][1]["cards"] is None
        wrong = tab.final("try", ply=0, move="pass")["tried"]
        assert not wrong["right"] and "decision" not in wrong
        close = tab.final("try", ply=0, move="b1")["tried"]
        assert close["right"] == (close["loss"] <= 2 * close["se"])
        right = tab.final("try", ply=0, move="a1")["tried"]
        assert right["right"] and right["loss"] == 0.0 and right["decision"]["best"] == "a1"
        assert tab.refused("try", ply=0, move="z1") == "illegal_move"
        asked = len(site.engine.asked)
        again = tab.final("review", seats=[0, 1])["review"]
        assert (
            len(site.engine.asked) == asked and again["decisions"][0]["right"] is True
        )  # kept, tries included
        assert all("best" in d for d in tab.ask("reveal", "revealed")["decisions"])
        assert not [
            p for p in client.get("/api/puzzles").json()["puzzles"] if p["ply"] == 0
        ]  # it is solved


def test_a_solved_puzzle_does_not_come_back(client: TestClient, site: Site) -> None:
    """By another review of the game, in which it is a mistake too."""
    site.engine.answer = opinion
    with Tab(client, opened(client, "pass", "a2", "a3", "a1", "pass")) as tab:
        for seats in ([0], [0, 1]):
            tab.final("review", seats=seats)
            assert 0 in [one["ply"] for one in client.get("/api/puzzles").json()["puzzles"]]
        assert tab.final("try", ply=0, move="a1")["tried"]["right"]
    assert 0 not in [one["ply"] for one in client.get("/api/puzzles").json()["puzzles"]]


def test_puzzles_leave_others_their_turn(client: TestClient, site: Site) -> None:
    """Reviews may be long; the first hundred are enough."""
    site.engine.answer = opinion
    with Tab(client, opened(client, *["pass"] * 7)) as tab:
        tab.final("review")
    turns, most = 0, 5

    async def ask() -> Any:
        async def others() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        (session,) = site.server.lobby._makings
        request: Any = SimpleNamespace(scope={"session": session}, query_params={})
        task = asyncio.create_task(others())
        found = await site.server.puzzles(request)
        task.cancel()
        return found["puzzles"]

    assert client.portal is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app, "MOST_PUZZLES", most)
        assert len(client.portal.call(ask)) == most <= turns + 1


WHOLE = ("a1", "pass", "pass", "b1", "pass", "pass", "c1")


def test_a_review_cancelled_in_its_last_step_is_kept(client: TestClient, site: Site) -> None:
    site.engine.seconds = lambda question: 100.0 if question.luck else 0.0
    with Tab(client, opened(client, *WHOLE)) as tab:
        number = tab.say("review")
        while not any(question.luck for question in site.engine.asked):
            assert tab.get()["type"] in ("queued", "progress")
        tab.say("cancel", job=number)
        assert tab.until("result", job=number)["cancelled"]
        site.engine.seconds, site.engine.asked = lambda question: 0.0, []
        assert tab.final("review")["review"]["decisions"]
        assert [question.luck is None for question in site.engine.asked] == [False]


def test_reviews_of_a_shared_table_belong_to_each_session(client: TestClient, site: Site) -> None:
    site.engine.answer = opinion
    record = json.dumps({"game": "toy", "hands": HANDS, "moves": ["pass"]})
    assert client.portal is not None
    client.portal.call(site.server.lobby.open_shared, record)
    (table,) = client.get("/api/tables").json()["tables"]
    mine, found = dict(client.cookies), []
    for _ in range(2):
        with Tab(client, table["id"]) as tab:
            tab.say("reveal")
            assert tab.get().get("code") == "not_reviewed"
            assert tab.final("review")["review"]["decisions"][0]["hidden"]
            found.append([p["table"] for p in client.get("/api/puzzles").json()["puzzles"]])
            tab.final("try", ply=0, move="a1")
        client.cookies.clear()
        client.get(f"/?token={TOKEN}")
    assert found == [[table["id"]]] * 2
    client.cookies.clear()
    client.cookies.update(mine)
    assert client.get("/api/puzzles").json()["puzzles"] == []  # solved, and still known

    def reopen(text: str) -> tuple[list[str], int]:
        assert client.portal is not None
        client.portal.call(site.server.lobby.open_shared, text)
        tables = client.get("/api/tables").json()["tables"]
        return [one["id"] for one in tables], len(site.services.store._ask("SELECT * FROM reviews"))

    assert reopen(f"{record}\n") == ([table["id"]], 2)
    for bad in ("", "not a record", f'{record}\n{{"game": "toy"}}'):
        with pytest.raises(RefusedError, match="line 1|line 2|0 lines"):
            reopen(bad)
    assert reopen(record) == ([table["id"]], 2), "a file with a fault changes nothing"
    tables, reviews = reopen(f"{record}\n{record}")
    assert len(tables) == 2 and table["id"] in tables and reviews == 2
    assert reopen(record.replace("pass", "a1"))[1] == 0  # of tables that are gone


def test_skill_over_time_by_role(
    client: TestClient, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mean loss of the last games, its error over games, the oldest first; nothing of one game
    alone or of another seat. The landlord is who the game says, here by its number of moves.
    """
    monkeypatch.setattr(reviewer, "RECENT", 2)
    told, landlords = ToyTable.describe, (0, 2, None)
    monkeypatch.setattr(
        ToyTable,
        "describe",
        lambda table, seat: told(table, seat) | {"landlord": landlords[len(table.moves)]},
    )
    settings = TableSettings(["you", "quick", "quick"], "fair", Series([]), 0)
    games = (
        (0, 0, 1.0),
        (1, 0, 5.0),
        (0, 0, 3.0),
        (2, 0, 9.0),
        (1, 0, 5.0),
        (0, 0, 7.0),
        (0, 1, 8),
    )
    for number, (moves, seat, loss) in enumerate(games):
        record = {"hands": HANDS, "moves": ["pass"] * moves}
        site.services.store.put(
            StoredGame(str(number), "me", "toy", number, True, settings, record)
        )
        lost = Judgement(0, seat, "pass", 0.5, "wp", "a1", [], loss=loss, se=0.5)
        review = Review("fast", 0, CLASSES, (seat,), "wp", decisions=[lost])
        site.services.store.put_review(str(number), "me", review.key, asdict(review))
    found = asyncio.run(site.server.reviewer.skill("me", site.services))
    assert [{**row, "points": [tuple(one.values()) for one in row["points"]]} for row in found] == [
        {"game": "toy", "mode": "fair", "unit": "wp", "seat": seat, "landlord": 0, "points": points}
        for seat, points in ((0, [(2.0, 1.0, 2), (5.0, 2.0, 2)]), (1, [(5.0, 0.0, 2)]))
    ]
    assert client.get("/api/stats").json()["skill"] == []
