"""One search for a person: of a position of the table, from the view of whoever decides there, with
answers on the way.
"""

from fpmcts.web.clock import derived_seed
from fpmcts.web.engine.asking import Answer, Priority
from fpmcts.web.errors import Json, RefusedError
from fpmcts.web.review.jobs import Job, Work
from fpmcts.web.tables.kept import KeptGame
from fpmcts.web.tables.rulebook import table_at

PLAYOUTS = 256


def checked_moves(game: KeptGame, ply: int, moves: list[str]) -> tuple[str, ...]:
    """Returns moves as the game writes them. Raises RefusedError where one is illegal."""
    position = table_at(game.table, ply)
    legal = {move.text for move in position.legal()}
    try:
        texts = [move if move in legal else position.copy().play(move).text for move in moves]
    except ValueError as error:
        raise RefusedError("illegal_move", str(error)) from error
    return tuple(dict.fromkeys(texts))


def analysis(
    game: KeptGame,
    ply: int | None = None,
    playouts: int | None = None,
    moves: list[str] | None = None,
) -> Work:
    """Returns the work of a job.

    Raises:
        RefusedError: The mode does not allow it, or a move is illegal.
    """
    at = game.may_ask(ply)
    told = game.told_ply(at)
    asked = game.question(
        at,
        derived_seed("analysis", game.id, told, playouts, moves),
        playouts or PLAYOUTS,
        moves=None if moves is None else checked_moves(game, at, moves),
        priority=Priority.ANALYSIS,
    )
    place = {"ply": told, "seat": game.mover(at)}

    async def work(job: Job) -> Json:
        def hear(answer: Answer) -> None:
            job.partial = place | answer.fields()
            job.tell("result", final=False, cancelled=False, **job.partial)

        return place | (await game.services.engine.ask(asked, hear)).fields()

    return work
