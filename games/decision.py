"""A player's answer for one position: its move, and as many of its reasons as it knows."""

from dataclasses import dataclass, field

import numpy as np

from games.notebook import html_table

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
