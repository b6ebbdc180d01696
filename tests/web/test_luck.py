"""The result of a game in parts: sums, units, teams; and reviews of poker through the engine's
players.
"""

import asyncio
import json
import math
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from fpmcts.web.engine.asking import Answer, EngineQuestion, EngineState
from fpmcts.web.errors import Json
from fpmcts.web.review.jobs import Job
from fpmcts.web.review.judging import Review
from fpmcts.web.review.luck import Parts, parts_of, together
from fpmcts.web.review.reviewer import Reviewer
from fpmcts.web.tables.catalogue import Catalogue
from fpmcts.web.tables.lobby import Lobby
from fpmcts.web.tables.offers import offers
from fpmcts.web.tables.room import Services
from fpmcts.web.tables.rulebook import Rulebook
from fpmcts.web.tables.store import Store
from games.base.estimate import Estimate
from tests.web.conftest import Site, Tab, opened
from tests.web.fake import FakeClock, FakeEngine, luck_fields

NUMBERS = st.floats(-50, 50).map(lambda x: round(x, 3))


def parts(of: Parts) -> dict[str, float]:
    return {name: part.mean for name, part in of.parts.items()}


def test_a_partner_s_loss_is_a_loss_and_an_opponent_s_a_gain() -> None:
    costs = {0: Estimate(20.0, 3.0), 1: Estimate(5.0, 0.0), 2: Estimate(1.0, 4.0)}
    errors = {"known_error": (0.0, 0.12, 0.0), "moved_error": (0.0, 0.05, 0.0)}
    luck = luck_fields(3, "wp", result=(0.0, 1.0, 1.0), moved=(0.0, -0.2, 0.0), **errors)
    found = parts_of(luck, 1, (0, 1, 1), costs, 100.0)
    assert parts(found)["others"] == pytest.approx(20.0 - 1.0) and parts(found)["own"] == -5.0
    assert found.parts["others"].error == pytest.approx(5.0)
    assert found.parts["hidden"] == Estimate(-20.0 + 5.0, 5.0)
    assert found.parts["moves"].error == pytest.approx(math.hypot(12.0, 5.0, 5.0))
    # where returns count, a loss of one of three is no one's gain in particular
    assert "others" not in parts(parts_of(luck_fields(3), 1, (0, 1, 1), costs, 1.0))


@given(
    values=st.lists(
        st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS, st.floats(0, 20)), min_size=1, max_size=5
    ),
    digits=st.integers(0, 3),
)
def test_what_is_shown_sums_to_the_result(values: list[tuple[float, ...]], digits: int) -> None:
    hands = []
    for result, start, deal, later, loss in values:
        luck = luck_fields(
            2,
            result=(result, -result),
            start=(start, -start),
            deal=(deal, -deal),
            later=(later, -later),
        )
        hands.append(parts_of(luck, 0, (0, 1), {0: Estimate(loss, 1.0)}, 1.0))
        assert sum(parts(hands[-1]).values()) == pytest.approx(result, abs=1e-9)
    total = together(hands)
    assert sum(parts(total).values()) == pytest.approx(sum(hand.result for hand in hands), abs=1e-9)
    shown = total.fields(digits)
    assert sum(part["value"] for part in shown["parts"]) == pytest.approx(shown["result"], abs=1e-9)


class InProcess:
    """The engine's players without a process."""

    def __init__(self) -> None:
        from fpmcts.web.engine.answering import Answering

        self.status, self._players = EngineState("ready", 1.0), Answering()
        self.asked: list[EngineQuestion] = []

    async def ask(self, question: EngineQuestion, hear: Any = None) -> Answer:
        self.asked.append(question)
        return self._players.decide(question, lambda answer: None, lambda: False)


@pytest.fixture(scope="module")
def engine() -> InProcess:
    return InProcess()


class Poker:
    """Rooms over the games of the project, and their reviews."""

    def __init__(self, engine: InProcess) -> None:
        self.engine = engine
        from fpmcts.web.clock import Chance

        self.rooms = Lobby(
            Services(
                Rulebook(),
                Catalogue(offers()),
                engine,
                Store(Path(":memory:")),
                FakeClock(),
                Chance(),
            )
        )  # type: ignore[arg-type]
        self.reviews = Reviewer(self.rooms.services.store)

    def open(self, record: Json, **settings: Any) -> Any:
        room = self.rooms.open_record("me", json.dumps(record))
        for name, value in settings.items():
            setattr(room.settings, name, value)
        return room

    def run(self, work: Any) -> Json:
        """Returns the final answer of a job."""
        sent: list[Json] = []

        async def wait() -> None:
            job = Job(sent.append, 1, work)
            job.end(await work(job))

        asyncio.run(wait())
        return sent[-1]

    def review(self, room: Any, **given: Any) -> Json:
        found: Json = self.run(self.reviews.review(room, "me", **given))["review"]
        return found


@pytest.fixture
def poker(engine: InProcess) -> Poker:
    return Poker(engine)


def kuhn(cards: str, moves: list[str], chips: float) -> Json:
    return {
        "game": "kuhn",
        "hands": [[card] for card in cards],
        "public": [],
        "moves": moves,
        "chips": [chips, -chips],
    }


def test_a_hand_of_kuhn(poker: Poker) -> None:
    """K bets, Q calls; then the same with a fold of the king, which throws away the pot of 3 and a
    sure showdown: 3 chips of it.

    Facing a bet the queen is indifferent in equilibrium (bluffs are a third of the bets), and the
    deal of K against Q is worth what the tree says.
    """
    review = poker.review(poker.open(kuhn("KQ", ["raise", "call"], 2.0)))
    assert review["exact"] and review["unit"] == "points" and review["classes"] == [0.1, 0.25, 0.5]
    assert [(d["ply"], d["class"], d["hidden"]) for d in review["decisions"]] == [
        (0, "best", False),
        (1, "best", False),
    ]
    assert all(d["se"] == 0.0 and d["loss"] < 0.01 for d in review["decisions"])
    blunder = poker.review(poker.open(kuhn("KQ", ["call", "raise", "fold"], -1.0)))
    last = blunder["decisions"][-1]
    assert (last["class"], last["loss"], last["se"], last["hidden"]) == (
        "blunder",
        pytest.approx(3.0, abs=1e-3),
        0.0,
        True,
    )
    assert "best" not in last and "rows" not in last
    for told_ in (review, blunder):
        for one in told_["luck"]:
            assert sum(part["value"] for part in one["parts"]) == pytest.approx(
                one["result"], abs=1e-9
            )
        assert told_["luck"][0]["result"] == -told_["luck"][1]["result"]
    found = {part["name"]: part["value"] for part in blunder["luck"][0]["parts"]}
    # With open cards: had the king bet, with probability b, the queen would have called, with c,
    # and paid one more. After the check it never bets; so its bet gave one chip more, to a call.
    b, c = (
        {row["move"]: row["prior"] for row in review["decisions"][ply]["rows"]}[move]
        for ply, move in enumerate(("raise", "call"))
    )
    assert 0.2 < b and 0.3 < c
    wanted = {"start": -1 / 18, "deal": 1.0 + b * c + 1 / 18, "own": -3.0, "hidden": -b * c}
    assert {name: found[name] for name in wanted} == pytest.approx(wanted, abs=0.02)
    assert found["others"] + found["moves"] == pytest.approx(1.0, abs=0.02)
    assert found["others"] > 0.1


def test_hands_of_a_series_add_up(poker: Poker) -> None:
    rooms = poker.rooms
    room = rooms.make("me", "leduc", ["you", "tables"], "hints", 3)
    results = []
    for hand in range(3):
        while not room.table.is_over:
            room.table.play("call")
        assert room.you is not None
        results.append(room.table.returns[room.you])
        room.save()
        last, room = room, rooms.next_of(room) if hand < 2 else room
    review = poker.review(last)
    hands = review["hands"]
    assert hands["hands"] == hands["reviewed"] == 3 and hands["se"] == 0.0
    assert hands["luck"]["result"] == pytest.approx(sum(results))
    assert sum(part["value"] for part in hands["luck"]["parts"]) == pytest.approx(
        sum(results), abs=1e-9
    )
    own = {part["name"]: part["value"] for part in hands["luck"]["parts"]}["own"]
    assert (
        own == pytest.approx(-hands["loss"], abs=0.011)
        and hands["loss"] >= review["summary"][0]["loss"] - 0.01
    )


def test_a_review_without_luck_is_one(client: TestClient, site: Site) -> None:
    assert isinstance(site.engine, FakeEngine)
    table = opened(client, "a1", "a2", "a3", "b1", "b2", "b3", "c1")
    with Tab(client, table) as tab:
        review = tab.final("review", seats=[0])["review"]
        assert review["luck"] == [] and review["no_luck"] == "the analyst cannot estimate it"
        site.engine.luck = luck_fields(
            3, "wp", result=(1.0, 0.0, 0.0), start=(0.5, 0.5, 0.5), deal=(0.1, -0.1, -0.1)
        )
        review = tab.final("review", seats=[0], seed=1)["review"]
        assert review["luck"][0]["result"] == 100.0 and review["no_luck"] is None


def test_luck_of_an_older_version_is_found_again() -> None:
    old = Review("fast", 0, (1.0,), (0,), luck={"unit": "wp", "start": (0.5,)})
    assert Review.parse(asdict(old)).luck is None
    new = replace(old, luck=luck_fields(1))
    assert Review.parse(asdict(new)).luck == new.luck


@pytest.mark.slow
def test_the_deal_of_doudizhu(engine: InProcess) -> None:
    """By games of the policy: what is certain has no error, the teams' chances are one, and the
    parts sum to the result.
    """
    from games import make
    from games.play.table import Table

    table = Table(make("doudizhu"), seed=3)
    while not table.is_over:
        table.play(table.legal()[-1].action)
    question = EngineQuestion("doudizhu", table.record(), "fpmcts", {}, 0, luck=64)
    luck = asyncio.run(engine.ask(question)).luck
    assert luck is not None and luck["unit"] == "wp" and luck["losses"] is None
    (first, *others), deal = luck["start"], luck["deal"]
    assert set(luck["result"]) == {0.0, 1.0} and others == pytest.approx([1.0 - first] * 2)
    assert deal[0] == pytest.approx(-deal[1]) and 0.01 < luck["start_error"][0] < 0.05
    assert 0.3 < first < 0.6 and asyncio.run(engine.ask(question)).luck == luck
