"""CFR+ on any game of two seats whose deals can be listed, in a hashed table of information sets.

The algorithm is that of ``fpmcts.tabular.cfr_plus``; there the histories are a tree in memory, here
they are played through, depth first, in every pass. So memory grows with information sets, not with
histories. A state with one legal move is no decision.

A row has four numbers for each action: the regret, what this pass adds to it, the weight in the
average policy, and the present policy. Regrets and the policy change when a pass is over, since an
information set is met in many histories.
"""

from typing import Any, NamedTuple

import numpy as np

from fpmcts.tabular import selection as selections
from fpmcts.tabular.cfr_plus import CFRPlusOptions
from fpmcts.tabular.hash_table import HEADER, Rows, find, num_actions_of, seat_key, seat_of
from fpmcts.tabular.hashed_learner import HashedLearner
from fpmcts.tabular.information_sets import Path, collect, new_path, to_decision
from fpmcts.tabular.listed_game import MOST_HISTORIES
from games.batches import Rules, States
from games.dispatch import register
from games.generic import copy_row, current_seat, step, team_return
from games.interface import Game
from games.kernels import borrowed, kernel
from games.settings import ConfigError

REGRET, CHANGE, WEIGHT, CHANCE, WIDTH = 0, 1, 2, 3, 4
"""The numbers of an action in a row, and how many there are."""
_CHUNK = 10**7
"""Decisions between two looks at Ctrl-C, about."""


class Averages(NamedTuple):
    """The way to the average policy in a row. Attributes: width: WIDTH."""

    width: int


@kernel
def _weights(selection: Any, rows: Rows, place: int, num_actions: int, out: np.ndarray) -> None:
    for slot in range(num_actions):
        out[slot] = rows.words[place + HEADER + WIDTH * slot + WEIGHT]


selections.WIDTHS[Averages] = WIDTH
register(selections.weights, Averages, _weights)
register(selections.values, Averages, _weights)


@kernel
def _enter(
    rules: Rules, work: States, depth: int, path: Path, rows: Rows, own: float, others: float
) -> bool:
    """Begins the decision of row ``depth``; returns False where the game is over there."""
    count = to_decision(rules, work, depth, path.actions[depth])
    if count == 0:
        return False
    seat = current_seat(rules, work, depth)
    path.size[depth], path.seat[depth], path.next[depth] = count, seat, 0
    path.place[depth] = find(rows, seat_key(rules, work, depth, seat))
    path.own[depth], path.others[depth] = own, others
    return True


@kernel
def one_pass(
    rules: Rules,
    starts: States,
    chances: np.ndarray,
    work: States,
    path: Path,
    rows: Rows,
    player: int,
    weight: float,
) -> None:
    """Plays through all histories for one player: what its rows add to their regrets, and to the
    average policy.

    Args:
        starts: All deals. chances: float64, their probabilities.
        work: ``[M + 1]`` states, scratch. path: Scratch.
        player: The seat whose rows change.
        weight: Of the present policy in the average.
    """
    rules, starts, work, rows, path = (
        borrowed(rules),
        borrowed(starts),
        borrowed(work),
        borrowed(rows),
        borrowed(path),
    )
    for deal in range(chances.size):
        copy_row(rules, starts, deal, work, 0)
        depth, value = 0, 0.0
        if not _enter(rules, work, 0, path, rows, 1.0, chances[deal]):
            continue
        while True:
            at, count, first = path.next[depth], path.size[depth], path.place[depth] + HEADER
            if at < count:
                chance = rows.words[first + WIDTH * at + CHANCE]
                mine = path.seat[depth] == player
                own, others = (
                    path.own[depth] * (chance if mine else 1.0),
                    path.others[depth] * (1.0 if mine else chance),
                )
                value = 0.0
                if own > 0.0 or others > 0.0:
                    copy_row(rules, work, depth, work, depth + 1)
                    step(rules, work, depth + 1, path.actions[depth, at])
                    if _enter(rules, work, depth + 1, path, rows, own, others):
                        depth += 1
                        continue
                    value = others * team_return(rules, work, depth + 1, player)
            else:  # all actions are tried: the value of this decision goes to the one before
                total = 0.0
                if path.seat[depth] == player:
                    for slot in range(count):
                        total += (
                            rows.words[first + WIDTH * slot + CHANCE] * path.values[depth, slot]
                        )
                    for slot in range(count):
                        to = first + WIDTH * slot
                        rows.words[to + CHANGE] += path.values[depth, slot] - total
                        # Once for each history of the set; the player's own probability is that of
                        # all of them.
                        rows.words[to + WEIGHT] += (
                            weight * path.own[depth] * rows.words[to + CHANCE]
                        )
                else:
                    for slot in range(count):
                        total += path.values[depth, slot]
                value = total
                depth -= 1
                if depth < 0:
                    break
            path.values[depth, path.next[depth]] = value
            path.next[depth] += 1


@kernel
def end_pass(rows: Rows, player: int) -> None:
    """Adds what a pass found to the regrets of a player, none of which falls below 0, and matches
    its policy to them.
    """
    place = 0
    while place < rows.used[0]:
        count, first = num_actions_of(rows, place), place + HEADER
        if seat_of(rows, place) == player:
            total = 0.0
            for slot in range(count):
                to = first + WIDTH * slot
                rows.words[to + REGRET] = max(
                    rows.words[to + REGRET] + rows.words[to + CHANGE], 0.0
                )
                rows.words[to + CHANGE] = 0.0
                total += rows.words[to + REGRET]
            for slot in range(count):
                to = first + WIDTH * slot
                rows.words[to + CHANCE] = (
                    rows.words[to + REGRET] / total if total > 0.0 else 1.0 / count
                )
        place += HEADER + WIDTH * count


class HashedCFRPlus(HashedLearner):
    """CFR+ on any game of two seats whose deals can be listed. An "episode" is an iteration over
    all histories.
    """

    def __init__(self, name: str, game: Game, seed: int, options: CFRPlusOptions) -> None:
        super().__init__(name, game, seed, options, Averages(WIDTH))
        if self.listed is None:
            raise ValueError(
                f"algorithm cfr_plus: the deals of {game.spec.name} cannot be listed; expected a "
                "smaller game"
            )
        if not self.listed.fits:
            raise ValueError(
                f"algorithm cfr_plus: {game.spec.name} has about {self.listed.histories:.1e} "
                "decisions in all histories; "
                f"expected at most {MOST_HISTORIES:.0e}"
            )
        self.chunk = max(1, round(_CHUNK / self.listed.histories))
        self._path, self._work = new_path(game)

    def _run_chunk(self, count: int) -> None:
        rules, spec = self.game.rules, self.game.spec
        assert self.listed is not None
        starts, chances = self.listed.starts, self.listed.chances
        scratch, rows = (self._work, self._path), self.table.rows
        while self.episodes == 0 and not collect(rules, starts, *scratch, rows, WIDTH, starts, 0):
            try:
                self.table.grow(max(1, self.table.num_rows), HEADER + WIDTH * spec.max_legal)
            except ValueError as error:
                raise ConfigError(f"algorithm cfr_plus on {spec.name}: {error}") from error
            rows = self.table.rows
        if self.episodes == 0:
            for player in range(spec.num_seats):
                end_pass(rows, player)  # the uniform policy
        for _ in range(count):
            for player in range(spec.num_seats):
                weight = float(self.episodes + 1)
                one_pass(
                    rules, starts, chances, self._work, self._path, self.table.rows, player, weight
                )
                end_pass(rows, player)
            self.counter += 1
