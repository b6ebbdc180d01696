"""Values of moves in the worlds of the search, whatever a player thinks of them: after each move
``policy`` plays all seats to the end, in every world.

The worlds of all moves are the same, so that differences are paired. Errors are those over
worlds, without that of the particles they are drawn from. Our own networks judge: a player that
plays unlike them is judged by how they would go on.
"""

from collections.abc import Sequence

import numpy as np

from fpmcts.players import load_player
from fpmcts.players.luck import play_out, scored
from fpmcts.players.match_search import match_inference
from fpmcts.players.trained import checkpoint_of, load_trained
from games.kernels import streams
from games.kernels.generic import step
from games.kernels.rows import States, concatenate, take
from games.play.interface import Game
from games.play.table import Move, Table


class Judge:
    """Values moves of a game with weights (``models/``).

    Args:
        game: The game.
        playouts: Playouts of the search whose particles are drawn.
    """

    def __init__(self, game: Game, playouts: int) -> None:
        self.policy = load_player("policy", game)
        trained = load_trained(checkpoint_of(game, None), game.spec.name)
        self.win_only = trained.objective == "wp"
        inference = match_inference(trained.inference, playouts, {})
        self._determinizer = trained.determinizer_maker(inference)(1)

    def worlds(self, table: Table, count: int, seed: int) -> States:
        """Returns worlds that the seat to move at a table cannot tell apart from it, drawn as by a
        search.
        """
        lanes, seat = np.zeros(1, np.int64), table.seat
        self._determinizer.reset(lanes)
        view, seen = table.view(seat), table.seen(seat)
        return self._determinizer.worlds(lanes, view, seen, streams(seed, 1), count)[0]

    def values(self, table: Table, moves: Sequence[Move], worlds: States, seed: int) -> np.ndarray:
        """Returns what each of M moves is worth to the seat to move in each of W worlds: float64
        ``[M, W]``, 1 for a win and 0 for a loss if only winning counts, else returns.
        """
        game, rows = table.game, np.arange(len(worlds[0]))
        after = []
        for move in moves:
            states = take(worlds, rows)
            for row in range(len(rows)):
                step(game.rules, states, row, move.action)
            after.append(states)
        returns = play_out(game, self.policy, concatenate(after), seed)
        return scored(returns, self.win_only)[:, table.seat].reshape(len(moves), len(rows))
