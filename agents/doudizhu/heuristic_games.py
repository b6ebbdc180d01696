"""Whole games of a heuristic player against itself, as the teacher's games of the supervised start. Source: DeltaDou, 5.1."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import NamedTuple

import numpy as np

from agents.doudizhu.rhcp_kernels import Memo, choose, new_memo
from agents.doudizhu.teamplay import choose_for_team
from games.batches import put, take
from games.doudizhu.moves import Rules
from games.doudizhu.state import States, legal
from games.interface import Game, Records
from games.kernels import kernel, mix64, random_below, random_float
from games.lockstep import Lockstep

GAMES_PER_TASK = 512
TEACHERS = ("rhcp", "team_play")
"""RHCP, the paper's; and RHCP with team play (``agents.doudizhu.teamplay``), which beats it."""


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
def _choose(
    rules: Rules, memo: Memo, states: States, lanes: np.ndarray, team_play: bool, epsilon: float, rng: np.ndarray,
    scratch: np.ndarray, choices: np.ndarray, actions: np.ndarray,
) -> None:  # fmt: skip
    """Writes the teacher's choice in each lane and the move, which is a random one with chance ``epsilon``; each stream of
    ``rng`` belongs to one game and serves that alone.

    Args:
        choices, actions: int16 ``[n]``.
    """
    for k in range(lanes.size):
        i = lanes[k]
        choices[k] = choose_for_team(rules, memo, states, i, scratch) if team_play else np.int64(choose(rules, memo, states, i))
        actions[k] = choices[k]
        if epsilon > 0.0 and random_float(rng, i) < epsilon:
            actions[k] = scratch[random_below(rng, i, legal(rules, states, i, scratch))]


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
    """Returns games of Doudizhu with the teacher in every seat; game i depends on ``seeds[i]``, ``epsilon`` and it alone.

    Args:
        game: Doudizhu.
        seeds: uint64 ``[G]``, for the deals.
        threads: Number of threads, each with its own table of hands.
        epsilon: Probability, in [0, 1], that a move is drawn from the legal ones in place of the teacher's choice.
        teacher: One of ``TEACHERS``.
        progress: Called with the number of games that are over and of all games.

    Raises:
        ValueError: ``threads`` or ``epsilon`` out of range, or an unknown teacher.
    """
    if teacher not in TEACHERS:
        raise ValueError(f"the teacher is {teacher!r}, expected one of {', '.join(TEACHERS)}")
    if threads < 1 or not 0.0 <= epsilon <= 1.0:
        raise ValueError(f"got threads={threads}, epsilon={epsilon}; expected at least 1 thread and a probability")
    num_games, spec = len(seeds), game.spec
    seeds = np.ascontiguousarray(seeds, np.uint64)
    deals = game.deal(seeds)
    records = Records(np.full((num_games, spec.max_moves), -1, np.int16), np.zeros(num_games, np.int16))
    choices = np.full((num_games, spec.max_moves), -1, np.int16)
    rng = _scramble(seeds)
    memos = [new_memo() for _ in range(threads)]

    def play(begin: int) -> int:
        rows = slice(begin, begin + GAMES_PER_TASK)
        memo = memos.pop()  # at most as many tasks run as there are threads
        scratch = np.empty(spec.max_legal, np.int16)
        games, own_choices, own_rng = Lockstep(game, take(deals, rows), ask_forced=True), choices[rows], rng[rows]

        def decide(lanes: np.ndarray) -> np.ndarray:
            chosen, moves = np.empty((2, len(lanes)), np.int16)
            _choose(game.rules, memo, games.states, lanes, teacher == "team_play", epsilon, own_rng, scratch, chosen, moves)
            own_choices[lanes, games.records.lengths[lanes]] = chosen
            return moves

        for _ in games.run(decide):
            pass
        put(records, rows, games.records)
        memos.append(memo)
        return len(own_choices)

    done = 0
    pool = ThreadPoolExecutor(threads)
    try:
        for task in as_completed([pool.submit(play, begin) for begin in range(0, num_games, GAMES_PER_TASK)]):
            done += task.result()
            if progress is not None:
                progress(done, num_games)
    finally:
        pool.shutdown(cancel_futures=True)  # Ctrl-C waits for the tasks that have begun, not for all
    return HeuristicGames(deals, records, choices)
