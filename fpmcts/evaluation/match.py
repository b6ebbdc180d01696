"""Many games between agents, in lock-step.

In each round every running game (``games.play.lockstep``) advances to its next decision. An agent
gets all games that wait for it together, as views: hidden cards never reach an agent. Moves are
checked before they are played; an illegal one ends the match with an error and is never replaced. A
sole legal move is played without asking.

G games, A agents, S seats, n games per call of an agent.
"""

import json
import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fpmcts.cluster.pools import Tick, ignore
from games.kernels import Stream, kernel, streams
from games.kernels.generic import is_legal, legal
from games.kernels.rows import Rules, States, num_rows, take
from games.play.agent import Agent, keepers
from games.play.interface import Game, Records
from games.play.lockstep import Lockstep


class IllegalMoveError(ValueError):
    """An agent did not return a legal move."""


class Usage(NamedTuple):
    """Number and duration of one agent's decisions.

    Attributes:
        seconds: Time spent in ``act`` for whole batches; per decision it is a throughput, not the
            wait in a single game.
        decisions: Moves it chose among at least two.
        forced: Sole legal moves, played without asking it.
    """

    seconds: float
    decisions: int
    forced: int

    def seconds_per_decision(self) -> float:
        """Returns the mean time of a decision in seconds; 0 if there was none."""
        return self.seconds / max(self.decisions, 1)


class PlayedGames(NamedTuple):
    """G finished games; those of several parts are concatenated.

    Attributes:
        seating: int8 ``[G, S]``: the agent at each seat, as an index.
        returns: float64 ``[G, S]``: the return of the seat's team, in the game's unit.
        last_seats: int8 ``[G]``: the seat that made the last move (in Doudizhu: emptied its hand).
        records: All moves.
        used: float64 ``[parts, A, 3]``, the fields of ``Usage`` for each agent.
        luck: float64 ``[G, S, K]``: K corrections of the returns for luck, see
            ``fpmcts.evaluation.aivat``; K is 0 where they are not computed.
    """

    seating: np.ndarray
    returns: np.ndarray
    last_seats: np.ndarray
    records: Records
    used: np.ndarray
    luck: np.ndarray

    @property
    def usage(self) -> list[Usage]:
        """One per agent."""
        return [Usage(float(row[0]), *map(int, row[1:])) for row in self.used.sum(axis=0)]


@kernel
def _first_illegal(
    rules: Rules, states: States, games: np.ndarray, actions: np.ndarray, scratch: np.ndarray
) -> int:
    """Returns the first position j at which ``actions[j]`` may not be played in game ``games[j]``;
    -1 if there is none.
    """
    for j in range(len(games)):
        n = legal(rules, states, games[j], scratch)
        at = np.searchsorted(scratch[:n], actions[j])
        if (at == n or scratch[at] != actions[j]) and not is_legal(
            rules, states, games[j], actions[j]
        ):
            return j
    return -1


def play_games(
    game: Game,
    agents: Sequence[Agent],
    seating: np.ndarray,
    deals: States,
    seed: int,
    *,
    at_once: int | None = None,
    tick: Tick = ignore,
) -> PlayedGames:
    """Returns the games of the given deals, played to their ends.

    Args:
        game: The game.
        agents: The players. One object may appear at two indices, to play itself.
        seating: int ``[G, S]``: the index of the agent at each seat.
        deals: G starting states; not changed.
        seed: Seed of the agents' random choices; the streams of two agents differ.
        at_once: Maximum games in progress; None: as many as the agents have memory for. It bounds
            memory and changes no game.
        tick: Called after every round with the number of finished games.

    Raises:
        IllegalMoveError: Naming the agent, its answer and the view it saw.
    """
    spec = game.spec
    num_games = len(seating)
    if seating.shape != (num_games, spec.num_seats) or num_rows(deals) != num_games:
        raise ValueError(
            f"got seating {seating.shape} for {num_rows(deals)} deals; expected [deals, "
            f"{spec.num_seats} seats]"
        )
    keeping = keepers(agents)
    if at_once is None:
        at_once = min((agent.most_games for agent in keeping), default=None)
    lockstep = Lockstep(game, deals, window=at_once)
    states, records = lockstep.states, lockstep.records
    used = np.zeros((1, len(agents), 3))
    scratch = np.empty(spec.max_legal, np.int16)
    started: set[int] = set()
    for k, agent in enumerate(agents):
        if id(agent) not in started:
            agent.start(num_games, int(streams(seed, 1, Stream.PLAY, k)[0] >> np.uint64(1)))
            started.add(id(agent))

    def decide(lanes: np.ndarray) -> np.ndarray:
        """Gets every agent's moves for the games that wait for it."""
        seats = lockstep.seats[lanes]
        movers, actions = seating[lanes, seats], np.empty(len(lanes), np.int16)
        for k, agent in enumerate(agents):
            asked = np.flatnonzero(movers == k)
            if not len(asked):
                continue
            games = lanes[asked]
            views = game.view(take(states, games), seats[asked])
            start = time.perf_counter()
            answers = agent.act(games, views, lockstep.seen_by_movers(games))
            used[0, k] += time.perf_counter() - start, len(games), 0
            actions[asked] = _checked(game, agent, states, views, records, games, answers, scratch)
        return actions

    over = lockstep.over
    for done in lockstep.run(decide):
        ended = np.flatnonzero(lockstep.over & ~over).tolist()
        over = lockstep.over
        tick(done)
        for keeper in keeping:
            keeper.end(ended)
    for k in range(len(agents)):
        used[0, k, 2] = lockstep.forced[seating == k].sum()
    last, luck = lockstep.last_seats, np.zeros((*seating.shape, 0))
    return PlayedGames(seating.astype(np.int8), lockstep.returns(), last, records, used, luck)


def _checked(
    game: Game,
    agent: Agent,
    states: States,
    views: States,
    records: Records,
    games: np.ndarray,
    answers: np.ndarray,
    scratch: np.ndarray,
) -> np.ndarray:
    """Returns an agent's answers (int16 ``[n]``), all of them legal moves; raises IllegalMoveError
    otherwise.
    """
    if np.shape(answers) != games.shape or not np.issubdtype(np.asarray(answers).dtype, np.integer):
        raise IllegalMoveError(
            f"agent {agent.name} answered {len(games)} positions with an array of shape "
            f"{np.shape(answers)} and type "
            f"{np.asarray(answers).dtype}; expected one integer each"
        )
    wrong = _first_illegal(game.rules, states, games, np.asarray(answers, np.int64), scratch)
    if wrong >= 0:
        i = games[wrong]
        action = int(answers[wrong])
        text = repr(game.action_text(action)) if 0 <= action < game.spec.num_actions else "no move"
        view = json.dumps(game.describe_view(views, wrong, records.moves[i, : records.lengths[i]]))
        raise IllegalMoveError(
            f"agent {agent.name} answered {action} ({text}) in game {i}, which is not legal "
            f"there. Its view: {view}"
        )
    return np.asarray(answers, np.int16)
