"""Many games in lock-step: the only driver of games, for any kind of player.

    deals ──▶ advance: forced moves, sure wins ──▶ lanes that wait ──▶ decide ──▶ play
                 ▲                                                                  │
                 └──────────────────────────────────────────────────────────────────┘

A game is a *lane*; G lanes are played, of which n wait for a decision. Self-play, matches and the
teacher's games differ only in the player that decides. A callback that treats lanes independently
plays the same games in windows of any size.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from games.kernels import kernel, random_below
from games.kernels.generic import current_seat, expected_return, legal, sure_win, team_return
from games.kernels.rows import Rules, States, concatenate, copied, num_rows, take
from games.play.history import History, Moves, play_move
from games.play.interface import Game, Records

RUNNING, WAITING, OVER = 0, 1, 2

Decide = Callable[[np.ndarray], np.ndarray]
"""Given the lanes that wait (int64 ``[n]``, ascending), returns a legal action for each (int16
``[n]``); -1 lets a lane wait for another round.
"""
Rows = TypeVar("Rows", bound=tuple[Any, ...])
"""A NamedTuple of arrays."""
Noted = list[tuple[np.ndarray, Rows]]
"""Lanes (int64 ``[n]``) with a decision, and the rows stored for these (``[n]``)."""


class Games(NamedTuple, Generic[Rows]):
    """G finished games.

    Attributes:
        states: ``[G]``, their ends.
        records: ``[G]``, their moves.
        returns: float64 ``[G, S]``: the return of the seat's team, in the game's unit.
        counts: int64 ``[G]``, the decisions stored of each.
        decisions: ``[N]``, what was stored of them, by game and time.
        work: What they cost, by name: numbers that add up.
    """

    states: States
    records: Records
    returns: np.ndarray
    counts: np.ndarray
    decisions: Rows
    work: defaultdict[str, float]

    @property
    def owner(self) -> np.ndarray:
        """The game of each decision, int64 ``[N]``."""
        return np.repeat(np.arange(len(self.counts)), self.counts)


def joined(parts: Sequence[Games[Rows]]) -> Games[Rows]:
    """Returns the games of several parts, in order."""
    work: defaultdict[str, float] = defaultdict(float)
    for part in parts:
        for name, amount in part.work.items():
            work[name] += float(amount)
    nothing: Any = ()
    return concatenate([part._replace(work=nothing) for part in parts])._replace(work=work)


class _Progress(NamedTuple):
    """Arrays of ``Lockstep``, for its kernels."""

    status: np.ndarray  # int8 [G]: RUNNING, WAITING or OVER
    seats: np.ndarray
    last_seats: np.ndarray
    forced: np.ndarray


@kernel
def _advance(
    rules: Rules,
    states: States,
    lanes: np.ndarray,
    solve: np.ndarray,
    ask_forced: bool,
    history: Moves,
    progress: _Progress,
    scratch: np.ndarray,
) -> int:
    """Plays forced moves and sure wins in every lane up to its next decision.

    Returns:
        The number of sure wins; -1 - lane if a game exceeds its bound.
    """
    wins, status = 0, progress.status
    for lane in lanes:
        while status[lane] == RUNNING:
            seat = current_seat(rules, states, lane)
            progress.seats[lane] = seat
            if seat < 0:
                status[lane] = OVER
                break
            if history.lengths[lane] >= history.moves.shape[1]:
                return -1 - lane
            action = -1
            if not ask_forced and legal(rules, states, lane, scratch) == 1:
                action = scratch[0]
                progress.forced[lane, seat] += 1
            elif solve[lane]:
                action = sure_win(rules, states, lane)
                wins += action >= 0
            if action < 0:
                status[lane] = WAITING
                break
            play_move(rules, states, lane, action, history)
            progress.last_seats[lane] = seat
    return wins


@kernel
def _play(
    rules: Rules,
    states: States,
    lanes: np.ndarray,
    actions: np.ndarray,
    history: Moves,
    progress: _Progress,
) -> None:
    """Plays ``actions[k]`` in lane ``lanes[k]`` and records it; -1 leaves the lane unchanged."""
    for k in range(lanes.size):
        if actions[k] >= 0:
            lane = lanes[k]
            play_move(rules, states, lane, actions[k], history)
            progress.last_seats[lane] = progress.seats[lane]
            progress.status[lane] = RUNNING


@kernel
def _returns(rules: Rules, states: States, expected: bool, out: np.ndarray) -> None:
    for lane in range(out.shape[0]):
        for seat in range(out.shape[1]):
            if expected:
                out[lane, seat] = expected_return(rules, states, lane, seat)
            else:
                out[lane, seat] = team_return(rules, states, lane, seat)


@kernel
def draw_legal(
    rules: Rules,
    views: States,
    games: np.ndarray,
    rng: np.ndarray,
    scratch: np.ndarray,
    moves: np.ndarray,
) -> None:
    """Writes a legal move of each row to ``moves``, drawn from the stream of its game."""
    for k in range(len(games)):
        n = legal(rules, views, k, scratch)
        moves[k] = scratch[random_below(rng, games[k], n)]


class Lockstep:
    """G games in progress.

    Args:
        game: The game.
        deals: G starting states; not changed.
        window: Games in progress at a time, in the lowest unfinished lanes; None: all.
        solve: Whether sure wins are played without a decision: for all games, or bool ``[G]``.
        ask_forced: Whether the callback also decides forced moves.

    Attributes:
        states: ``[G]``.
        history: All moves so far, and what each seat saw of them.
        records: All moves so far.
        seats: int8 ``[G]``: the seat to move, -1 where the game is over; valid where a lane waits.
        last_seats: int8 ``[G]``: the seat that made the last move, -1 before the first.
        forced: int16 ``[G, S]``: forced moves played for each seat.
        sure_wins: Moves played because they surely win, over all games.
        over: bool ``[G]``: whether the game is over.
    """

    def __init__(
        self,
        game: Game,
        deals: States,
        *,
        window: int | None = None,
        solve: bool | np.ndarray = False,
        ask_forced: bool = False,
    ) -> None:
        num, spec = num_rows(deals), game.spec
        self.game, self.ask_forced = game, ask_forced
        self.solve = np.array(np.broadcast_to(solve, num), np.bool_)
        self.window = num if window is None else window
        self.states = copied(deals)
        self.history = History(game, num)
        self.records = self.history.records
        self.seats, self.last_seats = np.full((2, num), -1, np.int8)
        self.forced = np.zeros((num, spec.num_seats), np.int16)
        self.sure_wins = 0
        self._status = np.full(num, RUNNING, np.int8)
        self.over = np.zeros(num, np.bool_)

    def seen_by_movers(self, lanes: np.ndarray) -> Records:
        """Returns the moves, indexed by lane, as the seats to move in the given lanes (int64
        ``[n]``) saw them.
        """
        return self.history.of_movers(lanes, self.seats[lanes])

    def run(self, decide: Decide) -> Iterator[int]:
        """Plays all games to the end; after each round, yields the number of finished games.

        Raises:
            RuntimeError: A game is longer than ``spec.max_moves``.
        """
        rules, history = self.game.rules, self.history.arrays
        progress = _Progress(self._status, self.seats, self.last_seats, self.forced)
        status = self._status
        scratch = np.empty(self.game.spec.max_legal, np.int16)
        while (running := np.flatnonzero(status != OVER)[: self.window]).size:
            found = _advance(
                rules,
                self.states,
                running,
                self.solve,
                self.ask_forced,
                history,
                progress,
                scratch,
            )
            if found < 0:
                spec = self.game.spec
                raise RuntimeError(
                    f"a game of {spec.name} is not over after {spec.max_moves} moves, its stated "
                    "bound"
                )
            self.sure_wins += found
            waiting = running[status[running] == WAITING]
            if waiting.size:
                _play(rules, self.states, waiting, decide(waiting), history, progress)
            self.over = status == OVER
            yield int(self.over.sum())

    def play(
        self,
        decide: Callable[[np.ndarray], tuple[np.ndarray, Noted[Rows]]],
        nothing: Rows,
        tick: Callable[[int], None],
        expected: bool = True,
    ) -> Games[Rows]:
        """Returns the games, played to their ends.

        Args:
            decide: As for ``run``, but also returns what is stored.
            nothing: Empty rows.
            tick: Called with the number of finished games.
            expected: See ``returns``.
        """
        noted: Noted[Rows] = [(np.zeros(0, np.int64), nothing)]

        def moves(lanes: np.ndarray) -> np.ndarray:
            actions, kept = decide(lanes)
            noted.extend(kept)
            return actions

        for over in self.run(moves):
            tick(over)
        owner = np.concatenate([lanes for lanes, _ in noted])
        order = np.argsort(owner, kind="stable")
        return Games(
            self.states,
            self.records,
            self.returns(expected),
            np.bincount(owner, minlength=len(self.over)),
            take(concatenate([rows for _, rows in noted]), order),
            defaultdict(float),
        )

    def returns(self, expected: bool = False) -> np.ndarray:
        """Returns the return of each seat's team, in the game's unit, once all games are over:
        float64 ``[G, S]``.

        Args:
            expected: Whether to average over chance after the last decision (``expected_return``).
        """
        out = np.empty(self.forced.shape)
        _returns(self.game.rules, self.states, expected, out)
        return out
