"""CFR+ on any game of two seats whose deals can be listed, in a hashed table of information sets.

The algorithm is that of ``tabular.cfr_plus``; there the histories are a tree in memory, here they are played through, depth
first, in every pass. So memory grows with information sets, not with histories. A state with one legal move is no decision.

A row has four numbers for each action: the regret, what this pass adds to it, the weight in the average policy, and the present
policy. Regrets and the policy change when a pass is over, since an information set is met in many histories.
"""

from typing import Any, ClassVar, NamedTuple

import numpy as np

from games.batches import Rules, States
from games.dispatch import register
from games.generic import copy_row, current_seat, legal, step, team_return
from games.interface import Game
from games.kernels import borrowed, kernel
from runtime.settings import ConfigError
from tabular import selection as selections
from tabular.cfr_plus import CFRPlusOptions
from tabular.hash_table import HEADER, Rows, append, find, has_room, num_actions_of, seat_key, seat_of
from tabular.hashed_learner import HashedLearner
from tabular.listed_game import MOST_HISTORIES

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


class Path(NamedTuple):
    """The decisions on the way to the present history, by depth; M the most moves, A the most actions.

    Attributes:
        actions: int16 ``[M, A]``. values: float64 ``[M, A]``, of the actions so far, weighted by chance and the other seat.
        place, size, next, seat: int64 ``[M]``: the row, the number of actions, the next action to try, who decides.
        own, others: float64 ``[M]``: the player's share of the probability of the history, and that of all else.
    """

    actions: np.ndarray
    values: np.ndarray
    place: np.ndarray
    size: np.ndarray
    next: np.ndarray
    seat: np.ndarray
    own: np.ndarray
    others: np.ndarray


@kernel(forceinline=True)
def _to_decision(rules: Rules, work: States, row: int, actions: np.ndarray) -> int:
    """Plays the only move as long as there is one; returns the number of actions of the next decision, 0 at the end."""
    while current_seat(rules, work, row) >= 0:
        count = legal(rules, work, row, actions)
        if count > 1:
            return count
        step(rules, work, row, actions[0])
    return 0


@kernel
def list_sets(rules: Rules, starts: States, work: States, path: Path, rows: Rows, max_legal: int) -> bool:
    """Gives every information set of the game a row with the uniform policy; returns False where the table has no room.

    Args:
        starts: All deals. work: ``[M + 1]`` states, scratch. path: Scratch.
    """
    rules, starts, work, rows, path = borrowed(rules), borrowed(starts), borrowed(work), borrowed(rows), borrowed(path)
    for deal in range(starts[0].shape[0]):
        copy_row(rules, starts, deal, work, 0)
        depth = 0
        path.size[0] = _to_decision(rules, work, 0, path.actions[0])
        path.next[0] = -1
        while depth >= 0:
            if path.next[depth] < 0 and path.size[depth] > 0:
                seat, count = current_seat(rules, work, depth), path.size[depth]
                key = seat_key(rules, work, depth, seat)
                if find(rows, key) < 0:
                    if not has_room(rows, 1, HEADER + WIDTH * max_legal):
                        return False
                    place = append(rows, key, seat, count, WIDTH)
                    for slot in range(count):
                        rows.words[place + HEADER + WIDTH * slot + CHANCE] = 1.0 / count
            path.next[depth] += 1
            if path.next[depth] >= path.size[depth]:
                depth -= 1
                continue
            copy_row(rules, work, depth, work, depth + 1)
            step(rules, work, depth + 1, path.actions[depth, path.next[depth]])
            depth += 1
            path.size[depth] = _to_decision(rules, work, depth, path.actions[depth])
            path.next[depth] = -1
    return True


@kernel
def _enter(rules: Rules, work: States, depth: int, path: Path, rows: Rows, own: float, others: float) -> bool:
    """Begins the decision of row ``depth``; returns False where the game is over there."""
    count = _to_decision(rules, work, depth, path.actions[depth])
    if count == 0:
        return False
    seat = current_seat(rules, work, depth)
    path.size[depth], path.seat[depth], path.next[depth] = count, seat, 0
    path.place[depth] = find(rows, seat_key(rules, work, depth, seat))
    path.own[depth], path.others[depth] = own, others
    return True


@kernel
def one_pass(
    rules: Rules, starts: States, chances: np.ndarray, work: States, path: Path, rows: Rows, player: int, weight: float
) -> None:
    """Plays through all histories for one player: what its rows add to their regrets, and to the average policy.

    Args:
        starts: All deals. chances: float64, their probabilities.
        work: ``[M + 1]`` states, scratch. path: Scratch.
        player: The seat whose rows change.
        weight: Of the present policy in the average.
    """
    rules, starts, work, rows, path = borrowed(rules), borrowed(starts), borrowed(work), borrowed(rows), borrowed(path)
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
                own, others = path.own[depth] * (chance if mine else 1.0), path.others[depth] * (1.0 if mine else chance)
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
                        total += rows.words[first + WIDTH * slot + CHANCE] * path.values[depth, slot]
                    for slot in range(count):
                        to = first + WIDTH * slot
                        rows.words[to + CHANGE] += path.values[depth, slot] - total
                        # Once for each history of the set; the player's own probability is that of all of them.
                        rows.words[to + WEIGHT] += weight * path.own[depth] * rows.words[to + CHANCE]
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
    """Adds what a pass found to the regrets of a player, none of which falls below 0, and matches its policy to them."""
    place = 0
    while place < rows.used[0]:
        count, first = num_actions_of(rows, place), place + HEADER
        if seat_of(rows, place) == player:
            total = 0.0
            for slot in range(count):
                to = first + WIDTH * slot
                rows.words[to + REGRET] = max(rows.words[to + REGRET] + rows.words[to + CHANGE], 0.0)
                rows.words[to + CHANGE] = 0.0
                total += rows.words[to + REGRET]
            for slot in range(count):
                to = first + WIDTH * slot
                rows.words[to + CHANCE] = rows.words[to + REGRET] / total if total > 0.0 else 1.0 / count
        place += HEADER + WIDTH * count


class HashedCFRPlus(HashedLearner):
    """CFR+ on any game of two seats whose deals can be listed. An "episode" is an iteration over all histories."""

    name: ClassVar[str] = "cfr_plus"
    shared: ClassVar[bool] = False

    def __init__(self, game: Game, seed: int, options: CFRPlusOptions) -> None:
        super().__init__(game, seed, options, Averages(WIDTH), 2000)
        if self.listed is None:
            raise ValueError(f"algorithm cfr_plus: the deals of {game.spec.name} cannot be listed; expected a smaller game")
        if not self.listed.fits:
            raise ValueError(
                f"algorithm cfr_plus: {game.spec.name} has about {self.listed.histories:.1e} decisions in all histories; "
                f"expected at most {MOST_HISTORIES:.0e}"
            )
        self.chunk = max(1, round(_CHUNK / self.listed.histories))
        most, widest = game.spec.max_moves + 1, game.spec.max_legal
        self._work = game.empty(most + 1)
        self._path = Path(
            np.zeros((most + 1, widest), np.int16), np.zeros((most + 1, widest)), *np.zeros((4, most + 1), np.int64),
            *np.zeros((2, most + 1)),
        )  # fmt: skip

    def _run_chunk(self, count: int) -> None:
        rules, spec = self.game.rules, self.game.spec
        assert self.listed is not None
        starts, chances = self.listed.starts, self.listed.chances
        while self.episodes == 0 and not list_sets(rules, starts, self._work, self._path, self.table.rows, spec.max_legal):
            try:
                self.table.grow(max(1, self.table.num_rows), HEADER + WIDTH * spec.max_legal)
            except ValueError as error:
                raise ConfigError(f"algorithm cfr_plus on {spec.name}: {error}") from error
        for _ in range(count):
            for player in range(spec.num_seats):
                weight = float(self.episodes + 1)
                one_pass(rules, starts, chances, self._work, self._path, self.table.rows, player, weight)
                end_pass(self.table.rows, player)
            self.counter += 1
