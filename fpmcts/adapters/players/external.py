"""External players: any program that reads and writes lines of JSON (``docs/external-players.md``).

An answer is played or ends the match. An illegal, malformed or late answer, or a program that ends
or hangs, raises an error with everything needed to find the fault; no move is ever substituted.
"""

import json
import math
import shlex
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fpmcts.adapters.players.foreign import ExternalPlayerError, ForeignAgent
from fpmcts.child_program import ChildProgram, ChildProgramError, shortened
from games.base.settings import setting
from games.kernels.rows import States
from games.kernels.sources import program_sources
from games.play.agent import Agent
from games.play.interface import Game
from games.play.registry import Host, PlayerOptions, player

Message = dict[str, Any]
"""A line, in Python."""
PROTOCOL = 1
"""The version of the protocol, increased by changes that programs have to follow."""
_MAX_MOVE_TEXT = 100


@player("external", slow=True)
@dataclass
class ExternalOptions(PlayerOptions):
    """Any program that speaks the protocol of ``docs/external-players.md``.

    Attributes:
        command: The command that starts it, with arguments.
        seconds: Time limit for a move.
    """

    command: str = ""
    seconds: float = setting(10.0, least=1e-3, most=3600)

    def make(self, host: Host) -> Agent:
        """Returns the player; its program is started by the first ``start``."""
        return ExternalAgent(host.game, self.command, self.seconds)

    def sources(self) -> list[Path]:
        """Returns the files that the command names, and what they import."""
        with suppress(ValueError):  # an open quote, which ``make`` reports
            return program_sources(shlex.split(self.command))
        return []


class ExternalAgent(ForeignAgent, AbstractContextManager["ExternalAgent"]):
    """Asks a program for its moves, one at a time; the program may play many games at once.

    The first ``start`` starts the program, and ``close`` ends it: use the agent as a context
    manager, or leave it to the garbage collector or the end of the interpreter, which kill the
    program. After an error the program is dead, and the next ``start`` restarts it. Unix only.

    Args:
        game: The game.
        command: The program and its arguments, as a list or as a line that is split like a shell's.
            No shell is used.
        seconds: Time for a move, from sending the question to the end of the answer.
        name: Name in reports.

    Attributes:
        start_seconds: Time for the first answer, in which a program may load what it needs.

    Raises:
        ValueError: The command is empty or has an open quote, or the time is not positive.
    """

    start_seconds = 60.0

    def __init__(
        self,
        game: Game,
        command: str | Sequence[str],
        seconds: float = 10.0,
        name: str = "external",
    ) -> None:
        super().__init__(game, name)
        self.seconds = seconds
        try:
            self.command = shlex.split(command) if isinstance(command, str) else list(command)
        except ValueError as error:
            raise ValueError(f"command {command!r}: {error}") from error
        if not self.command or not self.command[0]:
            raise ValueError(f"command {command!r}: expected a program and its arguments")
        if not (seconds > 0 and math.isfinite(seconds)):
            raise ValueError(f"got seconds={seconds}: expected a positive number")
        self._program: ChildProgram | None = None
        self._questions = 0

    def start(self, num_games: int, seed: int) -> None:
        """Resets the program for games 0 .. ``num_games`` - 1, and starts it if it is not running.

        Raises:
            ExternalPlayerError: It cannot be started, does not answer in time, or has ended.
        """
        if self._program is None:
            self._questions = 0
            hello = {
                "type": "hello",
                "protocol": PROTOCOL,
                "game": self.game.spec.name,
                "teams": list(self.game.spec.teams),
                "seconds": float(self.seconds),
            }
            self._talk(hello, self.start_seconds, _check_hello)
        self._talk({"type": "start", "games": num_games, "seed": seed}, self.start_seconds, None)

    def ask(self, number: int, seat: int, views: States, row: int, seen: np.ndarray) -> int:
        """Returns the program's move.

        Raises:
            ExternalPlayerError: The answer is illegal, malformed or late, or the program has ended.
            RuntimeError: The agent was not started, or was closed.
        """
        if self._program is None:
            raise RuntimeError(
                f"player {self.name} is asked for a move before start or after close"
            )
        self._questions += 1
        view = self.game.describe_view(views, row, seen)
        question = {"type": "view", "id": self._questions, "game_number": number, "view": view}
        return self._talk(question, self.seconds, self._check_move)

    def close(self, gently: bool = True) -> None:
        """Ends the program, if there is one: closes its input, and kills it after at most a second.

        Args:
            gently: If False, it is killed at once.
        """
        program, self._program = self._program, None
        if program is not None:
            program.close() if gently else program.kill()

    def __exit__(self, *details: object) -> None:
        self.close()

    def _talk(
        self, message: Message, seconds: float, check: Callable[[Message, Message], int] | None
    ) -> int:
        """Sends a message to the program, starting it if necessary, and kills it after any error.

        Args:
            message: The message.
            seconds: Time limit of the exchange.
            check: (message, answer) -> result; raises ChildProgramError. None: no answer is
                expected, and the result is 0.
        """
        line, answer = json.dumps(message), None
        try:
            if self._program is None:
                self._program = ChildProgram(self.command)
            answer = self._program.ask(line, seconds, check is not None)
            return 0 if check is None else check(message, _parse(answer))
        except ChildProgramError as error:
            raise self._fault(str(error), line, answer) from error
        except BaseException:  # Ctrl-C: the answer must not be mistaken for the next one
            self.close(gently=False)
            raise

    def _fault(self, reason: str, sent: str, answer: str | None) -> ExternalPlayerError:
        """Returns the error that ends the match; kills the program."""
        lines = [
            f"external player {self.name}: {reason}",
            f"command: {shlex.join(self.command)}",
            f"sent: {sent}",
            f"answer: {'none' if answer is None else shortened(answer)}",
        ]
        if self._program is not None and (errors := self._program.last_errors()):
            lines.append(f"last lines of its error stream: {errors}")
        self.close(gently=False)
        return ExternalPlayerError(" ".join("; ".join(lines).splitlines()))

    def _check_move(self, question: Message, answer: Message) -> int:
        """Returns the action of an answer. Raises ChildProgramError unless it is one of the legal
        moves that the question lists.
        """
        if answer.get("id", question["id"]) != question["id"]:
            raise ChildProgramError(
                f"it answered another question: id {shortened(repr(answer['id']))}, "
                f"expected {question['id']}"
            )
        text = answer.get("move")
        if not isinstance(text, str) or len(text) > _MAX_MOVE_TEXT:
            raise ChildProgramError(
                'its answer has no move: expected such as {"move": "pass"}, the move one '
                'of those under "legal"'
            )
        try:
            action = self.game.parse_action(text)
        except ValueError as error:
            raise ChildProgramError(f"its move is illegal: {error}") from error
        if self.game.action_text(action) not in question["view"]["legal"]:
            raise ChildProgramError(
                f'its move {text!r} is illegal: expected one of those under "legal"'
            )
        return action


def _parse(answer: str) -> Message:
    """Returns the JSON object in an answer. Raises ChildProgramError."""
    try:
        value = json.loads(answer)
    except (ValueError, RecursionError) as error:
        raise ChildProgramError(f"its answer is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise ChildProgramError("its answer is not a JSON object")
    return value


def _check_hello(message: Message, answer: Message) -> int:
    """Returns the version that a program speaks. Raises ChildProgramError unless it is ours."""
    if answer.get("protocol") != PROTOCOL:
        raise ChildProgramError(
            f"it does not speak version {PROTOCOL} of the protocol: expected "
            f'{{"protocol": {PROTOCOL}}}'
        )
    return PROTOCOL
