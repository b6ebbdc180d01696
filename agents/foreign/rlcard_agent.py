"""An agent of RLCard as a player; it needs RLCard (the extra ``interop``)."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.agent import Agent
from agents.foreign.calling import calling, drawn_seed, function_of, the_extra
from agents.general.external import ExternalPlayerError
from agents.registry import Host, PlayerOptions, player
from games.batches import States
from games.interface import Game, Records, seats_to_move
from games.kernels import streams
from interop.rlcard_states import Shown, doudizhu, poker

ENVIRONMENTS = {"doudizhu": "doudizhu", "leduc": "leduc-holdem", "limit_holdem": "limit-holdem"}
"""RLCard's names of games, by ours."""


@player("rlcard", games=["doudizhu", "poker"], slow=True)
@dataclass
class RLCardOptions(PlayerOptions):
    """An agent of RLCard.

    Attributes:
        agent: Name of a model of RLCard, such as ``doudizhu-rule-v1``; or ``MODULE:FUNCTION``,
            called as ``function(env, seat)`` for each seat, with RLCard's environment, and
            returning an object with ``eval_step(state)`` and ``use_raw``.
    """

    agent: str = ""

    def make(self, host: Host) -> Agent:
        """Returns the player."""
        if not self.agent:
            raise ValueError("expected agent=NAME or agent=MODULE:FUNCTION, an agent of RLCard")
        with the_extra():
            return RLCardAgent(host.game, self.agent)


class _Features(np.ndarray):
    """An array that RLCard's CFR agent can ask for ``tostring``, which numpy has dropped."""

    def tostring(self) -> bytes:
        return self.tobytes()


class RLCardAgent(Agent):
    """Asks agents of RLCard, one for each seat, for what their ``eval_step`` says.

    Args:
        game: Doudizhu, Leduc or limit Hold'em for two.
        agent: See ``RLCardOptions``.

    Raises:
        ValueError: There is no such agent, or RLCard does not know the game.
    """

    def __init__(self, game: Game, agent: str) -> None:
        with (
            warnings.catch_warnings()
        ):  # it reads versions by a module that Python is about to drop
            warnings.simplefilter("ignore")
            import rlcard

        kind = game.spec.name
        if kind not in ENVIRONMENTS or (kind != "doudizhu" and game.spec.num_seats != 2):
            raise ValueError(
                f"agents of RLCard play {', '.join(ENVIRONMENTS)}, poker for two; not {kind}"
            )
        self.game, self.agent, self.name = game, agent, "rlcard"
        self._env = rlcard.make(ENVIRONMENTS[kind])
        if ":" in agent:
            make = function_of(agent, "agent")
            self._agents = [make(self._env, seat) for seat in range(game.spec.num_seats)]
        else:
            self._agents = list(self._model().agents)
        for found in self._agents:
            if not hasattr(found, "eval_step") or not hasattr(found, "use_raw"):
                raise ValueError(
                    f"agent={agent!r}: a {type(found).__name__} has no eval_step and use_raw"
                )
        self._rng = np.zeros(0, np.uint64)

    def _model(self) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from rlcard import models
        own = [
            name
            for name in models.registration.model_registry.model_specs
            if name.startswith(self._env.name)
        ]
        if self.agent not in own:
            raise ValueError(
                f"agent={self.agent!r}: expected one of {', '.join(own)}, or MODULE:FUNCTION"
            )
        return models.load(self.agent)

    def start(self, num_games: int, seed: int) -> None:
        """Forgets everything; the games to come are 0 .. ``num_games`` - 1."""
        self._rng = streams(seed, num_games)

    def shown(self, views: States, row: int, moves: np.ndarray) -> Shown:
        """Returns what RLCard shows of a view. Args: views: Rows. row: The row. moves: int ``[n]``,
        the moves so far.
        """
        view = self.game.describe_view(views, row, moves)
        if self._env.name == "doudizhu":
            return doudizhu(view)
        first = getattr(self.game, "bets").first  # noqa: B009 (of poker, which this room does not know)
        return poker(view, first)

    def state(self, shown: Shown) -> dict[str, Any]:
        """Returns the state that RLCard's environment extracts."""
        self._env.game.state = shown.raw
        self._env.action_recorder = shown.trace
        state: dict[str, Any] = self._env._extract_state(shown.raw)
        state["obs"] = state["obs"].view(_Features)
        return state

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns the agents' moves (int16 ``[n]``).

        Raises:
            ExternalPlayerError: An agent failed, or its move is not legal.
        """
        moves = np.empty(len(games), np.int16)
        for k, (number, seat) in enumerate(
            zip(games.tolist(), seats_to_move(self.game, views).tolist(), strict=True)
        ):
            shown = self.shown(views, k, records.moves[number, : records.lengths[number]])
            state = self.state(shown)
            told, agent = (
                f"agent {self.agent} of RLCard, seat {seat} of {self.game.spec.name}",
                self._agents[seat],
            )
            with calling(told, drawn_seed(self._rng, number)):
                answer = agent.eval_step(state)[0]
                name = str(answer) if agent.use_raw else self._named(int(answer))
            if name == "fold" and name not in shown.moves and self._env.name != "doudizhu":
                name = (
                    "check" if "check" in shown.moves else "call"
                )  # RLCard lets players fold where nothing is to pay; its own do
            if name not in shown.moves:
                raise ExternalPlayerError(
                    f"{told}: it answered {answer!r}, expected one of {', '.join(shown.moves)}"
                )
            moves[k] = self.game.parse_action(shown.moves[name])
        return moves

    def _named(self, action: int) -> str:
        """Returns the name of an action id; RLCard's own way makes other moves of illegal ones."""
        names: Sequence[str] = (
            self._env._ID_2_ACTION if self._env.name == "doudizhu" else self._env.actions
        )
        return names[action]
