"""A bot of OpenSpiel as a player; it needs OpenSpiel (the extra ``interop``)."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.agent import Agent
from agents.foreign.calling import calling, drawn_seed, function_of, the_extra
from agents.foreign.worlds import draw_game
from agents.general.external import ExternalPlayerError
from agents.registry import Host, PlayerOptions, player
from games.batches import States, take
from games.interface import Game, Records, seats_to_move
from games.kernels import streams


@player("open_spiel", games=["poker", "goofspiel", "phantom_tictactoe"], slow=True)
@dataclass
class OpenSpielOptions(PlayerOptions):
    """A bot of OpenSpiel. In Kuhn and Leduc it sits at OpenSpiel's own game, elsewhere at ours in
    OpenSpiel.

    Attributes:
        bot: Name of one that OpenSpiel registers, such as ``uniform_random``; or
            ``MODULE:FUNCTION``, called as ``function(game, seat, seed)`` for each game and seat,
            with a ``pyspiel.Game``, and returning a ``pyspiel.Bot``.
    """

    bot: str = ""

    def make(self, host: Host) -> Agent:
        """Returns the player."""
        if not self.bot:
            raise ValueError("expected bot=NAME or bot=MODULE:FUNCTION, a bot of OpenSpiel")
        with the_extra():
            return OpenSpielAgent(host.game, self.bot)


class OpenSpielAgent(Agent):
    """Asks bots, one for each game and seat.

    A bot is handed a whole state, as OpenSpiel does. What its seat cannot see is drawn anew for
    every question, evenly from all that it cannot rule out, so a bot that looks at hidden cards
    learns nothing. ``inform_action`` tells it the moves of the others, in games where all moves are
    seen.

    Args:
        game: One whose deals can be listed.
        bot: See ``OpenSpielOptions``.

    Raises:
        ValueError: There is no such bot, or the deals of the game cannot be listed.
    """

    def __init__(self, game: Game, bot: str) -> None:
        import pyspiel  # an extra

        from interop.open_spiel_games import load_game
        from interop.open_spiel_players import OWN_GAMES, Line, offset

        self.game, self.bot, self.name = game, bot, "open_spiel"
        self._line, self._offset, self._load = Line, offset, pyspiel.load_bot
        ours = load_game(game)
        own = OWN_GAMES.get(game.spec.name)
        self._table = ours if own is None else pyspiel.load_game(own)
        if ":" not in bot and bot not in pyspiel.registered_bots():
            names = ", ".join(sorted(pyspiel.registered_bots()))
            raise ValueError(f"bot={bot!r}: expected one of {names}, or MODULE:FUNCTION")
        self._make = function_of(bot, "bot") if ":" in bot else self._registered
        self._rng = np.zeros(0, np.uint64)
        self._bots: dict[tuple[int, int], Any] = {}
        self._told: dict[tuple[int, int], int] = {}

    def _registered(self, game: Any, seat: int, seed: int) -> Any:
        return self._load(self.bot, game, seat, {"seed": seed})

    def start(self, num_games: int, seed: int) -> None:
        """Forgets everything; the games to come are 0 .. ``num_games`` - 1."""
        self._rng = streams(seed, num_games)
        self._bots, self._told = {}, {}

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns the bots' moves (int16 ``[n]``).

        Raises:
            ExternalPlayerError: A bot failed, or its move is not legal.
        """
        moves = np.empty(len(games), np.int16)
        for k, (number, seat) in enumerate(
            zip(games.tolist(), seats_to_move(self.game, views).tolist(), strict=True)
        ):
            rng = self._rng[number : number + 1]
            seen = records.moves[number, : records.lengths[number]]
            deal, played = draw_game(self.game, take(views, np.array([k])), seen, seat, rng)
            moves[k] = self._ask(number, seat, deal, played, rng)
        return moves

    def _ask(self, number: int, seat: int, deal: States, played: list[int], rng: np.ndarray) -> int:
        """Returns the move of the bot of a game and a seat, in a game that it cannot tell from that
        one.
        """
        told = f"bot {self.bot} of OpenSpiel, seat {seat} of {self.game.spec.name}"
        key, line = (number, seat), self._line(self._table, deal)
        with calling(told, drawn_seed(rng, 0)):
            if key not in self._bots:
                self._bots[key], self._told[key] = (
                    self._make(self._table, seat, drawn_seed(rng, 0)),
                    0,
                )
            bot, informed = self._bots[key], self._told[key]
            for ply, move in enumerate(played):
                mover, action = line.state.current_player(), line.action(move)
                if ply >= informed and mover != seat and not self.game.spec.has_private_moves:
                    bot.inform_action(line.state, mover, action)
                line.play(action)
            self._told[key] = len(played)
            answer = bot.step(line.state)
        legal = line.state.legal_actions()
        if answer not in legal:
            raise ExternalPlayerError(
                f"{told}: it answered {answer!r}, expected one of {legal}, the legal actions"
            )
        return int(answer) + self._offset(line.state)
