"""Players by name, with options: what ``a=fpmcts a.playouts=600`` means, and
``load_player("fpmcts", game, playouts=600)``.

A player is a file in one of the rooms ``fpmcts/players``, ``games/doudizhu/players``,
``games/poker/players``, ``fpmcts/players``.
"""

from collections.abc import Mapping
from typing import Any

from games.agent import Agent
from games.interface import Game
from games.registry import PLAYERS, Entrant, Host, PlayerError, discover, discover_of_games

__all__ = ["PLAYERS", "Entrant", "Host", "PlayerError", "load", "names"]

discover_of_games()
discover("fpmcts.players")


def names(game: str) -> tuple[str, ...]:
    """Returns the players that can play a game."""
    return tuple(name for name, options in PLAYERS.items() if options.plays(game))


def load(name: str, game: Game, *, seed: int, device: str, **options: Any) -> Agent:
    """Returns a player; see ``fpmcts.players.load_player``."""
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
