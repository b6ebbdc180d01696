"""Duplicate matches: each deck is played once with A in each team, B in the others, the cards the same.

DeltaDou 5.1: A as landlord against B as peasants, then the other way round.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.agent import Agent
from evaluation.decks import evaluation_decks
from evaluation.match import PlayedGames, Progress, Usage, play_games
from evaluation.statistics import Estimate, estimate, wins
from games.interface import Game, GameSpec, States, num_rows, take


@dataclass(frozen=True)
class Score:
    """WP and ADP of player A, with standard errors over decks.

    Attributes:
        wp: Share of games won, a draw counting one half.
        adp: Mean return per game, in the game's unit (Doudizhu: points, 2^bombs to the winner).
    """

    wp: Estimate
    adp: Estimate


@dataclass(frozen=True)
class MatchResult:
    """What a duplicate match of A against B says.

    Attributes:
        names: Of A and of B.
        num_decks: Decks; the number of games is this times the number of teams.
        total: A's score over all games.
        by_team: A's score in the games in which it sat in each team.
        team_names: As in ``by_team``.
        finishers: For each team, by seat name: the share of the games in that team that A won with this seat's last move.
        usage: Of A and of B.
        games: Everything that was played: deck d with A in team t is game ``d * number of teams + t``.
    """

    names: tuple[str, str]
    num_decks: int
    total: Score
    by_team: tuple[Score, ...]
    team_names: tuple[str, ...]
    finishers: tuple[dict[str, float], ...]
    usage: tuple[Usage, Usage]
    games: PlayedGames

    def as_dict(self) -> dict[str, Any]:
        """Returns everything but the games, for JSON."""

        def score(value: Score) -> dict[str, Any]:
            return {"wp": value.wp.as_dict(), "adp": value.adp.as_dict()}

        return {
            "a": self.names[0],
            "b": self.names[1],
            "decks": self.num_decks,
            "games": self.num_decks * len(self.by_team),
            "total": score(self.total),
            "by_team": {
                name: {**score(value), "finishers": finishers}
                for name, value, finishers in zip(self.team_names, self.by_team, self.finishers, strict=True)
            },
            "usage": {
                player: {"seconds": used.seconds, "decisions": used.decisions, "forced": used.forced}
                for player, used in zip("ab", self.usage, strict=True)
            },
        }

    def __str__(self) -> str:
        """Returns one line per position and one per player."""
        lines = [
            f"{self.names[0]} against {self.names[1]}: {self.num_decks:,} decks, {self.num_decks * len(self.by_team):,} games "
            "(± standard error over decks, [95 % interval])"
        ]
        positions = [f"as {name}" for name in self.team_names]
        rows = [("all games", self.total, {}), *zip(positions, self.by_team, self.finishers, strict=True)]
        width = max(len(name) for name, _, _ in rows)
        for name, score, finishers in rows:
            low, high = (100 * min(max(end, 0.0), 1.0) for end in score.wp.interval())
            bottom, top = score.adp.interval()
            seats = ", ".join(f"{seat} {100 * share:.1f} %" for seat, share in finishers.items()) if len(finishers) > 1 else ""
            lines.append(
                f"  {name:{width}}  WP {100 * score.wp.mean:5.1f} ± {100 * score.wp.error:.1f} % [{low:.1f}, {high:.1f}]"
                f"  ADP {score.adp.mean:+.3f} ± {score.adp.error:.3f} [{bottom:+.3f}, {top:+.3f}]"
                + (f"  won by {seats}" if seats else "")
            )
        for name, used in zip(self.names, self.usage, strict=True):
            lines.append(
                f"  {name}: {used.decisions:,} decisions, {1000 * used.seconds_per_decision():.3g} ms each; "
                f"{used.forced:,} forced moves"
            )
        return "\n".join(lines)


def duplicate_games(
    game: Game,
    a: Agent,
    b: Agent,
    decks: States,
    seed: int,
    *,
    at_once: int | None = None,
    progress: Progress | None = None,
) -> PlayedGames:
    """Returns the games of a duplicate match of player ``a`` against ``b``: deck d with A in team t is game ``d * teams + t``.

    Args:
        game: A game with at least two teams.
        a: Agent 0 of the games.
        b: Agent 1; may be the same object.
        decks: One row per deck.
        seed: For the players' random choices.
        at_once: Games in progress at a time; None: all. It bounds memory and changes no game.
        progress: Called with the games that are over and all games.
    """
    num_decks, teams = num_rows(decks), np.array(game.spec.teams)
    num_teams = int(teams.max()) + 1
    deals = take(decks, np.repeat(np.arange(num_decks), num_teams))
    own = teams[None, :] == np.tile(np.arange(num_teams), num_decks)[:, None]  # A's seats, [G, S]
    return play_games(game, (a, b), np.where(own, 0, 1), deals, seed, at_once=at_once, progress=progress)


def duplicate_match(
    game: Game,
    a: Agent,
    b: Agent,
    num_decks: int,
    seed: int,
    *,
    at_once: int | None = None,
    progress: Progress | None = None,
) -> MatchResult:
    """Returns the score of player ``a`` against ``b`` over the first evaluation decks (at least 1) of a seed.

    The other arguments are those of ``duplicate_games``.
    """
    if num_decks < 1:
        raise ValueError(f"got num_decks={num_decks}; expected at least 1")
    decks = evaluation_decks(game, seed, num_decks)
    games = duplicate_games(game, a, b, decks, seed, at_once=at_once, progress=progress)
    return summary(game.spec, (a.name, b.name), games)


def deck_scores(spec: GameSpec, games: PlayedGames) -> tuple[np.ndarray, np.ndarray]:
    """Returns agent 0's return and its win (1, 1/2, 0) in every game of ``duplicate_games``, float64 ``[D, T]`` each."""
    teams = np.array(spec.teams)
    num_teams = int(teams.max()) + 1
    first_seats = np.array([int(np.flatnonzero(teams == team)[0]) for team in range(num_teams)])
    returns = games.returns.reshape(-1, num_teams, spec.num_seats)[:, np.arange(num_teams), first_seats]
    return returns, wins(returns)


def summary(spec: GameSpec, names: tuple[str, str], games: PlayedGames) -> MatchResult:
    """Returns the scores of agent 0 against agent 1 over the games of ``duplicate_match``."""
    teams = np.array(spec.teams)
    num_teams = int(teams.max()) + 1
    returns, won = deck_scores(spec, games)
    last = games.last_seats.reshape(-1, num_teams)
    finishers = tuple(
        {
            spec.seat_names[int(seat)]: float(np.mean((won[:, team] == 1) & (last[:, team] == seat)))
            for seat in np.flatnonzero(teams == team)
        }
        for team in range(num_teams)
    )
    return MatchResult(
        names=names,
        num_decks=len(returns),
        total=Score(estimate(won.mean(axis=1)), estimate(returns.mean(axis=1))),
        by_team=tuple(Score(estimate(won[:, team]), estimate(returns[:, team])) for team in range(num_teams)),
        team_names=spec.team_names,
        finishers=finishers,
        usage=(games.usage[0], games.usage[1]),
        games=games,
    )
