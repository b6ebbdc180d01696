"""The determinizer: worlds for the players who search, from phase 1, phase 2, and the particles kept from move to move.

    views ─┬─ all hands long ──────────────────────────────────────────────▶ worlds from the prior
           └─ some hand short ─▶ particles kept? ─ yes ─▶ replay new moves ─┬─▶ weigh, temper, resample ─▶ worlds
                                      └─ no, or too few count ─▶ phase 1 ─▶ replay all moves ─┘

All lanes advance together; a lane draws from its own random stream alone. Source: DeltaDou, 4.3.
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from games.doudizhu.cards import NUM_RANKS
from games.interface import Game, Records, Rules, States, observe, put, take
from games.kernels import kernel
from inference.draws import COMPLETE, UNDRAWN, Draws, draw_all, draw_from_marginal, draw_from_prior, empty_draws
from inference.filter import Score, draw_filtered
from inference.hands import Positions, find_active, make_positions, played_by_next, start_views, true_next_hands
from inference.marginal import NUM_COUNTS
from inference.particles import NO_PARTICLES, make_particles, store_draws
from inference.posterior import draw_worlds, effective_sizes, judge_truth
from inference.prior import prior_worlds
from inference.replay import Replayer
from networks.resnet import Outputs

PHASE1 = ("marginal", "filter", "none")


@dataclass(frozen=True)
class InferenceSettings:
    """Settings of the inference of hidden hands.

    Attributes:
        phase1: What particles are drawn from: "marginal" (the network's distribution, exactly), "filter" (the prior, the best
            kept by the filter network; the paper, 4.3) or "none" (the prior).
        phase2: Whether particles are weighed by the others' past moves. The paper: yes (4.3).
        particles: Worlds kept per information state, 1 to 65,536. Where no more are possible, all are kept.
        candidates: filter: worlds drawn from the prior, of which the best ``particles`` are kept, >= particles.
        temperature: T of the policies that explain past moves, > 0. The paper applies one and does not state it (4.3).
        epsilon: Share of uniform play in them, in [0, 1]; bounds the evidence of one move. Ours.
        ess_floor: Least effective sample size as a share of ``particles``, in [0, 1]. Below it particles are drawn anew; where
            that is not enough, the posterior is tempered. Ours.
        active_below: Inference is used when some hand has fewer cards than this, 0 to 100; before, worlds come from the prior.
            The paper: 15 (5.1).
        history: New particles are weighed by the last this many moves, those of the searching seat and passes included, >= 0;
            0 = all, the paper.
    """

    phase1: str = "marginal"
    phase2: bool = True
    particles: int = 32
    candidates: int = 512
    temperature: float = 1.0
    epsilon: float = 0.05
    ess_floor: float = 0.1
    active_below: int = 15
    history: int = 0


class Diagnostics(NamedTuple):
    """How inference went for each of n views; NaN where it was not active or the number is not known.

    Attributes:
        num_evaluations: int64 ``[n]``, observations evaluated.
        ess_share: float64 ``[n]``, effective sample size before tempering / particles; NaN too where all worlds are listed.
        beta: float64 ``[n]``, in [0, 1], the tempering that was needed: 1 = none (see ``inference.posterior``).
        fresh: bool ``[n]``, whether the particles were drawn anew.
        phase1_gain: float64 ``[n]``, log-probability of the true hand by phase 1 less that of the prior (nats), where fresh.
        gain: float64 ``[n]``, the same for the posterior before tempering; a lower bound on average. It is at most the phase-1
            gain + log(particles + 1).
        rank: float64 ``[n]``, share of the particles that weigh more than the true hand: 0.5 = weights say nothing.
    """

    num_evaluations: np.ndarray
    ess_share: np.ndarray
    beta: np.ndarray
    fresh: np.ndarray
    phase1_gain: np.ndarray
    gain: np.ndarray
    rank: np.ndarray


def no_diagnostics(count: int) -> Diagnostics:
    """Returns the diagnostics of ``count`` views without inference."""
    unknown = (np.full(count, np.nan) for _ in Diagnostics._fields)
    return Diagnostics(*unknown)._replace(num_evaluations=np.zeros(count, np.int64), fresh=np.zeros(count, np.bool_))


class Evaluates(Protocol):
    """What the determinizer asks of ``networks.evaluator.Evaluator``."""

    def evaluate(self, observations: np.ndarray, seats: np.ndarray, want_hidden: bool = False) -> Outputs:
        """Returns the networks' outputs for int8 ``[N, C, L]`` and seats int8 ``[N]``."""
        ...


@kernel
def _observe(rules: Rules, positions: Positions, observations: np.ndarray) -> None:
    """Writes the observation of every searching seat (int8 ``[n, C, L]``)."""
    for i in range(positions.seats.size):
        observe(rules, positions.views, i, positions.seats[i], observations[i])


class Determinizer:
    """Deals worlds to the players who search.

    Args:
        game: The game.
        evaluator: The networks of all seats.
        settings: See InferenceSettings.
        num_lanes: Games played side by side.
        score: filter: the filter network.

    Raises:
        ValueError: Settings that cannot be used.
    """

    def __init__(
        self, game: Game, evaluator: Evaluates, settings: InferenceSettings, num_lanes: int, score: Score | None = None
    ) -> None:
        if settings.phase1 not in PHASE1:
            raise ValueError(f"phase1 is {settings.phase1!r}: expected one of {', '.join(PHASE1)}")
        if settings.phase1 == "filter" and score is None:
            raise ValueError("phase1 is 'filter': pass the filter network as score=FilterEngine(net)")
        if settings.phase1 == "filter" and settings.candidates < settings.particles:
            raise ValueError(f"candidates is {settings.candidates}: expected at least particles = {settings.particles}")
        self.game, self.settings, self.num_lanes = game, settings, num_lanes
        self._evaluator, self._score = evaluator, score
        self._particles = make_particles(game, num_lanes * game.spec.num_seats, settings.particles)
        self._replayer = Replayer(game, evaluator.evaluate, settings.temperature, settings.epsilon)
        self._least = settings.ess_floor * settings.particles

    def reset(self, lanes: np.ndarray) -> None:
        """Forgets the particles of lanes (int ``[n]``) in which a new game starts."""
        self._particles.moves.reshape(self.num_lanes, -1)[lanes] = NO_PARTICLES

    def worlds(
        self,
        lanes: np.ndarray,
        views: States,
        records: Records,
        rng: np.ndarray,
        num_worlds: int,
        truth: States | None = None,
    ) -> tuple[States, Diagnostics]:
        """Returns worlds for the seats to move.

        Args:
            lanes: int64 ``[n]``, the lane of each view, each at most once.
            views: ``[n]`` rows of running games; the seat to move searches. Hidden hands are not read.
            records: The moves of all lanes since the deal, rows indexed by lane.
            rng: uint64 streams, one per lane, changed in place.
            num_worlds: Worlds per view, >= 1.
            truth: ``[n]`` rows with all the hands, for diagnostics; no world depends on them.

        Returns:
            States ``[n * num_worlds]``, those of view i in a row, and diagnostics.

        Raises:
            ValueError: A record does not lead to its view.
        """
        positions = make_positions(lanes, views)
        count = len(positions.lanes)
        worlds = self.game.empty(count * num_worlds)
        active = np.empty(count, np.bool_)
        find_active(views, self.settings.active_below, active)
        if self.settings.phase1 == "none" and not self.settings.phase2:
            active[:] = False
        prior_worlds(self.game.rules, take(positions, ~active), rng, num_worlds, worlds)
        diagnostics = no_diagnostics(count)
        if active.any():
            here = take(positions, active)
            true_hands = None if truth is None else true_next_hands(take(truth, active), here.seats)
            put(diagnostics, active, self._update(here, records, rng, true_hands))
            betas = np.empty(len(here.lanes))
            draw_worlds(self.game.rules, self._particles, here, self._least, rng, num_worlds, worlds, betas)
            diagnostics.beta[active] = betas
        return worlds, diagnostics

    def _update(self, positions: Positions, records: Records, rng: np.ndarray, true_hands: np.ndarray | None) -> Diagnostics:
        """Brings the particles of the positions up to date, drawing new ones where there are none or too few count."""
        particles, count = self._particles, len(positions.lanes)
        diagnostics, sizes = no_diagnostics(count), np.zeros(count)
        kept = np.flatnonzero(particles.moves[positions.slots] != NO_PARTICLES)
        if self.settings.phase2 and kept.size:
            start = np.zeros(kept.size, np.int64)
            diagnostics.num_evaluations[kept] = self._replayer.advance(particles, take(positions, kept), records, start)
            effective_sizes(particles, positions.slots, sizes)
        fresh = np.flatnonzero((sizes < self._least) | (sizes == 0.0))
        if fresh.size:
            truth = None if true_hands is None else true_hands[fresh]
            gain, num_evaluations = self._draw(take(positions, fresh), records, rng, truth)
            diagnostics.fresh[fresh] = True
            diagnostics.phase1_gain[fresh] = gain
            diagnostics.num_evaluations[fresh] += num_evaluations
            effective_sizes(particles, positions.slots, sizes)
        if not sizes.all():
            wrong = positions.lanes[sizes == 0.0][:5].tolist()
            raise ValueError(f"lanes {wrong}: the record does not lead to the view; pass the moves of all lanes since the deal")
        listed = particles.num_draws[positions.slots] == COMPLETE
        diagnostics.ess_share[:] = np.where(listed, np.nan, sizes / self.settings.particles)
        judge_truth(particles, positions, diagnostics.gain, diagnostics.rank)
        return diagnostics

    def _draw(
        self, positions: Positions, records: Records, rng: np.ndarray, true_hands: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draws new particles for the positions and weighs them; returns the gains of phase 1 and the observations evaluated."""
        particles, count = self._particles, len(positions.lanes)
        draws = empty_draws(count, self.settings.particles, true_hands)
        num_evaluations = self._phase1(positions, rng, draws) + np.zeros(count, np.int64)
        lengths = records.lengths[positions.lanes]
        if self.settings.phase2:
            put(particles.views, positions.slots, start_views(positions))
            store_draws(particles, positions, np.zeros(count, np.int16), played_by_next(positions), True, draws)
            history = self.settings.history or self.game.spec.max_moves
            counts_from = np.maximum(lengths.astype(np.int64) - history, 0)
            num_evaluations += self._replayer.advance(particles, positions, records, counts_from)
        else:
            put(particles.views, positions.slots, positions.views)
            store_draws(particles, positions, lengths, np.zeros(count, np.uint64), False, draws)
        return draws.gain, num_evaluations

    def _phase1(self, positions: Positions, rng: np.ndarray, draws: Draws) -> int:
        """Fills ``draws`` for the positions; returns the observations evaluated per position, those of the filter not counted."""
        settings, marginal = self.settings, self.settings.phase1 == "marginal"
        logits = np.zeros((0, NUM_COUNTS, NUM_RANKS), np.float32)
        if marginal:
            count = len(positions.lanes)
            observations = np.empty((count, *self.game.spec.observation_shape), np.int8)
            _observe(self.game.rules, positions, observations)
            logits = self._evaluator.evaluate(observations, positions.seats.astype(np.int8), want_hidden=True).hidden
        draw_all(positions, marginal, logits, draws)
        rows = np.flatnonzero(draws.num_draws == UNDRAWN)
        if marginal:
            draw_from_marginal(positions, rows, logits, rng, draws)
        elif settings.phase1 == "none" or rows.size == 0:
            draw_from_prior(positions, rows, rng, draws)
        else:
            assert self._score is not None
            draw_filtered(self.game, positions, rows, rng, settings.candidates, self._score, draws)
        return int(marginal)
