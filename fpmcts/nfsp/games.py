"""Games of neural fictitious self-play: each seat plays its best response or its average policy,
drawn for each game.

Source: Heinrich & Silver, "Deep reinforcement learning from self-play in imperfect-information
games", 2016, algorithm 1.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fpmcts.search.search import Evaluate
from fpmcts.training.policy_games import draw_moves
from fpmcts.training.samples import Samples, empty_samples
from games.kernels import streams
from games.kernels.rows import States, take
from games.play.interface import Game, seats_to_move
from games.play.lockstep import Lockstep, Noted


class Transitions(NamedTuple):
    """N decisions and their outcomes; the seat to move in ``states`` made them. Rewards come only
    at the end.

    Attributes:
        states: ``[N]`` rows, with all cards; the seat's view is reconstructed on use.
        actions: int16 ``[N]``.
        following: ``[N]`` rows, the seat's next decision; the row of ``states`` if there is none.
        is_last: bool ``[N]``, whether it is the seat's last decision of the game.
        result: float32 ``[N]``, return of the game for the seat's team, in units of
            ``spec.max_return``.
        iteration: int32 ``[N]``, when it was made.
    """

    states: States
    actions: np.ndarray
    following: States
    is_last: np.ndarray
    result: np.ndarray
    iteration: np.ndarray


def empty_transitions(game: Game, count: int) -> Transitions:
    """Returns ``count`` rows of zeros."""
    return Transitions(
        game.empty(count),
        np.zeros(count, np.int16),
        game.empty(count),
        np.zeros(count, np.bool_),
        np.zeros(count, np.float32),
        np.zeros(count, np.int32),
    )


def next_decisions(owner: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """Returns the place of each decision's successor by the same seat in the same game, -1 for the
    last: int64 ``[N]``.

    Args:
        owner: int64 ``[N]``, the game of each decision; those of a game are in order.
        seats: ``[N]``, the seat that decided.
    """
    order = np.lexsort((seats, owner))  # stable: those of a seat stay in order
    same = (owner[order][1:] == owner[order][:-1]) & (seats[order][1:] == seats[order][:-1])
    found = np.full(len(owner), -1, np.int64)
    found[order[:-1][same]] = order[1:][same]
    return found


def draw_seats(seed: int, num_games: int, num_seats: int, chance: float, *path: int) -> np.ndarray:
    """Returns bool ``[G, S]``, each true with a probability."""
    drawn = streams(seed, num_games * num_seats, *path) >> np.uint64(11)
    return (drawn * 2.0**-53 < chance).reshape(num_games, num_seats)


def play(
    game: Game,
    respond: Evaluate,
    average: Evaluate,
    deals: np.ndarray,
    responds: np.ndarray,
    explores: np.ndarray,
    rng: np.ndarray,
    iteration: int,
    lanes: int,
    tick: Callable[[int], None],
) -> tuple[Transitions, Samples]:
    """Plays a game for each deal; returns the decisions of all seats that met no random player, and
    those of seats that played their best response, for the reservoirs.

    Args:
        game: The game.
        respond: The Q networks of all seats: a move's value is the sum of its policy outputs.
        average: The networks of the average policies.
        deals: uint64 ``[G]``, seeds of the deals.
        responds: bool ``[G, S]``, whether a seat plays its best response.
        explores: bool ``[G, S]``, whether it plays random moves instead. What the others do then
            teaches nothing, since they meet an opponent that will not be there.
        rng: uint64 ``[G]``, changed in place; game k draws only from stream k.
        iteration: Stored with the data.
        lanes: Games that advance together.
        tick: Called with the number of finished games.
    """
    games = Lockstep(game, game.deal(deals), window=lanes)

    def decide(waiting: np.ndarray) -> tuple[np.ndarray, Noted[Samples]]:
        kept: Noted[Samples] = []
        actions, movers = np.empty(len(waiting), np.int16), (waiting, games.seats[waiting])
        best, random = responds[movers], explores[movers].astype(np.float64)
        for rows, evaluate, temperature in (
            (np.flatnonzero(best), respond, 0.0),
            (np.flatnonzero(~best), average, 1.0),
        ):
            if rows.size:
                at = waiting[rows]
                drawn = draw_moves(
                    game, evaluate, games.states, rng, at, temperature, random[rows], iteration
                )
                actions[rows] = drawn.actions
                drawn.samples.policy_weight[:] = best[rows] & ~drawn.explored
                kept.append((at, drawn.samples))
        return actions, kept

    played = games.play(decide, empty_samples(game, 0), tick)
    owner, samples = played.owner, played.decisions
    seats = seats_to_move(game, samples.states)
    result = (played.returns[owner, seats] / game.spec.max_return).astype(np.float32)
    after = next_decisions(owner, seats)
    is_last = after < 0
    following = take(samples.states, np.where(is_last, np.arange(len(owner)), after))
    transitions = Transitions(
        samples.states, samples.actions[:, 0].copy(), following, is_last, result, samples.iteration
    )
    meets = explores.sum(axis=1)[owner] > explores[owner, seats]
    return (
        take(transitions, np.flatnonzero(~meets)),
        take(samples, np.flatnonzero(samples.policy_weight)),
    )
