"""One search for a person: of a position of the table, from the view of whoever decides there, with answers on the way."""

from dataclasses import replace
from typing import Any

from web.clock import derived_seed
from web.engine.asking import Answer, Priority, Question
from web.engine.wording import answer_fields
from web.errors import RefusedError
from web.review.jobs import Job
from web.tables.room import Room
from web.tables.rulebook import table_at

PLAYOUTS = 256


def question(
    room: Room, ply: int, playouts: int, seed: int, moves: tuple[str, ...] | None = None, priority: Priority = Priority.ANALYSIS
) -> Question:
    """Returns what the analyst of a game is asked about a position. Raises RefusedError where there is no analyst."""
    offer = room.services.catalogue.offer(room.game)
    if offer.analyst is None:
        raise RefusedError("no_analyst", f"nobody analyses {room.game} yet")
    options = offer.analyst_options
    if offer.searches:
        options = {**options, "playouts": playouts}
        if moves is not None and offer.analyst_kind == "fpmcts":
            options["solve"] = False  # a move that wins for sure would be answered without a look at the others
    return Question(
        game=room.game,
        record=table_at(room.table, ply).record(),
        kind=offer.analyst_kind,
        options=options,
        seed=seed,
        moves=moves,
        priority=priority,
    )


def luck_question(room: Room, play_outs: int, seed: int) -> Question:
    """Returns what the analyst of a game is asked about its cards, once it is over. Raises RefusedError as ``question``."""
    asked = question(room, len(room.movers), 0, seed, priority=Priority.REVIEW)
    options = {name: value for name, value in asked.options.items() if name != "playouts"}
    return replace(asked, options=options, luck=play_outs)


def checked_moves(room: Room, ply: int, moves: list[str] | None) -> tuple[str, ...] | None:
    """Returns moves as the game writes them. Raises RefusedError where one is illegal."""
    if moves is None:
        return None
    position = table_at(room.table, ply)
    legal = {move.text for move in position.legal()}
    texts = []
    for move in moves:
        try:
            texts.append(move if move in legal else position.copy().play(move).text)
        except ValueError as error:
            raise RefusedError("illegal_move", str(error)) from error
    return tuple(dict.fromkeys(texts))


def analysis(room: Room, ply: int | None, playouts: int | None, moves: list[str] | None) -> Any:
    """Returns the work of a job.

    Raises:
        RefusedError: The mode does not allow it, or a move is illegal.
    """
    at = room.may_ask(ply)
    seat = room.movers[at] if at < len(room.movers) else room.table.seat
    told = room.told_ply(at)
    seed = derived_seed("analysis", room.id, told, playouts, moves)
    asked = question(room, at, playouts or PLAYOUTS, seed, checked_moves(room, at, moves))

    async def work(job: Job) -> dict[str, Any]:
        def fields(answer: Answer) -> dict[str, Any]:
            return {"ply": told, "seat": seat, **answer_fields(answer)}

        def report(answer: Answer) -> None:
            job.partial = fields(answer)
            job.tell("result", job.partial)

        return fields(await room.services.engine.ask(asked, report))

    return work
