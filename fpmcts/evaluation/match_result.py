"""The result of a match: scores with errors from the returns of its games, as text and as JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from fpmcts.evaluation.aivat import controlled
from fpmcts.evaluation.match import PlayedGames, Usage
from fpmcts.evaluation.sequential import SequentialResult
from fpmcts.evaluation.statistics import estimate_fields, interval, wins
from games.base.estimate import Estimate, estimate
from games.play.interface import GameSpec, ScoreUnit
from games.play.notebook import html_table


def games_per_deck(spec: GameSpec) -> int:
    """Returns the number of games per deck: with A alone in each team, and with more than two teams
    also with B alone.
    """
    return spec.num_teams if spec.num_teams == 2 else 2 * spec.num_teams


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


def score_of(returns: np.ndarray) -> Score:
    """Returns the score of games (float64 ``[D, N]``, N games of each deck)."""
    return Score(estimate(wins(returns).mean(axis=1)), estimate(returns.mean(axis=1)))


def shares(habits: Mapping[str, np.ndarray]) -> dict[str, float]:
    """Returns the mean of each habit where it was possible, without those that never were."""
    asked = {name: done[~np.isnan(done)] for name, done in habits.items()}
    return {name: float(done.mean()) for name, done in asked.items() if done.size}


def shares_text(by_name: Mapping[str, float]) -> str:
    """Returns shares on one line."""
    return ", ".join(f"{name} {100 * share:.1f} %" for name, share in by_name.items())


@dataclass(frozen=True)
class Side:
    """The results of a player alone against the other.

    Attributes:
        returns: float64 ``[D, T]``: by deck and team, in the unit of the game's scores.
        luck: float64 ``[D, K]``: corrections of their means (``fpmcts.evaluation.aivat``); None:
            not computed.
        habits: Of the player, by name: float64 ``[D, T]`` (``games.play.interface.Game.habits``).
    """

    returns: np.ndarray
    luck: np.ndarray | None = None
    habits: Mapping[str, np.ndarray] = field(default_factory=dict)

    @cached_property
    def total(self) -> Score:
        """The score over all its games."""
        return score_of(self.returns)

    @cached_property
    def by_team(self) -> tuple[Score, ...]:
        """The score over the games in which it sat in each team."""
        return tuple(score_of(column[:, None]) for column in self.returns.T)

    @cached_property
    def habits_by_team(self) -> tuple[dict[str, float], ...]:
        """The shares of the games in each team in which it did what habits count."""
        return tuple(
            shares({name: done[:, team] for name, done in self.habits.items()})
            for team in range(self.returns.shape[1])
        )

    @cached_property
    def luck_free(self) -> Estimate | None:
        """The mean return in total with luck taken out; None: not computed."""
        luck = self.luck
        return None if luck is None else estimate(controlled(self.returns.mean(axis=1), luck))


@dataclass(frozen=True, repr=False)
class MatchResult:
    """The result of a duplicate match of A against B, or of the games at a table (``TableResult``).

    Attributes:
        names: Names of A and B, or of all players at the table.
        spec: The game's spec.
        games: All games, see ``duplicate.duplicate_games``.
        sequential: Result of the test that could end it early, or None.
        habits: Of the games (``games.play.interface.Game.habits``).
    """

    names: tuple[str, ...]
    spec: GameSpec
    games: PlayedGames
    sequential: SequentialResult | None = None
    habits: Mapping[str, np.ndarray] = field(default_factory=dict)

    @cached_property
    def sides(self) -> tuple[Side, Side]:
        """The results of A alone and of B alone."""
        spec, played = self.spec, self.games
        seats = [spec.teams.index(team) for team in range(spec.num_teams)]  # the first of each team

        def of(rows: np.ndarray) -> Side:
            def own(values: np.ndarray) -> np.ndarray:
                by_deck = values.reshape(-1, games_per_deck(spec), *values.shape[1:])
                return by_deck[:, rows, seats]

            unit = spec.score.per_return
            luck = own(played.luck).mean(axis=1) * unit if played.luck.size else None
            habits = {name: own(done) for name, done in self.habits.items()}
            return Side(own(played.returns) * unit, luck, habits)

        rows = np.arange(spec.num_teams)
        # With two teams, B is in the one without A.
        return of(rows), of(rows[::-1] if spec.num_teams == 2 else rows + spec.num_teams)

    @property
    def total(self) -> Score:
        """The score of A over all its games."""
        return self.sides[0].total

    @property
    def wp(self) -> Estimate:
        """A's share of games won over all its games, a draw counting one half."""
        return self.total.wp

    @property
    def adp(self) -> Estimate:
        """A's mean return over all its games, in the unit of the game's scores."""
        return self.total.adp

    @property
    def by_deck(self) -> np.ndarray:
        """A's return on each deck in each team, float64 ``[D, T]``, in the unit of the scores."""
        return self.sides[0].returns

    def records(self) -> list[dict[str, Any]]:
        """Returns a row for each game, as ``pandas.DataFrame`` takes them: ``deck``; the ``player``
        that sat alone in ``team``; its ``wp``, 1 for a win and 1/2 for a draw; and its return under
        the key of the game's unit, such as ``adp``.
        """
        sides = self.sides if self.opposite else self.sides[:1]
        return [
            {
                "deck": deck,
                "player": name,
                "team": self.spec.team_names[team],
                "wp": float(wins(returned)),
                self.spec.score.key: float(returned),
            }
            for name, side in zip(self.names, sides, strict=False)
            for (deck, team), returned in np.ndenumerate(side.returns)
        ]

    @property
    def by_team(self) -> tuple[Score, ...]:
        """The score of A over the games in which it sat in each team."""
        return self.sides[0].by_team

    @property
    def opposite(self) -> Side | None:
        """The results of B alone, where they are not the opposite of A's: with more than two
        teams.
        """
        return self.sides[1] if self.spec.num_teams > 2 else None

    @property
    def num_games(self) -> int:
        """The number of games."""
        return len(self.games.seating)

    @property
    def num_decks(self) -> int:
        """The number of decks; each is played ``games_per_deck`` times."""
        return len(self.sides[0].returns)

    @cached_property
    def finishers(self) -> list[dict[str, float]]:
        """For each team, by seat name: the share of the games in that team that A won with this
        seat's last move.
        """
        won = wins(self.sides[0].returns) == 1
        last = self.games.last_seats.reshape(len(won), -1)
        found: list[dict[str, float]] = [{} for _ in self.spec.team_names]
        for seat, (name, team) in enumerate(
            zip(self.spec.seat_names, self.spec.teams, strict=True)
        ):
            found[team][name] = float(np.mean(won[:, team] & (last[:, team] == seat)))
        return found

    def as_dict(self) -> dict[str, object]:
        """Returns everything but the games, for JSON."""
        optional = {
            "b_alone": self.opposite and self._sided(self.opposite),
            "sequential": self.sequential and self.sequential.as_dict(),
        }
        return {
            "a": self.names[0],
            "b": self.names[1],
            "decks": self.num_decks,
            "games": self.num_games,
            **self._sided(self.sides[0]),
            **{name: value for name, value in optional.items() if value is not None},
            "usage": dict(zip("ab", map(Usage._asdict, self.games.usage), strict=True)),
        }

    def _sided(self, side: Side) -> dict[str, object]:
        """Returns the results of a player, for JSON."""
        unit = self.spec.score

        def score(value: Score) -> dict[str, object]:
            wins = {"wp": estimate_fields(value.wp)} if unit.reports_wins else {}
            return {**wins, unit.key: estimate_fields(value.adp)}

        teams = dict(zip(self.spec.team_names, map(score, side.by_team), strict=True))
        for team, habits in zip(teams.values(), side.habits_by_team, strict=True):
            team.update({"habits": habits} if habits else {})
        if unit.reports_wins and side is self.sides[0]:
            for own, finishers in zip(teams.values(), self.finishers, strict=True):
                own["finishers"] = finishers
        free = side.luck_free and {"luck_free": {unit.key: estimate_fields(side.luck_free)}}
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
            lines += self._lines("all games", self.sides[0])
        else:
            others = self.spec.num_teams - 1
            for name, other, side in zip(self.names, self.names[::-1], self.sides, strict=True):
                lines.append(f" {name} alone against {others} of {other}")
                lines += self._lines("all seats", side)
        for name, used in zip(self.names, self.games.usage, strict=True):
            lines.append(
                f"  {name}: {used.decisions:,} decisions, "
                f"{1000 * used.seconds_per_decision():.3g} ms each; "
                f"{used.forced:,} forced moves"
            )
        return "\n".join(lines)

    def __repr__(self) -> str:
        score = f", adp {self.adp}" if len(self.names) == 2 else ""
        return f"<MatchResult: {' against '.join(self.names)}, {self.num_games:,} games{score}>"

    def _repr_html_(self) -> str:
        unit = self.spec.score
        rows = []
        sides = self.sides if self.opposite else self.sides[:1]
        for name, side in zip(self.names, sides, strict=False):
            teams = zip(self.spec.team_names, side.by_team, strict=True)
            for place, score in {"all games": side.total, **dict(teams)}.items():
                row = {"player": name, "as": place}
                if unit.reports_wins:
                    row["WP"] = f"{score.wp.scaled(100).text(1, '')} %"
                rows.append(row | {unit.name: score.adp.text(unit.digits + 1)})
        first, second = self.names
        return html_table(f"{first} against {second}: {self.num_decks:,} decks", rows)

    def _lines(self, title: str, side: Side) -> list[str]:
        """Returns a line for a player's total, one with luck removed if known, and one for each
        team.
        """
        total = side.total
        rows = {title: self._score(total)}
        if (free := side.luck_free) is not None:
            share = free.error / total.adp.error if total.adp.error else 1.0
            of_error = f"  ({share:.2f} of the error)" if free.count > 1 else ""
            rows["luck taken out"] = f"{self._mean(free)}{of_error}"
        for name, score, finishers, habits in zip(
            self.spec.team_names, side.by_team, self.finishers, side.habits_by_team, strict=True
        ):
            won_by = f"  won by {shares_text(finishers)}" if len(finishers) > 1 else ""
            habits_text = f"  {shares_text(habits)}" if habits else ""
            rows[f"as {name}"] = self._score(score) + won_by + habits_text
        width = max(map(len, rows))
        return [f"  {name:{width}}{text}" for name, text in rows.items()]

    def _score(self, score: Score) -> str:
        """Returns WP, if the game reports it, and the mean return, with their intervals."""
        if not self.spec.score.reports_wins:
            return self._mean(score.adp)
        wp = score.wp.scaled(100)
        low, high = (min(max(end, 0.0), 100.0) for end in interval(wp))
        ends = f" [{low:.1f}, {high:.1f}]" if wp.count > 1 else ""
        return f"  WP {wp.text(1, '5')} %{ends}{self._mean(score.adp)}"

    def _mean(self, score: Estimate) -> str:
        """Returns the mean return in its unit."""
        unit = self.spec.score
        digits = unit.digits + 1
        bottom, top = interval(score)
        ends = f" [{bottom:+.{digits}f}, {top:+.{digits}f}]" if score.count > 1 else ""
        return f"  {unit.name} {score.text(digits)}{ends}"


@dataclass(frozen=True)
class TableResult:
    """The results of different players at one table.

    Attributes:
        names: Names of the P players, in the given order.
        by_deck: float64 ``[D, P]``, the mean return of each player on each deck.
        habits: The shares of its games in which each player did what habits count.
    """

    names: tuple[str, ...]
    by_deck: np.ndarray
    habits: Sequence[Mapping[str, float]] = ()

    def score(self, player: int) -> Estimate:
        """Returns the score of a player."""
        return estimate(self.by_deck[:, player])

    def lead(self, player: int, other: int) -> Estimate:
        """Returns one player's lead over another, estimated from the differences on each deck."""
        return estimate(self.by_deck[:, player] - self.by_deck[:, other])

    def text(self, unit: ScoreUnit, usage: Sequence[Usage]) -> str:
        """Returns a line for each player, then one for each pair."""
        lines, digits = [f"{len(self.by_deck):,} decks (± standard error over decks)"], unit.digits
        for k, (name, used) in enumerate(zip(self.names, usage, strict=True)):
            points, time = self.score(k).text(digits), 1000 * used.seconds_per_decision()
            habits = f"  {shares_text(self.habits[k])}" if self.habits and self.habits[k] else ""
            lines.append(f"{name}: {unit.name} {points} ({time:.3g} ms a decision){habits}")
        for i, j in combinations(range(len(self.names)), 2):
            lines.append(f"{self.names[i]} - {self.names[j]}: {self.lead(i, j).text(digits)}")
        return "\n".join(lines)
