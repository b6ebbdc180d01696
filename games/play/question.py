"""A question to a player: everything that it learns about a table, and how long it may think."""

import hashlib
from collections.abc import Callable, Iterable
from operator import index
from typing import NamedTuple

import numpy as np

from games.kernels.generic import nearest_listed
from games.kernels.rows import States, named
from games.play.decision import Decision
from games.play.interface import Game, Records
from games.play.table import Table

Report = Callable[[Decision, int, int], None]
"""Called with the decision so far, the playouts done and the playouts planned."""


class Limits(NamedTuple):
    """Progress reports and limits of a decision; a player that does not search may ignore them.

    Attributes:
        report: Called from time to time.
        cancel: Returns whether to stop now, with the result so far.
        deadline: Time of ``time.perf_counter`` at which to stop.
    """

    report: Report | None = None
    cancel: Callable[[], bool] | None = None
    deadline: float | None = None


class Question(NamedTuple):
    """Everything that a player learns about a table.

    Attributes:
        game: The game.
        seat: The seat to move.
        view: One row, the cards that the seat cannot see erased.
        records: One row, the moves as the seat saw them.
        legal: int16 ``[n]``, the listed legal actions, ascending.
        asked: int16 ``[m]``, the actions to consider, ascending; usually ``legal``. They may
            include unlisted amounts that the game allows; m is at most ``spec.max_legal``.
        stands_for: int16 ``[m]``, for each of ``asked`` its stand-in in ``legal``, for policies
            that know only listed actions.
        seed: Seed of random choices, derived from the player's seed and the fields above.
        knows_moves: Whether ``records`` has all moves since the deal; else those that led to the
            position are unknown.
    """

    game: Game
    seat: int
    view: States
    records: Records
    legal: np.ndarray
    asked: np.ndarray
    stands_for: np.ndarray
    seed: int
    knows_moves: bool = True

    @property
    def about_all(self) -> bool:
        """Returns whether exactly the listed moves are to be considered."""
        return np.array_equal(self.asked, self.legal)

    def text(self, action: int) -> str:
        """Returns the text of an action."""
        return self.game.action_text(int(action))


def ask(table: Table, seed: int, moves: Iterable[str | int] | None = None) -> Question:
    """Returns the question to the seat to move.

    Args:
        table: The table.
        seed: Seed of the player.
        moves: Texts or actions to restrict the question to, unlisted amounts allowed; None: all
            listed actions.

    Raises:
        ValueError: The game is over, a move is not legal, or there are no moves or too many.
        TypeError: A move is neither a text nor an integer.
    """
    game, seat = table.game, table.seat
    if table.is_over:
        raise ValueError("the game is over; there is nothing to decide")
    view, records = table.view(seat), table.seen(seat)
    legal = np.array([move.action for move in table.legal()], np.int16)
    listed, given = {*legal.tolist()}, legal.tolist()
    if moves is not None:
        given = sorted({game.parse_action(m) if isinstance(m, str) else index(m) for m in moves})
    strange = [action for action in given if action not in listed]
    illegal = [
        game.action_text(action) if 0 <= action < game.spec.num_actions else str(action)
        for action in strange
        if not game.is_legal(view, action)
    ]
    if not given or illegal:
        raise ValueError(
            f"moves: expected legal ones, at least one; got {', '.join(illegal) or 'none'}"
        )
    asked = np.array(given, np.int16)
    if len(asked) > game.spec.max_legal:
        raise ValueError(f"moves: {len(asked)} given; expected at most {game.spec.max_legal}")
    stands_for = asked
    if strange:
        stand_ins = [nearest_listed(game.rules, view, 0, action) for action in given]
        stands_for = np.array(stand_ins, np.int16)
    own_seed = _seed(seed, seat, view, records, asked)
    return Question(
        game, seat, view, records, legal, asked, stands_for, own_seed, table.knows_moves
    )


def _seed(seed: int, seat: int, view: States, records: Records, asked: np.ndarray) -> int:
    """Returns a number below 2**63 derived only from the player's seed and from what it sees."""
    digest = hashlib.sha256(f"{seed} {seat}".encode())
    for array in (
        *(array for _, array in named(view)),
        records.moves[0, : records.lengths[0]],
        asked,
    ):
        digest.update(np.ascontiguousarray(array).tobytes())
    return int.from_bytes(digest.digest()[:8], "little") >> 1
