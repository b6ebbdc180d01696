"""Different players at one table: the same cards with the players in every order of seats.

Deck d is played once for each of P orders of the players around the table; all orders up to
``MOST_ORDERS``, else as many drawn at random. A player's score of a deck is its mean over the
orders, so what a seat and its cards bring cancels over the players, and the unit of every error is
the deck. Scores sum to 0 where nothing is taken out of the pots.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from fpmcts.evaluation.decks import evaluation_decks
from fpmcts.evaluation.match import PlayedGames, Progress, Usage, play_games
from fpmcts.evaluation.statistics import Estimate, estimate
from games.agent import Agent, observers
from games.batches import States, num_rows, take
from games.interface import Game, ScoreUnit

MOST_ORDERS = 24


@dataclass(frozen=True)
class TableResult:
    """How each player did.

    Attributes:
        names: Of the P players, as they were given.
        unit: Of the scores.
        by_deck: float64 ``[D, P]``, the mean return of each player on each deck, in that unit.
        scores: Of each player.
        ahead: ``ahead[i][j]``: by how much player i is ahead of player j, from the differences of
            each deck.
        usage: Of each player.
        num_games: That were played.
    """

    names: tuple[str, ...]
    unit: ScoreUnit
    by_deck: np.ndarray
    scores: tuple[Estimate, ...]
    ahead: tuple[tuple[Estimate, ...], ...]
    usage: tuple[Usage, ...]
    num_games: int

    def lines(self) -> Iterator[str]:
        """Yields a line for each player, then one for each pair."""
        decks = f"{len(self.by_deck):,} decks, {self.num_games:,} hands"
        for name, score, used in zip(self.names, self.scores, self.usage, strict=True):
            time = f"{1000 * used.seconds_per_decision():.3g} ms a decision"
            points = f"{self.unit.name} {score.mean:+.0f} ± {score.error:.0f}"
            yield f"{name}: {points} ({decks}; {time})"
        for i, name in enumerate(self.names):
            for j in range(i + 1, len(self.names)):
                lead = self.ahead[i][j]
                yield f"{name} - {self.names[j]}: {lead.mean:+.0f} ± {lead.error:.0f}"


def orders(players: int, seed: int) -> np.ndarray:
    """Returns the player at each seat (int ``[P, S]``) of every order that is played; each player
    is as often in each seat.
    """
    if players <= 4:
        return np.array(list(permutations(range(players))))
    rng, rounds = np.random.default_rng(seed), MOST_ORDERS // players
    circles = [rng.permutation(players) for _ in range(max(1, rounds))]
    return np.array([np.roll(circle, k) for circle in circles for k in range(players)])


def play_table(
    game: Game,
    agents: Sequence[Agent],
    decks: States,
    seed: int,
    *,
    at_once: int | None = None,
    progress: Progress | None = None,
) -> PlayedGames:
    """Returns the games of players at one table; deck d in order k is game ``d * P + k``.

    Args:
        game: A game with as many seats as there are agents.
        agents: The players, all different objects.
        decks: One row per deck.
        seed: For the orders and the players' random choices.
        at_once: Games in progress at a time; None: all. progress: See ``fpmcts.evaluation.match``.
    """
    if len(agents) != game.spec.num_seats:
        raise ValueError(
            f"table: {len(agents)} players; expected {game.spec.num_seats}, one for each seat of "
            f"{game.spec.name}"
        )
    some = orders(len(agents), seed)
    deals, seating = (
        take(decks, np.repeat(np.arange(num_rows(decks)), len(some))),
        np.tile(some, (num_rows(decks), 1)),
    )
    watching = observers(agents)
    for agent in watching:
        agent.meet(seating)
    games = play_games(game, agents, seating, deals, seed, at_once=at_once, progress=progress)
    for agent in watching:
        agent.observe(take(deals, np.arange(len(seating))), games.records)
    return games


def scores_by_deck(game: Game, games: PlayedGames, num_decks: int) -> np.ndarray:
    """Returns the mean return of each player on each deck, in the unit of the game's scores:
    float64 ``[D, P]``.
    """
    players = game.spec.num_seats
    by_game = np.zeros((len(games.seating), players))
    np.put_along_axis(by_game, games.seating.astype(np.int64), games.returns, axis=1)
    return by_game.reshape(num_decks, -1, players).mean(axis=1) * game.spec.score.per_return


def result_of(
    names: Sequence[str],
    unit: ScoreUnit,
    by_deck: np.ndarray,
    usage: Sequence[Usage],
    num_games: int,
) -> TableResult:
    """Returns what the scores of decks (float64 ``[D, P]``) say."""
    players = range(by_deck.shape[1])
    return TableResult(
        tuple(names),
        unit,
        by_deck,
        tuple(estimate(by_deck[:, i]) for i in players),
        tuple(tuple(estimate(by_deck[:, i] - by_deck[:, j]) for j in players) for i in players),
        tuple(usage),
        num_games,
    )


def table_match(
    game: Game,
    make: Callable[[], Sequence[Agent]],
    names: Sequence[str],
    num_decks: int,
    seed: int,
    *,
    lot: int = 20,
    progress: Progress | None = None,
    stopping: Callable[[], bool] = lambda: False,
) -> TableResult | None:
    """Returns the scores of players over the first evaluation decks of a seed, lot by lot; None if
    it was stopped.

    Args:
        game: The game. make: Makes the players. names: For reports.
        num_decks: Decks. seed: Of the decks and the players' choices.
        lot: Decks that are played side by side.
        progress: Called with the games that are over and all games. stopping: Asked after every
            lot.
    """
    agents, decks = make(), evaluation_decks(game, seed, num_decks)
    per_deck, parts = len(orders(len(agents), seed)), []
    usage = [Usage() for _ in agents]
    for first in range(0, num_decks, lot):
        some = take(decks, slice(first, min(first + lot, num_decks)))
        games = play_table(game, agents, some, seed + first)
        parts.append(scores_by_deck(game, games, num_rows(some)))
        for total, used in zip(usage, games.usage, strict=True):
            total.seconds += used.seconds
            total.decisions += used.decisions
        if progress is not None:
            progress((first + num_rows(some)) * per_deck, num_decks * per_deck)
        if stopping() and first + lot < num_decks:
            return None
    return result_of(names, game.spec.score, np.concatenate(parts), usage, num_decks * per_deck)
