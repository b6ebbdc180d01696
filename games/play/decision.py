"""A player's answer for one position: its move, and as many of its reasons as it knows."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from games.base.estimate import Estimate, total
from games.play.notebook import html_table

WINS, RETURN = "wp", "return"
"""Units of a value: the probability that the mover's team wins, in [0, 1]; its expected return in
the game's unit (points, chips).
"""
CHOSEN, FORCED, SURE_WIN, SOLVED = "chosen", "forced", "sure win", "solved"
"""Why a move is played: the player chose it; it is the only legal one; it wins in every world that
is possible from the player's view; solved with all hands open, it wins in clearly more of the
likely worlds than the move that the player would choose.
"""

EVEN = {WINS: 0.0005, RETURN: 0.005}
"""Exact values that differ by at most so much count as equal: stored tables are only close to an
equilibrium.
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
        standard_error: Standard error of the mean; None if unknown, 0 if the mean is exact. It does
            not include the error of the networks.
    """

    move: str
    prior: float | None
    visits: int
    mean: float | None
    standard_error: float | None

    @property
    def value(self) -> Estimate | None:
        """Returns the mean with its error (NaN if unknown); None without a mean."""
        error = np.nan if self.standard_error is None else self.standard_error
        return None if self.mean is None else Estimate(self.mean, error, self.visits)


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


class Why(NamedTuple):
    """Why a move is recommended.

    Attributes:
        case: FORCED, SURE_WIN or SOLVED; ``mix`` if exact values of several moves are equal; else
            what became of the likeliest move without search: it is the ``same``, or ``alone`` was
            tried, it is as good within the error (``close``), or the recommended one is
            ``better``.
        move: That likeliest move.
        prior: Its probability without search.
        equal: Number of moves equal to the recommended one, itself included.
        playouts: Playouts of the search.
    """

    case: str
    move: str = ""
    prior: float | None = None
    equal: int = 0
    playouts: int = 0

    def text(self) -> str:
        """Returns the sentence; "" where the summary says it."""
        instinct = f"instinct {100 * (self.prior or 0.0):.0f} %"
        return {
            "mix": f"exact values: {self.equal} moves are worth the same; the likeliest is first",
            "alone": f"{instinct}; the search tried no other move",
            "same": f"{instinct}; {self.playouts} playouts find no better move",
            "close": f"{instinct} for {self.move}; {self.playouts} playouts lean elsewhere, within "
            "the error",
            "better": f"{instinct} for {self.move}; {self.playouts} playouts find a better move",
        }.get(self.case, "")


@dataclass(frozen=True)
class Decision:
    """A move and its reasons; unknown fields are None.

    Attributes:
        move: Its text.
        action: Its id.
        policy: A probability for each legal move, by its text; the move is drawn from these or
            maximises them, unless an endgame was solved.
        value: Expectation of the mover's team, in ``unit``.
        value_error: Standard error of ``value`` for the policy that was found, without that of the
            networks and of better moves that were missed; 0 if exact.
        unit: WINS or RETURN.
        root: The moves that a search considered, in the order of the legal moves.
        hidden: Its beliefs about the hidden cards.
        playouts: Number of simulations.
        reason: CHOSEN, FORCED, SURE_WIN or SOLVED.
        seconds: Time taken.
        knows_moves: Whether the player knew the moves that led to the position.
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
    knows_moves: bool = True

    @property
    def exact(self) -> bool:
        """Returns whether the values are exact, so that another search would add nothing: those of
        playouts never are, even if all returned the same.
        """
        return (
            not self.playouts
            and self.value_error == 0.0
            and bool(self.root)
            and all(row.standard_error == 0.0 for row in self.root or ())
        )

    def beats(self, one: RootMove, other: RootMove) -> bool:
        """Returns whether a move is worth clearly more than another: by more than two standard
        errors of the difference, of which at least one is known (moves of one search share their
        worlds; the errors count as independent).
        """
        if one.value is None or other.value is None:
            return False
        worse = Estimate(-other.value.mean, other.value.error)
        return total([one.value, worse]).low > EVEN[self.unit or RETURN]

    @cached_property
    def best(self) -> str:
        """Returns the recommended move: of those that no other clearly beats, the one with the
        largest share in the policy. A player that draws its move may play another; what is proven
        or solved stands.
        """
        if self.reason != CHOSEN or not self.policy:
            return self.move
        policy, root = self.policy, self.root or ()
        for row in sorted(root, key=lambda row: -policy.get(row.move, 0.0)):
            if not any(self.beats(other, row) for other in root):
                return row.move
        return max(policy, key=lambda move: policy[move])

    @cached_property
    def equal(self) -> frozenset[str]:
        """Returns the moves equal to the recommended one, itself among them: neither clearly beats
        the other.
        """
        root = {row.move: row for row in self.root or () if row.mean is not None}
        if (best := root.get(self.best)) is None:
            return frozenset()
        return frozenset(
            move
            for move, row in root.items()
            if not self.beats(row, best) and not self.beats(best, row)
        )

    def ranking(self) -> list[RootMove]:
        """Returns the moves that a search considered, or else those of the policy: the recommended
        one, then by share, visits and prior.
        """
        best, policy = self.best, self.policy or {}
        rows = self.root or [RootMove(move, share, 0, None, None) for move, share in policy.items()]

        def place(row: RootMove) -> tuple[float, ...]:
            share = policy.get(row.move, 0.0)
            return row.move != best, -share, -row.visits, -(row.prior or 0.0)

        return sorted(rows, key=place)

    def why(self) -> Why | None:
        """Returns why the first move of the ranking stands there; None where the numbers say it."""
        rows = {row.move: row for row in self.root or ()}
        if self.reason != CHOSEN:
            return Why(self.reason)
        if (best := rows.get(self.best)) is None:
            return None
        if self.exact:
            return Why("mix", equal=len(self.equal)) if len(self.equal) > 1 else None
        if best.prior is None:
            return None
        instinct = max(rows.values(), key=lambda row: row.prior or 0.0)
        better = self.beats(best, instinct)
        case = "same" if instinct == best else "better" if better else "close"
        if case == "same" and not any(row.visits for row in rows.values() if row != best):
            case = "alone"
        return Why(case, instinct.move, instinct.prior, len(self.equal), self.playouts or 0)

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
        """Returns a row of texts for each move of the ranking: ``move``, its share in ``policy``
        and, of a search, ``value`` (marked ≈ if equal to the first within the error) and
        ``visits``.
        """
        policy, equal = self.policy, self.equal if len(self.equal) > 1 else frozenset()
        rows = []
        for one in self.ranking():
            row = {"move": one.move}
            if policy is not None:
                row["policy"] = f"{policy.get(one.move, 0.0):.3f}"
            if self.root:
                value = self._number(one.mean, one.standard_error)
                row["value"] = f"≈ {value}" if one.move in equal else value
                row["visits"] = str(one.visits)
            rows.append(row)
        return rows

    def _number(self, mean: float | None, error: float | None) -> str:
        """Returns a value and its standard error, unless it is exact, in the unit of the
        decision.
        """
        scale, unit = (100.0, " %") if self.unit == WINS else (1.0, "")
        if mean is None:
            return ""
        exact = error == 0.0 and not self.playouts
        known = "?" if error is None else f"{scale * error:.2f}"
        return f"{scale * mean:.2f}{unit}" + ("" if exact else f" ± {known}")

    def text(self, most: int | None = None) -> str:
        """Returns the summary and the table of the moves, or of the first ``most`` of them."""
        rows, why = self.rows(), self.why()
        lines = [self.summary(), *([] if why is None or not why.text() else [why.text()])]
        if not self.knows_moves:
            lines.append("the moves were not given: what they tell of the hidden cards is not used")
        if rows:
            widths = {"value": 22, "visits": 9, "policy": 9}
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
