"""What a player says of one position: its move, and as much of its reasons as it knows."""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from games.generic import nearest_listed
from games.interface import Game, Records
from games.rows import States, named
from games.table import Table

WINS, RETURN = "wp", "return"
"""Units of a value: the chance that the mover's team wins, in [0, 1]; its expected return in the
game's unit (points, chips).
"""
CHOSEN, FORCED, SURE_WIN = "chosen", "forced", "sure win"
"""Why a move is played: the player chose it; no other is legal; it wins in every world that the
player cannot tell apart.
"""


def known(number: float) -> float | None:
    """Returns a number, None for NaN."""
    return None if np.isnan(number) else float(number)


@dataclass(frozen=True)
class RootMove:
    """A move that a search considered.

    Attributes:
        move: Its text.
        prior: The probability that the policy network gave it.
        visits: Simulations that began with it.
        mean: Their mean result, in the unit of the decision; None without any.
        standard_error: Of the mean; None below two results, 0 where the mean is exact. The error of
            the networks themselves is not in it.
    """

    move: str
    prior: float
    visits: int
    mean: float | None
    standard_error: float | None


@dataclass(frozen=True)
class HiddenCards:
    """What a player believes of the cards that it does not see.

    Attributes:
        seats: The other seats, in turn from the next one on.
        kinds: Names of what they may hold: ranks, or whole hands.
        probabilities: ``[seat][kind][count]``, that a seat holds so many of a kind; seats and kinds
            in the order above.
        effective_samples: Effective sample size of the hands behind it; None where all are listed,
            or where there are none.
        listed: Whether all hands were listed: the numbers are then exact, up to the policies.
        prior_only: Whether this is what the deal and the cards played say, and not yet what the
            moves say.
    """

    seats: tuple[int, ...]
    kinds: tuple[str, ...]
    probabilities: list[list[list[float]]]
    effective_samples: float | None
    listed: bool
    prior_only: bool


@dataclass(frozen=True)
class Decision:
    """A move and its reasons; what the player does not know is None.

    Attributes:
        move: Its text.
        action: Its id.
        policy: A probability for each legal move, by its text: the move is drawn from these, or is
            the best by them.
        value: What the mover's team can expect, in ``unit``.
        value_error: Standard error of ``value``, that of the networks themselves not in it; 0 where
            it is exact.
        unit: WINS or RETURN.
        root: The moves that a search considered, in the order of the legal moves.
        hidden: What it believes of the hidden cards.
        playouts: Simulations that were made.
        reason: CHOSEN, FORCED or SURE_WIN.
        seconds: How long it took.
    """

    move: str
    action: int
    policy: dict[str, float] | None = None
    value: float | None = None
    unit: str | None = None
    root: tuple[RootMove, ...] | None = None
    hidden: HiddenCards | None = None
    playouts: int | None = None
    reason: str = CHOSEN
    seconds: float = 0.0
    value_error: float | None = None


Report = Callable[[Decision, int, int], None]
"""Told the decision so far, and how many playouts of how many are done."""


class Limits(NamedTuple):
    """How a decision may be watched and cut short; a player that does not search may ignore it.

    Attributes:
        report: Called from time to time.
        cancel: Whether to stop now, with what there is.
        deadline: A value of ``time.perf_counter`` to stop at.
    """

    report: Report | None = None
    cancel: Callable[[], bool] | None = None
    deadline: float | None = None


class Question(NamedTuple):
    """All that a player learns of a table.

    Attributes:
        game: The game.
        seat: Whose move it is.
        view: One row, the cards that the seat cannot see erased.
        records: One row, the moves as the seat saw them.
        legal: int16 ``[n]``, the listed legal actions, ascending.
        asked: int16 ``[m]``, those that are asked about, ascending; ``legal``, as a rule. Where
            moves carry amounts there may be others among them that the game allows; m is at most
            ``spec.max_legal``.
        stands_for: int16 ``[m]``, of each of ``asked`` the one in ``legal`` that stands for it, for
            policies that know no other.
        seed: For random choices. It follows from the player's seed and from what stands above.
    """

    game: Game
    seat: int
    view: States
    records: Records
    legal: np.ndarray
    asked: np.ndarray
    stands_for: np.ndarray
    seed: int

    @property
    def about_all(self) -> bool:
        """Returns whether every listed move is asked about, and no other."""
        return np.array_equal(self.asked, self.legal)

    def text(self, action: int) -> str:
        """Returns the text of an action."""
        return self.game.action_text(int(action))


def ask(table: Table, seed: int, moves: Iterable[str | int] | None = None) -> Question:
    """Returns what the seat to move may know.

    Args:
        table: The table.
        seed: Of the player.
        moves: Texts or actions to consider alone, amounts that are not listed included; None: all
            that are listed.

    Raises:
        ValueError: The game is over, a move is not legal, or there are none or too many.
    """
    game, seat = table.game, table.seat
    if table.is_over:
        raise ValueError("the game is over: there is nothing to decide")
    view, records = table.view(seat), table.seen(seat)
    legal = np.array([move.action for move in table.legal()], np.int16)
    asked = (
        legal
        if moves is None
        else np.unique(
            [game.parse_action(m) if isinstance(m, str) else int(m) for m in moves]
        ).astype(np.int16)
    )
    strange = [int(action) for action in asked if action not in legal]
    illegal = [game.action_text(action) for action in strange if not game.is_legal(view, action)]
    if not len(asked) or illegal:
        raise ValueError(
            f"moves: expected legal ones, at least one; got {', '.join(illegal) or 'none'}"
        )
    if len(asked) > game.spec.max_legal:
        raise ValueError(f"moves: {len(asked)} given; expected at most {game.spec.max_legal}")
    stands_for = asked
    if strange:
        listed = [nearest_listed(game.rules, view, 0, int(action)) for action in asked]
        stands_for = np.array(listed, np.int16)
    return Question(
        game, seat, view, records, legal, asked, stands_for, _seed(seed, seat, view, records, asked)
    )


def _seed(seed: int, seat: int, view: States, records: Records, asked: np.ndarray) -> int:
    """Returns a number below 2**63 that follows from the player's seed and from what it sees, and
    from nothing else.
    """
    digest = hashlib.sha256(f"{seed} {seat}".encode())
    for array in (
        *(array for _, array in named(view)),
        records.moves[0, : records.lengths[0]],
        asked,
    ):
        digest.update(np.ascontiguousarray(array).tobytes())
    return int.from_bytes(digest.digest()[:8], "little") >> 1
