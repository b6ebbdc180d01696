"""Complete games of a heuristic player against itself, and the samples for the supervised start.

Source: DeltaDou, 5.1.
"""

from collections.abc import Callable

import numpy as np

from fpmcts.players.lookup import PLAYERS, Entrant, Host
from fpmcts.training.policy_games import explore
from fpmcts.training.samples import Samples, empty_samples, fill_results
from games.kernels import kernel, mix64
from games.kernels.generic import legal
from games.kernels.rows import Rules, States, take
from games.play.interface import Game
from games.play.lockstep import Games, Lockstep, Noted

LANES = 512
"""Games that advance together."""


def teachers(game: str | None = None) -> tuple[str, ...]:
    """Returns the players that teach a game; None: any game."""
    return tuple(
        name for name, row in PLAYERS.items() if row.teaches and (game is None or row.plays(game))
    )


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
) -> Games[Samples]:
    """Returns games with the teacher in every seat; game i depends only on ``seeds[i]``,
    ``epsilon`` and the teacher. Every unforced decision is stored; its target is the teacher's
    choice, even if a random move was played instead.

    Args:
        game: A game with teachers.
        seeds: uint64 ``[G]``, seeds of the deals.
        epsilon: Probability, in [0, 1], that a move is drawn from the legal ones instead of the
            teacher's choice.
        teacher: One of ``teachers``.
        tick: Called with the number of finished games.

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
    rng, scratch = _scramble(seeds), np.empty(game.spec.max_legal, np.int16)
    player = Host(game, {teacher: Entrant(PLAYERS[teacher](), teacher)}).make(teacher)
    player.start(len(seeds), 0)
    games = Lockstep(game, game.deal(seeds), window=LANES, ask_forced=True)

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

    played = games.play(decide, empty_samples(game, 0), tick)
    fill_results(game, played, played.decisions)
    return played
