"""Reviews of tables: which game is searched how, what is kept back, and tries of what would have been better."""

import math
from typing import Any

from web.engine.asking import Answer, EngineError, Priority
from web.engine.wording import row_fields
from web.errors import RefusedError
from web.review.analysis import checked_moves, luck_question, question
from web.review.comparing import SPEEDS, search_again
from web.review.jobs import Job
from web.review.judging import PUZZLES, Decision, Played, Review, exact_loss, review_game
from web.review.losses import EVEN, Loss, counts_as_right
from web.review.luck import Parts, together
from web.review.luck import told as told_parts
from web.tables.lobby import settings_of
from web.tables.room import Room
from web.tables.rulebook import table_at

PLAY_OUTS = {"fast": 256, "normal": 512, "deep": 2048}
"""By speed: games that tell what a deal is worth where that is not exact."""
TABLES_FACTOR = 8
"""Playouts of a table's play-outs for one of a search: they are hundreds of times as quick, and each tells less."""
MOST_HANDS = 200
"""Of a series, that are added up."""
NO_LUCK = "the player that analyses cannot tell"
"""Why what the cards brought is not known; other reasons may be gone the next time."""


def played_moves(room: Room) -> list[Played]:
    """Returns the moves of a game, with how many there were to choose from."""
    table, moves = table_at(room.table, 0), []
    for ply, (seat, move) in enumerate(zip(room.movers, room.table.moves, strict=True)):
        moves.append(Played(ply, seat, move.text, len(table.legal())))
        table.play(move.text)
    return moves


def key_of(seats: list[int], speed: str, seed: int) -> str:
    """Returns the name of a review of a game: what its searches depend on, which thresholds are not."""
    return f"{speed} {seed} {','.join(map(str, seats))}"


def even_of(room: Room) -> float:
    """Returns up to where exact losses count as none."""
    return EVEN * room.info.classes[0]


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
        if not room.services.catalogue.offer(room.game).reviews:
            raise RefusedError("no_analyst", f"nobody reviews {room.game} yet")
        classes = tuple(map(float, given.get("thresholds", room.info.classes)))
        if room.info.tells_wins and classes[-1] > 100.0:
            raise RefusedError("bad_message", "thresholds: expected at most 100, the points of winning chance")
        speed, seed = given.get("speed", "normal"), given.get("seed", 0)

        async def work(job: Job) -> dict[str, Any]:
            review = await self._found(room, session, job, seats, speed, seed, classes)
            hands = await self._hands(room, session, seats, review)
            return {"review": review.told() | {"hands": hands}}

        return work

    async def _found(
        self, room: Room, session: str, job: Job | None, seats: list[int], speed: str, seed: int, classes: tuple[float, ...]
    ) -> Review:
        """Returns the review of a game, which is made where it is not kept; ``job`` is told of it."""
        key = key_of(seats, speed, seed)
        stored = room.services.store.review(room.id, key)
        if stored is None:
            review = await self._review(room, job, seats, speed, seed, classes)
            room.settings.reviewed = True
            room.save()
        else:
            review = Review.from_fields(stored)
            review.classes = classes
        if review.luck is None and review.no_luck != NO_LUCK and room.table.is_over:
            await self._add_luck(room, review)
        self._keep(room, session, key, review)
        return review

    async def _add_luck(self, room: Room, review: Review) -> None:
        """Adds what the cards brought; a review without it is one, and says why."""
        review.teams = tuple(team for _, team in room.info.seats)
        try:
            answer = await room.services.engine.ask(luck_question(room, PLAY_OUTS[review.speed], review.seed))
            review.luck, review.no_luck = answer.luck, NO_LUCK if answer.luck is None else None
        except EngineError as error:
            review.no_luck = str(error)

    async def _hands(self, room: Room, session: str, seats: list[int], last: Review) -> dict[str, Any] | None:
        """Returns the sums over the hands of a series up to this one, for whoever plays in it; None for a single game.

        Hands that were not reviewed are looked at where values are exact, which takes no time, and are else left out.
        """
        services, exact = room.services, room.services.catalogue.offer(room.game).exact
        before = room.settings.series.before
        if room.you is None or room.you not in seats or before is None:
            return None
        found, count = [(last, room.you)], 1
        while before is not None and count < MOST_HANDS:
            stored = services.store.get(before)
            if stored is None or stored.session != room.session:
                break
            settings = settings_of(stored)
            count, before = count + 1, settings.series.before
            if settings.you is None:
                continue
            kept = services.store.review(stored.id, key_of([settings.you], last.speed, last.seed))
            if kept is None and exact:
                table = services.rulebook.table(stored.game, record=stored.record)
                hand = Room(services, stored.id, stored.session, stored.game, table, settings, stored.made)
                review = await self._found(hand, session, None, [settings.you], last.speed, last.seed, last.classes)
                found.append((review, settings.you))
            elif kept is not None:
                found.append((Review.from_fields(kept), settings.you))
        parts: list[Parts] = [one for review, seat in found if (one := review.parts(seat)) is not None]
        costs = [review.cost(seat) for review, seat in found]
        return {
            "hands": count,
            "reviewed": len(found),
            "loss": round(sum(cost.loss for cost in costs), last.digits),
            "se": round(math.hypot(*(cost.se for cost in costs)), last.digits),
            "luck": told_parts(together(parts), last.digits) if len(parts) == len(found) else None,
        }

    async def _review(
        self, room: Room, job: Job | None, seats: list[int], speed: str, seed: int, classes: tuple[float, ...]
    ) -> Review:
        known: dict[int, dict[str, Any]] = {}

        def progress(done: int, total: int, stage: int, decisions: list[Decision]) -> None:
            if job is None:
                return
            told = [decision.told(classes) for decision in decisions]
            known.update((fields["ply"], fields) for fields in told)
            job.partial = {"decisions": list(known.values())}
            job.tell("progress", {"stage": stage, "done": done, "total": total, "decisions": told})

        return await review_game(
            self._asker(room), played_moves(room), seats, speed, seed, classes, row_fields, progress, even_of(room)
        )

    def _asker(self, room: Room) -> Any:
        factor = TABLES_FACTOR if room.services.catalogue.offer(room.game).analyst_kind == "tabular" else 1

        async def ask(ply: int, playouts: int, seed: int, moves: tuple[str, ...] | None) -> Answer:
            return await room.services.engine.ask(question(room, ply, factor * playouts, seed, moves, Priority.REVIEW))

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
            decision.shown = True
        self._keep(room, session, key, review)
        return [decision.told(review.classes) for decision in decisions]

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
            right = counts_as_right(loss, even_of(room) if decision.exact else 0.0)
            if right:
                decision.shown, decision.right = True, True
            elif decision.right is None:
                decision.right = False
            self._keep(room, session, key, review)
            told: dict[str, Any] = {"ply": ply, "move": text, "right": right}
            told |= {"loss": round(loss.mean, 4), "se": round(loss.se, 4), "exact": decision.exact}
            return {"tried": told | ({"decision": decision.told(review.classes)} if right else {})}

        return work

    async def _loss(self, room: Room, review: Review, decision: Decision, move: str) -> Loss:
        """Returns how much worse a move is than the searched one, or than the best one where values are exact."""
        if decision.exact:
            return exact_loss(decision.rows, move)
        if move == decision.best:
            return Loss(0.0, 0.0)
        if move == decision.move and decision.loss is not None and decision.se is not None:
            return Loss(decision.loss, decision.se)
        if move not in decision.tries:
            amount = SPEEDS[review.speed]
            moves = move, decision.best
            found = await search_again(self._asker(room), decision.ply, moves, amount, review.seed, "try")
            loss = found.loss(move, decision.best)
            decision.tries[move] = loss.mean, loss.se
            decision.compared = found.compared() | decision.compared
        return Loss(*decision.tries[move])


def puzzles(reviewed: list[tuple[str, dict[str, Any]]]) -> list[tuple[str, int, int]]:
    """Returns table, ply and seat of the clear mistakes of reviews that nobody has found yet."""
    found: dict[tuple[str, int], int] = {}
    for table, fields in reviewed:
        review = Review.from_fields(fields)
        for decision in review.decisions:
            if decision.name(review.classes) in PUZZLES and not decision.right:
                found[table, decision.ply] = decision.seat
    return [(table, ply, seat) for (table, ply), seat in found.items()]
