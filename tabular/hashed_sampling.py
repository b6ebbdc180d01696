"""MCCFR Outcome Sampling on any game, in a hashed table of information sets.

The algorithm is that of ``tabular.outcome_sampling``, which says what is computed and where it is from; there the tables are
those of poker. A row has for each action the sum of its regrets and its share of the average policy. All information sets on
the way get a row. A state with one legal move is no decision: nothing is stored and nothing drawn.
"""

from typing import Any, ClassVar, NamedTuple

import numpy as np

from games.batches import Rules, States
from games.dispatch import register
from games.generic import copy_row, current_seat, legal, step, team_return
from games.interface import Game
from games.kernels import borrowed, kernel, mix64
from tabular import selection as selections
from tabular.hash_table import HEADER, Rows, append, count_visit, find, has_room, seat_key
from tabular.hashed_learner import HashedLearner
from tabular.ismcts import draw
from tabular.learner import GOLDEN
from tabular.outcome_sampling import OutcomeSamplingOptions

_MANTISSA = 1.0 / 9007199254740992.0


class Sampling(NamedTuple):
    """Attributes: alternating: Whether one seat at a time explores and learns. epsilon: Share of uniform exploration."""

    alternating: bool
    epsilon: float


@kernel
def _weights(selection: Any, rows: Rows, place: int, num_actions: int, out: np.ndarray) -> None:
    for slot in range(num_actions):
        out[slot] = rows.words[place + HEADER + 2 * slot + 1]


selections.WIDTHS[Sampling] = 2
register(selections.weights, Sampling, _weights)
register(selections.values, Sampling, _weights)


@kernel
def sample_any(
    rules: Rules,
    starts: States,
    cumulative: np.ndarray,
    lane: States,
    selection: Any,
    rows: Rows,
    num_seats: int,
    max_legal: int,
    max_moves: int,
    rng: np.ndarray,
    counter: np.ndarray,
    iterations: int,
) -> int:
    """Runs episodes; returns how many, fewer than asked where the table has no room for another. Arguments as in ``search``."""
    rules, starts, lane, rows = borrowed(rules), borrowed(starts), borrowed(lane), borrowed(rows)
    actions = np.empty(max_legal, np.int16)
    places, slots, sizes, seats = np.empty((4, max_moves), np.int64)
    played = np.empty(max_moves)  # sigma of the action that was sampled
    sigma = np.empty(max_legal)
    reach = np.empty(num_seats)  # pi_p up to here
    tail = np.empty(num_seats)  # a seat's own probability from its later moves on
    state = rng[0]
    done = 0
    while done < iterations:
        if not has_room(rows, max_moves, HEADER + 2 * max_legal):
            break
        turn = (counter[0] + done) % num_seats if selection.alternating else -1
        if cumulative.size > 1:
            state += GOLDEN
            copy_row(rules, starts, draw(cumulative, mix64(state)), lane, 0)
        else:
            copy_row(rules, starts, 0 if cumulative.size == 1 else done, lane, 0)
        reach[:] = 1.0
        sampled, depth = 1.0, 0  # q up to here
        while True:
            seat = current_seat(rules, lane, 0)
            if seat < 0:
                break
            num_actions = legal(rules, lane, 0, actions)
            chosen = 0
            if num_actions > 1:
                key = seat_key(rules, lane, 0, seat)
                place = find(rows, key)
                if place < 0:
                    place = append(rows, key, seat, num_actions, 2)
                count_visit(rows, place)
                first, total = place + HEADER, 0.0
                for slot in range(num_actions):
                    sigma[slot] = max(rows.words[first + 2 * slot], 0.0)
                    total += sigma[slot]
                for slot in range(num_actions):
                    sigma[slot] = sigma[slot] / total if total > 0.0 else 1.0 / num_actions
                explore = selection.epsilon if seat == turn or turn < 0 else 0.0
                if seat != turn:
                    for slot in range(num_actions):
                        rows.words[first + 2 * slot + 1] += reach[seat] / sampled * sigma[slot]
                state += GOLDEN
                mark = np.float64(mix64(state) >> np.uint64(11)) * _MANTISSA
                below = 0.0
                for slot in range(num_actions):
                    chance = explore / num_actions + (1.0 - explore) * sigma[slot]
                    if chance > 0.0:  # the last of these stays where rounding carries the mark past all
                        chosen = slot
                        below += chance
                        if mark < below:
                            break
                places[depth], slots[depth], sizes[depth], seats[depth] = place, chosen, num_actions, seat
                played[depth] = sigma[chosen]
                reach[seat] *= sigma[chosen]
                sampled *= explore / num_actions + (1.0 - explore) * sigma[chosen]
                depth += 1
            step(rules, lane, 0, actions[chosen])
        tail[:] = 1.0
        for k in range(depth - 1, -1, -1):
            seat = seats[k]
            if seat == turn or turn < 0:
                others = 1.0
                for other in range(num_seats):
                    if other != seat:
                        others *= reach[other]
                change = team_return(rules, lane, 0, seat) * others / sampled * tail[seat]
                first = places[k] + HEADER
                for slot in range(sizes[k]):
                    rows.words[first + 2 * slot] -= change * played[k]
                rows.words[first + 2 * slots[k]] += change
            tail[seat] *= played[k]
        done += 1
    rng[0] = state
    counter[0] += done
    return done


class HashedOutcomeSampling(HashedLearner):
    """MCCFR Outcome Sampling on any game of two seats."""

    name: ClassVar[str] = "outcome_sampling"
    shared: ClassVar[bool] = False

    def __init__(self, game: Game, seed: int, options: OutcomeSamplingOptions) -> None:
        selection = Sampling(options.updates == "alternating", float(options.epsilon))
        super().__init__(game, seed, options, selection, 2000)
        self._most_new = game.spec.max_moves

    def _iterate(self, starts: Any, count: int) -> int:
        spec = self.game.spec
        return int(
            sample_any(
                self.game.rules, starts, self._cumulative, self._lane, self.selection, self.table.rows, spec.num_seats,
                spec.max_legal, spec.max_moves, self.rng, self.counter, count,
            )
        )  # fmt: skip
