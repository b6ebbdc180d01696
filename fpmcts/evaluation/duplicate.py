"""Duplicate matches: each deck is played once with A in each team, B in the others, the cards the
same.

With two teams that is the whole match: A as landlord against B as peasants, then the other way
round (DeltaDou, 5.1); or A in the first and in the second seat of a two-player poker game. With
three players it says how A does alone against two of B, and the scores of A and B need not sum to
zero. Such decks are therefore played once more with B in each team, A in the others: A's score
comes from the games in which it sits alone, B's from those in which B does. (Compare the
three-player matches of Heinrich & Silver 2015, table 3.)

**Different players at one table** play each deck in every order around it. A player's score of a
deck is its mean over the orders, so what a seat and its cards bring cancels over the players, and
the scores sum to 0 where nothing is taken out of the pots.

**Players that learn from what they see** (``games.agent.Observer``, as ``mcts``) begin a match as
strangers. Decks are played lot by lot, ``LOT`` decks side by side: in a lot they know the moves of
all lots before it, of both players, and nothing of its own hands. A player is the
same in whatever seat, so what is known of it does not depend on its place. The acquaintance lasts
for one task of a tournament (``fpmcts.evaluation.plan``), whatever processes there are.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from typing import TypedDict, Unpack

import numpy as np

from fpmcts.evaluation.aivat import controlled
from fpmcts.evaluation.decks import evaluation_decks
from fpmcts.evaluation.match import PlayedGames, Progress, joined_games, play_games
from fpmcts.evaluation.match_result import MatchResult as MatchResult
from fpmcts.evaluation.match_result import Score, Side, TableResult
from fpmcts.evaluation.statistics import estimate, wins
from games.agent import Agent, observers
from games.batches import States, num_rows, take
from games.interface import Game, GameSpec
from games.kernels import Stream, streams

LOT = 10
"""Decks that are played side by side where a player learns from what it sees."""
MOST_ORDERS = 24


class Options(TypedDict, total=False):
    """Optional arguments of ``seated_games``."""

    lot: int | None
    at_once: int | None
    progress: Progress | None


def games_per_deck(spec: GameSpec) -> int:
    """Returns how often a deck is played: with A alone in each team, and where there are more than
    two also with B alone.
    """
    return spec.num_teams if spec.num_teams == 2 else 2 * spec.num_teams


def table_orders(players: int, seed: int = 0) -> np.ndarray:
    """Returns the player at each seat (int ``[P, S]``) of every order at a table; each player is as
    often in each seat. These are all orders of up to four players, else some at random.
    """
    if players <= 4:
        return np.array(list(permutations(range(players))))
    rng, rounds = np.random.default_rng(seed), max(1, MOST_ORDERS // players)
    circles = [rng.permutation(players) for _ in range(rounds)]
    return np.array([np.roll(circle, k) for circle in circles for k in range(players)])


def duplicate_games(
    game: Game, a: Agent, b: Agent, decks: States, seed: int, **options: Unpack[Options]
) -> PlayedGames:
    """Returns the games of a duplicate match of player ``a`` against ``b``, which may be the same
    object.

    With n games per deck (``games_per_deck``), deck d with A alone in team t is game ``d * n + t``;
    with more than two teams, T, deck d with B alone in team t is game ``d * n + T + t``. The other
    arguments are those of ``seated_games``.
    """
    alone = np.arange(game.spec.num_teams)[:, None] == np.array(game.spec.teams)  # [T, S]
    seating = np.where(np.concatenate([alone, ~alone])[: games_per_deck(game.spec)], 0, 1)
    return seated_games(game, (a, b), seating, decks, seed, **options)


def table_games(
    game: Game, agents: Sequence[Agent], decks: States, seed: int, **options: Unpack[Options]
) -> PlayedGames:
    """Returns the games of different players at one table, one for each seat, in all
    ``table_orders``. The other arguments are those of ``seated_games``.
    """
    return seated_games(game, agents, table_orders(len(agents), seed), decks, seed, **options)


def seated_games(
    game: Game,
    agents: Sequence[Agent],
    seating: np.ndarray,
    decks: States,
    seed: int,
    *,
    lot: int | None = None,
    at_once: int | None = None,
    progress: Progress | None = None,
) -> PlayedGames:
    """Returns the games of every deck in n seatings; deck d in seating k is game ``d * n + k``.

    Args:
        game: The game.
        agents: The players.
        seating: int ``[n, S]``: the index of the agent at each seat.
        decks: One row per deck.
        seed: For the players' random choices.
        lot: Decks side by side where a player learns from what it sees; None: ``LOT``.
        at_once: Games in progress at a time; None: all. It bounds memory and changes no game.
        progress: Called with the games that are over and all games.
    """
    num_decks, count, watching = num_rows(decks), len(seating), observers(agents)
    size = (lot or LOT) if watching else max(num_decks, 1)
    for agent in watching:
        agent.forget()
    parts = []
    for first in range(0, max(num_decks, 1), size):
        last = min(first + size, num_decks)
        deals = take(decks, np.repeat(np.arange(first, last), count))
        seats = np.tile(seating, (last - first, 1))
        for agent in watching:
            agent.meet(seats)

        def tell(done: int, _: int, began: int = first * count) -> None:
            if progress is not None:
                progress(began + done, num_decks * count)

        own = part_seed(seed, first) if first else seed
        parts.append(play_games(game, agents, seats, deals, own, at_once=at_once, progress=tell))
        for agent in watching:
            agent.observe(take(deals, np.arange(len(seats))), parts[-1].records)
    return parts[0] if len(parts) == 1 else joined_games(parts)


def part_seed(seed: int, first: int) -> int:
    """Returns the seed of the players' random choices in the part of a match that begins with deck
    ``first``.
    """
    return int(streams(seed, 1, Stream.PLAY, first)[0] >> np.uint64(1))


def duplicate_match(
    game: Game, a: Agent, b: Agent, num_decks: int, seed: int, **options: Unpack[Options]
) -> MatchResult:
    """Returns the score of player ``a`` against ``b`` over the first evaluation decks (at least 1)
    of a seed.

    The other arguments are those of ``seated_games``.
    """
    if num_decks < 1:
        raise ValueError(f"got num_decks={num_decks}; expected at least 1")
    games = duplicate_games(game, a, b, evaluation_decks(game, seed, num_decks), seed, **options)
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


def table_scores(spec: GameSpec, games: PlayedGames) -> np.ndarray:
    """Returns the mean return of each player on each deck of ``table_games``, in the unit of the
    game's scores: float64 ``[D, P]``.
    """
    by_game = np.zeros(games.returns.shape)
    np.put_along_axis(by_game, games.seating.astype(np.int64), games.returns, axis=1)
    shape = (-1, len(table_orders(spec.num_seats)), spec.num_seats)
    return by_game.reshape(shape).mean(axis=1) * spec.score.per_return


def table_summary(spec: GameSpec, names: Sequence[str], games: PlayedGames) -> TableResult:
    """Returns the scores of all players over ``table_games``."""
    return TableResult(tuple(names), spec.score, table_scores(spec, games), tuple(games.usage))
