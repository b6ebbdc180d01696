"""Doudizhu by its options: the card play, or the whole game."""

from typing import Any

from games.base.settings import ConfigError, typed
from games.doudizhu.card_play import CardPlay
from games.doudizhu.whole_game import WholeGame


class Doudizhu(CardPlay):
    """The card play; where the options have an auction, calling this makes a ``WholeGame``."""

    def __new__(cls, options: CardPlay.Options = CardPlay.Options()) -> Any:  # noqa: B008 (frozen)
        """Returns the game. Raises ConfigError for rules of an auction without one."""
        if options.bidding != "none":
            return WholeGame(options)
        for key in ("doubling", "forced"):
            if value := getattr(options, key):
                raise ConfigError(
                    f"game.{key}={typed(value)}: needs an auction; set game.bidding=call or rob"
                )
        return super().__new__(cls)


GAME = Doudizhu
