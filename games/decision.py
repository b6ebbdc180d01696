"""A player's answer for one position: its move, and as many of its reasons as it knows."""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from games.generic import nearest_listed
from games.interface import Game, Records
from games.notebook import html_table
from games.rows import States, named
from games.table import Table

WINS, RETURN = "wp", "return"
"""Units of a value: the probability that the mover's team wins, in [0, 1]; its expected return in
the game's unit (points, chips).
"""
CHOSEN, FORCED, SURE_WIN, SOLVED = "chosen", "forced", "sure win", "solved"
"""Why a move is played: the player chose it; it is the only legal one; it wins in every world that
is possible from the player's view; solved with all hands open, it wins in clearly more of the
likely worlds than the move that the player would choose.
"""

SHOWN = 5
"""Moves that ``print(decision)`` lists."""


def known(number: float) -> float | None:
    """Returns a number, None for NaN."""
    return None if np.isnan(number) else float(number)


@dataclass(frozen=True)
class RootMove:
    """A move that a search considered.

    Attributes:
        move: Its text.
        prior: Its probability without search, by the network or the table; None if the player has
            neither.
        visits: Simulations that start with it.
        mean: Their mean result, in the unit of the decision; None without any.
        standard_error: Standard error of the mean; None below two results, 0 if the mean is exact.
            It does not include the error of the networks.
    """

    move: str
    prior: float | None
    visits: int
    mean: float | None
    standard_error: float | None


@dataclass(frozen=True)
class HiddenCards:
    """A player's beliefs about the cards that it does not see.

    Attributes:
        seats: The other seats, in turn from the next one on.
        kinds: Names of what they may hold: ranks, or whole hands.
        probabilities: ``[seat][kind][count]``, the probability that a seat holds this many of a
            kind; seats and kinds in the order above.
        effective_samples: Effective sample size of the sampled hands; None if all are listed or
            there are none.
        listed: Whether all hands were listed; the numbers are then exact, given the policies.
        prior_only: Whether only the deal and the cards played count, and not yet the choice of
            moves.
    """

    seats: tuple[int, ...]
    kinds: tuple[str, ...]
    probabilities: list[list[list[float]]]
    effective_samples: float | None
    listed: bool
    prior_only: bool


@dataclass(frozen=True)
class Decision:
    """A move and its reasons; unknown fields are None.

    Attributes:
        move: Its text.
        action: Its id.
        policy: A probability for each legal move, by its text; the move is drawn from these or
            maximises them, unless an endgame was solved.
        value: Expectation of the mover's team, in ``unit``.
        value_error: Standard error of ``value``, without that of the networks; 0 if exact.
        unit: WINS or RETURN.
        root: The moves that a search considered, in the order of the legal moves.
        hidden: Its beliefs about the hidden cards.
        playouts: Number of simulations.
        reason: CHOSEN, FORCED, SURE_WIN or SOLVED.
        seconds: Time taken.
    """

    move: str
    action: int
    policy: dict[str, float] | None = field(default=None, repr=False)
    value: float | None = None
    unit: str | None = None
    root: tuple[RootMove, ...] | None = field(default=None, repr=False)
    hidden: HiddenCards | None = field(default=None, repr=False)
    playouts: int | None = None
    reason: str = CHOSEN
    seconds: float = 0.0
    value_error: float | None = None

    def summary(self) -> str:
        """Returns the move and its value in one line."""
        reason = "" if self.reason == CHOSEN else f", {self.reason}"
        if self.value is None:
            return f"{self.move}{reason}"
        meaning = "chance to win" if self.unit == WINS else "expected return"
        after = f", after {self.playouts} playouts" if self.playouts else ""
        value = self._number(self.value, self.value_error)
        of = "" if self.root else " of the position"
        return f"{self.move}{reason}: {meaning}{of} {value}{after}"

    def rows(self) -> list[dict[str, str]]:
        """Returns a row of texts for each move that a search considered, the most visited first, or
        else for each legal move, the most likely first: ``move``, of a search ``value`` and
        ``visits``, and ``policy``.
        """
        policy = self.policy or {}
        if self.root:
            return [
                {
                    "move": root.move,
                    "value": self._number(root.mean, root.standard_error),
                    "visits": str(root.visits),
                    "policy": f"{policy.get(root.move, 0.0):.3f}",
                }
                for root in sorted(self.root, key=lambda root: -root.visits)
            ]
        likely = sorted(policy.items(), key=lambda pair: -pair[1])
        return [{"move": move, "policy": f"{share:.3f}"} for move, share in likely]

    def _number(self, mean: float | None, error: float | None) -> str:
        """Returns a value and its standard error in the unit of the decision."""
        scale, unit = (100.0, " %") if self.unit == WINS else (1.0, "")
        if mean is None:
            return ""
        return f"{scale * mean:.2f}{unit}" + ("" if error is None else f" ± {scale * error:.2f}")

    def text(self, most: int | None = None) -> str:
        """Returns the summary and the table of the moves, or of the first ``most`` of them."""
        rows, lines = self.rows(), [self.summary()]
        if rows:
            widths = {"move": 22, "value": 20, "visits": 9, "policy": 9}
            for row in [{name: name for name in rows[0]}, *rows[:most]]:
                cells = [f"{row['move']:22}", *(f"{row[k]:>{widths[k]}}" for k in [*row][1:])]
                lines.append("".join(cells))
        if most is not None and len(rows) > most:
            lines.append(f"… and {len(rows) - most} more moves")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text(SHOWN)

    def _repr_html_(self) -> str:
        return html_table(self.summary(), self.rows()[:SHOWN])


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
    """
    game, seat = table.game, table.seat
    if table.is_over:
        raise ValueError("the game is over; there is nothing to decide")
    view, records = table.view(seat), table.seen(seat)
    legal = np.array([move.action for move in table.legal()], np.int16)
    listed, given = {*legal.tolist()}, legal.tolist()
    if moves is not None:
        given = sorted({game.parse_action(m) if isinstance(m, str) else int(m) for m in moves})
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
    return Question(
        game, seat, view, records, legal, asked, stands_for, _seed(seed, seat, view, records, asked)
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
