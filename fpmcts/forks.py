"""Forks: at one decision of a game several moves are played out, each by the policies and with the hands as they are.

    a game of the policies ─▶ one of its decisions ─▶ up to WIDTH moves ─▶ play each to the end ─▶ what each is worth, signed

The moves of a fork share the hands and the random numbers, so that they differ by what the moves do and little else; and a move
that the policy never draws is tried like the others. The policy gradient on drawn moves sees neither: it weighs a move by its own
probability, so that one which was given up is never tried again.

Sources: Asadi et al., "Mean actor critic", 2017 (the gradient over all moves); Hennes et al., "Neural replicator dynamics", 2020
(the same without the weight of a move's own probability, which is what lets it return).
"""

from typing import NamedTuple

import numpy as np

from fpmcts.drawn_moves import draw_moves, observe_movers
from fpmcts.samples import Samples, empty_samples
from fpmcts.search import Evaluate
from games.batches import Rules, States, num_rows, take
from games.doudizhu.cards import unpack
from games.generic import current_seat, legal, stake, step, team_return
from games.interface import Game
from games.kernels import kernel, random_below, random_float, random_u64
from games.lockstep import Lockstep
from networks.decode import legal_logits, softmax

WIDTH = 8
"""Most moves of a fork."""
UNLIKELY = 3
"""Of them drawn from those that are not the most likely ones."""
CERTAIN_WEIGHT = 0.25
"""How often a decision that is as good as certain is forked, beside an open one."""
FLOOR = 0.1
"""A move counts with its probability, and with no less than this."""
GIVEN_UP = 1e-4
"""A move that is less probable than this is not pushed down further."""


class Forks(NamedTuple):
    """F decisions whose moves were played out.

    Attributes:
        samples: ``[F]``; ``actions`` are the moves, ``target`` their signed weights (``fill_weights``), which sum to no constant.
        chances: float32 ``[F, WIDTH]``: of each move under the policy, 0 where there are fewer.
        returns: float32 ``[F, WIDTH]``: to the mover's team, in units of the stake, or ±1 (objective "wp").
    """

    samples: Samples
    chances: np.ndarray
    returns: np.ndarray


@kernel
def _choose(
    games: np.ndarray, certainty: np.ndarray, certain: float, share: float, rng: np.ndarray, chosen: np.ndarray
) -> int:  # fmt: skip
    """Writes at most one decision of each game to ``chosen`` (int64); returns how many.

    Args:
        games: int64 ``[N]``, ascending: of each decision. certainty: float32 ``[N]``.
        certain: Certainty from which on a decision counts ``CERTAIN_WEIGHT``.
        share: Of the games that are forked.
    """
    used, first = 0, 0
    while first < games.size:
        end, total = first, 0.0
        while end < games.size and games[end] == games[first]:
            total += 1.0 if certainty[end] < certain else CERTAIN_WEIGHT
            end += 1
        if random_float(rng, games[first]) < share:
            left = random_float(rng, games[first]) * total
            k = first
            while k < end - 1:
                left -= 1.0 if certainty[k] < certain else CERTAIN_WEIGHT
                if left < 0.0:
                    break
                k += 1
            chosen[used] = k
            used += 1
        first = end
    return used


@kernel
def _list_moves(
    rules: Rules, decoder: np.ndarray, states: States, policy: np.ndarray, streams: np.ndarray, moves: np.ndarray,
    chances: np.ndarray, scratch_moves: np.ndarray, scratch: np.ndarray,
) -> None:  # fmt: skip
    """Writes the moves of each fork, ascending, and their chances (``[F, WIDTH]``; -1 and 0 where there are fewer)."""
    for k in range(moves.shape[0]):
        n = legal(rules, states, k, scratch_moves)
        legal_logits(decoder, policy, k, scratch_moves, n, scratch)
        softmax(scratch, n, 1.0, scratch)
        order = np.argsort(-scratch[:n])
        for j in range(min(n, WIDTH)):
            if n > WIDTH and j >= WIDTH - UNLIKELY:  # one of the rest
                other = j + random_below(streams, k, n - j)
                order[j], order[other] = order[other], order[j]
        kept = np.sort(order[: min(n, WIDTH)])
        moves[k], chances[k] = -1, 0.0
        for j in range(kept.size):
            moves[k, j], chances[k, j] = scratch_moves[kept[j]], scratch[kept[j]]


@kernel
def _branch(rules: Rules, states: States, moves: np.ndarray) -> None:
    """Plays ``moves[k]`` in row k."""
    for k in range(moves.size):
        step(rules, states, k, moves[k])


@kernel
def _fill_returns(
    rules: Rules, finals: States, roots: States, forks: np.ndarray, places: np.ndarray, win_only: bool, returns: np.ndarray
) -> None:
    """Writes what branch k, move ``places[k]`` of fork ``forks[k]``, returned to the mover of the fork."""
    for k in range(forks.size):
        seat = current_seat(rules, roots, forks[k])
        value = team_return(rules, finals, k, seat)
        returns[forks[k], places[k]] = np.sign(value) if win_only else value / stake(rules, roots, forks[k])


@kernel
def fill_weights(chances: np.ndarray, returns: np.ndarray, weights: np.ndarray) -> None:
    """Writes the signed weights of the moves: w(a) (z(a) − Σ_b p(b) z(b)), p the policy over the moves of the fork.

    w(a) = max(p(a), FLOOR), and 0 where the move would be pushed down and is given up already.

    Args:
        chances, returns: float32 ``[F, K]``; a chance of 0 is no move. weights: float32 ``[F, K]``.
    """
    for k in range(chances.shape[0]):
        total = chances[k].sum()
        mean = (chances[k] * returns[k]).sum() / total
        for j in range(chances.shape[1]):
            advantage = returns[k, j] - mean
            if chances[k, j] <= 0.0 or (advantage < 0.0 and chances[k, j] < GIVEN_UP):
                weights[k, j] = 0.0
            else:
                weights[k, j] = max(chances[k, j] / total, FLOOR) * advantage


def fork_games(
    game: Game, evaluate: Evaluate, samples: Samples, owner: np.ndarray, certainty: np.ndarray, rng: np.ndarray, *, share: float,
    certain: float, lanes: int, win_only: bool, solve: bool, most_cards: int = 60,
) -> Forks:  # fmt: skip
    """Forks games of the policies.

    Args:
        samples: ``[N]``, the decisions of the games, in order. owner: int64 ``[N]``, whose. certainty: float32 ``[N]``.
        rng: uint64 ``[games]``, changed in place; what a game draws it draws from its own stream.
        share: Of the games that are forked, in [0, 1].
        certain: Probability of the most likely move from which on a decision is not open.
        lanes: Play-outs that advance together.
        win_only, solve: See ``PolicyGames``.
    """
    chosen = np.empty(len(rng), np.int64)
    late = np.flatnonzero(unpack(samples.states.hands).sum(axis=(1, 2), dtype=np.int64) <= most_cards)
    chosen = late[chosen[: _choose(owner[late], certainty[late], certain, share, rng, chosen)]]
    count, spec = len(chosen), game.spec
    states = take(samples.states, chosen)
    streams = _own_streams(rng, owner[chosen])
    moves, chances = np.full((count, WIDTH), -1, np.int16), np.zeros((count, WIDTH), np.float32)
    for first in range(0, count, lanes):
        rows = np.arange(first, min(first + lanes, count))
        part = take(states, rows)
        observations, seats = np.empty((len(rows), *spec.observation_shape), np.int8), np.empty(len(rows), np.int8)
        observe_movers(game.rules, part, np.arange(len(rows)), observations, seats)
        policy = evaluate(observations, seats).policy
        own = streams[rows]
        _list_moves(
            game.rules, game.decoder, part, policy, own, moves[first : first + len(rows)], chances[first : first + len(rows)],
            np.zeros(spec.max_legal, np.int16), np.zeros(spec.max_legal),
        )  # fmt: skip
    forks, places = np.nonzero(moves >= 0)
    branches = take(states, forks)
    _branch(game.rules, branches, moves[forks, places])
    own = streams[forks]  # the moves of a fork share their random numbers
    games = Lockstep(game, branches, window=lanes, solve=solve)

    def decide(waiting: np.ndarray) -> np.ndarray:
        return draw_moves(game, evaluate, games.states, own, waiting, 1.0, 0.0, 0).actions

    for _ in games.run(decide):
        pass
    returns = np.zeros((count, WIDTH), np.float32)
    _fill_returns(game.rules, games.states, states, forks, places, win_only, returns)
    result = empty_samples(game, count)._replace(states=states)
    result.iteration[:] = samples.iteration[chosen]
    result.actions[:, :WIDTH] = moves
    fill_weights(chances, returns, result.target[:, :WIDTH])
    return Forks(result, chances, returns)


@kernel
def _own_streams(rng: np.ndarray, games: np.ndarray) -> np.ndarray:
    """Returns a stream for each fork (uint64 ``[F]``), drawn from that of its game."""
    result = np.empty(games.size, np.uint64)
    for k in range(games.size):
        result[k] = random_u64(rng, games[k])
    return result


def num_forks(forks: Forks) -> int:
    """Returns F."""
    return num_rows(forks.samples)
