"""The bot for Botzone, played by a judge of our own, and its match logs."""

import ast
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from fpmcts.players import botzone as export
from fpmcts.players import load_player
from fpmcts.web.tables.rulebook import Rulebook
from games import make
from games.play.table import Table
from tests.players.botzone_judge import Match, Request, is_bomb

GAME = make("doudizhu", **export.OPTIONS)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("botzone") / "bot.py"
    assert export.main([str(path), "--long-running"]) == 0
    return path


@pytest.fixture(scope="module")
def bot(file: Path) -> Any:
    module = ModuleType("bot")
    exec(compile(file.read_text(), str(file), "exec"), module.__dict__)
    return module


def deck(seed: int) -> list[int]:
    return np.random.default_rng(seed).permutation(54).tolist()


def text_of(cards: list[int]) -> str:
    return "".join("3456789TJQKA2"[card // 4] if card < 52 else "LB"[card - 52] for card in cards)


class Seat:
    """A bot, and a table that shows our own policy what is in the bot's requests."""

    def __init__(self, bot: Any, hands: Any, seat: int) -> None:
        self.bot, self.seat = bot.BotzoneBot(), seat
        deal = {"hands": [text_of(hand) for hand in hands[0]], "bottom": text_of(hands[1])}
        self.table = Table(GAME, record={**Table(GAME, seed=0).record(), **deal, "moves": []} | NEW)

    def follow(self, request: Request) -> None:
        """Brings the table to the question. The bids after its own are not told: none but the
        landlord's."""
        if "bid" in request:
            for call in request["bid"][len(self.table.moves) :]:
                self.table.play(f"call {call}" if call else "no call")
            return
        before = request["history"]
        if "landlord" in request:
            landlord, highest = request["landlord"], request["finalbid"]
            said = [move.text for move in self.table.moves]
            while self.table.describe()["phase"] == "calling":
                seat = len(self.table.moves)
                if seat == landlord and f"call {highest}" not in said:
                    forced = highest == 1 and seat == 0 and "no call" in said
                    self.table.play("no call" if forced else f"call {highest}")
                else:
                    self.table.play("no call")
                said.append(self.table.moves[-1].text)
            before = before[2 - (request["pos"] - landlord) % 3 :]
        for cards in before:
            self.table.play(text_of(cards) or "pass")


NEW = {"winner": -1, "points": [0, 0, 0]}


def play(bot: Any, seeds: range, policy: Any) -> int:
    """Returns how many answers were compared with the policy, to which they are equal."""
    compared = 0
    for seed in seeds:
        cards = deck(seed)
        hands = [cards[3 + 17 * k : 20 + 17 * k] for k in range(3)], cards[:3]
        seats = [Seat(bot, hands, seat) for seat in range(3)]

        def ask(number: int, request: Request) -> Any:
            nonlocal compared
            seat = seats[number]
            seat.bot.hear(request)
            answer = seat.bot.answer()
            seat.bot.say(answer)
            seat.follow(request)
            said = f"call {answer}" if answer else "no call"
            said = said if isinstance(answer, int) else text_of(answer) or "pass"
            assert seat.table.seat == number
            if len(seat.table.legal()) > 1:
                compared += 1
                assert policy.decide(seat.table).action == GAME.parse_action(said)
            seat.table.play(said)
            return answer

        Match(cards).run(ask)
    return compared


@pytest.fixture(scope="module")
def policy() -> Any:
    return load_player("policy", GAME, precision="float32")


def test_one_file_of_python_3_6(file: Path) -> None:
    source = file.read_text()
    tree = ast.parse(source, feature_version=(3, 6))
    assert file.stat().st_size <= export.MOST_BYTES
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    assert imported <= {"numpy", *sys.stdlib_module_names}
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom | ast.NamedExpr)]


def test_moves_are_legal_and_those_of_policy(bot: Any, policy: Any) -> None:
    assert play(bot, range(4), policy) > 60


def test_both_protocols(file: Path, bot: Any) -> None:
    """A process for each answer gives the same as one for a match."""
    bots = [bot.BotzoneBot() for _ in range(3)]
    told: list[list[Any]] = [[], []]
    simple = file.with_name("simple.py")
    simple.write_text(file.read_text().replace("LONG_RUNNING = True", "LONG_RUNNING = False"))

    def ask(seat: int, request: Request) -> Any:
        bots[seat].hear(request)
        answer = bots[seat].answer()
        bots[seat].say(answer)
        if seat == 1:
            told[0].append(request)
            full = json.dumps({"requests": told[0], "responses": told[1]})
            line = full if len(told[0]) == 1 else json.dumps(request)
            long.stdin.write(line + "\n")
            long.stdin.flush()
            assert json.loads(long.stdout.readline()) == {"response": answer}
            assert long.stdout.readline() == ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<\n"
            if len(told[0]) in (1, 4):
                command = [sys.executable, str(simple)]
                done = subprocess.run(
                    command, input=full, capture_output=True, text=True, check=True
                )
                assert json.loads(done.stdout) == {"response": answer}
            told[1].append(answer)
        return answer

    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, file], **pipes, text=True) as long:
        Match(deck(3)).run(ask)
    assert long.returncode == 0 and len(told[0]) > 3


def test_space_shuttles_are_answered_by_bombs_only(bot: Any) -> None:
    own = [8, 9, 10, 11, 12, 13, 14, 16, 17, 20, 24, 28, 32, 36, 40, 44, 48]
    state = bot.BotzoneBot()
    shuttle = [0, 1, 2, 3, 4, 5, 6, 7]
    request = {"own": own, "publiccard": [0, 1, 2], "landlord": 0, "pos": 1, "finalbid": 3}
    state.hear(request | {"history": [[], shuttle]})
    assert sorted(state.answer()) in ([], [8, 9, 10, 11])


def numbers(record: Any) -> list[int]:
    """Returns a record's deck as Botzone deals it: the bottom cards, then the hands."""
    left = {rank: [*range(4 * k, 4 * k + 4)] for k, rank in enumerate("3456789TJQKA2")}
    left |= {"L": [52], "B": [53]}
    return [left[card].pop() for cards in (record["bottom"], *record["hands"]) for card in cards]


def match_of(record: Any) -> Match | None:
    """Plays a record under Botzone's judge; None if somebody calls a second time."""
    match, texts = Match(numbers(record)), [*record["moves"]]
    calls = [text for text in texts if "call" in text]
    if any(text != "no call" for text in calls[3:]):
        return None
    plays = iter(texts[len(calls) :])

    def ask(seat: int, request: Request) -> Any:
        if "bid" in request:
            text = calls[len(request["bid"])]
            return 0 if text == "no call" else int(text[-1])
        held, wanted = sorted(match.hands[seat]), next(plays)
        cards = []
        for card in "" if wanted == "pass" else wanted:
            cards.append(next(k for k in held if text_of([k]) == card and k not in cards))
        return cards

    match.run(ask)
    return match


def random_records(count: int, chooser: Any) -> list[Any]:
    """Plays games of random moves at the rules of Botzone."""
    records, random = [], np.random.default_rng(1)
    for seed in range(count):
        table = Table(GAME, seed=seed)
        while not table.is_over:
            table.play(chooser(table, [move.text for move in table.legal()], random))
        records.append(table.record())
    return records


def chosen(table: Table, legal: list[str], random: Any) -> str:
    """Mostly long moves, so that games are short; now and then nobody but the landlord plays."""
    if "no call" in legal:
        return str(random.choice(legal))
    if len(table.deal.hands) and int(table.deal.hands[0, 0]) % 4 == 0 and "pass" in legal:
        return "pass" if table.seat != table.describe()["landlord"] else legal[-1]
    return legal[-1] if random.random() < 0.4 else str(random.choice(legal))


def read_logs(count: int) -> set[str]:
    """Reads logs of generated matches; returns the kinds of matches among them."""
    kinds, read = set(), 0
    plain = make("doudizhu", bidding="call", doubling=True)
    for record in random_records(count, chosen):
        match = match_of(record)
        if match is None:
            continue
        read += 1
        log = json.loads(json.dumps({"log": match.log}))
        table = Table(GAME, record=log)
        assert table.record() == record and match.points == record["points"]
        card_play = Table(make("doudizhu", rules="botzone"), record=log)
        assert len(card_play.moves) == len(match.actions)
        if max(match.bids):
            kinds.add("calls")
            for doubling in (True, "each"):
                other = make("doudizhu", bidding="call", doubling=doubling, rules="botzone")
                assert Table(other, record=log).record()["points"] == match.points
        else:
            kinds.add("all pass")
            with pytest.raises(ValueError, match="forced=true as nobody called"):
                plain.parse_record(log)
        kinds |= {"bomb"} if any(map(is_bomb, match.actions)) else set()
        kinds |= {"spring"} if table.describe()["spring"] else set()
        kinds.add("short" if len(match.actions) < 30 else "long")
    assert read > count / 2
    return kinds


KINDS = {"calls", "all pass", "bomb", "spring", "short", "long"}


@pytest.mark.parametrize(
    ("count", "missing"), [(40, {"all pass"}), pytest.param(800, set(), marks=pytest.mark.slow)]
)
def test_logs(count: int, missing: set[str]) -> None:
    assert read_logs(count) >= KINDS - missing


def test_logs_as_decks_and_at_the_page(tmp_path: Path) -> None:
    matches = [match_of(record) for record in random_records(4, chosen)]
    logs = [match.log for match in matches if match is not None]
    (tmp_path / "logs.jsonl").write_text("\n".join(map(json.dumps, logs)))
    assert len(GAME.read_decks(tmp_path / "logs.jsonl").seat) == len(logs)
    games = Rulebook()
    name, table = games.read({"log": logs[0]})
    assert name == "doudizhu:bidding=call,doubling=true" and table.is_over


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda log: log[2]["output"]["display"].update(errored=[None, "BAD", None]), "seat 1 was"),
        (lambda log: log[-2].update({"0": {"response": [*range(8)]}}), "33334444: a space shuttle"),
        (lambda log: log[-2].update({"0": {"response": [54]}}), "expected numbers of cards"),
        (lambda log: log[-1]["output"]["content"].update({"0": 99}), "points .99.*the moves give"),
        (lambda log: [entry.clear() for entry in log[:1]], "expected an object"),
    ],
)
def test_logs_that_cannot_be_read(change: Any, said: str) -> None:
    match = next(filter(None, map(match_of, random_records(4, chosen))))
    log = json.loads(json.dumps(match.log))
    change(log)
    with pytest.raises(ValueError, match=said):
        GAME.parse_record({"log": log})
