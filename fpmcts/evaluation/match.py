"""Many games between agents, in lock-step.

In each round every running game (``games.lockstep``) advances to its next decision. An agent gets
all games that wait for it together, as views: hidden cards never reach an agent. Moves are checked
before they are played; an illegal one ends the match with an error and is never replaced. A sole
legal move is played without asking.

G games, A agents, S seats, n games per call of an agent.
"""

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Self

import numpy as np

from fpmcts.cluster.pools import Tick, ignore
from games.agent import Agent, keepers
from games.generic import is_legal, legal
from games.interface import Game, Records
from games.kernels import Stream, kernel, streams
from games.lockstep import Lockstep
from games.rows import Rules, States, num_rows, take


class IllegalMoveError(ValueError):
    """An agent did not return a legal move."""


@dataclass
class Usage:
    """Number and duration of one agent's decisions.

    Attributes:
        seconds: Time spent in ``act`` for whole batches; per decision it is a throughput, not the
            wait in a single game.
        decisions: Moves it chose among at least two.
        forced: Sole legal moves, played without asking it.
    """

    seconds: float = 0.0
    decisions: int = 0
    forced: int = 0

    def seconds_per_decision(self) -> float:
        """Returns the mean time of a decision in seconds; 0 if there was none."""
        return self.seconds / max(self.decisions, 1)


def total_usage(parts: Iterable[Usage]) -> Usage:
    """Returns the sum over several lots of games."""
    sums = [sum(values) for values in zip(*map(astuple, parts), strict=True)]
    return Usage(*sums)


@dataclass(frozen=True)
class PlayedGames:
    """Finished games.

    Attributes:
        seating: int8 ``[G, S]``: the agent at each seat, as an index.
        returns: float64 ``[G, S]``: the return of the seat's team, in the game's unit.
        last_seats: int8 ``[G]``: the seat that made the last move (in Doudizhu: emptied its hand).
        records: All moves.
        usage: One per agent.
        luck: float64 ``[G, S, K]``: K corrections of the returns for luck, see
            ``fpmcts.evaluation.aivat``; None: not computed.
    """

    seating: np.ndarray
    returns: np.ndarray
    last_seats: np.ndarray
    records: Records
    usage: list[Usage]
    luck: np.ndarray | None = None

    def as_arrays(self) -> dict[str, np.ndarray]:
        """Returns all fields as named arrays."""
        longest = int(self.records.lengths.max(initial=0))
        return {
            "seating": self.seating,
            "returns": self.returns,
            "last_seats": self.last_seats,
            "moves": self.records.moves[:, :longest],
            "lengths": self.records.lengths,
            "usage": np.array([astuple(used) for used in self.usage]),
            **({} if self.luck is None else {"luck": self.luck}),
        }

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, np.ndarray]) -> Self:
        """Returns the games of ``as_arrays``."""
        usage = [Usage(float(row[0]), *map(int, row[1:])) for row in arrays["usage"]]
        records = Records(arrays["moves"], arrays["lengths"])
        seating, returns, last = (arrays[name] for name in ("seating", "returns", "last_seats"))
        return cls(seating, returns, last, records, usage, arrays.get("luck"))


def joined_games(parts: Sequence[PlayedGames]) -> PlayedGames:
    """Returns the joined games of the parts of a match, at least one."""
    listed = [part.as_arrays() for part in parts]
    longest = max(arrays["moves"].shape[1] for arrays in listed)
    for arrays in listed:
        missing = longest - arrays["moves"].shape[1]
        arrays["moves"] = np.pad(arrays["moves"], ((0, 0), (0, missing)), constant_values=-1)
    joined = {name: np.concatenate([arrays[name] for arrays in listed]) for name in listed[0]}
    usage = np.sum([arrays["usage"] for arrays in listed], axis=0)
    return PlayedGames.of_arrays({**joined, "usage": usage})


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
    usage = [Usage() for _ in agents]
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
            usage[k].seconds += time.perf_counter() - start
            usage[k].decisions += len(games)
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
        usage[k].forced = int(lockstep.forced[seating == k].sum())

    return PlayedGames(
        seating.astype(np.int8), lockstep.returns(), lockstep.last_seats, records, usage
    )


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
