"""Players from outside: whole matches, what they are sent, and every way in which a program can
fail.
"""

import gc
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fpmcts.evaluation.duplicate import duplicate_match
from fpmcts.players.child_program import ChildProgram, ChildProgramError
from fpmcts.players.external import ExternalAgent, ExternalPlayerError
from fpmcts.players.random_agent import Random
from games import make
from games.batches import States, concatenate, take
from games.doudizhu.cards import parse_cards
from games.interface import Records
from games.kernels import streams
from games.poker.game import LimitPoker
from games.poker.players.always_call import AlwaysCall
from tests.games import driver
from tests.games.positions import GAME, deal_hidden, random_game

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLE = [sys.executable, str(ROOT / "examples" / "external_player.py")]
DOCS = (ROOT / "docs" / "external-players.md").read_text()
EXCHANGE = re.findall(r"^([<>]) ({.*})$", DOCS, re.MULTILINE)

CLIENT = """
import json, os, signal, subprocess, sys, time

def say(text):
    sys.stdout.write(text + "\\n")
    sys.stdout.flush()

def move(text):
    say(json.dumps({"move": text}))

def legal():
    return message["view"]["legal"]

def hello():
    HELLO

def view():
    VIEW

def start():
    START

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        hello()
    elif message["type"] == "view":
        view()
    elif message["type"] == "start":
        start()
"""
GOOD_HELLO = "say('{\"protocol\": 1}')"
FIRST = "move(legal()[0])"


def client(view: str = FIRST, hello: str = GOOD_HELLO, start: str = "pass") -> list[str]:
    """Returns the command of a program with these answers."""
    return [
        sys.executable,
        "-c",
        CLIENT.replace("HELLO", hello).replace("VIEW", view).replace("START", start),
    ]


def is_gone(pid: int, seconds: float = 2.0) -> bool:
    """Returns whether there is no such process, after a while; one that is dead but not yet reaped
    counts as none.
    """
    deadline = time.monotonic() + seconds
    while True:
        state = subprocess.run(
            ["ps", "-o", "state=", "-p", str(pid)], capture_output=True, text=True
        ).stdout.strip()
        if state in ("", "Z"):
            return True
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)


def no_records(count: int) -> Records:
    """Returns the records of games before their first moves."""
    return Records(np.full((count, GAME.spec.max_moves), -1, np.int16), np.zeros(count, np.int16))


def first_views(count: int = 3) -> tuple[np.ndarray, States, Records]:
    """Returns the arguments of ``act`` before the first move of some games."""
    deals = GAME.deal(streams(1, count))
    return np.arange(count), GAME.view(deals, deals.seat), no_records(count)


def positions(count: int) -> tuple[States, Records]:
    """Returns full states of random games, and their moves so far."""
    rng, rows, records = np.random.default_rng(0), [], no_records(count)
    for i in range(count):
        states, moves = random_game(i)
        records.lengths[i] = rng.integers(len(moves))
        records.moves[i, : records.lengths[i]] = moves[: records.lengths[i]]
        for move in moves[: records.lengths[i]]:
            driver.step(GAME.rules, states, 0, move)
        rows.append(states)
    return concatenate(rows), records


def test_the_example_beats_random_play() -> None:
    """The same program serves two matches; the second begins with the decks of the first."""
    with ExternalAgent(GAME, EXAMPLE, name="example") as player:
        result = duplicate_match(GAME, player, Random().at(GAME), 100, seed=1)
        again = duplicate_match(GAME, player, Random().at(GAME), 10, seed=1)
    assert result.names == ("example", "random")
    assert result.total.wp.mean > 0.8
    assert (again.games.records.moves == result.games.records.moves[:20]).all()


def test_the_example_does_not_beat_its_partner() -> None:
    hands = [
        parse_cards(text)
        for text in ("33334444555566667LB2", "7778888999TTTTJJJ", "9JQQQQKKKKAAAA222")
    ]
    states = GAME.start(np.array([hands], np.uint64), np.array([parse_cards("LB2")], np.uint64))
    records = no_records(1)
    answers = []
    with ExternalAgent(GAME, EXAMPLE) as player:
        player.start(1, seed=0)
        for text in ("7", "9", "pass", "L", "pass", "pass"):
            answers.append(
                GAME.action_text(
                    int(player.act(np.arange(1), GAME.view(states, states.seat), records)[0])
                )
            )
            driver.step(GAME.rules, states, 0, GAME.parse_action(text))
    assert answers[1:] == ["8", "pass", "2", "pass", "pass"]  # bombs alone beat the joker


def test_the_documented_exchange(capsys: pytest.CaptureFixture[str]) -> None:
    """The lines in the documentation are what we send, and what the example player answers."""
    sent, answered = ([line for way, line in EXCHANGE if way == which] for which in "><")
    ran = subprocess.run(
        EXAMPLE, input="\n".join(sent) + "\n", capture_output=True, text=True, check=True
    )
    assert ran.stdout.splitlines() == answered

    hello, start, *questions = map(json.loads, sent)
    echo = "sys.stderr.write(line)"
    answer = f"{echo}; say({answered!r}[message.get('id', 0)])"
    deals, records = (
        GAME.deal(np.arange(start["games"], dtype=np.uint64)),
        no_records(start["games"]),
    )
    with ExternalAgent(GAME, client(answer, answer, echo), hello["seconds"]) as player:
        player.start(start["games"], start["seed"])
        for question, answer in zip(questions, answered[1:], strict=True):
            game, moves = (
                question["game_number"],
                [GAME.parse_action(text) for text in question["view"]["moves"]],
            )
            states = take(deals, np.array([game]))
            for move in moves:
                assert move in driver.legal_actions(GAME, states, 0)
                driver.step(GAME.rules, states, 0, move)
            records.moves[game, : len(moves)] = moves
            records.lengths[game] = len(moves)
            (move,) = player.act(np.array([game]), GAME.view(states, states.seat), records)
            assert GAME.action_text(int(move)) == json.loads(answer)["move"]
    assert capsys.readouterr().err.splitlines() == sent


def test_the_documented_poker(tmp_path: Path) -> None:
    """The view in the documentation is what we send, and its player is always_call: on the same
    cards it scores the same.
    """
    game = make("leduc")
    assert isinstance(game, LimitPoker)
    (view,) = (json.loads(text) for text in re.findall(r"```json\n(.*)\n```", DOCS))
    states = game.start(
        [[game.card_names.index(view["hand"][0]), 0, game.card_names.index(view["public"][0])]]
    )
    moves = [game.parse_action(text) for text in view["moves"]]
    for move in moves:
        driver.step(game.rules, states, 0, move)
    assert game.describe_view(game.view(states, np.array([0])), 0, np.array(moves)) == view
    (program,) = (
        text for text in re.findall(r"```python\n(.*?)```", DOCS, re.DOTALL) if "sys.stdin" in text
    )
    (tmp_path / "caller.py").write_text(program)
    caller = AlwaysCall().at(game)
    with ExternalAgent(game, [sys.executable, str(tmp_path / "caller.py")]) as player:
        result = duplicate_match(game, player, caller, 20, seed=1)
    assert (result.total.adp.mean, result.total.adp.error) == (0.0, 0.0)


def messages(states: States, records: Records, log: Path) -> list[str]:
    """Returns the lines that a program is sent about some positions."""
    command = client(f"open({str(log)!r}, 'a').write(line); {FIRST}")
    with ExternalAgent(GAME, command) as player:
        player.start(len(states.seat), seed=3)
        player.act(np.arange(len(states.seat)), states, records)
    return log.read_text().splitlines()


def test_hidden_cards_change_no_message(tmp_path: Path) -> None:
    states, records = positions(20)
    rng = np.random.default_rng(1)
    rows = [take(states, np.array([i])) for i in range(20)]
    swapped = concatenate([deal_hidden(row, int(row.seat[0]), rng) for row in rows])
    assert (swapped.hands != states.hands).any()
    first = messages(GAME.view(states, states.seat), records, tmp_path / "view")
    assert len(first) == 20
    assert (
        first
        == messages(states, records, tmp_path / "full")
        == messages(swapped, records, tmp_path / "swapped")
    )


# name: (what it does when asked for a move, what the message says)
FAULTS = {
    "illegal": (
        "move('LB33')",
        r"its move is illegal: 'LB33' is no move of the rule set 'standard'",
    ),
    "not there": (
        "move('pass')",
        "its move 'pass' is illegal: expected one of those under \"legal\"",
    ),
    "long move": ("move('3' * 500)", "its answer has no move"),
    "no move": ("say('{}')", "its answer has no move"),
    "other id": (
        'say(\'{"id": 7, "move": "3"}\')',
        "it answered another question: id '7', expected 1",
    ),
    "no object": ("say('[1]')", "its answer is no JSON object"),
    "garbage": ("say('hello world')", "its answer is no JSON"),
    "nested": ("say('[' * 60000)", "its answer is no JSON"),
    "bytes": (
        "sys.stdout.buffer.write(bytes([255, 10])); sys.stdout.flush()",
        r"its answer is no UTF-8: b'\\xff'",
    ),
    "huge": (
        "sys.stdout.write('x' * 200000); sys.stdout.flush(); time.sleep(9)",
        "it wrote a line of more than 65,536 by",
    ),
    "flood": ("exec('while True: say(str(1) * 5000)')", "(it wrote|its answer is no JSON)"),
    "late": ("time.sleep(9)", r"no answer within 0.3 s \(does it flush its output\?\)"),
    "drip": (
        "exec('while True: sys.stdout.write(str(1)); sys.stdout.flush(); time.sleep(.01)')",
        "no end of the line",
    ),
    "exit": ("sys.exit(3)", "the program ended with status 3"),
    "unfinished": (
        "sys.stdout.write('{'); sys.exit(3)",
        "the program ended with status 3, having written b'{'",
    ),
    "crash": (
        "1 / 0",
        r"the program ended with status 1.*last lines of its error stream: .*ZeroDivisionError",
    ),
    "killed": (
        "os.kill(os.getpid(), signal.SIGKILL)",
        r"the program was ended by signal 9 \(SIGKILL\)",
    ),
    "no output": ("os.close(1); time.sleep(9)", "the program closed its output"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_end_the_match(fault: str) -> None:
    view, message = FAULTS[fault]
    seconds = 0.3 if fault in ("late", "drip") else 5.0
    command = client(view)
    player = ExternalAgent(GAME, command, seconds, name="faulty")
    player.start(3, seed=0)
    assert player._program is not None
    pid = player._program.pid
    games, views, records = first_views()
    began = time.monotonic()
    with pytest.raises(ExternalPlayerError, match=f"^external player faulty: {message}") as caught:
        player.act(games, views, records)
    assert time.monotonic() - began < 4
    assert is_gone(pid)
    text = str(caught.value)
    assert f"command: {sys.executable} -c" in text
    question = {
        "type": "view",
        "id": 1,
        "game_number": 0,
        "view": GAME.describe_view(views, 0, records.moves[0, :0]),
    }
    assert f"sent: {json.dumps(question)}; answer: " in text and "\n" not in text
    with pytest.raises(RuntimeError, match="before start or after close"):
        player.act(games, views, records)


HELLO_FAULTS = {
    "hangs": ("time.sleep(9)", "no answer within 0.4 s"),
    "version": (
        "say('{\"protocol\": 2}')",
        'it does not speak version 1 of the protocol: expected {"protocol": 1}',
    ),
    "two lines": (
        f"{GOOD_HELLO}; say('ready')",
        "(it wrote .*: b'.*ready|its answer is no JSON)",
    ),  # seen at once, or later
}


@pytest.mark.parametrize("fault", HELLO_FAULTS)
def test_faults_at_the_start(fault: str) -> None:
    hello, message = HELLO_FAULTS[fault]
    player = ExternalAgent(
        GAME, client(FIRST, hello), start_seconds=0.4 if fault == "hangs" else 10.0
    )
    with pytest.raises(
        ExternalPlayerError, match=re.escape("external player external: ") + message
    ) as caught:
        player.start(1, seed=0)
        player.act(*first_views(1))
    assert "; sent: {" in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("command", "message"),
    [("no-such-program 1", "No such file"), (["a\0b"], "null")],
)
def test_commands_that_cannot_be_started(command: str | list[str], message: str) -> None:
    with pytest.raises(
        ExternalPlayerError, match=f"it cannot be started: .*{message}(.|\n)*command: "
    ):
        ExternalAgent(GAME, command).start(1, seed=0)


def test_bad_arguments() -> None:
    with pytest.raises(ValueError, match="expected a program and its arguments"):
        ExternalAgent(GAME, " ")
    with pytest.raises(ValueError, match="No closing quotation"):
        ExternalAgent(GAME, "'program")
    for seconds in (0.0, float("nan")):
        with pytest.raises(ValueError, match="got seconds=.*: expected a positive number"):
            ExternalAgent(GAME, "program", seconds)
    assert ExternalAgent(GAME, "a 'b c' d").command == ["a", "b c", "d"]


def test_a_program_that_does_not_read() -> None:
    """The pipe is full after 64 KiB, and the limit on time still holds."""
    program = ChildProgram([sys.executable, "-c", "import time; time.sleep(9)"])
    with pytest.raises(ChildProgramError, match="it did not read what it was sent within 0.3 s"):
        program.tell("x" * 200_000, 0.3)
    program.kill()


def test_a_program_that_closes_its_input() -> None:
    player = ExternalAgent(GAME, client("move(legal()[0]); os.close(0); time.sleep(9)"))
    player.start(3, seed=0)
    with pytest.raises(ExternalPlayerError, match="the program closed its input"):
        for _ in range(20):
            player.act(*first_views(1))
            time.sleep(0.05)


def test_lines_that_nobody_asked_for() -> None:
    """The second answer is noticed before the next question, or at once."""
    player = ExternalAgent(GAME, client(f"{FIRST}; {FIRST}"))
    player.start(3, seed=0)
    with pytest.raises(
        ExternalPlayerError, match="it wrote (more than one line|without being asked): b'"
    ):
        for _ in range(20):
            player.act(*first_views(1))
            time.sleep(0.01)


def test_death_in_the_middle_of_a_match() -> None:
    command = client("sys.exit('enough') if message['id'] > 30 else " + FIRST)
    player = ExternalAgent(GAME, command)
    with pytest.raises(
        ExternalPlayerError, match='the program ended with status 1(.|\n)*"id": 31(.|\n)*enough'
    ):
        duplicate_match(GAME, player, Random().at(GAME), 10, seed=1)
    player.start(1, seed=0)  # a new program
    assert player.act(*first_views(1)).shape == (1,)
    player.close()


def test_answers_in_any_form_that_is_documented() -> None:
    """Cards in any order, spaces, further fields, an id or none, and an answer in pieces."""
    pieces = 'exec(\'for c in json.dumps({"why": "é", "move": " ".join(reversed(legal()[-1]))}): '
    command = client(pieces + "sys.stdout.write(c); sys.stdout.flush()'); say('')")
    games, views, records = first_views(2)
    with ExternalAgent(GAME, command) as player:
        player.start(2, seed=0)
        moves = player.act(games, views, records)
    assert moves.tolist() == [driver.legal_actions(GAME, views, i)[-1] for i in range(2)]


def test_the_error_stream_is_passed_on(capsys: pytest.CaptureFixture[str]) -> None:
    """Also more of it than fits in a pipe, without which the program would wait forever."""
    with ExternalAgent(
        GAME, client("sys.stderr.write('é' * 100000 + 'end'); sys.stderr.flush(); " + FIRST)
    ) as player:
        player.start(1, seed=0)
        player.act(*first_views(1))
    assert capsys.readouterr().err == "é" * 100_000 + "end"


@pytest.fixture
def with_helper(tmp_path: Path) -> Iterator[tuple[list[str], Path]]:
    """A program that starts another one, and the file with the number of that process."""
    note = tmp_path / "pid"
    start = "subprocess.Popen(['sleep', '60']).pid"
    yield client(FIRST, f"open({str(note)!r}, 'w').write(str({start})); {GOOD_HELLO}"), note


@pytest.mark.parametrize("way", ["close", "context", "collected", "error"])
def test_programs_and_what_they_started_are_gone(
    way: str, with_helper: tuple[list[str], Path]
) -> None:
    command, note = with_helper
    player: Any = ExternalAgent(GAME, command, seconds=0.2)
    player.start(1, seed=0)
    pids = [player._program.pid, int(note.read_text())]
    assert not any(is_gone(pid, seconds=0) for pid in pids)
    if way == "close":
        player.close()
        player.close()
    elif way == "context":
        with player:
            pass
    elif way == "collected":
        del player
        gc.collect()
    else:
        os.kill(pids[0], signal.SIGSTOP)
        with pytest.raises(ExternalPlayerError, match="no answer within 0.2 s"):
            player.act(*first_views(1))
    assert all(map(is_gone, pids))


def test_programs_are_gone_after_ctrl_c() -> None:
    player: Any = ExternalAgent(GAME, client("os.kill(os.getppid(), signal.SIGINT); time.sleep(9)"))
    player.start(1, seed=0)
    pid = player._program.pid
    with pytest.raises(KeyboardInterrupt):
        player.act(*first_views(1))
    assert is_gone(pid)


def test_programs_are_gone_after_the_interpreter() -> None:
    """One that ignores the end of its input."""
    source = (
        "import sys; from fpmcts.players.child_program import ChildProgram; "
        "p = ChildProgram([sys.executable, '-c', 'import time; time.sleep(60)']); print(p.pid)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", source],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=20,
    )
    assert is_gone(int(ran.stdout))
