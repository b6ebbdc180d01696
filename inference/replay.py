"""Phase 2, the evidence: how likely the others' moves are in the world of each particle.

    p(moves | world) = prod over unforced decisions of seats other than the searching one of
                       (1 - epsilon) softmax(logits / T)[a] + epsilon / |A|

where a is the move, or the listed action nearest to it (``games.kernels.generic.nearest_listed``).
Where the rules find a sure win for the mover (``games.kernels.generic.sure_win``), its first move
replaces the policy, which has not learned such positions: a move then has probability (1 - MISSED)
[a = that move] + MISSED / |A|. The mover's information set in the world is found by replaying the
game from the particle's view with its hidden words. A particle gets weight zero if its mover could
not have made the move, if a card on the table rules it out, or if it belongs to another game. The
networks' outputs are only summed, so a replay never waits for them: ``_collect`` fills a buffer
with the information sets of all lanes, particles and moves, one forward pass per network evaluates
it, and ``score_decisions`` adds the log-likelihoods. Source: DeltaDou, 4.3; the share epsilon of
uniform play, which bounds the evidence of a single move, is ours.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from games.kernels import kernel
from games.kernels.generic import (
    HIDDEN_MOVE,
    UNSEEN_MOVE,
    current_seat,
    fill_world,
    hidden_of,
    infoset_key,
    legal,
    nearest_listed,
    observe,
    played_move,
    reveal,
    role,
    seen_move,
    step,
    sure_win,
)
from games.kernels.rows import Rules, States, put
from games.play.interface import Game, Records
from inference.draws import COMPLETE, are_same
from inference.particles import Particles
from inference.positions import Positions
from networks.decode import legal_logits, softmax
from networks.resnet import Outputs

Evaluate = Callable[[np.ndarray, np.ndarray], Outputs]
"""(observations int8 [N, C, L], roles int8 [N]) -> Outputs of the roles' networks."""


MISSED = 0.2
"""Probability that a player deviates from our way of playing a sure win: others may miss it."""


class Decisions(NamedTuple):
    """A buffer of M decisions; the legal actions of decision m are ``legal[first[m]:first[m +
    1]]``.

    Attributes:
        observations: int8 ``[M, C, L]``.
        roles: int8 ``[M]``, of the mover.
        rows: int32 ``[M]``, the slot by its index in ``Replay``.
        particles: int32 ``[M]``, the column.
        chosen: int16 ``[M]``, index of the move among the legal ones.
        first: int32 ``[M + 1]``.
        legal: int16 ``[room]``.
    """

    observations: np.ndarray
    roles: np.ndarray
    rows: np.ndarray
    particles: np.ndarray
    chosen: np.ndarray
    first: np.ndarray
    legal: np.ndarray


class Replay(NamedTuple):
    """n slots to be brought up to date.

    Attributes:
        positions: ``[n]``, the current positions.
        moves: int16 ``[G, max_moves]``, the records, as the searching seats saw the moves.
        lengths: int16 ``[G]``, their lengths.
        same: int64 ``[n, K + 1]``, the first possible particle of the slot with the same world.
        evidence: float64 ``[n, K + 1]``, log-likelihood (nats) of the moves replayed; -inf =
            impossible.
    """

    positions: Positions
    moves: np.ndarray
    lengths: np.ndarray
    same: np.ndarray
    evidence: np.ndarray


def make_decisions(game: Game, count: int) -> Decisions:
    """Returns a buffer for ``count`` decisions, and at least for all those of one particle."""
    spec = game.spec
    count = max(count, spec.max_moves)
    return Decisions(
        observations=np.empty((count, *spec.observation_shape), np.int8),
        roles=np.empty(count, np.int8),
        rows=np.empty(count, np.int32),
        particles=np.empty(count, np.int32),
        chosen=np.empty(count, np.int16),
        first=np.zeros(count + 1, np.int32),
        legal=np.empty(max(64 * count, (spec.max_moves + 1) * spec.max_legal), np.int16),
    )


@kernel
def _find_same(particles: Particles, replay: Replay) -> None:
    """Fills ``replay.same``: particles of one world share their evidence, computed once."""
    last = replay.same.shape[1] - 1
    for i in range(replay.positions.slots.size):
        slot = replay.positions.slots[i]
        for k in range(last + 1):
            replay.same[i, k] = k
            listed = particles.num_draws[slot] == COMPLETE and k < last  # each once
            if particles.posterior[slot, k] > -np.inf and not listed:
                for first in range(k):
                    same_world = are_same(particles.hidden[slot, first], particles.hidden[slot, k])
                    if same_world and particles.posterior[slot, first] > -np.inf:
                        replay.same[i, k] = first
                        break


@kernel
def _reveal(rules: Rules, particles: Particles, positions: Positions) -> None:
    """Adds to the slots' views the cards dealt face up since."""
    for i in range(positions.slots.size):
        reveal(rules, positions.views, i, positions.seats[i], particles.views, positions.slots[i])


@kernel
def _leads_to(rules: Rules, world: States, positions: Positions, i: int) -> bool:
    """Returns whether a world (lane 0 of ``world``) is consistent with what the seat sees."""
    seat = positions.seats[i]
    return infoset_key(rules, world, 0, seat) == infoset_key(rules, positions.views, i, seat)


@kernel
def _collect_particle(
    rules: Rules,
    particles: Particles,
    replay: Replay,
    i: int,
    k: int,
    decisions: Decisions,
    count: int,
    max_legal: int,
    solve: bool,
    row: States,
) -> int:
    """Replays one particle; returns the decisions in the buffer, -1 if they do not fit."""
    slot, seat, lane = (
        replay.positions.slots[i],
        replay.positions.seats[i],
        replay.positions.lanes[i],
    )
    before, hidden, solved = count, particles.hidden[slot, k], 0.0
    if not fill_world(rules, particles.views, slot, seat, hidden, row, 0):
        replay.evidence[i, k] = -np.inf
        return before
    j = np.int64(particles.moves[slot])
    # Moves that are not seen are not in the record; some may come after its last.
    length, last = replay.lengths[lane], current_seat(rules, replay.positions.views, i)
    while j < length or current_seat(rules, row, 0) != last:
        mover = current_seat(rules, row, 0)
        move = replay.moves[lane, j] if j < length else HIDDEN_MOVE
        action = played_move(rules, row, 0, seat, move, hidden) if mover >= 0 else -1
        if action < 0:
            replay.evidence[i, k] = -np.inf
            return before
        is_seen = seen_move(rules, row, 0, action, seat) != UNSEEN_MOVE
        if mover != seat:
            start = decisions.first[count]
            if count == decisions.roles.size or start + max_legal > decisions.legal.size:
                return -1
            actions = decisions.legal[start : start + max_legal]
            num_legal = legal(rules, row, 0, actions)
            stands_for = nearest_listed(rules, row, 0, action)
            chosen = np.searchsorted(actions[:num_legal], stands_for)
            if chosen == num_legal or actions[chosen] != stands_for:
                replay.evidence[i, k] = -np.inf
                return before
            sure = sure_win(rules, row, 0) if solve and num_legal > 1 else -1
            if sure >= 0:
                solved += np.log((1.0 - MISSED) * (stands_for == sure) + MISSED / num_legal)
            elif num_legal > 1:
                observe(rules, row, 0, mover, decisions.observations[count])
                decisions.roles[count] = role(rules, row, 0)
                decisions.rows[count] = i
                decisions.particles[count] = k
                decisions.chosen[count] = chosen
                decisions.first[count + 1] = start + num_legal
                count += 1
        step(rules, row, 0, action)
        j += is_seen
    if not _leads_to(rules, row, replay.positions, i):
        replay.evidence[i, k] = -np.inf
        return before
    hidden_of(rules, row, 0, seat, hidden)
    replay.evidence[i, k] += solved
    return count


@kernel
def _collect(
    rules: Rules,
    particles: Particles,
    replay: Replay,
    cursor: int,
    decisions: Decisions,
    max_legal: int,
    solve: bool,
    row: States,
) -> tuple[int, int]:
    """Replays particles, from the ``cursor``-th on, until the buffer is full or all are done.

    Args:
        particles: ``hidden`` is brought up to date.
        replay: ``evidence`` becomes -inf for particles that could not have made the moves.
        decisions: Receives the unforced decisions of the others.
        max_legal: Upper bound on the number of legal actions.
        solve: Whether sure wins are assumed to be played.
        row: One state, scratch.

    Returns:
        (the next cursor, the number of decisions).
    """
    count = 0
    per_slot = replay.same.shape[1]
    while cursor < replay.positions.slots.size * per_slot:
        i, k = cursor // per_slot, cursor % per_slot
        if replay.same[i, k] == k and particles.posterior[replay.positions.slots[i], k] > -np.inf:
            after = _collect_particle(
                rules, particles, replay, i, k, decisions, count, max_legal, solve, row
            )
            if after < 0:
                break
            count = after
        cursor += 1
    return cursor, count


@kernel
def score_decisions(
    decoder: np.ndarray,
    policy: np.ndarray,
    decisions: Decisions,
    count: int,
    temperature: float,
    epsilon: float,
    replay: Replay,
    scratch: np.ndarray,
) -> None:
    """Adds the log-likelihood (nats) of every decision in the buffer to ``replay.evidence``.

    Args:
        policy: float32 ``[count, policy_size]``, the networks' outputs.
        temperature: T.
        epsilon: The share of uniform play.
        scratch: float64 ``[2, max_legal]``.
    """
    logits, chances = scratch[0], scratch[1]
    for m in range(count):
        start = decisions.first[m]
        num_legal = decisions.first[m + 1] - start
        legal_logits(
            decoder, policy, m, decisions.legal[start : start + num_legal], num_legal, logits
        )
        softmax(logits, num_legal, temperature, chances)
        likelihood = (1.0 - epsilon) * chances[decisions.chosen[m]] + epsilon / num_legal
        replay.evidence[decisions.rows[m], decisions.particles[m]] += np.log(
            max(likelihood, 1e-300)
        )


@kernel
def _add_evidence(particles: Particles, replay: Replay) -> None:
    """Adds the evidence to the weights; particles of the same world share it."""
    for i in range(replay.positions.slots.size):
        slot = replay.positions.slots[i]
        particles.moves[slot] = replay.lengths[replay.positions.lanes[i]]
        for k in range(replay.same.shape[1]):
            first = replay.same[i, k]
            for w in range(particles.hidden.shape[2]):
                particles.hidden[slot, k, w] = particles.hidden[slot, first, w]
            particles.posterior[slot, k] += replay.evidence[i, first]


class Replayer:
    """Brings particles up to date with the public record.

    Args:
        game: The game.
        evaluate: The networks of all seats.
        temperature: T > 0 of the policies that the others are assumed to follow.
        epsilon: Share of uniform play in them, in [0, 1].
        solve: Whether sure wins are assumed to be played.
        buffer: Decisions evaluated at once.
    """

    def __init__(
        self,
        game: Game,
        evaluate: Evaluate,
        temperature: float,
        epsilon: float,
        solve: bool = True,
        buffer: int = 8192,
    ) -> None:
        self.game, self.evaluate, self.solve = game, evaluate, solve
        self.temperature, self.epsilon = float(temperature), float(epsilon)
        self._decisions = make_decisions(game, buffer)
        self._row = game.empty(1)
        self._scratch = np.zeros((2, game.spec.max_legal))

    def advance(self, particles: Particles, positions: Positions, records: Records) -> np.ndarray:
        """Replays the moves since the particles' views and weights the particles by them.

        Args:
            particles: Changed in place: views, moves, worlds and posterior weights of the slots.
            positions: ``[n]``, the current positions.
            records: The moves of all lanes.

        Returns:
            int64 ``[n]``, the observations evaluated.
        """
        game, decisions = self.game, self._decisions
        count = len(positions.lanes)
        shape = (count, particles.posterior.shape[1])
        replay = Replay(
            positions, records.moves, records.lengths, np.zeros(shape, np.int64), np.zeros(shape)
        )
        _reveal(game.rules, particles, positions)
        _find_same(particles, replay)
        num_evaluations = np.zeros(count, np.int64)
        cursor = 0
        while cursor < replay.same.size:
            cursor, met = _collect(
                game.rules,
                particles,
                replay,
                cursor,
                decisions,
                game.spec.max_legal,
                self.solve,
                self._row,
            )
            if met:
                policy = self.evaluate(decisions.observations[:met], decisions.roles[:met]).policy
                score_decisions(
                    game.decoder,
                    policy,
                    decisions,
                    met,
                    self.temperature,
                    self.epsilon,
                    replay,
                    self._scratch,
                )
                num_evaluations += np.bincount(decisions.rows[:met], minlength=count)
        _add_evidence(particles, replay)
        put(particles.views, positions.slots, positions.views)
        return num_evaluations
