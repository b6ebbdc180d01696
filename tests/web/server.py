"""A whole server whose engine knows nothing: a program for tests.

python server.py FOLDER [toy [PORT]]

It answers at once, with moves that follow from the position and numbers that follow from the texts
of the moves, so that a deal has one course and reviews find mistakes. ``toy``: over the toy game
alone, with an engine that takes a minute for 4,096 playouts, ends at 13 and raises at 666; else
over the real games. Players move at a quick pace.
"""

import asyncio
import contextlib
import functools
import os
import random
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import fake

from fpmcts.web.clock import Chance, Clock, derived_seed
from fpmcts.web.engine.asking import Answer, EngineQuestion, Hear
from fpmcts.web.engine.client import EngineProcess
from fpmcts.web.engine.process import serve as answer_questions
from fpmcts.web.server.app import Server
from fpmcts.web.server.guard import Access, read_token
from fpmcts.web.server.main import listen, serve, token_file
from fpmcts.web.tables.catalogue import Catalogue, Offer
from fpmcts.web.tables.offers import EXACT, RANDOM, offers
from fpmcts.web.tables.preparing import PreparedGames
from fpmcts.web.tables.room import Services
from fpmcts.web.tables.rulebook import Rulebook
from fpmcts.web.tables.store import Store
from games.play.decision import Decision, HiddenCards, RootMove

RANKS = "3456789TJQKA2LB"
PACE = 0.03


class Quick(Clock):
    """A clock for players that need not seem to think."""

    async def sleep_until(self, when: float) -> None:
        """Waits a moment."""
        await asyncio.sleep(min(PACE, max(0.0, when - self.now())))


def decide_toy(question: EngineQuestion, hear: Hear, cancel: Callable[[], bool]) -> Answer:
    """Passes, or does what the number of playouts says."""
    answer = fake.first_legal(question)
    playouts = question.options.get("playouts", 0)
    if playouts == 13:
        os._exit(3)
    if playouts == 666:
        raise ArithmeticError("it went wrong")
    if playouts == 4096:
        for done in range(600):
            if cancel():
                break
            hear(replace(answer, done=done))
            time.sleep(0.1)
    if question.moves is None:
        answer = replace(answer, decision=replace(answer.decision, move="pass"))
    return answer


@functools.cache
def game_of(name: str) -> Any:
    """Returns the game of a name, made once."""
    from games import Choice

    return Choice.from_text(name).make()


def decide(question: EngineQuestion, hear: Hear, cancel: Callable[[], bool]) -> Answer:
    """Passes where it can, so that games are short, and says something of every move: the more
    cards it has, the worse.
    """
    from games.play.table import Table

    game, seed = game_of(question.game), question.seed
    given = {"record": question.record} if question.record else {"seed": seed}
    table = Table(game, **given)
    wins, exact = game.spec.score.reports_wins, question.game in EXACT
    if question.luck is not None:
        result = [float(won > 0) if wins else won for won in table.returns or ()]
        luck = fake.luck_fields(len(result), "wp" if wins else "return", result=result)
        return Answer(luck=luck)
    moves = list(question.moves or (move.text for move in table.legal()))
    worth = {
        move: max(0.0, 0.9 - 0.12 * len(move)) + (derived_seed("worth", move) % 100) / 1000
        for move in moves
    }
    chance, scale = random.Random(derived_seed(question.record)), 1 if wins else 4
    rows = tuple(
        RootMove(
            move,
            round(1 / len(moves), 4),
            0 if exact else max(1, 40 // (k + 1)),
            worth[move] * scale,
            0.0 if exact else 0.02 + 0.001 * chance.random(),
        )
        for k, move in enumerate(sorted(moves, key=lambda move: -worth[move]))
    )
    own = "pass" if "pass" in moves else chance.choice(moves)
    hidden = None
    if question.game == "doudizhu":
        others = [seat for seat in range(3) if seat != table.seat]
        p = [[[0.3, 0.4, 0.2, 0.08, 0.02] for _ in RANKS] for _ in others]
        hidden = HiddenCards(tuple(others), tuple(RANKS), p, 12.0, False, False)
    total, unit = int(question.options.get("playouts", 0)), "wp" if wins else "return"
    error, best = 0.0 if exact else 0.03, rows[0].mean
    told = Decision(
        own, 0, {own: 1.0}, best, unit, rows, hidden, total, seconds=0.01, value_error=error
    )
    return Answer(told, total, total)


def toy_engine(pipe: Connection) -> None:
    """Runs the engine's process."""
    answer_questions(pipe, decide_toy)


def engine(pipe: Connection) -> None:
    """Runs the engine's process."""
    answer_questions(pipe, decide)


def main(folder: Path, toy: bool, port: int) -> None:
    """Serves until Ctrl-C."""
    games = folder / "play.sqlite"
    token, listening = read_token(token_file(games)), listen("127.0.0.1", port)
    process = EngineProcess(target=toy_engine if toy else engine)
    catalogue = fake.CATALOGUE if toy else Catalogue(offers(), Offer((RANDOM,)))
    rulebook: Any = fake.ToyGames() if toy else PreparedGames(Catalogue({}), Rulebook)
    services = Services(rulebook, catalogue, process, Store(games), Quick(), Chance())
    print(f"http://127.0.0.1:{listening.getsockname()[1]}/?token={token}", flush=True)
    server = Server(services, None, rulebook.progress)
    prepare = functools.partial(rulebook.prepare, process.status, process.warm_up)
    asyncio.run(serve(server, process, Access(token), "127.0.0.1", listening, prepare))


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main(Path(sys.argv[1]), "toy" in sys.argv[2:], int((*sys.argv, "0", "0")[3]))
