"""Different players in the seats of one team, to study partners."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from agents.agent import Agent
from agents.decision import Decision, Limits, Question
from agents.registry import Host, PlayerOptions, player
from games.batches import Rules, States, take
from games.generic import current_seat
from games.interface import Game, Records
from games.kernels import kernel, streams


@player("mix", slow=True)
@dataclass
class MixOptions(PlayerOptions):
    """Different players in the seats.

    Attributes:
        seats: The labels of players, in the order of the seats.
    """

    seats: list[str] = field(default_factory=list)

    def needs(self) -> list[str]:
        """Returns the players in the seats."""
        return self.seats

    def make(self, host: Host) -> Agent:
        """Returns the mix; a player that sits in several seats is one object."""
        made = {label: host.make(label) for label in dict.fromkeys(self.seats)}
        return MixAgent(host.game, [made[label] for label in self.seats])


@kernel
def _movers(rules: Rules, views: States, seats: np.ndarray) -> None:
    """Writes the seat to move in every row."""
    for i in range(seats.size):
        seats[i] = current_seat(rules, views, i)


class MixAgent(Agent):
    """Lets another player move in every seat.

    Args:
        game: The game.
        agents: The player of each seat. One object may serve several seats.

    Raises:
        ValueError: The number of players is not that of the seats.
    """

    def __init__(self, game: Game, agents: Sequence[Agent]) -> None:
        if len(agents) != game.spec.num_seats:
            raise ValueError(
                f"{len(agents)} players for the seats of {game.spec.name}; expected "
                f"{game.spec.num_seats}"
            )
        self.game, self.agents, self.name = game, tuple(agents), "mix"

    def start(self, num_games: int, seed: int) -> None:
        """Prepares every player for games 0 .. num_games - 1, each object once, with random numbers
        of its own.
        """
        started: set[int] = set()
        for k, agent in enumerate(self.agents):
            if id(agent) not in started:
                started.add(id(agent))
                agent.start(num_games, int(streams(seed, 1, k)[0] >> np.uint64(1)))

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns the moves (int16 ``[n]``) of the players whose seats are to move."""
        seats, actions = np.empty(len(games), np.int8), np.empty(len(games), np.int16)
        _movers(self.game.rules, views, seats)
        for agent in {id(agent): agent for agent in self.agents}.values():
            rows = np.flatnonzero(
                np.isin(seats, [k for k, other in enumerate(self.agents) if other is agent])
            )
            if rows.size:
                actions[rows] = agent.act(games[rows], take(views, rows), records)
        return actions

    def answer(self, question: Question, limits: Limits) -> Decision:
        """Returns what the player of the seat says."""
        return self.agents[question.seat].answer(question, limits)
