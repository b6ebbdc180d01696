"""A whole server over the real games whose engine knows nothing: a program for tests in a browser.

python browser_server.py FOLDER [real]

It answers at once, with numbers that follow from the texts of the moves, so that reviews find
mistakes. ``real``: with the players of the project, which are not warmed up.
"""

import asyncio
import contextlib
import functools
import random
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from fpmcts.players.luck import Luck  # noqa: E402
from fpmcts.web.clock import Chance, Clock, derived_seed  # noqa: E402
from fpmcts.web.engine.asking import Answer, Hear, Question, Row  # noqa: E402
from fpmcts.web.engine.client import EngineProcess  # noqa: E402
from fpmcts.web.engine.process import serve as answer_questions  # noqa: E402
from fpmcts.web.server.access import Access, read_token  # noqa: E402
from fpmcts.web.server.app import Server  # noqa: E402
from fpmcts.web.server.main import listen, load_games, serve, token_file  # noqa: E402
from fpmcts.web.tables.catalogue import Catalogue, Offer  # noqa: E402
from fpmcts.web.tables.kept import Services  # noqa: E402
from fpmcts.web.tables.offers import EXACT, RANDOM, offers  # noqa: E402
from fpmcts.web.tables.rulebook import Games  # noqa: E402
from fpmcts.web.tables.store import Store  # noqa: E402

OUTSIDE = "examples.sealed_bids"
RANKS = "3456789TJQKA2LB"
PACE = 0.03


class Quick(Clock):
    """A clock for players that need not seem to think."""

    async def sleep_until(self, when: float) -> None:
        """Waits a moment."""
        await asyncio.sleep(min(PACE, max(0.0, when - self.now())))


@functools.cache
def game_of(name: str) -> Any:
    """Returns the game of a name, made once."""
    from games import Choice

    return Choice.from_text(name).make()


def luck_of(table: Any, wins: bool, exact: bool) -> dict[str, Any]:
    """Returns fields of ``fpmcts.players.luck.Luck``: the deal was good for the first seat."""
    count = len(table.returns or ())
    result = tuple(float(won > 0) if wins else won for won in table.returns or ())
    errors = (0.0 if exact else 0.02,) * count
    return asdict(
        Luck(
            "wp" if wins else "return",
            result,
            (0.5 if wins else 0.1,) * count,
            (0.2, *(-0.2,) * (count - 1)),
            (0.0,) * count,
            errors,
            errors,
            errors,
            errors,
            losses=(1.5,) * count if exact else None,
            play_outs=0 if exact else 256,
        )
    )


def decide(question: Question, hear: Hear, cancel: Callable[[], bool]) -> Answer:
    """Passes where it can, so that games are short, and says something of every move."""
    from games.table import Table

    game = game_of(question.game)
    table = (
        Table(game, record=question.record) if question.record else Table(game, seed=question.seed)
    )
    if question.luck is not None:
        return Answer(
            "", luck=luck_of(table, game.spec.score.tells_wins, question.kind == "tabular")
        )
    legal = [move.text for move in table.legal()]
    moves = list(question.moves or legal)
    chance = random.Random(question.seed)
    wins, exact = game.spec.score.tells_wins, question.game in EXACT
    # The more cards a move has, the worse: whoever plays their longest makes mistakes.
    worth = {
        move: max(0.0, 0.9 - 0.12 * len(move)) + (derived_seed("worth", move) % 100) / 1000
        for move in moves
    }
    found = sorted(moves, key=lambda move: -worth[move])
    rows = tuple(
        Row(
            move,
            round(1 / len(moves), 4),
            max(1, 40 // (k + 1)),
            worth[move] * (1 if wins else 4),
            0.02 + 0.001 * chance.random(),
        )
        for k, move in enumerate(found)
    )
    own = "pass" if "pass" in moves else chance.choice(moves)
    others = [seat for seat in range(len(game.spec.seat_names)) if seat != table.seat]
    hidden = None
    if question.game == "doudizhu":
        p = [[[0.3, 0.4, 0.2, 0.08, 0.02] for _ in RANKS] for _ in others]
        hidden = {
            "seats": others,
            "kinds": list(RANKS),
            "p": p,
            "ess": 12.0,
            "listed": False,
            "active": True,
        }
    if exact:
        rows = tuple(replace(row, se=0.0, visits=0) for row in rows)
    total = int(question.options.get("playouts", 0))
    error = 0.0 if exact else 0.03
    return Answer(
        own,
        "wp" if wins else "points",
        rows[0].value,
        {own: 1.0},
        rows,
        hidden,
        total,
        total,
        0.01,
        error,
    )


def engine_main(pipe: Connection) -> None:
    """Runs the engine's process."""
    answer_questions(pipe, decide)


def load() -> Games:
    """Returns the games of the project, and one that the page has never heard of, with private
    moves.
    """
    return load_games([OUTSIDE])


def main(folder: Path, real: bool) -> None:
    """Serves until Ctrl-C."""
    games = folder / "play.sqlite"
    token = read_token(token_file(games))
    listening = listen("127.0.0.1", 0)
    engine = EngineProcess() if real else EngineProcess(target=engine_main)
    catalogue = Catalogue({**offers(), OUTSIDE: Offer((RANDOM,))}, Offer((RANDOM,)))
    services = Services(None, catalogue, engine, Store(games), Quick(), Chance())  # type: ignore[arg-type]
    sys.stdout.write(f"http://127.0.0.1:{listening.getsockname()[1]}/?token={token}\n")
    sys.stdout.flush()
    asyncio.run(serve(Server(services), engine, Access(token), "127.0.0.1", listening, load))


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main(Path(sys.argv[1]), "real" in sys.argv[2:])
