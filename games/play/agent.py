"""The interface of a player: a function of what its seat can see."""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Protocol, runtime_checkable

import numpy as np

from games.kernels import streams
from games.kernels.rows import States, concatenate
from games.play.decision import FORCED, Decision
from games.play.interface import Game, Records
from games.play.question import Limits, Question, Report, ask
from games.play.table import Table


class Agent(Protocol):
    """A player of many games at once, in any seat of each (``start``, ``act``), or at one table
    (``decide``).

    All randomness of ``act`` comes from the seed given to ``start``, one stream per game
    (``games.kernels.streams``), so that game *i* does not depend on the other games or on how they
    are batched. That of ``decide`` comes from ``seed`` and from what the seat sees: the same
    position always gives the same decision.
    """

    name: str
    """Name in reports."""
    seed: int = 0
    """Seed of ``decide``."""
    needs_moves: bool = True
    """Whether ``decide`` needs to know the moves that led to a position."""
    rng: np.ndarray = np.zeros(0, np.uint64)
    """uint64, the random streams of ``act``, one per game."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    def start(self, num_games: int, seed: int) -> None:
        """Resets the player for games 0 .. ``num_games`` - 1."""
        self.rng = streams(seed, num_games)

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns a legal move (int16 ``[n]``) for the seat to move in each of n games.

        Args:
            games: int64 ``[n]``, the numbers of the games, all different.
            views: n rows; row k is game ``games[k]``, the cards that the mover cannot see erased.
            records: The moves of all games as the mover saw them, indexed by game number.
        """
        ...

    def check_game(self, game: Game) -> None:
        """Raises ValueError if the player was made for a game with other rules or seats."""
        own = getattr(self, "game", game)
        if not own.plays_like(game):
            raise ValueError(f"{self.name} plays {own!r}; expected a player of {game!r}")

    def decide(
        self,
        table: Table,
        *,
        report: Report | None = None,
        cancel: Callable[[], bool] | None = None,
        deadline: float | None = None,
        moves: Iterable[str | int] | None = None,
    ) -> Decision:
        """Returns the player's decision for the seat to move at a table. It sees ``table.view`` and
        ``table.seen`` of that seat.

        The games of the last ``start`` are forgotten.

        Args:
            table: The table; it is not changed.
            report: Called with the progress of a search.
            cancel: Returns whether to stop.
            deadline: When to stop, by ``time.perf_counter``.
            moves: Texts or actions, the only ones to consider. Amounts need not be listed: a search
                plays the amount itself, and a player that states probabilities uses those of its
                listed stand-in.

        Raises:
            ValueError: The player plays another game, the game is over, a move in ``moves`` is not
                legal, or this player cannot be restricted to given moves or decide without
                knowing those before.
            RuntimeError: The player's move is illegal. It is never replaced by another.
        """
        begin = time.perf_counter()
        self._check(table)
        question = ask(table, self.seed, moves)
        if len(question.legal) == 1:
            action = int(question.legal[0])
            decision = Decision(
                question.text(action), action, {question.text(action): 1.0}, reason=FORCED
            )
        else:
            decision = self.answer(question, Limits(report, cancel, deadline))
        # A player may play an amount that is not listed, unless it was restricted to given moves.
        if decision.action not in question.asked and (
            moves is not None or not question.game.is_legal(question.view, decision.action)
        ):
            raise RuntimeError(
                f"{self.name} answered {decision.move!r}, which is not among the moves it "
                "was asked about"
            )
        seconds = time.perf_counter() - begin
        return replace(decision, seconds=seconds, knows_moves=table.knows_moves)

    def moves(self, tables: Sequence[Table]) -> list[str]:
        """Returns the player's move at each of several tables, all evaluated together: with
        networks much faster than ``decide`` at one after the other.

        Nothing is kept between calls, and random choices come from the player's seed and from what
        is seen at all the tables. The games of the last ``start`` are forgotten.

        Raises:
            ValueError: As ``decide``.
        """
        for table in tables:
            self._check(table)
        asked = [ask(table, self.seed) for table in tables]
        if not asked:
            return []
        self.start(len(asked), int(np.bitwise_xor.reduce([question.seed for question in asked])))
        views, records = (
            concatenate([getattr(question, name) for question in asked])
            for name in ("view", "records")
        )
        actions = self.act(np.arange(len(asked)), views, records)
        return [question.text(action) for question, action in zip(asked, actions, strict=True)]

    def _check(self, table: Table) -> None:
        """Raises ValueError if the player cannot play at a table."""
        self.check_game(table.game)
        if self.needs_moves and not table.knows_moves:
            raise ValueError(f"moves are missing: {self.name} needs those that led to the position")

    def answer(self, question: Question, limits: Limits) -> Decision:
        """Returns the decision for a position with two or more legal moves.

        By default, calls ``act`` for a single game, or uses the probabilities of an OpenPolicy.
        """
        probabilities = getattr(self, "probabilities", None)
        if probabilities is None:
            return self._moved(question, None)
        return self._moved(question, probabilities(question.view)[0, : len(question.legal)])

    def _moved(
        self, question: Question, policy: np.ndarray | None, likeliest: bool = False
    ) -> Decision:
        """Returns the decision of a player that reports at most a policy (float64 ``[legal]``).

        Of given moves, one is drawn from the policy, or the ``likeliest`` is played.
        """
        chances = (
            None
            if policy is None
            else dict(zip(map(question.text, question.legal), policy.tolist(), strict=True))
        )
        if question.about_all:
            self.start(1, question.seed)
            action = int(self.act(np.zeros(1, np.int64), question.view, question.records)[0])
            return Decision(question.text(action), action, chances)
        if policy is None:
            raise ValueError(
                f"{self.name} cannot be restricted to given moves: it states no probabilities"
            )
        some = policy[np.searchsorted(question.legal, question.stands_for)]
        if not some.sum() > 0.0:
            some = np.ones(len(some))
        some = some / some.sum()
        drawn = float(streams(question.seed, 1)[0]) / 2.0**64
        at = min(np.searchsorted(np.cumsum(some), drawn, "right"), np.flatnonzero(some)[-1])
        action = int(question.asked[some.argmax() if likeliest else at])
        chances = dict.fromkeys(map(question.text, question.legal), 0.0)
        chances |= dict(zip(map(question.text, question.asked), some.tolist(), strict=True))
        return Decision(question.text(action), action, chances)


@runtime_checkable
class OpenPolicy(Protocol):
    """A player that states its move probabilities, which depend only on its view."""

    def probabilities(self, views: States) -> np.ndarray:
        """Returns the probability of each action of the seat to move at each of n views.

        Returns:
            float64 ``[n, A]``, A the largest number of legal actions: those of the legal actions in
                ascending order, then zeros.
        """
        ...


@runtime_checkable
class Watcher(Protocol):
    """A player that learns about the others from the public part of the games it has seen.

    Before games it learns who sits where (``meet``), after them the moves (``observe``). The caller
    decides when players become strangers again (``forget``) and how many games run in parallel;
    nothing is learned from these until all are over.
    """

    adapts: bool
    """Whether it uses what it has seen."""

    def forget(self) -> None:
        """Forgets all players."""
        ...

    def meet(self, seating: np.ndarray) -> None:
        """Announces the seating of the next games.

        Args:
            seating: int ``[G, S]``, numbers of players, 0 to S - 1, with the same meaning until
                ``forget``; several seats may have the same player.
        """
        ...

    def observe(self, deals: States, records: Records) -> None:
        """Shows the moves of those games; ``deals`` may be changed."""
        ...


@runtime_checkable
class Keeper(Protocol):
    """A player that stores so much per game that only a few games can run at a time."""

    most_games: int
    """Number of games in progress that it has memory for."""

    def end(self, games: Sequence[int]) -> None:
        """Forgets games that are over."""
        ...


def keepers(agents: Iterable[Agent]) -> list[Keeper]:
    """Returns the players that limit the number of games in progress."""
    return [agent for agent in agents if isinstance(agent, Keeper)]


def observers(agents: Iterable[Agent]) -> list[Watcher]:
    """Returns the players that learn from observation, each once."""
    found = {id(agent): agent for agent in agents if isinstance(agent, Watcher) and agent.adapts}
    return [*found.values()]
