"""Every game as an environment of PettingZoo (its AEC interface, for turns)::

    from fpmcts.adapters.pettingzoo_env import env

    table = env("goofspiel", cards=4)
    table.reset(seed=1)
    for seat in table.agent_iter():
        observation, reward, ended, truncated, info = table.last()
        table.step(None if ended or truncated else info["moves"][0])

An observation holds the input planes of the networks and a mask of the listed legal actions; a
legal amount that is not listed, such as r500 in no-limit Hold'em, is accepted as well. The reward,
given at the end, is the return of the seat's team. Source: Terry et al., "PettingZoo: gym for
multi-agent reinforcement learning", 2021.
"""

from collections.abc import Mapping

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from games import make
from games.kernels.generic import observe
from games.play.interface import Game
from games.play.table import Table

RENDER_MODES = ("ansi", "human")


class GameEnv(AECEnv):  # type: ignore[misc]
    """A game of this project, one seat after the other.

    Args:
        game: The game, or its name.
        render_mode: "ansi": ``render`` returns text; "human": it prints; None: neither.
        options: Options of the game, if a name is given; ``observe=`` replaces its observations
            (``games.play.observer``).

    Attributes:
        table: The current game, after ``reset``.

    Raises:
        ValueError: The game, an option or the mode is unknown.
    """

    def __init__(self, game: Game | str, render_mode: str | None = None, **options: object) -> None:
        super().__init__()
        if render_mode not in (None, *RENDER_MODES):
            raise ValueError(
                f"render_mode={render_mode!r}: expected None or one of {', '.join(RENDER_MODES)}"
            )
        self.game = make(game, **options)
        spec = self.game.spec
        self.render_mode = render_mode
        self.metadata = {
            "name": f"{spec.name.replace('.', '_')}_v0",
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
            "render_fps": 1,
        }
        self.possible_agents = [f"{seat}_{name}" for seat, name in enumerate(spec.seat_names)]
        self._seat_of = {name: seat for seat, name in enumerate(self.possible_agents)}
        limits = np.iinfo(np.int8)
        planes = spaces.Box(limits.min, limits.max, spec.observation_shape, np.int8)
        self._seen = spaces.Dict(
            {"observation": planes, "action_mask": spaces.Box(0, 1, (spec.num_actions,), np.int8)}
        )
        self._actions = spaces.Discrete(spec.num_actions)
        self._random = np.random.default_rng()
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> spaces.Dict:
        """Returns the space of a seat's observations: int8 planes ``[C, L]``, and a mask of the
        actions.
        """
        return self._seen

    def action_space(self, agent: str) -> spaces.Discrete:
        """Returns the space of the actions."""
        return self._actions

    def reset(self, seed: int | None = None, options: Mapping[str, object] | None = None) -> None:
        """Deals a game. A seed makes this deal and the following ones reproducible; without a seed,
        the last sequence continues.
        """
        if seed is not None:
            self._random = np.random.default_rng(seed)
        self.table = Table(self.game, seed=int(self._random.integers(2**62)))
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, object]] = {}
        self._turn()  # a hand may be over at once: everybody all-in by the blinds

    def _turn(self) -> None:
        """Selects the seat to move and offers its moves; or ends the game."""
        if (returns := self.table.returns) is not None:
            self.rewards = {name: float(returns[self._seat_of[name]]) for name in self.agents}
            self.terminations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()
        self.agent_selection = self.possible_agents[max(self.table.seat, 0)]
        for name in self.agents:
            legal = self.table.legal() if self._seat_of[name] == self.table.seat else []
            self.infos[name] = {
                "moves": [move.action for move in legal],
                "texts": [move.text for move in legal],
            }

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Returns the observation of a seat; the mask is empty if it is not to move."""
        seat, spec = self._seat_of[agent], self.game.spec
        seen, mask = np.zeros(spec.observation_shape, np.int8), np.zeros(spec.num_actions, np.int8)
        if not self.table.is_over:
            observe(self.game.rules, self.table.view(seat), 0, seat, seen)
            if seat == self.table.seat:
                mask[[move.action for move in self.table.legal()]] = 1
        return {"observation": seen, "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Plays an action of the seat to move; None for a seat whose game is over.

        Raises:
            games.play.table.IllegalMove: The action is illegal. Nothing is changed.
        """
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        mover = self.agent_selection
        self.table.play(-1 if action is None else int(action))
        self._cumulative_rewards[mover] = 0.0
        self._clear_rewards()
        self._turn()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """Returns the moves so far and the view of the seat to move as text; with "human" it is
        printed.
        """
        if self.render_mode is None:
            return None
        view = self.table.describe()
        lines = [
            f"{name}: {value}"
            for name, value in view.items()
            if value is not None and name != "moves"
        ]
        text = "\n".join([f"moves: {' '.join(move.text for move in self.table.moves)}", *lines])
        if self.render_mode == "human":
            print(text)  # noqa: T201
            return None
        return text

    def close(self) -> None:
        """Does nothing: there is nothing to close."""


env = GameEnv
