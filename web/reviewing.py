"""Reviews of tables: which game is searched how, what is kept back, and tries of what would have been better."""

from typing import Any

from web.analysis import checked_moves, question
from web.asking import Answer, Priority
from web.errors import RefusedError
from web.jobs import Job
from web.review import (
    PUZZLES,
    SPEEDS,
    Decision,
    Loss,
    Played,
    Review,
    compare,
    counts_as_right,
    review_game,
)
from web.room import Room
from web.rulebook import table_at
from web.wording import row_fields


def played_moves(room: Room) -> list[Played]:
    """Returns the moves of a game, with how many there were to choose from."""
    table, moves = table_at(room.table, 0), []
    for ply, (seat, move) in enumerate(zip(room.movers, room.table.moves, strict=True)):
        moves.append(Played(ply, seat, move.text, len(table.legal())))
        table.play(move.text)
    return moves


class Reviews:
    """The reviews of a server, kept with the games."""

    def __init__(self) -> None:
        self._latest: dict[str, tuple[str, Review]] = {}

    def start(self, room: Room, session: str, given: dict[str, Any]) -> Any:
        """Returns the work of a review.

        Raises:
            RefusedError: The game is not over, or the seats are none.
        """
        if not room.done:
            raise RefusedError("not_over", "the game can be reviewed when it is over")
        count = len(room.settings.seats)
        seats = sorted(set(given.get("seats", range(count) if room.you is None else [room.you])))
        if any(seat >= count for seat in seats):
            raise RefusedError("bad_message", f"seats: expected numbers below {count}")
        if not room.services.catalogue.offer(room.game).searches:
            raise RefusedError("no_analyst", f"nobody reviews {room.game} yet")
        speed, seed = given.get("speed", "normal"), given.get("seed", 0)
        key = f"{speed} {seed} {','.join(map(str, seats))}"

        async def work(job: Job) -> dict[str, Any]:
            stored = room.services.store.review(room.id, key)
            if stored is not None:
                review = Review.from_fields(stored)
            else:
                review = await self._review(room, job, seats, speed, seed)
                room.settings.reviewed = True
                room.save()
            self._keep(room, session, key, review)
            return {"review": review.told()}

        return work

    async def _review(self, room: Room, job: Job, seats: list[int], speed: str, seed: int) -> Review:
        known: dict[int, dict[str, Any]] = {}

        def progress(done: int, total: int, stage: int, decisions: list[Decision]) -> None:
            told = [decision.told() for decision in decisions]
            known.update((fields["ply"], fields) for fields in told)
            job.partial = {"decisions": list(known.values())}
            job.tell("progress", {"stage": stage, "done": done, "total": total, "decisions": told})

        moves, classes = played_moves(room), room.info.classes
        return await review_game(self._asker(room), moves, seats, speed, seed, classes, row_fields, progress)

    def _asker(self, room: Room) -> Any:
        async def ask(ply: int, playouts: int, seed: int, moves: tuple[str, ...] | None) -> Answer:
            return await room.services.engine.ask(question(room, ply, playouts, seed, moves, Priority.REVIEW))

        return ask

    def _keep(self, room: Room, session: str, key: str, review: Review) -> None:
        self._latest[room.id] = key, review
        if len(self._latest) > 100:
            del self._latest[next(iter(self._latest))]
        room.services.store.put_review(room.id, key, session, review.to_fields())

    def _find(self, room: Room, ply: int | None) -> tuple[str, Review]:
        """Returns the latest review of a table that has a decision. Raises RefusedError."""
        latest = self._latest.get(room.id)
        stored = [] if latest is None else [latest]
        stored += [(key, Review.from_fields(fields)) for key, fields in room.services.store.reviews_of(room.id)]
        for key, review in stored:
            if ply is None or review.decision(ply) is not None:
                return key, review
        raise RefusedError("not_reviewed", "this decision was not reviewed")

    def reveal(self, room: Room, session: str, ply: int | None) -> list[dict[str, Any]]:
        """Returns decisions with what was kept back. Raises RefusedError."""
        key, review = self._find(room, ply)
        decisions = [decision for decision in review.decisions if ply is None or decision.ply == ply]
        for decision in decisions:
            decision.hidden = False
        self._keep(room, session, key, review)
        return [decision.told() for decision in decisions]

    def try_move(self, room: Room, session: str, ply: int, move: str) -> Any:
        """Returns the work that finds out whether a move was right. Raises RefusedError."""
        if not room.done:
            raise RefusedError("not_over", "the game can be reviewed when it is over")
        key, review = self._find(room, ply)
        decision = review.decision(ply)
        assert decision is not None
        found = checked_moves(room, ply, [move])
        assert found is not None
        text = found[0]

        async def work(job: Job) -> dict[str, Any]:
            loss = await self._loss(room, review, decision, text)
            right = counts_as_right(loss)
            if right:
                decision.hidden, decision.right = False, True
            elif decision.right is None:
                decision.right = False
            self._keep(room, session, key, review)
            told: dict[str, Any] = {"ply": ply, "move": text, "right": right}
            told |= {"loss": round(loss.mean, 4), "se": round(loss.se, 4)}
            return {"tried": told | ({"decision": decision.told()} if right else {})}

        return work

    async def _loss(self, room: Room, review: Review, decision: Decision, move: str) -> Loss:
        """Returns how much worse a move is than the searched one."""
        if move == decision.best:
            return Loss(0.0, 0.0)
        if move == decision.move and decision.loss is not None and decision.se is not None:
            return Loss(decision.loss, decision.se)
        if move not in decision.tries:
            amount = SPEEDS[review.speed]
            loss = await compare(self._asker(room), decision.ply, move, decision.best, amount, review.seed, "try")
            decision.tries[move] = loss.mean, loss.se
        return Loss(*decision.tries[move])


def puzzles(reviewed: list[tuple[str, dict[str, Any]]]) -> list[tuple[str, int, int]]:
    """Returns table, ply and seat of the clear mistakes of reviews that nobody has found yet."""
    found: dict[tuple[str, int], int] = {}
    for table, fields in reviewed:
        for decision in Review.from_fields(fields).decisions:
            if decision.name in PUZZLES and not decision.right:
                found[table, decision.ply] = decision.seat
    return [(table, ply, seat) for (table, ply), seat in found.items()]
