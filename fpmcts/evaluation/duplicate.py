"""Duplicate matches: each deck is played once with A in each team and B in the others.

With two teams that is the whole match: A as landlord against B as peasants, then the other way
round (DeltaDou, 5.1); or A in the first and in the second seat of a two-player poker game. With
three players it measures A alone against two of B, and the scores of A and B need not sum to zero.
Such decks are therefore also played with B in each team and A in the others: A's score comes from
the games in which it sits alone, B's from those in which B does. (Compare the three-player matches
of Heinrich & Silver 2015, table 3.)

**Different players at one table** play each deck in every order around it. A player's score of a
deck is its mean over the orders, so the advantage of a seat and its cards cancels. Without teams
the scores sum to 0.

**Players that learn from what they see** (``games.play.agent.Watcher``, as ``mcts``) begin a match
as strangers. Decks are played in lots of ``LOT`` decks in parallel: during a lot they know all
moves of both players in earlier lots, and none of the current one. A player is identified
independently of its seat. This knowledge lasts for one task of a tournament
(``fpmcts.evaluation.plan``), for any number of processes.
"""

from collections.abc import Sequence
from functools import partial
from itertools import permutations

import numpy as np

from fpmcts.cluster.pools import Tick, ignore
from fpmcts.evaluation.match import PlayedGames, play_games
from fpmcts.evaluation.match_result import MatchResult, games_per_deck, shares
from games.kernels import Stream, deal_seeds, streams
from games.kernels.rows import States, concatenate, num_rows, take
from games.play.agent import Agent, observers
from games.play.interface import Game, GameSpec

LOT = 10
"""Decks played in parallel if a player learns during the match."""
MOST_ORDERS = 24
MOST_DECKS = 1000
"""Decks of ``duplicate_match`` played in parallel: a searched game holds 46 kB of worlds."""


def evaluation_decks(game: Game, seed: int, num_decks: int) -> States:
    """Returns the deals of a match: fixed by a seed, and never among those of training (the lowest
    bit of their seeds differs).

    Deck i depends only on the seed and i, so a longer match starts with the decks of a shorter one.
    """
    return game.deal(deal_seeds(seed, num_decks, Stream.EVALUATION))


def table_orders(players: int, seed: int = 0) -> np.ndarray:
    """Returns the player at each seat (int ``[P, S]``) of every order at a table; each player is
    equally often in each seat. These are all orders for up to four players, else random ones.
    """
    if players <= 4:
        return np.array(list(permutations(range(players))))
    rng, rounds = np.random.default_rng(seed), max(1, MOST_ORDERS // players)
    circles = [rng.permutation(players) for _ in range(rounds)]
    return np.array([np.roll(circle, k) for circle in circles for k in range(players)])


def duplicate_games(
    game: Game,
    a: Agent,
    b: Agent,
    decks: States,
    seed: int,
    lot: int = LOT,
    tick: Tick = ignore,
) -> PlayedGames:
    """Returns the games of a duplicate match of player ``a`` against ``b``, which may be the same
    object.

    With n games per deck (``games_per_deck``), deck d with A alone in team t is game ``d * n + t``;
    with more than two teams, T, deck d with B alone in team t is game ``d * n + T + t``. The other
    arguments are those of ``seated_games``.
    """
    alone = np.arange(game.spec.num_teams)[:, None] == np.array(game.spec.teams)  # [T, S]
    seating = np.where(np.concatenate([alone, ~alone])[: games_per_deck(game.spec)], 0, 1)
    return seated_games(game, (a, b), seating, decks, seed, lot, tick)


def table_games(
    game: Game,
    agents: Sequence[Agent],
    decks: States,
    seed: int,
    lot: int = LOT,
    tick: Tick = ignore,
) -> PlayedGames:
    """Returns the games of different players at one table, one per seat, in all ``table_orders``.
    The other arguments are those of ``seated_games``.
    """
    orders = table_orders(len(agents), seed)
    return seated_games(game, agents, orders, decks, seed, lot, tick)


def seated_games(
    game: Game,
    agents: Sequence[Agent],
    seating: np.ndarray,
    decks: States,
    seed: int,
    lot: int,
    tick: Tick,
) -> PlayedGames:
    """Returns the games of every deck in n seatings; deck d in seating k is game ``d * n + k``.

    Args:
        game: The game.
        agents: The players.
        seating: int ``[n, S]``: the index of the agent at each seat.
        decks: One row per deck.
        seed: Seed of the players' random choices.
        lot: Decks in parallel if a player learns during the match.
        tick: Called with the number of finished games.
    """
    num_decks, count, watching = num_rows(decks), len(seating), observers(agents)
    size = lot if watching else max(num_decks, 1)
    for agent in watching:
        agent.forget()
    parts = []
    for first in range(0, max(num_decks, 1), size):
        last = min(first + size, num_decks)
        deals = take(decks, np.repeat(np.arange(first, last), count))
        seats = np.tile(seating, (last - first, 1))
        for agent in watching:
            agent.meet(seats)
        own = part_seed(seed, first) if first else seed
        shown = partial(lambda before, done: tick(before + done), first * count)
        parts.append(play_games(game, agents, seats, deals, own, tick=shown))
        for agent in watching:
            agent.observe(take(deals, np.arange(len(seats))), parts[-1].records)
    return concatenate(parts)


def part_seed(seed: int, first: int) -> int:
    """Returns the seed of the players' random choices in the part of a match that begins with deck
    ``first``.
    """
    return int(streams(seed, 1, Stream.PLAY, first)[0] >> np.uint64(1))


def duplicate_match(game: Game, a: Agent, b: Agent, num_decks: int, seed: int) -> MatchResult:
    """Returns the score of player ``a`` against ``b`` over the first evaluation decks (at least 1)
    of a seed.
    """
    if num_decks < 1:
        raise ValueError(f"got num_decks={num_decks}; expected at least 1")
    decks, parts = evaluation_decks(game, seed, num_decks), []
    size = num_decks if observers((a, b)) else MOST_DECKS
    for k in range(0, num_decks, size):
        part = take(decks, slice(k, k + size))
        parts.append(duplicate_games(game, a, b, part, part_seed(seed, k) if k else seed))
    games = concatenate(parts)
    names = (a.name, b.name) if a.name != b.name else (f"{a.name} (a)", f"{b.name} (b)")
    return MatchResult(names, game.spec, games, habits=game.habits(games.records))


def table_habits(result: MatchResult) -> list[dict[str, float]]:
    """Returns the shares of its games in which each player of ``table_games`` did what habits
    count.
    """
    sits = [result.games.seating == player for player in range(len(result.names))]
    return [shares({name: done[own] for name, done in result.habits.items()}) for own in sits]


def table_scores(spec: GameSpec, games: PlayedGames) -> np.ndarray:
    """Returns the mean return of each player on each deck of ``table_games``, in the unit of the
    game's scores: float64 ``[D, P]``.
    """
    by_game = np.zeros(games.returns.shape)
    np.put_along_axis(by_game, games.seating.astype(np.int64), games.returns, axis=1)
    shape = (-1, len(table_orders(spec.num_seats)), spec.num_seats)
    return by_game.reshape(shape).mean(axis=1) * spec.score.per_return
