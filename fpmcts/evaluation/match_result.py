"""What a match says, in words and for JSON."""

from dataclasses import asdict, dataclass, replace
from itertools import combinations

import numpy as np

from fpmcts.evaluation.match import PlayedGames, Usage
from fpmcts.evaluation.sequential import SequentialResult
from fpmcts.evaluation.statistics import Estimate, estimate
from games.interface import ScoreUnit


@dataclass(frozen=True)
class Score:
    """WP and ADP of a player, with standard errors over decks.

    Attributes:
        wp: Share of games won, a draw counting one half.
        adp: Mean return per game, in the unit of the game's scores (Doudizhu: points, 2^bombs to
            the winner; poker: thousandths of a big blind).
    """

    wp: Estimate
    adp: Estimate


@dataclass(frozen=True, kw_only=True)
class Side:
    """How a player does alone against the other.

    Attributes:
        total: Over all its games.
        by_team: Over those in which it sat in each team.
        luck_free: The mean return in total with luck taken out (``fpmcts.evaluation.aivat``); None:
            not computed.
    """

    total: Score
    by_team: tuple[Score, ...]
    luck_free: Estimate | None = None


@dataclass(frozen=True, kw_only=True)
class MatchResult(Side):
    """What a duplicate match of A against B says; as a ``Side``, how A does alone.

    Attributes:
        names: Of A and of B.
        unit: Of the scores.
        num_decks: Decks; each is played ``duplicate.games_per_deck`` times.
        opposite: How B does alone, where that is not the opposite of A's: with more than two teams.
        team_names: As in ``by_team``.
        finishers: For each team, by seat name: the share of the games in that team that A won with
            this seat's last move.
        usage: Of A and of B.
        games: Everything that was played, see ``duplicate.duplicate_games``.
        sequential: Of the test that could end it early; None: there was none.
    """

    names: tuple[str, str]
    unit: ScoreUnit
    num_decks: int
    opposite: Side | None
    team_names: tuple[str, ...]
    finishers: tuple[dict[str, float], ...]
    usage: tuple[Usage, Usage]
    games: PlayedGames
    sequential: SequentialResult | None = None

    @property
    def num_games(self) -> int:
        """Returns the number of games."""
        return len(self.games.seating)

    def total_of(self, player: int) -> Score:
        """Returns the score of A (0) or of B (1) over all its games."""
        if player == 0 or self.opposite is not None:
            return (self, self.opposite or self)[player].total
        wp, adp = self.total.wp, self.total.adp
        return Score(replace(wp, mean=1.0 - wp.mean), replace(adp, mean=-adp.mean))

    def as_dict(self) -> dict[str, object]:
        """Returns everything but the games, for JSON."""
        told = {
            "b_alone": self.opposite and self._sided(self.opposite),
            "sequential": self.sequential and self.sequential.as_dict(),
        }
        return {
            "a": self.names[0],
            "b": self.names[1],
            "decks": self.num_decks,
            "games": self.num_games,
            **self._sided(self),
            **{name: value for name, value in told.items() if value is not None},
            "usage": {player: asdict(used) for player, used in zip("ab", self.usage, strict=True)},
        }

    def _sided(self, side: Side) -> dict[str, object]:
        """Returns how a player does, for JSON."""
        unit = self.unit

        def score(value: Score) -> dict[str, object]:
            wins = {"wp": value.wp.as_dict()} if unit.tells_wins else {}
            return {**wins, unit.key: value.adp.as_dict()}

        teams = {name: score(own) for name, own in zip(self.team_names, side.by_team, strict=True)}
        if unit.tells_wins and side is self:
            for name, finishers in zip(self.team_names, self.finishers, strict=True):
                teams[name]["finishers"] = finishers
        free = side.luck_free and {"luck_free": {unit.key: side.luck_free.as_dict()}}
        return {"total": score(side.total), "by_team": teams, **(free or {})}

    def __str__(self) -> str:
        """Returns one line per position and one per player."""
        first, second = self.names
        lines = [
            f"{first} against {second}: {self.num_decks:,} decks, {self.num_games:,} games "
            "(± standard error over decks, [95 % interval])"
        ]
        if self.sequential is not None:
            lines.append(f"  {self.sequential}")
        if self.opposite is None:
            lines += self._lines("all games", self)
        else:
            others = len(self.team_names) - 1
            for name, other, side in ((first, second, self), (second, first, self.opposite)):
                lines.append(f" {name} alone against {others} of {other}")
                lines += self._lines("all seats", side)
        for name, used in zip(self.names, self.usage, strict=True):
            lines.append(
                f"  {name}: {used.decisions:,} decisions, "
                f"{1000 * used.seconds_per_decision():.3g} ms each; "
                f"{used.forced:,} forced moves"
            )
        return "\n".join(lines)

    def _lines(self, title: str, side: Side) -> list[str]:
        """Returns a line for a player's total, one without luck where that is known, and one for
        each team.
        """
        total = side.total
        rows = {title: self._score(total)}
        if (free := side.luck_free) is not None:
            share = free.error / total.adp.error if total.adp.error else 1.0
            rows["luck taken out"] = f"{self._mean(free)}  ({share:.2f} of the error)"
        for name, score, shares in zip(self.team_names, side.by_team, self.finishers, strict=True):
            seats = ", ".join(f"{seat} {100 * share:.1f} %" for seat, share in shares.items())
            won_by = f"  won by {seats}" if len(shares) > 1 else ""
            rows[f"as {name}"] = self._score(score) + won_by
        width = max(map(len, rows))
        return [f"  {name:{width}}{text}" for name, text in rows.items()]

    def _score(self, score: Score) -> str:
        """Returns WP, where the game reports it, and the mean return, with their intervals."""
        if not self.unit.tells_wins:
            return self._mean(score.adp)
        wp = score.wp.scaled(100)
        low, high = (min(max(end, 0.0), 100.0) for end in wp.interval())
        wins = f"  WP {wp.mean:5.1f} ± {wp.error:.1f} % [{low:.1f}, {high:.1f}]"
        return wins + self._mean(score.adp)

    def _mean(self, score: Estimate) -> str:
        """Returns the mean return in its unit."""
        digits = self.unit.digits + 1
        bottom, top = score.interval()
        return f"  {self.unit.name} {score.text(digits)} [{bottom:+.{digits}f}, {top:+.{digits}f}]"


@dataclass(frozen=True)
class TableResult:
    """How different players did at one table.

    Attributes:
        names: Of the P players, as they were given.
        unit: Of the scores.
        by_deck: float64 ``[D, P]``, the mean return of each player on each deck, in that unit.
        usage: Of each player.
    """

    names: tuple[str, ...]
    unit: ScoreUnit
    by_deck: np.ndarray
    usage: tuple[Usage, ...]

    def score(self, player: int) -> Estimate:
        """Returns the score of a player."""
        return estimate(self.by_deck[:, player])

    def lead(self, player: int, other: int) -> Estimate:
        """Returns by how much one player is ahead of another, from the differences of each deck."""
        return estimate(self.by_deck[:, player] - self.by_deck[:, other])

    def __str__(self) -> str:
        """Returns a line for each player, then one for each pair."""
        lines = [f"{len(self.by_deck):,} decks (± standard error over decks)"]
        for k, (name, used) in enumerate(zip(self.names, self.usage, strict=True)):
            points, time = self.score(k).text(0), 1000 * used.seconds_per_decision()
            lines.append(f"{name}: {self.unit.name} {points} ({time:.3g} ms a decision)")
        for i, j in combinations(range(len(self.names)), 2):
            lines.append(f"{self.names[i]} - {self.names[j]}: {self.lead(i, j).text(0)}")
        return "\n".join(lines)
