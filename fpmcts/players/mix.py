"""Different players in the seats of one team, to study partners."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from games.kernels import streams
from games.kernels.rows import States, take
from games.play.agent import Agent, keepers
from games.play.decision import Decision
from games.play.interface import Game, Records, seats_to_move
from games.play.question import Limits, Question
from games.play.registry import Host, PlayerOptions, player


@player("mix", slow=True)
@dataclass
class MixOptions(PlayerOptions):
    """Different players in the seats; none of them learns about the others during a match.

    Attributes:
        seats: The labels of players, in the order of the seats.
    """

    seats: list[str] = field(default_factory=list)

    def needs(self) -> list[str]:
        """Returns the players in the seats."""
        return self.seats

    def make(self, host: Host) -> Agent:
        """Returns the mix; a player in several seats is one object."""
        made = {label: host.make(label) for label in dict.fromkeys(self.seats)}
        return MixAgent(host.game, [made[label] for label in self.seats])


class MixAgent(Agent):
    """Delegates each seat to its own player.

    Args:
        game: The game.
        agents: The player of each seat. One object may serve several seats.

    Raises:
        ValueError: The number of players differs from the number of seats.
    """

    def __init__(self, game: Game, agents: Sequence[Agent]) -> None:
        if len(agents) != game.spec.num_seats:
            raise ValueError(
                f"{len(agents)} players for the seats of {game.spec.name}; expected "
                f"{game.spec.num_seats}"
            )
        self.game, self.agents, self.name = game, tuple(agents), "mix"
        self._keepers = keepers(agents)
        self.most_games = min((agent.most_games for agent in self._keepers), default=sys.maxsize)

    def start(self, num_games: int, seed: int) -> None:
        """Prepares every player for games 0 .. num_games - 1, each object once, with its own random
        numbers.
        """
        for k, agent in enumerate(self.agents):
            if all(agent is not other for other in self.agents[:k]):
                agent.start(num_games, int(streams(seed, 1, k)[0] >> np.uint64(1)))

    def end(self, games: Sequence[int]) -> None:
        """Makes the players forget finished games."""
        for agent in self._keepers:
            agent.end(games)

    def close(self) -> None:
        """Stops the programs of external players."""
        for agent in self.agents:
            getattr(agent, "close", lambda: None)()

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns the moves (int16 ``[n]``) of the players whose seats are to move."""
        seats, actions = seats_to_move(self.game, views), np.empty(len(games), np.int16)
        for agent in {id(agent): agent for agent in self.agents}.values():
            own = np.array([other is agent for other in self.agents])
            rows = np.flatnonzero(own[seats])
            if rows.size:
                actions[rows] = agent.act(games[rows], take(views, rows), records)
        return actions

    def answer(self, question: Question, limits: Limits) -> Decision:
        """Returns the decision of the seat's player."""
        return self.agents[question.seat].answer(question, limits)
