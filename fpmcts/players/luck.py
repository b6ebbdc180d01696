"""Splits the result of a finished game into the seat, the cards and the rest.

A *rollout* is a game from a position to its end, with one player in every seat. The mean of many is
the position's value among such players with open cards. Changes of this value by chance are luck;
the rest of the result was decided by moves.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from games.base.estimate import Estimate, estimate, estimates, total
from games.kernels import Stream, deal_seeds
from games.kernels.rows import States, concatenate, num_rows, take
from games.play.agent import Agent
from games.play.decision import RETURN, WINS
from games.play.interface import Game
from games.play.lockstep import Lockstep
from games.play.table import Table

DEALS = 4
"""Rollouts of random deals per rollout of a position: they are shared by many games."""


@dataclass(frozen=True)
class Luck:
    """The luck of each of S seats, in the unit of the game's reviews; an error of 0 means exact.

    Attributes:
        unit: WINS or RETURN, see ``games.play.decision``.
        result: Final result of each seat.
        start: Its expectation before the deal.
        deal: The change due to the deal.
        later: The change due to later cards.
        moved: The change by its own moves, with open cards. Seen from the seat these cost its
            losses; the rest of the change is how the hidden cards lay.
        start_error, deal_error, later_error, moved_error: Standard errors of these.
        known_error: Standard error of ``start + deal + later``: ``deal`` is a difference from
            ``start``, whose error cancels in the sum.
        losses: Total loss of each seat's moves against the best ones; None if unknown.
        play_outs: Number of rollouts per position; 0: none were needed.
    """

    unit: str
    result: tuple[float, ...]
    start: tuple[float, ...]
    deal: tuple[float, ...]
    later: tuple[float, ...]
    moved: tuple[float, ...]
    start_error: tuple[float, ...]
    deal_error: tuple[float, ...]
    later_error: tuple[float, ...]
    moved_error: tuple[float, ...]
    known_error: tuple[float, ...]
    losses: tuple[float, ...] | None = None
    play_outs: int = 0


Made = tuple[int, int, States, States]
"""A move where there was a choice: its seat, its action, and n positions before and after it;
cards dealt later differ.
"""


class Cancelled(RuntimeError):  # noqa: N818 (nothing is wrong)
    """The result is no longer wanted."""


def play_out(
    game: Game, agent: Agent, states: States, seed: int, cancel: Callable[[], bool] | None = None
) -> np.ndarray:
    """Returns each seat's return when one player finishes the game in all seats: float64 ``[B,
    S]``.

    Row i depends only on state i, the seed and i, so that the rows of two calls with the same seed
    are paired.

    Args:
        game: A game in which every move is seen.
        agent: The player; it must not need the moves before the position.
        states: B unfinished positions with all cards known.
        seed: Seed of the player's random choices.
        cancel: Whether to stop.

    Raises:
        Cancelled: ``cancel`` returned True.
    """
    games, _ = _played(game, agent, states, seed, cancel)
    return games.returns()


def _played(
    game: Game,
    agent: Agent,
    states: States,
    seed: int,
    cancel: Callable[[], bool] | None,
    rounds: int | None = None,
) -> tuple[Lockstep, np.ndarray]:
    """Returns games after some rounds, None: at their ends; and the last decision in each, -1
    where there was none (int16 ``[B]``).
    """
    games, made = Lockstep(game, states, solve=True), np.full(num_rows(states), -1, np.int16)
    agent.start(num_rows(states), seed)

    def decide(lanes: np.ndarray) -> np.ndarray:
        views = game.view(take(games.states, lanes), games.seats[lanes])
        made[lanes] = agent.act(lanes, views, games.seen_by_movers(lanes))
        return made[lanes]

    for _ in islice(games.run(decide), rounds):
        if cancel is not None and cancel():
            raise Cancelled
    return games, made


def changes(
    game: Game,
    agent: Agent,
    moves: Sequence[Made],
    seed: int,
    win_only: bool,
    cancel: Callable[[], bool] | None = None,
) -> np.ndarray:
    """Returns the change of each seat's value by moves, in n rollouts of each: float64
    ``[len(moves), n, S]``.

    The player decides in each position. Where it makes the move itself, nothing changes; only the
    other positions are played out, from after its move and from after the one made.
    """
    _, actions, *pairs = zip(*moves, strict=True)
    before, after = map(concatenate, pairs)
    games, chosen = _played(game, agent, before, seed, cancel, rounds=1)
    num = num_rows(before) // len(moves)
    apart = np.flatnonzero(chosen != np.repeat(actions, num))
    both = concatenate([take(games.states, apart), take(after, apart)])
    ends = scored(play_out(game, agent, both, seed + 1, cancel), win_only)
    found = np.zeros((num_rows(before), game.spec.num_seats))
    found[apart] = ends[len(apart) :] - ends[: len(apart)]
    return found.reshape(len(moves), num, -1)


def made_at(table: Table, num: int) -> list[Made]:
    """Returns the moves of a game in which all cards count as dealt at the start."""
    other, moves = Table(table.game, deal=table.deal), list[Made]()
    for move in table.moves:
        before, choices = other.states, len(other.legal())
        other.play(move.action)
        if choices > 1:
            pair = repeated(before, num), repeated(other.states, num)
            moves.append((move.seat, move.action, *pair))
    return moves


def scored(returns: np.ndarray, win_only: bool) -> np.ndarray:
    """Returns returns in the unit of reviews: unchanged, or 1 for a win and 0 for a loss."""
    return (np.sign(returns) + 1.0) / 2.0 if win_only else returns


def before_the_deal(
    game: Game, agent: Agent, num: int, win_only: bool, cancel: Callable[[], bool] | None = None
) -> list[Estimate]:
    """Returns the expected return of each seat before the deal, from one rollout each of ``num``
    deals.
    """
    deals = game.deal(deal_seeds(0, num, Stream.TABLE, 1))
    return estimates(scored(play_out(game, agent, deals, 0, cancel), win_only))


def repeated(states: States, num: int) -> States:
    """Returns one position ``num`` times."""
    return take(states, np.zeros(num, np.int64))


def luck_of(
    game: Game,
    agent: Agent,
    table: Table,
    start: Sequence[Estimate],
    dealt: States,
    later: Sequence[tuple[States, States]],
    moves: Sequence[Made],
    seed: int,
    win_only: bool,
    cancel: Callable[[], bool] | None = None,
) -> Luck:
    """Returns the luck of the cards in a game, from rollouts.

    Args:
        game: The game.
        agent: The player in all seats.
        table: The finished game.
        start: From ``before_the_deal``.
        dealt: n >= 2 positions after the deal, each with newly dealt later cards.
        later: For each later deal of cards, n positions before and n after it, likewise.
        moves: The moves; equally many positions of each, at least 2.
        seed: Seed of the rollouts.
        win_only: Whether only winning counts.
        cancel: Whether to stop.

    Raises:
        ValueError: The game is not over.
        Cancelled: ``cancel`` returned True.
    """
    if table.returns is None:
        raise ValueError("the game is not over: expected one with a result")

    def worth(states: States) -> np.ndarray:
        return scored(play_out(game, agent, states, seed, cancel), win_only)

    worths = estimates(worth(dealt))
    deal = [total((now, then.scaled(-1.0))) for now, then in zip(worths, start, strict=True)]
    dealings = [estimates(worth(after) - worth(before)) for before, after in later]
    changed = [total(change[seat] for change in dealings) for seat in range(len(worths))]
    moved = [Estimate(0.0, 0.0)] * len(worths)
    found = changes(game, agent, moves, seed, win_only, cancel) if moves else ()
    for (seat, *_), change in zip(moves, found, strict=True):
        moved[seat] = total((moved[seat], estimate(change[:, seat])))
    known = [total(parts) for parts in zip(worths, changed, strict=True)]
    parts = {"start": start, "deal": deal, "later": changed, "moved": moved}
    return Luck(
        WINS if win_only else RETURN,
        tuple(scored(np.array(table.returns), win_only).tolist()),
        **{name: tuple(part.mean for part in found) for name, found in parts.items()},
        **{
            f"{name}_error": tuple(part.error for part in found)
            for name, found in (parts | {"known": known}).items()
        },
        play_outs=num_rows(dealt),
    )
