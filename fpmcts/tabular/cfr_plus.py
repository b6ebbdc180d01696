"""CFR+: reference values by full passes over all histories of a game whose deals can be listed.

Source: Tammelin, "Solving large imperfect information games using CFR+", 2014: regrets never fall
below 0, the players update in turn, and iteration t weighs t in the average policy.

Every pass traverses all histories depth first, so memory depends only on the number of information
sets. An action has four words in a row: the regret, its change in this pass, the current policy,
and the weight in the average policy. Regrets and the policy change at the end of a pass, since an
information set occurs in many histories.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from fpmcts.tabular import selection as selections
from fpmcts.tabular.hash_table import HEADER
from fpmcts.tabular.hashed_learner import MEASURED, HashedLearner
from fpmcts.tabular.information_sets import Path, gather, new_path
from fpmcts.tabular.learner import DenseLearner, Options
from fpmcts.tabular.listed_game import (
    MOST_HISTORIES,
    Listing,
    best_response_values,
    listing,
)
from fpmcts.tabular.walks import (
    Walk,
    branch,
    deal_at,
    result,
    row_of,
    showdown,
    to_decision,
    walk_of,
)
from games.base.settings import ConfigError, setting
from games.kernels import borrowed, kernel
from games.kernels.dispatch import register
from games.play.deals import EnumeratedDeals
from games.play.interface import Game
from games.play.tables import Tables

CHANGE, CHANCE, WEIGHT, WIDTH = 1, 2, 3, 4
"""The words of an action after its regret, and how many there are."""
_CHUNK = 10**7
"""Approximate number of decisions between two checks for Ctrl-C."""


class Averages(NamedTuple):
    """The selection of CFR+, which only reads averages.

    Attributes:
        width: Words of an action.
    """

    width: int = WIDTH


register(selections.weights, Averages, selections.mean_policy)
register(selections.values, Averages, selections.mean_policy)


class Sets(NamedTuple):
    """The information sets.

    Attributes:
        place: uint64 ``[I]``, start of the words of the actions.
        size: uint64 ``[I]``, the number of actions.
        owner: int64 ``[I]``, the player that moves there.
    """

    place: np.ndarray
    size: np.ndarray
    owner: np.ndarray


@kernel(forceinline=True)
def _enter(
    walk: Walk, path: Path, header: int, depth: np.uint64, start: int, own: float, others: float
) -> bool:
    """Begins the next decision from a position on; returns False where the game is over."""
    node, seat, count = to_decision(walk, start)
    path.node[depth] = node
    if count == 0:
        return False
    path.place[depth] = np.uint64(row_of(walk, node, seat, count) + header)
    path.size[depth], path.next[depth], path.seat[depth] = np.uint64(count), np.uint64(0), seat
    path.own[depth], path.others[depth], path.total[depth] = own, others, 0.0
    return True


@kernel(forceinline=True)
def _pass(walk: Walk, chances: np.ndarray, path: Path, header: int, player: int, t: float) -> None:
    """Traverses all histories for one player, accumulating in its rows the changes of regrets and
    the average policy of iteration t.
    """
    words = walk.rows.words
    one, width = np.uint64(1), np.uint64(WIDTH)  # unsigned: numba tests no sign
    change, averaged, played = np.uint64(CHANGE), np.uint64(WEIGHT), np.uint64(CHANCE)
    for deal in range(chances.size):
        depth = np.uint64(0)
        if not _enter(walk, path, header, depth, deal_at(walk, deal), 1.0, chances[deal]):
            continue
        while True:
            at, first, count = path.next[depth], path.place[depth], path.size[depth]
            own, others = path.own[depth], path.others[depth]
            mine, value = path.seat[depth] == player, 0.0
            if at < count:
                chance = words[first + width * at + played]
                if mine:
                    own *= chance
                else:
                    others *= chance
                if own > 0.0 or others > 0.0:
                    node = branch(walk, path.node[depth], at)
                    if _enter(walk, path, header, depth + one, node, own, others):
                        depth += one
                        continue
                    node = path.node[depth + one]
                    value = others * result(walk, node, showdown(walk, node), player)
            else:  # all actions done: pass the value on to the decision before
                value = path.total[depth]
                if mine:
                    for slot in range(count):
                        to = first + width * slot
                        words[to + change] += path.values[depth, slot] - value
                        # Once for each history of the set; the player's own probability is that of
                        # all of them.
                        words[to + averaged] += t * own * words[to + played]
                if depth == 0:
                    break
                depth -= one
            at = path.next[depth]
            if path.seat[depth] == player:
                path.values[depth, at] = value
                value *= words[path.place[depth] + width * at + played]
            path.total[depth] += value
            path.next[depth] = at + one


@kernel
def _match(words: np.ndarray, sets: Sets, player: int) -> None:
    """Adds the changes of a pass to a player's regrets, floored at 0, and matches its policy to
    them.
    """
    width, change, played = np.uint64(WIDTH), np.uint64(CHANGE), np.uint64(CHANCE)
    for i in range(sets.place.size):
        if sets.owner[i] != player:
            continue
        first, count, total = sets.place[i], sets.size[i], 0.0
        for slot in range(count):
            to = first + width * slot  # of the regret
            words[to] = max(words[to] + words[to + change], 0.0)
            words[to + change] = 0.0
            total += words[to]
        share = 1.0 / total if total > 0.0 else 0.0
        even = 0.0 if total > 0.0 else 1.0 / count
        for slot in range(count):
            to = first + width * slot
            words[to + played] = words[to] * share + even


@kernel
def iterate(
    walk: Walk,
    chances: np.ndarray,
    path: Path,
    header: int,
    sets: Sets,
    counter: np.ndarray,
    iterations: int,
) -> None:
    """Runs iterations; each updates every player once, in turn.

    Args:
        walk: See ``fpmcts.tabular.walks``; its table has a row for every information set.
        chances: float64, the probabilities of all deals.
        path: Scratch.
        header: Words of a row before those of its actions.
        sets: All of them.
        counter: int64 ``[1]``, changed in place: iterations so far.
        iterations: Number of iterations.
    """
    walk, path, sets = borrowed(walk), borrowed(path), borrowed(sets)
    for player in range(2):
        _match(walk.rows.words, sets, player)  # uniform at first
    for _ in range(iterations):
        for player in range(2):
            _pass(walk, chances, path, header, player, counter[0] + 1.0)
            _match(walk.rows.words, sets, player)
        counter[0] += 1


@dataclass(frozen=True)
class CFRPlusOptions(Options):
    """Options of CFR+.

    Attributes:
        most: Decisions over all histories of the largest game without dense tables; a pass visits
            them all, and so does a measure. None: 1e9, and 2e8 for measures.
    """

    most: int | None = setting(None, least=1, most=10**12)


class CFRPlus(DenseLearner):
    """CFR+ in dense rows. An "episode" is an iteration over all histories; nothing is random.

    Tables: ``regrets`` and ``weights``, float64 ``[I, A]``.
    """

    def __init__(self, name: str, game: Tables, seed: int, options: CFRPlusOptions) -> None:
        pitch = WIDTH * game.max_actions
        super().__init__(name, game, seed, options, pitch)
        self.chunk = 1000
        # Deals that neither players nor payoffs distinguish are merged.
        listed, counts = np.unique(
            np.column_stack([game.deals.buckets, game.deals.outcome]), axis=0, return_counts=True
        )
        buckets = np.ascontiguousarray(listed[:, :-1])
        deals = EnumeratedDeals(game.deals.cards[:0], buckets, listed[:, -1].copy())
        places = pitch * np.arange(game.num_infosets, dtype=np.uint64)
        self._run = (
            self.table.walk()._replace(deals=deals),
            counts / counts.sum(),
            new_path(game.rules.max_moves, game.max_actions),
            0,
            Sets(
                places,
                game.infoset_actions.astype(np.uint64),
                game.infoset_player,
            ),
        )

    def _run_chunk(self, count: int) -> None:
        iterate(*self._run, self.counter, count)


class HashedCFRPlus(HashedLearner):
    """CFR+ on any game of two seats whose deals can be listed."""

    def __init__(self, name: str, game: Game, seed: int, options: CFRPlusOptions) -> None:
        self._most = options.most
        super().__init__(name, game, seed, options, Averages())
        assert self.listed is not None  # by ``algorithms.TabularAlgorithm.listed``
        self.listed.check("algorithm cfr_plus")
        self.chunk = max(1, round(_CHUNK / self.listed.histories))

    @cached_property
    def listed(self) -> Listing | None:
        """See ``HashedLearner``."""
        return listing(self.game, self._most or MOST_HISTORIES)

    def measures(self) -> dict[str, float]:
        """As for every algorithm, with bounds of the first seat's value in equilibrium: what the
        best response of the other leaves it, and what its own gains.
        """
        found, listed = self._sizes(), self.listed
        if listed is not None and listed.histories <= (self._most or MEASURED):
            first, second = best_response_values(listed, self.policy())
            found["nash_conv/average_policy"] = float(first + second)
            found |= {"value/least": -float(second), "value/most": float(first)}
        return found

    def _run_chunk(self, count: int) -> None:
        spec, listed, table = self.game.spec, self.listed, self.table
        assert listed is not None
        if self.episodes == 0:
            try:
                gather(listed, table, keep=False)
            except ValueError as error:
                raise ConfigError(f"algorithm cfr_plus on {spec.name}: {error}") from error
        walk = walk_of(self.game, listed.starts, np.empty(0), table, spec.max_moves + 2)
        sizes, owners = table.sizes_and_seats()
        places = (table.places() + HEADER).astype(np.uint64)
        sets = Sets(places, sizes.astype(np.uint64), owners)
        path = new_path(spec.max_moves, spec.max_legal)
        iterate(walk, listed.chances, path, HEADER, sets, self.counter, count)
