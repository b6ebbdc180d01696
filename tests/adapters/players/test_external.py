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
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fpmcts.adapters.players.external import ExternalAgent
from fpmcts.adapters.players.foreign import ExternalPlayerError
from fpmcts.child_program import ChildProgram, ChildProgramError
from fpmcts.evaluation.duplicate import duplicate_match
from fpmcts.players.random_agent import Random
from games import make
from games.base.files import ROOT
from games.kernels import streams
from games.kernels.rows import States, take
from games.kernels.sources import program_sources
from games.play.interface import Records, empty_records
from games.poker.game import LimitPoker
from games.poker.players.always_call import AlwaysCall
from tests.games import driver
from tests.games.doudizhu.positions import GAME

EXAMPLE = [sys.executable, str(ROOT / "examples" / "external_player.py")]
DOCS = (ROOT / "docs" / "external-players.md").read_text()
MOST = GAME.spec.max_moves
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

for line in sys.stdin:
    message = json.loads(line)
    exec(ANSWERS[message["type"]])
"""
GOOD_HELLO = "say('{\"protocol\": 1}')"
FIRST = "move(legal()[0])"


def client(view: str = FIRST, hello: str = GOOD_HELLO, start: str = "pass") -> list[str]:
    """Returns the command of a program with these answers."""
    answers = {"view": view, "hello": hello, "start": start}
    return [sys.executable, "-c", CLIENT.replace("ANSWERS", repr(answers))]


def is_gone(pid: int, seconds: float = 20.0) -> bool:
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


def first_views(count: int = 3) -> tuple[np.ndarray, States, Records]:
    """Returns the arguments of ``act`` before the first move of some games."""
    deals = GAME.deal(streams(1, count))
    return np.arange(count), GAME.view(deals, deals.seat), empty_records(count, MOST)


def test_the_example_beats_random_play() -> None:
    """The same program serves two matches; the second begins with the decks of the first."""
    with ExternalAgent(GAME, EXAMPLE, name="example") as player:
        result = duplicate_match(GAME, player, Random().at(GAME), 40, seed=1)
        again = duplicate_match(GAME, player, Random().at(GAME), 10, seed=1)
    assert result.names == ("example", "random")
    assert result.total.wp.mean > 0.8
    assert (again.games.records.moves == result.games.records.moves[:20]).all()


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
        empty_records(start["games"], MOST),
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


# name: (what it does when asked for a move, what the message says)
FAULTS = {
    "illegal": ("move('LB33')", "its move is illegal: 'LB33' is no"),
    "no move": ("say('{}')", "its answer has no move"),
    "nested": ("say('[' * 60000)", "its answer is not JSON"),
    "bytes": ("os.write(1, bytes([255, 10]))", r"its answer is not UTF-8: b'\\xff'"),
    "huge": ("os.write(1, b'x' * 200000); time.sleep(9)", "it wrote a line of more than 65,536 by"),
    "late": ("time.sleep(9)", r"no answer within 0.3 s \(does it flush its output\?\)"),
    "drip": ("while True: os.write(1, b'1'); time.sleep(.01)", "no end of the line"),
    "crash": ("1 / 0", "the program ended with status 1.*last lines of its error.*ZeroDivision"),
    "no output": ("os.close(1); time.sleep(9)", "the program closed its output"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_end_the_match(fault: str) -> None:
    view, message = FAULTS[fault]
    player = ExternalAgent(GAME, client(view), 0.3 if fault in ("late", "drip") else 5.0, "faulty")
    player.start(3, seed=0)
    assert player._program is not None
    pid, began = player._program._process.pid, time.monotonic()
    with pytest.raises(ExternalPlayerError, match=f"^external player faulty: {message}") as caught:
        player.act(*first_views())
    assert time.monotonic() - began < 4 and is_gone(pid)
    text, sent = str(caught.value), '; sent: {"type": "view", "id": 1, "game_number": 0, "view": {'
    assert f"command: {sys.executable} -c" in text and sent in text and "\n" not in text
    with pytest.raises(RuntimeError, match="before start or after close"):
        player.act(*first_views())


@pytest.mark.parametrize(
    ("error", "arguments", "message"),
    [
        (ExternalPlayerError, ("no-such-program 1",), "cannot be started: .*No such.*command: "),
        (ValueError, (" ",), "expected a program and its arguments"),
        (ValueError, ("program", float("nan")), "got seconds=nan: expected a positive number"),
    ],
)
def test_commands_that_cannot_be_started(
    error: type[Exception], arguments: tuple[Any, ...], message: str
) -> None:
    with pytest.raises(error, match=message):
        ExternalAgent(GAME, *arguments).start(1, seed=0)


def test_code_in_a_command_is_longer_than_a_file_may_be_named() -> None:
    sources = program_sources([sys.executable, "-c", "pass\n" * 100])
    assert sources == [Path(sys.executable).resolve()]


def test_a_program_that_does_not_read() -> None:
    """The pipe is full after 64 KiB, and the limit on time still holds."""
    program = ChildProgram([sys.executable, "-c", "import time; time.sleep(9)"])
    with pytest.raises(ChildProgramError, match="it did not read what it was sent within 0.3 s"):
        program.ask("x" * 200_000, 0.3, answered=False)
    program.kill()


@pytest.mark.parametrize(
    ("hello", "view", "message"),
    [
        ("time.sleep(9)", FIRST, "no answer within 0.4 s"),
        ("say('{\"protocol\": 2}')", FIRST, "it does not speak version 1 of the protocol"),
        (
            f"{GOOD_HELLO}; say('ready')",
            FIRST,
            "(it wrote .*: b'.*ready|its answer is not JSON)",  # seen at once, or later
        ),
        (
            GOOD_HELLO,
            "move(legal()[0]); os.close(0); time.sleep(9)",
            "the program closed its input",
        ),
        (
            GOOD_HELLO,
            f"{FIRST}; {FIRST}",
            "it wrote (more than one line|without being asked): b'",
        ),
    ],
)
def test_faults_at_the_start_and_those_noticed_at_once_or_at_the_next_question(
    hello: str, view: str, message: str
) -> None:
    player = ExternalAgent(GAME, client(view, hello))
    player.start_seconds = 0.4 if "sleep" in hello else 10.0
    with pytest.raises(ExternalPlayerError, match=f"external player external: {message}"):
        player.start(3, seed=0)
        for _ in range(20):
            player.act(*first_views(1))
            time.sleep(0.02)


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


@pytest.mark.parametrize("way", ["close", "collected", "error", "ctrl-c"])
def test_programs_and_what_they_started_are_gone(way: str, tmp_path: Path) -> None:
    note, interrupt = tmp_path / "pid", "os.kill(os.getppid(), signal.SIGINT); time.sleep(99)"
    start = f"open({str(note)!r}, 'w').write(str(subprocess.Popen(['sleep', '60']).pid))"
    command = client(interrupt if way == "ctrl-c" else FIRST, f"{start}; {GOOD_HELLO}")
    player: Any = ExternalAgent(GAME, command, seconds=60.0 if way == "ctrl-c" else 0.2)
    player.start(1, seed=0)
    pids = [player._program._process.pid, int(note.read_text())]
    assert not any(is_gone(pid, seconds=0) for pid in pids)
    if way == "close":
        player.close()
        player.close()
    elif way == "collected":
        del player
        gc.collect()
    elif way == "error":
        os.kill(pids[0], signal.SIGSTOP)
        with pytest.raises(ExternalPlayerError, match="no answer within 0.2 s"):
            player.act(*first_views(1))
    else:
        with pytest.raises(KeyboardInterrupt):
            player.act(*first_views(1))
    assert all(map(is_gone, pids))


def test_programs_are_gone_after_the_interpreter() -> None:
    """One that ignores the end of its input."""
    source = (
        "import sys; from fpmcts.child_program import ChildProgram; "
        "p = ChildProgram([sys.executable, '-c', 'import time; time.sleep(60)']); "
        "print(p._process.pid)"
    )
    command = [sys.executable, "-c", source]
    assert is_gone(int(subprocess.check_output(command, cwd=ROOT, timeout=20)))
