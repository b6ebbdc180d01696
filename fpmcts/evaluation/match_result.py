"""What a duplicate match says, in words and for JSON."""

from dataclasses import asdict, dataclass
from typing import Any

from fpmcts.evaluation.match import PlayedGames, Usage
from fpmcts.evaluation.sequential import SequentialResult
from fpmcts.evaluation.statistics import Estimate
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

    def as_dict(self) -> dict[str, Any]:
        """Returns everything but the games, for JSON."""

        def score(value: Score) -> dict[str, Any]:
            wins = {"wp": value.wp.as_dict()} if self.unit.tells_wins else {}
            return {**wins, self.unit.key: value.adp.as_dict()}

        def side(own: Side) -> dict[str, Any]:
            teams = {
                name: score(value) for name, value in zip(self.team_names, own.by_team, strict=True)
            }
            free = (
                {}
                if own.luck_free is None
                else {"luck_free": {self.unit.key: own.luck_free.as_dict()}}
            )
            return {"total": score(own.total), "by_team": teams, **free}

        own = side(self)
        if self.unit.tells_wins:
            for name, finishers in zip(self.team_names, self.finishers, strict=True):
                own["by_team"][name]["finishers"] = finishers
        return {
            "a": self.names[0],
            "b": self.names[1],
            "decks": self.num_decks,
            "games": self.num_games,
            **own,
            **({} if self.opposite is None else {"b_alone": side(self.opposite)}),
            **({} if self.sequential is None else {"sequential": self.sequential.as_dict()}),
            "usage": {player: asdict(used) for player, used in zip("ab", self.usage, strict=True)},
        }

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
            lines += self._lines("all games", self, self.finishers)
        else:
            others = len(self.team_names) - 1
            nothing: tuple[dict[str, float], ...] = ({},) * len(self.team_names)
            for name, other, side in ((first, second, self), (second, first, self.opposite)):
                lines += [
                    f" {name} alone against {others} of {other}",
                    *self._lines("all seats", side, nothing),
                ]
        for name, used in zip(self.names, self.usage, strict=True):
            lines.append(
                f"  {name}: {used.decisions:,} decisions, "
                f"{1000 * used.seconds_per_decision():.3g} ms each; "
                f"{used.forced:,} forced moves"
            )
        return "\n".join(lines)

    def _lines(self, title: str, side: Side, finishers: tuple[dict[str, float], ...]) -> list[str]:
        """Returns a line for a player's total, one without luck where that is known, and one for
        each team.
        """
        positions, free = [f"as {name}" for name in self.team_names], "luck taken out"
        width = max(map(len, (title, *positions, *((free,) if side.luck_free else ()))))
        lines = [f"  {title:{width}}{self._score(side.total)}"]
        if side.luck_free is not None:
            share = side.luck_free.error / side.total.adp.error if side.total.adp.error else 1.0
            lines.append(
                f"  {free:{width}}{self._mean(side.luck_free)}  ({share:.2f} of the error)"
            )
        for name, score, shares in zip(positions, side.by_team, finishers, strict=True):
            seats = ", ".join(f"{seat} {100 * share:.1f} %" for seat, share in shares.items())
            won_by = f"  won by {seats}" if len(shares) > 1 else ""
            lines.append(f"  {name:{width}}{self._score(score)}{won_by}")
        return lines

    def _score(self, score: Score) -> str:
        """Returns WP, where the game reports it, and the mean return, with their intervals."""
        low, high = (100 * min(max(end, 0.0), 1.0) for end in score.wp.interval())
        wins = (
            f"  WP {100 * score.wp.mean:5.1f} ± {100 * score.wp.error:.1f} % [{low:.1f}, "
            f"{high:.1f}]"
        )
        return (wins if self.unit.tells_wins else "") + self._mean(score.adp)

    def _mean(self, score: Estimate) -> str:
        """Returns the mean return in its unit."""
        digits = self.unit.digits + 1
        bottom, top = score.interval()
        return (
            f"  {self.unit.name} {score.mean:+.{digits}f} ± {score.error:.{digits}f} "
            f"[{bottom:+.{digits}f}, {top:+.{digits}f}]"
        )
