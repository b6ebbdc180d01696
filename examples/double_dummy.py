"""The exact solver of endgames of Doudizhu, for positions from Python::

    solver = DoubleDummySolver(make("doudizhu"))
    solver.values(table.states)

A file to import; it has no command line.
"""

import numpy as np

from games.doudizhu.cards import HAND_SIZES, unpack
from games.doudizhu.moves import Rules
from games.doudizhu.solver.double_dummy import TABLE_BITS, Solver, forget, new_solver, solve
from games.doudizhu.state import States
from games.kernels import kernel
from games.kernels.rows import num_rows
from games.play.interface import Game


@kernel
def _solve_all(
    rules: Rules, solver: Solver, states: States, points: bool, max_nodes: int, values: np.ndarray
) -> None:
    """Writes the value of every lane (float64 ``[B]``)."""
    for i in range(len(values)):
        values[i] = solve(rules, solver, states, i, points, max_nodes)


class DoubleDummySolver:
    """Solves endgames of Doudizhu with all hands open.

    Args:
        game: Doudizhu.
        points: What counts: points, 2^bombs to the winner, or (False) the win alone.
        max_nodes: Nodes per position.
        table_bits: Size of the transposition table: 2^bits positions of 40 bytes.
    """

    def __init__(
        self,
        game: Game,
        points: bool = False,
        max_nodes: int = 1_000_000,
        table_bits: int = TABLE_BITS,
    ) -> None:
        self.game, self.points, self.max_nodes = game, points, max_nodes
        self._solver = new_solver(table_bits)

    def forget(self) -> None:
        """Empties the table, so that the nodes that a position takes do not depend on those
        before.
        """
        forget(self._solver)

    def values(self, states: States) -> np.ndarray:
        """Returns the landlord's values (float64 ``[B]``) in units of the current stake; 0 where
        ``max_nodes`` did not suffice.

        Args:
            states: Running games with all hands open.

        Raises:
            ValueError: A row is over, or a hand is not what the cards played leave.
        """
        sizes = np.array(HAND_SIZES) - unpack(states.played).sum(axis=-1, dtype=np.int64)
        wrong = np.flatnonzero(
            (unpack(states.hands).sum(axis=-1, dtype=np.int64) != sizes).any(axis=1)
            | (states.winner >= 0)
        )
        if wrong.size:
            raise ValueError(
                f"rows {wrong[:5].tolist()}: expected running games with all hands open; "
                "views cannot be solved"
            )
        values = np.empty(num_rows(states))
        _solve_all(self.game.rules, self._solver, states, self.points, self.max_nodes, values)
        return values
