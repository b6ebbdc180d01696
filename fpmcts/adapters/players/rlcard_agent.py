"""An agent of RLCard as a player; it needs RLCard (the extra ``interop``)."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fpmcts.adapters.players.foreign import ForeignAgent, calling, checked, function_of, the_extra
from fpmcts.adapters.rlcard_states import Shown, doudizhu, package, poker
from games.kernels.rows import States
from games.kernels.sources import module_sources
from games.play.agent import Agent
from games.play.interface import Game
from games.play.registry import Host, PlayerOptions, player

ENVIRONMENTS = {"doudizhu": "doudizhu", "leduc": "leduc-holdem", "limit_holdem": "limit-holdem"}
"""RLCard's names of games by ours."""


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
        with the_extra():
            return RLCardAgent(host.game, self.agent)

    def sources(self) -> list[Path]:
        """Returns the files of ``MODULE:FUNCTION``, and what they import."""
        module, is_function, _ = self.agent.partition(":")
        return module_sources(module) if is_function else []


class _Features(np.ndarray):
    """An array that RLCard's CFR agent can ask for ``tostring``, which numpy has dropped."""

    def tostring(self) -> bytes:
        return self.tobytes()


class RLCardAgent(ForeignAgent):
    """Asks agents of RLCard, one for each seat, through their ``eval_step``.

    Args:
        game: Doudizhu, Leduc or limit Hold'em for two.
        agent: See ``RLCardOptions``.

    Raises:
        ValueError: There is no such agent, or RLCard does not know the game.
    """

    def __init__(self, game: Game, agent: str) -> None:
        rlcard, kind = package(), game.spec.name
        if kind not in ENVIRONMENTS or (kind != "doudizhu" and game.spec.num_seats != 2):
            raise ValueError(
                f"agents of RLCard play {', '.join(ENVIRONMENTS)}, poker for two; not {kind}"
            )
        super().__init__(game, "rlcard")
        self.agent, self._env = agent, rlcard.make(ENVIRONMENTS[kind])
        if ":" in agent:
            make = function_of(agent, "agent")
            self._agents: list[Any] = [make(self._env, seat) for seat in range(game.spec.num_seats)]
        else:
            specs = rlcard.models.registration.model_registry.model_specs
            own = [name for name in specs if name.startswith(self._env.name)]
            if agent not in own:
                raise ValueError(
                    f"agent={agent!r}: expected one of {', '.join(own)}, or MODULE:FUNCTION"
                )
            self._agents = list(rlcard.models.load(agent).agents)

    def shown(self, views: States, row: int, moves: np.ndarray) -> Shown:
        """Returns a view as RLCard shows it.

        Args:
            views: Rows.
            row: The row to show.
            moves: int ``[n]``, the moves so far.
        """
        view = self.game.describe_view(views, row, moves)
        if self._env.name == "doudizhu":
            return doudizhu(view)
        first = getattr(self.game, "bets").first  # noqa: B009 (of poker, which this room does not know)
        return poker(view, first)

    def state(self, shown: Shown) -> dict[str, Any]:
        """Returns the state as extracted by RLCard's environment."""
        self._env.game.state = shown.raw
        self._env.action_recorder = shown.trace
        state: dict[str, Any] = self._env._extract_state(shown.raw)
        state["obs"] = state["obs"].view(_Features)
        return state

    def ask(self, number: int, seat: int, views: States, row: int, seen: np.ndarray) -> int:
        """Returns the move of a seat's agent. RLCard allows folding when there is nothing to pay,
        and its own agents do so; this counts as a check.
        """
        shown, agent = self.shown(views, row, seen), self._agents[seat]
        state, is_poker = self.state(shown), self._env.name != "doudizhu"
        who = f"agent {self.agent} of RLCard, seat {seat} of {self.game.spec.name}"
        with calling(who, self.seed_of(number)):
            answer = agent.eval_step(state)[0]
            # RLCard itself would turn illegal ids into other moves.
            names = self._env.actions if is_poker else self._env._ID_2_ACTION
            name = str(answer) if agent.use_raw else names[int(answer)]
        if is_poker and name == "fold" and name not in shown.moves:
            name = "check" if "check" in shown.moves else "call"
        checked(who, name, list(shown.moves))
        return self.game.parse_action(shown.moves[name])
