"""Duplicate matches: each deck is played once with A in each team, B in the others, the cards the
same.

With two teams that is the whole match: A as landlord against B as peasants, then the other way
round (DeltaDou, 5.1); or A in the first and in the second seat of a two-player poker game. With
three players it says how A does alone against two of B, and the scores of A and B need not sum to
zero. Such decks are therefore played once more with B in each team, A in the others: A's score
comes from the games in which it sits alone, B's from those in which B does. (Compare the
three-player matches of Heinrich & Silver 2015, table 3.)

**Players that learn from what they see** (``games.agent.Observer``, as ``mcts``) begin a match as
strangers. Decks are played lot by lot, ``LOT`` decks side by side: in a lot they know the moves of
all lots before it, of both players, and nothing of its own hands. Player 0 is A and player 1 is B,
in whatever seats, so what is known of a player does not depend on its place. One match is one task
of a tournament (``fpmcts.evaluation.plan``): so long is the acquaintance, whatever processes there
are.
"""

from dataclasses import replace

import numpy as np

from fpmcts.evaluation.aivat import controlled
from fpmcts.evaluation.decks import evaluation_decks
from fpmcts.evaluation.match import PlayedGames, Progress, joined_games, play_games
from fpmcts.evaluation.match_result import MatchResult as MatchResult
from fpmcts.evaluation.match_result import Score, Side
from fpmcts.evaluation.statistics import estimate, wins
from games.agent import Agent, observers
from games.batches import States, num_rows, take
from games.interface import Game, GameSpec
from games.kernels import Stream, streams

LOT = 10
"""Decks that are played side by side where somebody learns from what it sees."""


def games_per_deck(spec: GameSpec) -> int:
    """Returns how often a deck is played: with A alone in each team, and where there are more than
    two also with B alone.
    """
    return spec.num_teams if spec.num_teams == 2 else 2 * spec.num_teams


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
    """Returns the games of a duplicate match of player ``a`` against ``b``.

    With n games per deck (``games_per_deck``), deck d with A alone in team t is game ``d * n + t``;
    with more than two teams, T, deck d with B alone in team t is game ``d * n + T + t``.

    Args:
        game: A game with at least two teams.
        a: Agent 0 of the games.
        b: Agent 1; may be the same object.
        decks: One row per deck.
        seed: For the players' random choices.
        at_once: Games in progress at a time; None: all. It bounds memory and changes no game.
        progress: Called with the games that are over and all games.
    """
    num_decks, count = num_rows(decks), games_per_deck(game.spec)
    alone = np.arange(game.spec.num_teams)[:, None] == np.array(game.spec.teams)  # [T, S]
    seating = np.where(np.concatenate([alone, ~alone])[:count], 0, 1)  # [n, S]
    deals = take(decks, np.repeat(np.arange(num_decks), count))
    watching = observers((a, b))
    if not watching:
        return play_games(
            game,
            (a, b),
            np.tile(seating, (num_decks, 1)),
            deals,
            seed,
            at_once=at_once,
            progress=progress,
        )
    for agent in watching:
        agent.forget()
    parts, over, total = [], 0, num_decks * count
    for first in range(0, num_decks, LOT):
        size = min(LOT, num_decks - first)
        some, seats = (
            take(deals, slice(first * count, (first + size) * count)),
            np.tile(seating, (size, 1)),
        )
        for agent in watching:
            agent.meet(seats)
        began = over

        def tell(done: int, _: int, began: int = began) -> None:
            if progress is not None:
                progress(began + done, total)

        own = part_seed(seed, first) if first else seed
        parts.append(play_games(game, (a, b), seats, some, own, at_once=at_once, progress=tell))
        over += len(seats)
        for agent in watching:
            agent.observe(take(some, np.arange(len(seats))), parts[-1].records)
    return joined_games(parts)


def part_seed(seed: int, first: int) -> int:
    """Returns the seed of the players' random choices in the part of a match that begins with deck
    ``first``.
    """
    return int(streams(seed, 1, Stream.PLAY, first)[0] >> np.uint64(1))


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
    """Returns the score of player ``a`` against ``b`` over the first evaluation decks (at least 1)
    of a seed.

    The other arguments are those of ``duplicate_games``.
    """
    if num_decks < 1:
        raise ValueError(f"got num_decks={num_decks}; expected at least 1")
    decks = evaluation_decks(game, seed, num_decks)
    games = duplicate_games(game, a, b, decks, seed, at_once=at_once, progress=progress)
    return summary(game.spec, (a.name, b.name), games)


def deck_scores(
    spec: GameSpec, games: PlayedGames, player: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Returns how a player does alone in each team on each deck of ``duplicate_games``.

    Args:
        spec: Of the game.
        games: Of the match.
        player: 0 for A, 1 for B.

    Returns:
        Returns in the unit of the game's scores, and wins (1, 1/2, 0): float64 ``[D, T]`` each.
    """
    teams, num_teams = np.array(spec.teams), spec.num_teams
    first_seats = np.array([int(np.flatnonzero(teams == team)[0]) for team in range(num_teams)])
    rows = np.arange(num_teams)
    if player == 1:  # of two teams, B is in the one in which A is not
        rows = rows[::-1] if num_teams == 2 else rows + num_teams
    returns = (
        games.returns.reshape(-1, games_per_deck(spec), spec.num_seats)[:, rows, first_seats]
        * spec.score.per_return
    )
    return returns, wins(returns)


def _side(spec: GameSpec, games: PlayedGames, player: int) -> Side:
    """Returns how a player does alone."""
    returns, won = deck_scores(spec, games, player)
    free = None
    if games.luck is not None:
        kinds = np.moveaxis(games.luck, 2, 0)
        luck = np.stack(
            [
                deck_scores(spec, replace(games, returns=kind), player)[0].mean(axis=1)
                for kind in kinds
            ],
            axis=1,
        )
        free = estimate(controlled(returns.mean(axis=1), luck))
    return Side(
        total=Score(estimate(won.mean(axis=1)), estimate(returns.mean(axis=1))),
        by_team=tuple(
            Score(estimate(won[:, team]), estimate(returns[:, team]))
            for team in range(spec.num_teams)
        ),
        luck_free=free,
    )


def summary(spec: GameSpec, names: tuple[str, str], games: PlayedGames) -> MatchResult:
    """Returns the scores of agent 0 against agent 1 over the games of ``duplicate_games``."""
    teams, num_teams = np.array(spec.teams), spec.num_teams
    won = deck_scores(spec, games)[1]
    last = games.last_seats.reshape(-1, games_per_deck(spec))
    finishers = tuple(
        {
            spec.seat_names[int(seat)]: float(
                np.mean((won[:, team] == 1) & (last[:, team] == seat))
            )
            for seat in np.flatnonzero(teams == team)
        }
        for team in range(num_teams)
    )
    return MatchResult(
        **vars(_side(spec, games, 0)),
        names=names,
        unit=spec.score,
        num_decks=len(won),
        opposite=_side(spec, games, 1) if num_teams > 2 else None,
        team_names=spec.team_names,
        finishers=finishers,
        usage=(games.usage[0], games.usage[1]),
        games=games,
    )
