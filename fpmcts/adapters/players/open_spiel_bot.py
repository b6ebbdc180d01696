"""A bot of OpenSpiel as a player; it needs OpenSpiel (the extra ``interop``)."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fpmcts.adapters.players.foreign import ForeignAgent, calling, checked, function_of, the_extra
from fpmcts.adapters.players.foreign_worlds import draw_game
from games.kernels.rows import States, take
from games.kernels.sources import module_sources
from games.play.agent import Agent
from games.play.interface import Game
from games.play.registry import Host, PlayerOptions, player


@player("open_spiel", games=["poker", "goofspiel", "phantom_tictactoe"], slow=True)
@dataclass
class OpenSpielOptions(PlayerOptions):
    """A bot of OpenSpiel.

    In Kuhn and Leduc it plays OpenSpiel's own game, otherwise our game wrapped for OpenSpiel.

    Attributes:
        bot: Name of a bot registered in OpenSpiel, such as ``uniform_random``; or
            ``MODULE:FUNCTION``, called as ``function(game, seat, seed)`` for each game and seat,
            with a ``pyspiel.Game``, and returning a ``pyspiel.Bot``.
    """

    bot: str = ""

    def make(self, host: Host) -> Agent:
        """Returns the player."""
        with the_extra():
            return OpenSpielAgent(host.game, self.bot)

    def sources(self) -> list[Path]:
        """Returns the files of ``MODULE:FUNCTION``, and what they import."""
        module, is_function, _ = self.bot.partition(":")
        return module_sources(module) if is_function else []


class OpenSpielAgent(ForeignAgent):
    """Asks bots, one for each game and seat.

    A bot gets a complete state, as in OpenSpiel. Hidden cards are sampled for every question,
    uniformly from those consistent with its view, so a bot that looks at them learns nothing.
    ``inform_action`` passes it the moves of the others, in games where all moves are seen.

    Args:
        game: A game whose deals can be listed.
        bot: See ``OpenSpielOptions``.

    Raises:
        ValueError: There is no such bot, or the deals of the game cannot be listed.
    """

    def __init__(self, game: Game, bot: str) -> None:
        import pyspiel  # an extra

        from fpmcts.adapters.open_spiel_games import load_game
        from fpmcts.adapters.open_spiel_players import OWN_GAMES, OpenSpielLine

        super().__init__(game, "open_spiel")
        self.bot, self._line = bot, OpenSpielLine
        ours = load_game(game)
        own = OWN_GAMES.get(game.spec.name)
        self._table = ours if own is None else pyspiel.load_game(own)
        if ":" in bot:
            self._make = function_of(bot, "bot")
        elif bot in pyspiel.registered_bots():
            self._make = lambda table, seat, seed: pyspiel.load_bot(
                bot, table, seat, {"seed": seed}
            )
        else:
            names = ", ".join(sorted(pyspiel.registered_bots()))
            raise ValueError(f"bot={bot!r}: expected one of {names}, or MODULE:FUNCTION")
        self._bots: dict[tuple[int, int], Any] = {}
        self._informed: dict[tuple[int, int], int] = {}

    def start(self, num_games: int, seed: int) -> None:
        """Forgets everything and prepares for games 0 .. ``num_games`` - 1."""
        super().start(num_games, seed)
        self._bots, self._informed = {}, {}

    def ask(self, number: int, seat: int, views: States, row: int, seen: np.ndarray) -> int:
        """Returns the move of the bot of a game and a seat, asked in a sampled game that looks the
        same to it.
        """
        view, rng = take(views, np.array([row])), self.rng[number : number + 1]
        deal, played = draw_game(self.game, view, seen, seat, rng)
        who = f"bot {self.bot} of OpenSpiel, seat {seat} of {self.game.spec.name}"
        key, line = (number, seat), self._line(self._table, deal)
        with calling(who, self.seed_of(number)):
            if key not in self._bots:
                self._bots[key] = self._make(self._table, seat, self.seed_of(number))
            bot, informed = self._bots[key], self._informed.get(key, 0)
            for ply, move in enumerate(played):
                mover, action = line.state.current_player(), line.action(move)
                if ply >= informed and mover != seat and not self.game.spec.has_private_moves:
                    bot.inform_action(line.state, mover, action)
                line.play(action)
            self._informed[key] = len(played)
            answer = bot.step(line.state)
        checked(who, answer, line.state.legal_actions())
        return line.move(int(answer))
