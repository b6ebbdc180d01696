"""Whole games of a heuristic player against itself, as the teacher's games of the supervised start. Source: DeltaDou, 5.1."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import NamedTuple

import numpy as np

from agents.doudizhu.rhcp_kernels import Memo, choose, new_memo
from agents.doudizhu.teamplay import choose_for_team
from games.doudizhu.moves import Rules
from games.doudizhu.state import States, legal, step
from games.interface import Game, Records, take
from games.kernels import kernel, mix64, random_below, random_float

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
def _play(
    rules: Rules, memo: Memo, states: States, team_play: bool, epsilon: float, rng: np.ndarray, scratch: np.ndarray,
    records: Records, choices: np.ndarray,
) -> None:  # fmt: skip
    """Plays all games to their ends, in place; each stream of ``rng`` belongs to one game, and serves ``epsilon`` alone."""
    for i in range(len(choices)):
        while states.winner[i] < 0:
            choice = choose_for_team(rules, memo, states, i, scratch) if team_play else np.int64(choose(rules, memo, states, i))
            move = choice
            if epsilon > 0.0 and random_float(rng, i) < epsilon:
                move = np.int64(scratch[random_below(rng, i, legal(rules, states, i, scratch))])
            k = records.lengths[i]
            choices[i, k] = choice
            records.moves[i, k] = move
            records.lengths[i] += 1
            step(rules, states, i, move)


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
    states = take(deals, np.arange(num_games))
    rng = _scramble(seeds)
    memos = [new_memo() for _ in range(threads)]

    def play(begin: int) -> int:
        rows = slice(begin, begin + GAMES_PER_TASK)
        memo = memos.pop()  # at most as many tasks run as there are threads
        scratch = np.empty(spec.max_legal, np.int16)
        _play(
            game.rules, memo, take(states, rows), teacher == "team_play", epsilon, rng[rows], scratch, take(records, rows),
            choices[rows],
        )  # fmt: skip
        memos.append(memo)
        return len(choices[rows])

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
