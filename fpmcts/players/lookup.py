"""Players by name, with options, for ``a=fpmcts a.playouts=600`` and ``load_player("fpmcts", game,
playouts=600)``.

A player is a file in ``fpmcts/players``, ``fpmcts/adapters/players`` if it comes from outside,
``fpmcts/no_limit_holdem``, or ``games/GAME/players`` if it follows the rules of one game.
"""

from collections.abc import Mapping

from games.base.settings import did_you_mean
from games.play.interface import Game
from games.play.registry import PLAYERS, Entrant, Host, PlayerError, discover, discover_of_games

__all__ = ["PLAYERS", "Entrant", "Host", "PlayerError", "entrants_of", "names"]

discover_of_games()
discover("fpmcts.players")
discover("fpmcts.adapters.players")
discover("fpmcts.no_limit_holdem")


def names(game: str) -> tuple[str, ...]:
    """Returns the players that can play a game."""
    return tuple(name for name, options in PLAYERS.items() if options.plays(game))


def entrants_of(name: str, game: Game, options: Mapping[str, object]) -> dict[str, Entrant]:
    """Returns a player with its checked options, and the players that it needs, by name.

    Raises:
        ValueError: The player or an option is unknown, or the player does not play the game.
    """
    entrants: dict[str, Entrant] = {}

    def add(kind: str, given: Mapping[str, object]) -> None:
        if kind not in (able := names(game.spec.name)):
            raise ValueError(
                f"player {kind!r}: expected one of {', '.join(able)}, which play {game.spec.name}"
                f"{did_you_mean(kind, able)}"
            )
        entrants[kind] = Entrant(PLAYERS[kind].parse(given, f"{kind}."), kind)
        for other in entrants[kind].options.needs():
            if other == name:
                raise ValueError(f"{name} cannot play in itself")
            if other not in entrants:
                add(other, {})

    add(name, options)
    return entrants
