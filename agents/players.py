"""Players by name, with options: what ``a=fpmcts a.playouts=600`` means, and
``load_player("fpmcts", game, playouts=600)``.

A player is a file in one of the rooms ``agents/general``, ``agents/doudizhu``, ``agents/poker``,
``agents/foreign``.
"""

from collections.abc import Mapping
from pkgutil import iter_modules
from typing import Any

import agents
from agents.agent import Agent
from agents.registry import PLAYERS, Entrant, Host, PlayerError, discover
from games.interface import Game

__all__ = ["PLAYERS", "Entrant", "Host", "PlayerError", "load", "names"]

for room in iter_modules(agents.__path__, "agents."):
    if room.ispkg:
        discover(room.name)


def names(game: str) -> tuple[str, ...]:
    """Returns the players that can play a game."""
    return tuple(name for name, options in PLAYERS.items() if options.plays(game))


def load(name: str, game: Game, *, seed: int, device: str, **options: Any) -> Agent:
    """Returns a player; see ``agents.load_player``."""
    entrants: dict[str, Entrant] = {}

    def add(kind: str, given: Mapping[str, Any]) -> None:
        if kind not in (able := names(game.spec.name)):
            raise ValueError(
                f"player {kind!r}: expected one of {', '.join(able)}, which play {game.spec.name}"
            )
        entrants[kind] = Entrant(PLAYERS[kind].parse(given, f"{kind}."), kind)
        for other in entrants[kind].options.needs():
            if other == name:
                raise ValueError(f"{name} cannot play in itself")
            if other not in entrants:
                add(other, {})

    add(name, options)
    agent = Host(game, entrants, device, lanes=16).make(name)
    agent.seed = seed
    return agent
