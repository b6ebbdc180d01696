"""Analyses and reviews of tables: which position is searched how, what is kept back, and tries of
what would have been better.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace

from fpmcts.web.clock import derived_seed
from fpmcts.web.engine.asking import Answer, EngineError, Priority
from fpmcts.web.errors import Json, RefusedError
from fpmcts.web.review.comparing import SPEEDS, Ask, Estimate, search_again, total
from fpmcts.web.review.jobs import Job, Work
from fpmcts.web.review.judging import PUZZLES, Decision, Played, Review, judge_game
from fpmcts.web.review.luck import together
from fpmcts.web.tables.room import Room
from fpmcts.web.tables.rulebook import positions, table_at
from fpmcts.web.tables.store import Store

PLAYOUTS = 256
"""Playouts of an analysis that does not say how many."""
TABLES_FACTOR = 8
"""Playouts of a table's play-outs for one of a search: they are hundreds of times as quick, and
each says less.
"""
EVEN = 0.1
"""Share of the game's lowest threshold up to which an exact loss counts as none: stored tables are
close to an equilibrium.
"""
MOST_HANDS = 200
"""Most hands of a series that are added up."""
MOST_LATEST = 100
"""Reviews that are kept in memory."""
NO_LUCK = "the player that analyses cannot tell"
"""Why what the cards brought is not known; other reasons may be gone the next time."""


def checked_moves(game: Room, ply: int, moves: list[str]) -> tuple[str, ...]:
    """Returns moves as the game writes them. Raises RefusedError where one is illegal."""
    position = table_at(game.table, ply)
    legal = {move.text for move in position.legal()}
    try:
        texts = [move if move in legal else position.copy().play(move).text for move in moves]
    except ValueError as error:
        raise RefusedError("illegal_move", str(error)) from error
    return tuple(dict.fromkeys(texts))


def analysis(
    game: Room,
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


def played_moves(game: Room) -> list[Played]:
    """Returns the moves of a game, with how many there were to choose from."""
    return [
        Played(ply, move.seat, move.text, len(table.legal()))
        for ply, (move, table) in enumerate(
            zip(game.table.moves, positions(game.table), strict=False)
        )
    ]


def even_of(game: Room) -> float:
    """Returns up to where exact losses count as none."""
    return EVEN * game.info.classes[0]


def searcher(game: Room) -> Ask:
    """Returns what searches the positions of a game for its reviews."""

    async def ask(ply: int, playouts: int, seed: int, moves: tuple[str, ...] | None) -> Answer:
        asked = game.question(ply, seed, playouts, moves=moves, priority=Priority.REVIEW)
        if asked.kind == "tabular" and "playouts" in asked.options:
            options = {**asked.options, "playouts": TABLES_FACTOR * playouts}
            asked = replace(asked, options=options)
        return await game.services.engine.ask(asked)

    return ask


class Reviewer:
    """The reviews of a server, kept with the games.

    Args:
        store: The games.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._latest: dict[str, Review] = {}

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
            RefusedError: The game is not over, or the seats are none.
        """
        self._refuse_before_the_end(game)
        count = len(game.settings.seats)
        chosen = sorted(set(seats or (range(count) if game.you is None else [game.you])))
        if chosen[-1] >= count:
            raise RefusedError("bad_message", f"seats: expected numbers below {count}")
        game.question(0, seed)  # refused where there is no analyst
        classes = tuple(map(float, thresholds or game.info.classes))
        if game.info.tells_wins and classes[-1] > 100.0:
            raise RefusedError(
                "bad_message", "thresholds: expected at most 100, the points of winning chance"
            )
        wanted = Review(
            speed, seed, classes, tuple(chosen), teams=tuple(team for _, team in game.info.seats)
        )

        async def work(job: Job) -> Json:
            known: dict[int, Json] = {}

            def progress(done: int, total: int, stage: int, decision: Decision) -> None:
                told = decision.told(classes)
                known[decision.ply] = told
                job.partial = {"decisions": list(known.values())}
                job.tell("progress", stage=stage, done=done, total=total, decisions=[told])

            review = await self._reviewed(game, session, wanted, progress)
            hands = await self._hands(game, session, review)
            return {"review": review.told() | {"hands": hands}}

        return work

    async def _reviewed(
        self,
        game: Room,
        session: str,
        wanted: Review,
        progress: Callable[[int, int, int, Decision], None],
    ) -> Review:
        """Returns the review of a game, which is made where it is not kept."""
        stored = self._store.review(game.id, wanted.key)
        if stored is None:
            review = wanted
            await judge_game(review, searcher(game), played_moves(game), progress, even_of(game))
            game.settings.reviewed = True
            game.save()
        else:
            review = replace(Review.parse(stored), classes=wanted.classes, teams=wanted.teams)
        if review.luck is None and review.no_luck != NO_LUCK and game.table.is_over:
            await self._add_luck(game, review)
        self._keep(game, session, review)
        return review

    async def _add_luck(self, game: Room, review: Review) -> None:
        """Adds what the cards brought; a review without it is one, and says why."""
        luck, end = SPEEDS[review.speed].luck, len(game.table.moves)
        asked = game.question(end, review.seed, priority=Priority.REVIEW, luck=luck)
        try:
            review.luck = (await game.services.engine.ask(asked)).luck
            review.no_luck = NO_LUCK if review.luck is None else None
        except EngineError as error:
            review.no_luck = error.text

    async def _hands(self, game: Room, session: str, last: Review) -> Json | None:
        """Returns the sums over the hands of a series up to this one, for the player in it; None
        for a single game.

        Hands that were not reviewed are looked at where values are exact, which takes no time, and
        are else left out.
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
            kept = self._store.review(stored.id, wanted.key)
            if kept is not None:
                found.append((Review.parse(kept), you))
            elif game.offer.exact:
                hand = Room(game.services, stored)
                found.append((await self._reviewed(hand, session, wanted, lambda *_: None), you))
        parts = [one for review, seat in found if (one := review.parts(seat)) is not None]
        return {
            "hands": count,
            "reviewed": len(found),
            **total([review.cost(seat) for review, seat in found]).fields(last.digits),
            "luck": together(parts).told(last.digits) if len(parts) == len(found) else None,
        }

    def _refuse_before_the_end(self, game: Room) -> None:
        if not game.done:
            raise RefusedError("not_over", "the game can be reviewed when it is over")

    def _keep(self, game: Room, session: str, review: Review) -> None:
        self._latest[game.id] = review
        if len(self._latest) > MOST_LATEST:
            del self._latest[next(iter(self._latest))]
        self._store.put_review(game.id, review.key, session, asdict(review))

    def _find(self, game: Room, ply: int | None) -> Review:
        """Returns the latest review of a table that has a decision. Raises RefusedError."""
        found = [self._latest[game.id]] if game.id in self._latest else []
        found += map(Review.parse, self._store.reviews_of(game.id))
        for review in found:
            if ply is None or review.decision(ply) is not None:
                return review
        raise RefusedError("not_reviewed", "this decision was not reviewed")

    def reveal(self, game: Room, session: str, ply: int | None = None) -> list[Json]:
        """Returns decisions with what was kept back. Raises RefusedError."""
        review = self._find(game, ply)
        decisions = [decision for decision in review.decisions if ply in (None, decision.ply)]
        for decision in decisions:
            decision.shown = True
        self._keep(game, session, review)
        return [decision.told(review.classes) for decision in decisions]

    def try_move(self, game: Room, session: str, ply: int, move: str) -> Work:
        """Returns the work that finds out whether a move was right. Raises RefusedError."""
        self._refuse_before_the_end(game)
        review = self._find(game, ply)
        decision = review.decision(ply)
        assert decision is not None
        (text,) = checked_moves(game, ply, [move])

        async def work(job: Job) -> Json:
            loss = await self._loss(game, review, decision, text)
            right = loss.low <= (even_of(game) if decision.exact else 0.0)
            decision.shown, decision.right = decision.shown or right, decision.right or right
            self._keep(game, session, review)
            tried: Json = {
                "ply": ply,
                "move": text,
                "right": right,
                "exact": decision.exact,
                **loss.fields(),
            }
            if right:
                tried["decision"] = decision.told(review.classes)
            return {"tried": tried}

        return work

    async def _loss(self, game: Room, review: Review, decision: Decision, move: str) -> Estimate:
        """Returns how much worse a move is than the searched one, or than the best one where values
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
            found = await search_again(
                searcher(game), decision.ply, moves, speed, review.seed, "try"
            )
            decision.tries[move] = found.loss(move, decision.best)
            decision.compared = found.compared() | decision.compared
        return Estimate(*decision.tries[move])

    def puzzles(self, session: str) -> list[tuple[str, int, int]]:
        """Returns table, ply and seat of the clear mistakes of a session's reviewed games that
        nobody has found yet.
        """
        found = {
            (table, decision.ply): decision.seat
            for table, stored in self._store.reviewed(session)
            for review in [Review.parse(stored)]
            for decision in review.decisions
            if decision.name(review.classes) in PUZZLES and not decision.right
        }
        return [(table, ply, seat) for (table, ply), seat in found.items()]
