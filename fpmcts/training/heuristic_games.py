"""Complete games of a heuristic player against itself, and the samples for the supervised start.

Source: DeltaDou, 5.1.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fpmcts.players.lookup import PLAYERS, Entrant, Host
from fpmcts.training.policy_games import explore
from fpmcts.training.samples import Noted, Samples, empty_samples, fill_results, play_games
from games.generic import legal
from games.interface import Game, Records
from games.kernels import kernel, mix64
from games.lockstep import Lockstep
from games.rows import Rules, States, take

LANES = 512
"""Games that advance together."""


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
        samples: A sample for every unforced decision, by game; the target is the teacher's choice,
            even if a random move was played instead.
    """

    deals: States
    records: Records
    samples: Samples


@kernel
def _scramble(seeds: np.ndarray) -> np.ndarray:
    """Returns a stream per seed (uint64 ``[G]``), different from the one that the cards were dealt
    from.
    """
    rng = np.empty_like(seeds)
    for i in range(len(seeds)):
        rng[i] = mix64(~seeds[i])
    return rng


@kernel
def _find_unforced(rules: Rules, states: States, scratch: np.ndarray, unforced: np.ndarray) -> None:
    """Writes whether there is more than one legal move: bool ``[n]``."""
    for i in range(unforced.size):
        unforced[i] = legal(rules, states, i, scratch) > 1


def generate_games(
    game: Game,
    seeds: np.ndarray,
    epsilon: float = 0.0,
    teacher: str = "rhcp",
    tick: Callable[[int], None] = lambda over: None,
) -> HeuristicGames:
    """Returns games with the teacher in every seat; game i depends only on ``seeds[i]``,
    ``epsilon`` and the teacher.

    Args:
        game: A game with teachers.
        seeds: uint64 ``[G]``, seeds of the deals.
        epsilon: Probability, in [0, 1], that a move is drawn from the legal ones instead of the
            teacher's choice.
        teacher: One of ``teachers``.
        tick: Called with the number of newly finished games.

    Raises:
        ValueError: ``epsilon`` is not a probability, or the teacher is unknown.
    """
    if teacher not in teachers(game.spec.name):
        raise ValueError(
            f"the teacher is {teacher!r}, expected one of {', '.join(teachers(game.spec.name))}"
        )
    if not 0.0 <= epsilon <= 1.0:
        raise ValueError(f"got epsilon={epsilon}; expected a probability")
    seeds = np.ascontiguousarray(seeds, np.uint64)
    deals = game.deal(seeds)
    rng, scratch = _scramble(seeds), np.empty(game.spec.max_legal, np.int16)
    player = Host(game, {teacher: Entrant(PLAYERS[teacher](), teacher)}).make(teacher)
    player.start(len(seeds), 0)
    games = Lockstep(game, deals, window=LANES, ask_forced=True)

    def decide(lanes: np.ndarray) -> tuple[np.ndarray, Noted[Samples]]:
        states, unforced = take(games.states, lanes), np.empty(len(lanes), np.bool_)
        _find_unforced(game.rules, states, scratch, unforced)
        moves = player.act(
            lanes, game.view(states, games.seats[lanes]), games.seen_by_movers(lanes)
        )
        at = np.flatnonzero(unforced)
        samples = empty_samples(game, len(at))._replace(states=take(states, at))
        samples.actions[:, 0], samples.target[:, 0] = moves[at], 1.0
        samples.policy_weight[:] = 1.0
        if epsilon > 0.0:
            chances, strayed = np.full(len(lanes), epsilon), np.empty(len(lanes), np.bool_)
            explore(game.rules, games.states, lanes, chances, rng, moves, strayed, scratch)
        return moves, [(lanes[at], samples)]

    owner, samples = play_games(games, decide, empty_samples(game, 0), tick)
    fill_results(games, owner, samples)
    return HeuristicGames(deals, games.records, samples)
