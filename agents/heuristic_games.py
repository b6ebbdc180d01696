"""Whole games of a heuristic player against itself, as the teacher's games of the supervised start.
Source: DeltaDou, 5.1.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import NamedTuple

import numpy as np

from agents.registry import PLAYERS, Entrant, Host
from games.batches import Rules, States, put, take
from games.generic import legal
from games.interface import Game, Records
from games.kernels import kernel, mix64, random_below, random_float
from games.lockstep import Lockstep

GAMES_PER_TASK = 512


def teachers(game: str | None = None) -> tuple[str, ...]:
    """Returns the players that teach a game; None: any game."""
    return tuple(
        name for name, row in PLAYERS.items() if row.teaches and (game is None or row.plays(game))
    )


class HeuristicGames(NamedTuple):
    """G finished games.

    Attributes:
        deals: G states before the first move.
        records: The moves played.
        choices: int16 ``[G, max_moves]``, the teacher's choice at each of them; -1 after the last.
    """

    deals: States
    records: Records
    choices: np.ndarray


@kernel
def _stray(
    rules: Rules,
    states: States,
    lanes: np.ndarray,
    epsilon: float,
    rng: np.ndarray,
    scratch: np.ndarray,
    moves: np.ndarray,
) -> None:
    """Replaces moves (int16 ``[n]``), each with chance ``epsilon``, by random legal ones, drawn
    from the stream of its game.
    """
    for k in range(lanes.size):
        if random_float(rng, lanes[k]) < epsilon:
            moves[k] = scratch[random_below(rng, lanes[k], legal(rules, states, lanes[k], scratch))]


@kernel
def _scramble(seeds: np.ndarray) -> np.ndarray:
    """Returns a stream per seed (uint64 ``[G]``) that is not the one the cards were dealt from."""
    rng = np.empty_like(seeds)
    for i in range(len(seeds)):
        rng[i] = mix64(~seeds[i])
    return rng


def generate_games(
    game: Game,
    seeds: np.ndarray,
    threads: int = 2,
    epsilon: float = 0.0,
    teacher: str = "rhcp",
    progress: Callable[[int, int], None] | None = None,
) -> HeuristicGames:
    """Returns games with the teacher in every seat; game i depends on ``seeds[i]``, ``epsilon`` and
    the teacher alone.

    Args:
        game: One that has teachers.
        seeds: uint64 ``[G]``, for the deals.
        threads: Number of threads, each with a teacher of its own.
        epsilon: Probability, in [0, 1], that a move is drawn from the legal ones in place of the
            teacher's choice.
        teacher: One of ``teachers``.
        progress: Called with the number of games that are over and of all games.

    Raises:
        ValueError: ``threads`` or ``epsilon`` out of range, or an unknown teacher.
    """
    if teacher not in teachers(game.spec.name):
        raise ValueError(
            f"the teacher is {teacher!r}, expected one of {', '.join(teachers(game.spec.name))}"
        )
    if threads < 1 or not 0.0 <= epsilon <= 1.0:
        raise ValueError(
            f"got threads={threads}, epsilon={epsilon}; expected at least 1 thread and a "
            "probability"
        )
    num_games, spec = len(seeds), game.spec
    seeds = np.ascontiguousarray(seeds, np.uint64)
    deals = game.deal(seeds)
    records = Records(
        np.full((num_games, spec.max_moves), -1, np.int16), np.zeros(num_games, np.int16)
    )
    choices = np.full((num_games, spec.max_moves), -1, np.int16)
    rng = _scramble(seeds)
    host = Host(game, {teacher: Entrant(PLAYERS[teacher](), teacher)})
    idle = [host.make(teacher) for _ in range(threads)]

    def play(begin: int) -> int:
        rows = slice(begin, begin + GAMES_PER_TASK)
        player = idle.pop()  # at most as many tasks run as there are threads
        scratch = np.empty(spec.max_legal, np.int16)
        games, own_choices, own_rng = (
            Lockstep(game, take(deals, rows), ask_forced=True),
            choices[rows],
            rng[rows],
        )
        player.start(len(own_choices), 0)

        def decide(lanes: np.ndarray) -> np.ndarray:
            views = game.view(take(games.states, lanes), games.seats[lanes])
            moves = player.act(lanes, views, games.seen_by_movers(lanes))
            own_choices[lanes, games.records.lengths[lanes]] = moves
            if epsilon > 0.0:
                _stray(game.rules, games.states, lanes, epsilon, own_rng, scratch, moves)
            return moves

        for _ in games.run(decide):
            pass
        put(records, rows, games.records)
        idle.append(player)
        return len(own_choices)

    done = 0
    pool = ThreadPoolExecutor(threads)
    try:
        for task in as_completed(
            [pool.submit(play, begin) for begin in range(0, num_games, GAMES_PER_TASK)]
        ):
            done += task.result()
            if progress is not None:
                progress(done, num_games)
    finally:
        pool.shutdown(
            cancel_futures=True
        )  # Ctrl-C waits for the tasks that have begun, not for all
    return HeuristicGames(deals, records, choices)
