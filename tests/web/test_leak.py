"""Nothing that reaches the client of a fair game depends on cards that its seat cannot see, its
time included.

Pairs of deals that differ in the hidden hands alone, the same moves: every frame and every answer
must be equal byte for byte, and be sent at the same time, until the end. The other seats move
through the engine's path, with searches whose length, reports and values depend on their hands.
"""

import asyncio
import itertools
import json
import random
import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from fpmcts.web.clock import Bucket
from fpmcts.web.engine.asking import Answer, EngineQuestion, Hear, Priority
from fpmcts.web.errors import Json, RefusedError
from fpmcts.web.review.jobs import JobQueue
from fpmcts.web.review.reviewer import Reviewer
from fpmcts.web.server.connection import Connection, Outbox
from fpmcts.web.tables.catalogue import Catalogue, Offer
from fpmcts.web.tables.lobby import Lobby
from fpmcts.web.tables.room import Services
from games.play.decision import WINS, Decision
from tests.web.fake import (
    CATALOGUE,
    FakeClock,
    FakeEngine,
    ToyGames,
    ToyTable,
    first_legal,
    services,
)


class LoggedOutbox(Outbox):
    """Writes down what is sent, and when."""

    def __init__(self, clock: FakeClock, log: list[tuple[float, str]]) -> None:
        super().__init__()
        self._clock, self._log = clock, log

    def put(self, message: Json) -> None:
        self._log.append((round(self._clock.now(), 6), json.dumps(message)))


class OneDeal:
    """A rulebook that deals given hands whatever the seed."""

    def __init__(self, inner: Any, deal: Json) -> None:
        self._inner, self._deal = inner, deal

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def table(self, game: str, *, seed: int | None = None, **given: Any) -> Any:
        return (
            self._inner.table(game, deal=self._deal)
            if seed is not None
            else self._inner.table(game, **given)
        )


def busy_answer(question: EngineQuestion) -> Answer:
    """Passes, with values that reveal the hands."""
    number = zlib.crc32(json.dumps(question.record["hands"]).encode())
    told = first_legal(question).decision
    rows = tuple(replace(row, mean=(number % 1000) / 1000) for row in told.root or ())
    told = replace(told, move="pass", value=(number % 997) / 997, root=rows)
    return Answer(told, number % 4096, 64)


def busy_seconds(question: EngineQuestion) -> float:
    """Thinks as long as the hands say, within what it may."""
    return (
        (zlib.crc32(json.dumps(question.record, sort_keys=True).encode()) % 1000)
        / 1000
        * (question.seconds or 0.5)
    )


def transcript(
    game: str,
    rulebook: Any,
    catalogue: Catalogue,
    mode: str,
    seats: list[str],
    script: list[str],
    answer: Any = busy_answer,
    seconds: Any = busy_seconds,
) -> list[tuple[float, str]]:
    """Returns everything a client is sent before the end of a game whose moves are scripted, with
    the times.
    """
    log: list[tuple[float, str]] = []

    async def play() -> None:
        clock = FakeClock()
        fake: Services = services(FakeEngine(answer, seconds), clock)
        fake = Services(rulebook, catalogue, fake.engine, fake.store, clock, fake.chance)  # type: ignore[arg-type]
        rooms = Lobby(fake)
        room = rooms.make("me", game, seats, mode)
        connection = Connection(None, "me", rooms, Reviewer(fake.store), JobQueue())  # type: ignore[arg-type]
        connection._outbox = LoggedOutbox(clock, log)
        connection._bucket = Bucket(1e9, 1e9, clock.now)
        number = 0

        def say(kind: str, **fields: Any) -> None:
            nonlocal number
            number += 1
            connection.hear(json.dumps({"type": kind, "id": number, **fields}))

        say("join", table=room.id)
        for move in script:
            for _ in range(50):
                if room.table.is_over or room.table.seat == room.you:
                    break
                await clock.run(0.25)
            if room.table.is_over:
                break
            for path in (
                room.record,
                room.replay,
                lambda: room.outside(0),
                lambda: room.may_ask(1),
                lambda: [room.summary(), room.view()],
                lambda: [[*rooms.summaries("me")], rooms.statistics("me")],
            ):
                try:
                    log.append((clock.now(), json.dumps(path())))
                except RefusedError as refused:
                    log.append((clock.now(), str(refused)))
            say("play", move="nonsense")
            say("analyse", playouts=64)
            say("analyse", ply=1)
            say("undo")
            if mode == "hints":
                await clock.run(0.1)
            say("play", move=move)
        for _ in range(50):  # the others may have the last moves
            if room.table.is_over:
                break
            await clock.run(0.25)
        rooms.close()
        await clock.run(0.0)

    asyncio.run(play())
    assert not any('"code": "engine"' in text for _, text in log), "a player could not move"
    ends = [
        k
        for k, (_, text) in enumerate(log)
        if text.startswith('{"type": "over"') or '"over": true' in text
    ]
    return log[: ends[0]] if ends else log


def toy_deal(mine: list[str], seed: int) -> Json:
    others = [f"{rank}{suit}" for rank in "abcd" for suit in "123" if f"{rank}{suit}" not in mine]
    random.Random(seed).shuffle(others)
    return {"hands": [others[:3], mine, others[3:6]]}


def toy_transcript(deal: Json, mode: str, script: list[str]) -> list[tuple[float, str]]:
    seats = ["quick", "you", "slow-64"]
    return transcript("toy", OneDeal(ToyGames(), deal), CATALOGUE, mode, seats, script)


def test_pairs_of_toy_deals() -> None:
    chance = random.Random(5)
    different = 0
    for _ in range(30):
        mine = chance.sample([f"{rank}{suit}" for rank in "abcd" for suit in "123"], 3)
        script = chance.sample([*mine, "pass", "pass"], 5)
        deals = [toy_deal(mine, chance.randrange(2**32)) for _ in range(2)]
        one, two = (toy_transcript(deal, "fair", script) for deal in deals)
        assert one == two and len(one) > 20
        different += deals[0] != deals[1]
    assert different > 25


def test_the_test_would_notice() -> None:
    """At an open table the same comparison finds differences, in what is sent and in when."""
    mine = ["a1", "b1", "c1"]
    deals = [toy_deal(mine, seed) for seed in (1, 2)]
    one, two = (toy_transcript(deal, "open", ["a1", "pass"]) for deal in deals)
    assert one != two
    first, second = (ToyTable(deal["hands"]).describe(1) for deal in deals)
    assert first == second


def test_late_answers_appear_at_whole_multiples() -> None:
    """Where the engine is busy, a move appears after two delays or three, not when it is found."""

    def moved(seconds: float) -> float:
        rules = OneDeal(ToyGames(), toy_deal(["a1", "b1", "c1"], 1))
        seats, answer = ["quick", "you", "quick"], first_legal
        log = transcript(
            "toy", rules, CATALOGUE, "fair", seats, ["pass"], answer, lambda _: seconds
        )
        return round(next(when for when, text in log if '"moved"' in text) - 1000.0, 6)

    assert moved(0.0) == moved(0.01) == moved(0.59) == 0.6
    assert moved(0.7) == moved(1.1) == 1.2 and moved(1.3) == 1.8


@pytest.mark.parametrize("message", [{"type": "analyse"}, {"type": "play", "move": "pass"}])
def test_answers_at_another_table_do_not_wait_for_a_hidden_search(message: Json) -> None:
    """One engine answers one question after the other: a forced move leaves it free at once."""

    class OneEngine(FakeEngine):
        async def ask(self, question: EngineQuestion, hear: Hear | None = None) -> Answer:
            async with free:
                return await super().ask(question, hear)

    async def play(hidden_seconds: float) -> list[float]:
        def seconds(question: EngineQuestion) -> float:
            slow = question.kind == "fpmcts" and question.priority is Priority.MOVE
            return hidden_seconds if slow else 0.1

        nonlocal free
        free, clock, log = asyncio.Lock(), FakeClock(), list[tuple[float, str]]()
        parts = services(OneEngine(first_legal, seconds), clock)
        lobby = Lobby(parts)
        hidden = lobby.make("me", "toy", ["slow-64", "quick", "you"], "fair", seed=1)
        other = lobby.make("me", "toy", ["you", "quick", "quick"], "open", seed=2)
        tab = Connection(None, "me", lobby, Reviewer(parts.store), JobQueue())  # type: ignore[arg-type]
        tab._outbox = LoggedOutbox(clock, log)
        hidden.listen(lambda _: None)
        await clock.run(0.01)
        for number, said in enumerate(({"type": "join", "table": other.id}, message), 1):
            tab.hear(json.dumps({"id": number, **said}))
        await clock.run(5.0)
        lobby.close()
        return [when for when, text in log if '"final": true' in text or '"moved"' in text]

    free = asyncio.Lock()
    forced, searched = (asyncio.run(play(seconds)) for seconds in (0.0, 0.7))
    assert forced == searched and forced


def one_player(game: str, **settings: float) -> Catalogue:
    """Returns a catalogue of the slow player alone."""
    entry = replace(CATALOGUE.offer("toy").entry("slow-64"), **settings)
    return Catalogue({game: Offer((entry,), "slow")})


def follow(moves: list[str]) -> Any:
    """Returns a player that makes given moves, with values that reveal the record."""

    def answer(question: EngineQuestion) -> Answer:
        number = zlib.crc32(json.dumps(question.record).encode())
        move = moves[len(question.record["moves"])]
        return Answer(Decision(move, 0, None, (number % 997) / 997, WINS), number % 4096)

    return answer


@pytest.mark.parametrize(
    ("game", "count"), [("leduc", 10), ("doudizhu", 5), ("no_limit_holdem:players=3", 4)]
)
def test_pairs_of_real_deals(game: str, count: int) -> None:
    """Compares games that are played to their end by moves that are legal with both deals, from
    each seat in turn.
    """
    from fpmcts.web.tables.rulebook import Rulebook

    games, catalogue = Rulebook(), one_player(game, delay=1.0)
    seated = len(games.info(game).seats)
    ended = 0
    for seed in range(count):
        you, chance = seed % seated, random.Random(seed)
        record = games.table(game, seed=seed).record()
        parts = ("hands", "bottom", "public", "deal")
        deal = {name: record[name] for name in parts if name in record}
        deals = deal, swapped(deal, you, chance)
        moves, over = common_moves([games.table(game, deal=one) for one in deals], you, chance)
        ended += over
        script = [text for seat, text in moves if seat == you]

        def answer(question: EngineQuestion, moves: list[tuple[int, str]] = moves) -> Answer:
            dealt = question.record.get("hands") or question.record["deal"]
            number, ply = zlib.crc32(json.dumps(dealt).encode()), len(question.record["moves"])
            move = moves[ply][1] if ply < len(moves) else "wait"
            told = Decision(move, 0, {move: 1.0}, (number % 997) / 997, WINS, (), seconds=0.1)
            return Answer(told, number % 4096, 64)

        seats = ["you" if seat == you else "slow-64" for seat in range(seated)]
        one, two = (
            transcript(game, OneDeal(games, d), catalogue, "fair", seats, script, answer)
            for d in deals
        )
        assert one == two and len(one) > 1, (game, seed)
    assert ended >= 0.9 * count


@pytest.mark.parametrize("you", [0, 1])
def test_moves_that_are_not_seen(you: int) -> None:
    """Sealed bids, whole: whatever the other holds and bids, a seat is sent the same until the
    end.
    """
    from fpmcts.web.tables.rulebook import Rulebook

    name = "examples.sealed_bids"
    games = Rulebook([name])
    catalogue = one_player(name, delay=1.0)
    seats = ["you" if seat == you else "slow-64" for seat in range(2)]
    for card, own, last in itertools.product(range(3), ("bid 0", "bid 2"), ("fold", "call")):
        sent = []
        for other, bid in itertools.product({0, 1, 2} - {card}, ("bid 0", "bid 1", "bid 2")):
            cards = [card, other] if you == 0 else [other, card]
            moves = [own, bid, last] if you == 0 else [bid, own, last]

            rules = OneDeal(games, {"deal": {"cards": cards, "bids": [-1, -1], "turn": 0}})
            script = [move for ply, move in enumerate(moves) if ply % 2 == you]
            sent.append(transcript(name, rules, catalogue, "fair", seats, script, follow(moves)))
        assert all(one == sent[0] for one in sent) and len(sent) == 6 and len(sent[0]) > 5


def told(name: str, you: int, moves: list[str], games: Any) -> list[tuple[float, str]]:
    """Returns what a seat is sent of a game whose moves are given, all of them, until the end."""
    table, movers = games.table(name, seed=0), []
    for move in moves:
        movers.append(table.seat)
        table.play(move)
    assert table.is_over
    seats = ["you" if seat == you else "slow-64" for seat in range(2)]
    script = [move for seat, move in zip(movers, moves, strict=True) if seat == you]
    catalogue = one_player(name, delay=2.0)
    return transcript(name, games, catalogue, "fair", seats, script, follow(moves))


def with_failures(
    marks: list[str], chance: random.Random, games: Any, you: int, how_many: int
) -> list[str] | None:
    """Returns the attempts of a game whose marks are given in turn, with failed attempts of the
    other seat put in.

    Own attempts at taken squares come where the marks say so ("x" before the square); None: such a
    game is not possible.
    """
    table, moves = games.table("phantom_tictactoe", seed=0), []
    tried: list[set[str]] = [set(), set()]
    placed: list[list[str]] = [[], []]
    for square in marks:
        seat = table.seat
        found = [one for one in placed[1 - seat] if one not in tried[seat]]
        chance.shuffle(found)
        extra = (
            found[:how_many] if seat != you else found[:1]
        )  # what we try ourselves is the same in all of them
        for one in (*(sorted(extra) if seat == you else extra), square):
            if one in tried[seat] or table.is_over:
                return None
            table.play(one)
            tried[seat].add(one)
            moves.append(one)
        placed[seat].append(square)
        if table.is_over:
            return moves
    return None


@pytest.mark.parametrize("you", [0, 1])
def test_attempts_that_are_not_seen(you: int) -> None:
    """Phantom Tic-Tac-Toe: how often the other has tried in vain shows in no frame, number or
    time.
    """
    from fpmcts.web.tables.rulebook import Rulebook

    games, chance, compared = Rulebook(), random.Random(3), 0
    while compared < 3:
        marks = chance.sample("123456789", 9)
        played = [with_failures(marks, chance, games, you, count) for count in (0, 1, 3)]
        if played[0] is None or played[2] is None or len(played[0]) == len(played[2]):
            continue
        sent = [
            told("phantom_tictactoe", you, moves, games) for moves in played if moves is not None
        ]
        assert all(one == sent[0] for one in sent) and len(sent[0]) > 5
        compared += 1


def common_moves(
    tables: Sequence[Any], you: int, chance: random.Random
) -> tuple[list[tuple[int, str]], bool]:
    """Returns moves that are legal at both of two tables, with their seats, and whether they end
    the game at either.

    We play as many cards as we can, the others mostly pass or call: games of Doudizhu then end
    before they lack a common move.
    """
    moves: list[tuple[int, str]] = []
    while not any(table.is_over for table in tables):
        seat = tables[0].seat
        legal = [{move.text for move in table.legal()} for table in tables]
        common = sorted(legal[0] & legal[1])
        if not common:
            return moves, False
        calm = [text for text in common if text in ("pass", "call")]
        move = chance.choice(calm if calm and seat != you and chance.random() < 0.8 else common)
        if seat == you and "all-in" in common:  # an amount that is not listed
            least, most = tables[0].describe()["raise"]
            move = f"r{chance.randint(least, min(most, 4 * least))}"
        elif seat == you and len(common) > 2:
            move = max(common, key=lambda text: (text != "pass", len(text)))
        moves.append((seat, move))
        for table in tables:
            table.play(move)
    return moves, True


def swapped(deal: Json, you: int, chance: random.Random) -> Json:
    """Returns a deal with the same own hand and the same cards on the table, and other hands of the
    others.
    """
    if "deal" in deal:
        return {"deal": swapped(deal["deal"], you, chance)}
    hands = deal["hands"]
    doudizhu = isinstance(hands[0], str)  # each card a letter; all cards are in the hands
    if doudizhu:
        left = list("".join(hand for seat, hand in enumerate(hands) if seat != you))
    else:
        from games import make

        size: Any = make("leduc" if len(hands[0]) == 1 else "limit_holdem")
        left = [name for name in size.card_names if name not in hands[you] + deal["public"]]
    while True:
        chance.shuffle(left)
        others, at = [], 0
        for seat, hand in enumerate(hands):
            others.append(hand if seat == you else left[at : at + len(hand)])
            at += 0 if seat == you else len(hand)
        if any(sorted(new) != sorted(old) for new, old in zip(others, hands, strict=True)):
            return {**deal, "hands": ["".join(hand) for hand in others] if doudizhu else others}
