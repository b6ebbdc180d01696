"""Analyses and reviews of tables: searches of positions, withheld answers, and tries at a better
move.
"""

import asyncio
import json
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from fpmcts.web.clock import derived_seed
from fpmcts.web.engine.asking import Answer, EngineError, EngineQuestion, Priority
from fpmcts.web.errors import Json, RefusedError
from fpmcts.web.review.comparing import SPEEDS, Ask, loss_fields, search_again
from fpmcts.web.review.jobs import Job, Work
from fpmcts.web.review.judging import PUZZLES, Judgement, Played, Review, judge_game
from fpmcts.web.review.luck import together
from fpmcts.web.tables.room import Room, Services
from fpmcts.web.tables.rulebook import positions, table_at
from fpmcts.web.tables.store import DiskError, Store
from games.base.estimate import Estimate, estimate, total

if TYPE_CHECKING:
    from games.play.table import Table

PLAYOUTS = 256
"""Default playouts of an analysis."""
TABLES_FACTOR = 8
"""Rollouts of a tabular policy per playout of a search: each is hundreds of times faster but less
informative.
"""
EVEN = 0.1
"""Share of the game's lowest threshold up to which an exact loss counts as none, since stored
tables are only close to an equilibrium.
"""
MOST_HANDS = 200
"""Maximum hands of a series that are summed."""
RECENT = 20
"""Games over which losses are averaged."""
ROLE = ("game", "mode", "unit", "seat", "landlord")
"""A role is a seat or, where a game found a landlord (0, else None), the place after it."""
MOST_LATEST = 100
"""Reviews kept in memory."""
NO_LUCK = "the analyst cannot estimate it"
"""The permanent reason for unknown luck; other reasons may be gone the next time."""


def checked_moves(position: "Table", moves: list[str]) -> tuple[str, ...]:
    """Returns moves as the game writes them. Raises RefusedError if one is illegal."""
    legal = {move.text for move in position.legal()}
    try:
        texts = [move if move in legal else position.copy().play(move).text for move in moves]
    except ValueError as error:
        raise RefusedError("illegal_move", str(error)) from error
    return tuple(dict.fromkeys(texts))


def analysis(
    game: Room,
    session: str,
    ply: int | None = None,
    playouts: int | None = None,
    moves: list[str] | None = None,
    line: list[str] | None = None,
) -> Work:
    """Returns the work of a job.

    Raises:
        RefusedError: The mode does not allow it, a move is illegal, or the game is over.
    """
    at = game.may_ask(ply)
    number = game.client_ply(at)
    table = game.line(number, line) if line else table_at(game.table, at)
    if table.is_over:
        raise RefusedError("over", "the game is over after this line")
    asked = game.offer.ask_analyst(
        game.game,
        table.record(),
        derived_seed("analysis", game.id, number, playouts, moves, *([line] if line else [])),
        playouts or PLAYOUTS,
        moves=None if moves is None else checked_moves(table, moves),
        priority=Priority.ANALYSIS,
    )
    place = {"ply": number, "seat": table.seat} | ({"line": line} if line else {})
    return partial(_told, game.services, session, place, asked)


def position_analysis(
    services: Services,
    session: str,
    game: str,
    position: Json,
    playouts: int | None = None,
    moves: list[str] | None = None,
) -> Work:
    """Returns the work of a job about a position that belongs to no table
    (``games.play.position.table_at``).

    Raises:
        RefusedError: There is no analyst; in the job, the position is wrong or a move is illegal.
    """
    services.rulebook.info(game)  # refused if there is no such game
    asked = services.catalogue.offer(game).ask_analyst(
        game,
        {},
        derived_seed("analysis", game, json.dumps(position), playouts, moves),
        playouts or PLAYOUTS,
        moves=moves,
        position=position,
        priority=Priority.ANALYSIS,
    )

    async def work(job: Job) -> Json:
        table = await asyncio.to_thread(services.rulebook.table, game, position=position)
        only = None if moves is None else checked_moves(table, moves)
        question = replace(asked, moves=only)
        return await _told(services, session, {"seat": table.seat}, question, job)

    return work


async def _told(
    services: Services, session: str, place: Json, asked: EngineQuestion, job: Job
) -> Json:
    """Returns the fields of an analysis, after telling those so far."""

    def hear(answer: Answer) -> None:
        job.partial = place | answer.fields()
        job.tell("result", final=False, cancelled=False, **job.partial)

    return place | (await services.ask(session, asked, hear)).fields()


def played_moves(game: Room) -> list[Played]:
    """Returns the moves of a game, each with the number of legal moves."""
    return [
        Played(ply, move.seat, move.text, len(table.legal()))
        for ply, (move, table) in enumerate(
            zip(game.table.moves, positions(game.table), strict=False)
        )
    ]


def even_of(game: Room) -> float:
    """Returns the largest exact loss that counts as none."""
    return EVEN * game.info.classes[0]


def searcher(game: Room, session: str) -> Ask:
    """Returns the function that searches positions of a game for the reviews of a session."""

    async def ask(ply: int, playouts: int, seed: int, moves: tuple[str, ...] | None) -> Answer:
        asked = game.question(ply, seed, playouts, moves=moves, priority=Priority.REVIEW)
        if asked.kind == "tabular" and "playouts" in asked.options:
            options = {**asked.options, "playouts": TABLES_FACTOR * playouts}
            asked = replace(asked, options=options)
        return await game.services.ask(session, asked)

    return ask


class Reviewer:
    """The reviews of a server, stored with the games.

    Args:
        store: The games.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._latest: dict[tuple[str, str], Review] = {}

    def review(
        self,
        game: Room,
        session: str,
        speed: str = "normal",
        seats: Sequence[int] | None = None,
        seed: int = 0,
        thresholds: Sequence[float] | None = None,
    ) -> Work:
        """Returns the work of a review.

        Raises:
            RefusedError: The game is not over, or the seats are invalid.
        """
        self._refuse_before_the_end(game)
        count = len(game.settings.seats)
        chosen = sorted(set(seats or (range(count) if game.you is None else [game.you])))
        if chosen[-1] >= count:
            raise RefusedError("bad_message", f"seats: expected numbers below {count}")
        game.question(0, seed)  # refused if there is no analyst
        classes = tuple(map(float, thresholds or game.info.classes))
        if game.info.reports_wins and classes[-1] > 100.0:
            raise RefusedError(
                "bad_message",
                "thresholds: expected at most 100 (points of winning chance)",
            )
        wanted = Review(
            speed, seed, classes, tuple(chosen), teams=tuple(team for _, team in game.info.seats)
        )

        async def work(job: Job) -> Json:
            known: dict[int, Json] = {}

            def progress(done: int, total: int, stage: int, decision: Judgement) -> None:
                fields = decision.fields(classes)
                known[decision.ply] = fields
                job.partial = {"decisions": list(known.values())}
                job.tell("progress", stage=stage, done=done, total=total, decisions=[fields])

            review, unsaved = await self._reviewed(game, session, wanted, progress)
            hands = await self._hands(game, session, review)
            return {"review": review.fields() | {"hands": hands}, **unsaved}

        return work

    async def _reviewed(
        self,
        game: Room,
        session: str,
        wanted: Review,
        progress: Callable[[int, int, int, Judgement], None],
    ) -> tuple[Review, Json]:
        """Returns the stored or a new review of a game, and the result of ``_keep``."""
        kept = self._kept(game.id, session, wanted)
        if kept is None:
            review, ask = wanted, searcher(game, session)
            await judge_game(review, ask, played_moves(game), progress, even_of(game))
            self._keep(game, session, review)  # what comes now may be cancelled
        else:
            review = replace(kept, classes=wanted.classes, teams=wanted.teams)
        if review.luck is None and review.no_luck != NO_LUCK and game.table.is_over:
            await self._add_luck(game, session, review)
        return review, self._keep(game, session, review)

    async def _add_luck(self, game: Room, session: str, review: Review) -> None:
        """Adds the luck of the cards; without it, the review states the reason."""
        luck, end = SPEEDS[review.speed].luck, len(game.table.moves)
        asked = game.question(end, review.seed, priority=Priority.REVIEW, luck=luck)
        try:
            review.luck = (await game.services.ask(session, asked)).luck
            review.no_luck = NO_LUCK if review.luck is None else None
        except EngineError as error:
            review.no_luck = error.text

    async def _hands(self, game: Room, session: str, last: Review) -> Json | None:
        """Returns the sums over the hands of a series up to this one, for the player in it; None
        for a single game.

        Hands without a review are reviewed if values are exact, which takes no time, and otherwise
        left out.
        """
        before = game.settings.series.before
        if game.you is None or game.you not in last.seats or before is None:
            return None
        found, count = [(last, game.you)], 1
        for stored in self._store.hands_before(before, game.session, MOST_HANDS - 1):
            count, you = count + 1, stored.settings.you
            if you is None:
                continue
            wanted = Review(last.speed, last.seed, last.classes, (you,), teams=last.teams)
            kept = self._kept(stored.id, session, wanted)
            if game.offer.exact and (kept is None or kept.luck is None):
                hand = Room(game.services, stored)
                kept, _ = await self._reviewed(hand, session, wanted, lambda *_: None)
            if kept is not None:
                found.append((kept, you))
        parts = [one for review, seat in found if (one := review.parts(seat)) is not None]
        return {
            "hands": count,
            "reviewed": len(found),
            **loss_fields(total(review.cost(seat) for review, seat in found), last.digits),
            "luck": together(parts).fields(last.digits) if len(parts) == len(found) else None,
        }

    def _refuse_before_the_end(self, game: Room) -> None:
        if not game.done:
            raise RefusedError("not_over", "the game can be reviewed once it is over")

    def _keep(self, game: Room, session: str, review: Review) -> Json:
        """Stores a review; returns the error for the message if it cannot be written to disk (it is
        shown anyway).
        """
        self._latest.pop((game.id, session), None)
        self._latest[game.id, session] = review
        if len(self._latest) > MOST_LATEST:
            del self._latest[next(iter(self._latest))]
        try:
            self._store.put_review(game.id, session, review.key, asdict(review))
            if not game.settings.reviewed:
                game.settings.reviewed = True
                game.save()
        except DiskError as error:
            return {"error": error.fields()}
        return {}

    def _of(self, table: str, session: str) -> Iterator[Review]:
        """Yields a session's reviews of a table, the latest first."""
        if (table, session) in self._latest:
            yield self._latest[table, session]
        yield from map(Review.parse, self._store.reviews_of(table, session))

    def _kept(self, table: str, session: str, wanted: Review) -> Review | None:
        """Returns an existing review, or None."""
        return next((one for one in self._of(table, session) if one.key == wanted.key), None)

    def _find(self, game: Room, session: str, ply: int | None) -> Review:
        """Returns the latest review of a table that has a decision. Raises RefusedError."""
        for review in self._of(game.id, session):
            if ply is None or review.decision(ply) is not None:
                return review
        if (row := game.services.puzzles.get(game.id)) is not None:
            info, at = game.info, len(game.table.moves)
            return Review.of_puzzle(row, at, game.table.seat, info.reports_wins, info.classes)
        raise RefusedError("not_reviewed", "this decision was not reviewed")

    def reveal(self, game: Room, session: str, ply: int | None = None) -> list[Json]:
        """Returns decisions with the withheld answers. Raises RefusedError."""
        review = self._find(game, session, ply)
        decisions = [decision for decision in review.decisions if ply in (None, decision.ply)]
        for decision in decisions:
            decision.shown = True
        self._keep(game, session, review)
        return [decision.fields(review.classes) for decision in decisions]

    def try_move(self, game: Room, session: str, ply: int, move: str) -> Work:
        """Returns the work that checks whether a move is right. Raises RefusedError."""
        self._refuse_before_the_end(game)
        review = self._find(game, session, ply)
        decision = review.decision(ply)
        assert decision is not None
        (text,) = checked_moves(table_at(game.table, ply), [move])

        async def work(job: Job) -> Json:
            loss = await self._loss(game, session, review, decision, text)
            right = loss.low <= (even_of(game) if decision.exact else 0.0)
            decision.shown, decision.right = decision.shown or right, decision.right or right
            unsaved = self._keep(game, session, review)
            tried: Json = {
                "ply": ply,
                "move": text,
                "right": right,
                "exact": decision.exact,
                **loss_fields(loss),
            }
            if right:
                tried["decision"] = decision.fields(review.classes)
            return {"tried": tried} | unsaved

        return work

    async def _loss(
        self, game: Room, session: str, review: Review, decision: Judgement, move: str
    ) -> Estimate:
        """Returns the loss of a move against the searched one, or against the best one if values
        are exact.
        """
        if decision.exact:
            return Estimate(decision.loss_of(move), 0.0)
        if move == decision.best:
            return Estimate(0.0, 0.0)
        if move == decision.move and decision.judged is not None:
            return decision.judged
        if move not in decision.tries:
            moves, speed = (move, decision.best), SPEEDS[review.speed]
            ask = searcher(game, session)
            found = await search_again(ask, decision.ply, moves, speed, review.seed, "try")
            loss = found.loss(move, decision.best)
            decision.tries[move] = loss.mean, loss.error
            decision.compared = found.compared() | decision.compared
        mean, error = decision.tries[move]
        return Estimate(mean, error)

    async def puzzles(self, session: str) -> AsyncIterator[Json]:
        """Yields table, ply and game of the clear mistakes of a session's reviewed games that
        nobody has found yet, the newest games first.
        """
        for table, game, stored in self._store.reviewed(session):
            wrong, solved = dict[int, None](), set[int]()
            for fields in stored:  # reviews of one game, by different speeds, seats or seeds
                review = Review.parse(fields)
                for decision in review.decisions:
                    if decision.right:
                        solved.add(decision.ply)
                    elif decision.name(review.classes) in PUZZLES:
                        wrong[decision.ply] = None
                await asyncio.sleep(0)  # let others run
            for ply in wrong.keys() - solved:
                yield {"table": table, "ply": ply, "game": game, "theme": None}
                await asyncio.sleep(0)

    async def skill(self, session: str, services: Services) -> list[Json]:
        """Returns what a session lost per reviewed game in its own seat: for each ``ROLE`` with two
        such games its fields and ``points``.

        A point is the mean loss (``games.base.estimate.Estimate``) of the ``RECENT`` games up to
        one, the oldest first. Gains against the analyst's choice are negative losses; of several
        reviews of a game, one counts.
        """
        losses: defaultdict[tuple[object, ...], list[float]] = defaultdict(list)  # newest first
        for name, game, reviews in self._store.reviewed(session):
            await asyncio.sleep(0)  # others have their turn
            stored, review = self._store.get(name), Review.parse(reviews[0])
            if stored and stored.settings.you in review.seats and game in services.rulebook.names():
                seat, mode = stored.settings.you, stored.settings.mode
                told = services.rulebook.table(game, record=stored.record).describe(seat)
                first = told.get("landlord")
                place = (seat - (first or 0)) % len(stored.settings.seats)
                losses[game, mode, review.unit, place, first and 0].append(review.cost(seat).mean)
        return [
            dict(zip(ROLE, role, strict=True))
            | {"points": [asdict(estimate(np.array(lost[k : k + RECENT]))) for k in games[::-1]]}
            for role, lost in losses.items()
            if (games := range(len(lost) - 1))
        ]
