"""What a duplicate match says, in words and for JSON."""

from dataclasses import dataclass
from typing import Any

from evaluation.match import PlayedGames, Usage
from evaluation.statistics import Estimate
from games.interface import ScoreUnit


@dataclass(frozen=True)
class Score:
    """WP and ADP of a player, with standard errors over decks.

    Attributes:
        wp: Share of games won, a draw counting one half.
        adp: Mean return per game, in the unit of the game's scores (Doudizhu: points, 2^bombs to the winner; poker:
            thousandths of a big blind).
    """

    wp: Estimate
    adp: Estimate


@dataclass(frozen=True)
class Side:
    """How a player does alone against the other.

    Attributes:
        total: Over all its games.
        by_team: Over those in which it sat in each team.
    """

    total: Score
    by_team: tuple[Score, ...]


@dataclass(frozen=True)
class MatchResult:
    """What a duplicate match of A against B says.

    Attributes:
        names: Of A and of B.
        unit: Of the scores.
        num_decks: Decks; each is played ``duplicate.games_per_deck`` times.
        total: A's score over all games in which it sits alone against B.
        by_team: A's score in those in which it sat in each team.
        opposite: The same of B, where that is not the opposite of A's: with more than two teams.
        team_names: As in ``by_team``.
        finishers: For each team, by seat name: the share of the games in that team that A won with this seat's last move.
        usage: Of A and of B.
        games: Everything that was played, see ``duplicate.duplicate_games``.
    """

    names: tuple[str, str]
    unit: ScoreUnit
    num_decks: int
    total: Score
    by_team: tuple[Score, ...]
    opposite: Side | None
    team_names: tuple[str, ...]
    finishers: tuple[dict[str, float], ...]
    usage: tuple[Usage, Usage]
    games: PlayedGames

    @property
    def num_games(self) -> int:
        """Returns the number of games."""
        return len(self.games.seating)

    def as_dict(self) -> dict[str, Any]:
        """Returns everything but the games, for JSON."""

        def score(value: Score) -> dict[str, Any]:
            wins = {"wp": value.wp.as_dict()} if self.unit.tells_wins else {}
            return {**wins, self.unit.key: value.adp.as_dict()}

        def side(total: Score, by_team: tuple[Score, ...]) -> dict[str, Any]:
            teams = {name: score(value) for name, value in zip(self.team_names, by_team, strict=True)}
            return {"total": score(total), "by_team": teams}

        own = side(self.total, self.by_team)
        if self.unit.tells_wins:
            for name, finishers in zip(self.team_names, self.finishers, strict=True):
                own["by_team"][name]["finishers"] = finishers
        return {
            "a": self.names[0],
            "b": self.names[1],
            "decks": self.num_decks,
            "games": self.num_games,
            **own,
            **({} if self.opposite is None else {"b_alone": side(self.opposite.total, self.opposite.by_team)}),
            "usage": {
                player: {"seconds": used.seconds, "decisions": used.decisions, "forced": used.forced}
                for player, used in zip("ab", self.usage, strict=True)
            },
        }

    def __str__(self) -> str:
        """Returns one line per position and one per player."""
        first, second = self.names
        lines = [
            f"{first} against {second}: {self.num_decks:,} decks, {self.num_games:,} games "
            "(± standard error over decks, [95 % interval])"
        ]
        if self.opposite is None:
            lines += self._lines("all games", self.total, self.by_team, self.finishers)
        else:
            others = len(self.team_names) - 1
            nothing: tuple[dict[str, float], ...] = ({},) * len(self.team_names)
            for name, other, side in ((first, second, Side(self.total, self.by_team)), (second, first, self.opposite)):
                lines.append(f" {name} alone against {others} of {other}")
                lines += self._lines("all seats", side.total, side.by_team, nothing)
        for name, used in zip(self.names, self.usage, strict=True):
            lines.append(
                f"  {name}: {used.decisions:,} decisions, {1000 * used.seconds_per_decision():.3g} ms each; "
                f"{used.forced:,} forced moves"
            )
        return "\n".join(lines)

    def _lines(self, title: str, total: Score, by_team: tuple[Score, ...], finishers: tuple[dict[str, float], ...]) -> list[str]:
        """Returns a line for a player's total and one for each team."""
        positions = [f"as {name}" for name in self.team_names]
        rows = [(title, total, {}), *zip(positions, by_team, finishers, strict=True)]
        width = max(len(name) for name, _, _ in rows)
        lines = []
        for name, score, shares in rows:
            low, high = (100 * min(max(end, 0.0), 1.0) for end in score.wp.interval())
            seats = ", ".join(f"{seat} {100 * share:.1f} %" for seat, share in shares.items()) if len(shares) > 1 else ""
            wins = f"  WP {100 * score.wp.mean:5.1f} ± {100 * score.wp.error:.1f} % [{low:.1f}, {high:.1f}]"
            lines.append(
                f"  {name:{width}}" + (wins if self.unit.tells_wins else "") + self._mean(score.adp)
                + (f"  won by {seats}" if seats else "")
            )  # fmt: skip
        return lines

    def _mean(self, score: Estimate) -> str:
        """Returns the mean return in its unit."""
        digits = self.unit.digits + 1
        bottom, top = score.interval()
        return f"  {self.unit.name} {score.mean:+.{digits}f} ± {score.error:.{digits}f} [{bottom:+.{digits}f}, {top:+.{digits}f}]"
