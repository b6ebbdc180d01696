"""The determinizer: worlds for searching players, from phases 1 and 2 and stored particles.

    views ─┬─ all hands long ────────────────────────────────────────▶ worlds from the prior
           └─ some hand short ─▶ particles kept? ─ yes ─▶ replay new moves ─┬─▶ weigh, temper,
                                 │                                          │   resample ─▶ worlds
                                 └─ no, or too few count ─▶ phase 1 ─▶ replay all moves ─┘

All lanes advance together, each with its own random stream. The kernels of a game define its hidden
cards, how to list and draw them, and how to fill in a world (``games.play.interface``, hidden
cards); no game is named here. Source: DeltaDou, 4.3.
"""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol

import numpy as np

from games.base.settings import setting
from games.kernels.rows import States, put, take
from games.play.interface import Game, Records, observed_by_movers
from inference.beliefs import Beliefs, believe_particles, believe_prior
from inference.draws import (
    COMPLETE,
    UNDRAWN,
    Draws,
    draw_from_marginal,
    draw_from_prior,
    empty_draws,
    list_all,
    weigh_by_marginal,
    weigh_by_prior,
)
from inference.filter import Score, draw_filtered
from inference.particles import NO_PARTICLES, find_kept, make_particles, store_draws
from inference.positions import Positions, find_active, make_positions, start_views, true_hidden
from inference.posterior import draw_worlds, effective_sizes, judge_truth
from inference.prior import prior_worlds
from inference.replay import Replayer
from networks.resnet import Outputs

PHASE1 = ("marginal", "filter", "none")


@dataclass(frozen=True)
class InferenceSettings:
    """Settings of the inference of hidden hands.

    Attributes:
        phase1: The distribution that particles are drawn from: "marginal" (the network's
            distribution, exactly), "filter" (the prior, the best kept by the filter network; the
            paper, 4.3) or "none" (the prior). The first two need networks with a head for hidden
            cards.
        phase2: Whether particles are weighted by the others' past moves. The paper: yes (4.3).
        particles: Worlds kept per information set, 1 to 65,536. If fewer are possible, all are
            kept.
        candidates: With ``phase1`` "filter": worlds drawn from the prior, >= particles; the best
            ``particles`` are kept.
        temperature: Temperature of the policies that explain past moves, > 0. The paper uses one
            but does not state it (4.3).
        epsilon: Share of uniform play in these policies, in [0, 1]; bounds the evidence of one
            move. Not in the paper.
        solve: Whether the others are assumed to play sure wins that the rules can find, as our
            policies do. Not in the paper.
        ess_floor: Minimum effective sample size as a share of ``particles``, in [0, 1]. Below it,
            particles are redrawn; if that does not suffice, the posterior is tempered. Not in the
            paper.
        keep: Whether particles are kept from move to move and weighed by the new ones, and drawn
            again only below ``ess_floor``. The paper: no, they are drawn and filtered at each
            decision (4.3).
        active_below: Inference is active when some hand has fewer cards than this, 0 to 100; until
            then worlds come from the prior. The paper: 15 (5.1). In games whose hands do not
            shrink, such as poker, it is active from the first move; also in Doudizhu with an
            auction, where bids are evidence.
    """

    depends: ClassVar[dict[str, str]] = {
        "candidates": "phase1=filter",
        **dict.fromkeys(("temperature", "epsilon", "solve", "keep"), "phase2=true"),
        **dict.fromkeys(
            ("particles", "ess_floor", "active_below"), "phase1=marginal or filter, phase2=true"
        ),
    }
    phase1: str = setting("marginal", choices=PHASE1)
    phase2: bool = True
    particles: int = setting(16, least=1, most=65_536)
    candidates: int = setting(512, least=1, most=1_000_000)
    temperature: float = setting(1.0, least=1e-9)
    epsilon: float = setting(0.05, least=0.0, most=1.0)
    solve: bool = True
    ess_floor: float = setting(0.05, least=0.0, most=1.0)
    keep: bool = True
    active_below: int = setting(15, least=0, most=100)


class Diagnostics(NamedTuple):
    """Diagnostics of inference for n views; NaN where inference was inactive or the number is
    unknown.

    Attributes:
        num_evaluations: int64 ``[n]``, observations evaluated.
        ess_share: float64 ``[n]``, effective sample size before tempering / particles; also NaN if
            all worlds are listed.
        beta: float64 ``[n]``, in [0, 1], the tempering needed: 1 = none (see
            ``inference.posterior``).
        fresh: bool ``[n]``, whether the particles were drawn anew.
        phase1_gain: float64 ``[n]``, log-probability of the true world under phase 1 minus that
            under the prior (nats), if fresh.
        gain: float64 ``[n]``, the same for the posterior before tempering; a lower bound on
            average. Of particles drawn without a filter it is at most the phase-1 gain +
            log(particles + 1).
        rank: float64 ``[n]``, share of the particles that weigh more than the true world: 0.5 =
            uninformative weights.
        sources: int32 ``[n, num_worlds]``, the first world from the same particle; a world drawn
            from the prior or a full list refers to itself.
    """

    num_evaluations: np.ndarray
    ess_share: np.ndarray
    beta: np.ndarray
    fresh: np.ndarray
    phase1_gain: np.ndarray
    gain: np.ndarray
    rank: np.ndarray
    sources: np.ndarray


def no_diagnostics(count: int) -> Diagnostics:
    """Returns the diagnostics of ``count`` views without inference."""
    unknown = (np.full(count, np.nan) for _ in Diagnostics._fields)
    return Diagnostics(*unknown)._replace(
        num_evaluations=np.zeros(count, np.int64),
        fresh=np.zeros(count, np.bool_),
        sources=np.zeros((count, 0), np.int32),
    )


class Evaluates(Protocol):
    """The part of ``networks.evaluator.Evaluator`` that the determinizer uses."""

    def evaluate(
        self, observations: np.ndarray, roles: np.ndarray, want_hidden: bool = False
    ) -> Outputs:
        """Returns the networks' outputs for int8 ``[N, C, L]`` and roles int8 ``[N]``."""
        ...


class Determinizer:
    """Supplies the searching players with worlds.

    Args:
        game: The game.
        evaluator: The networks of all seats.
        settings: See InferenceSettings.
        num_lanes: Games played in parallel.
        score: The filter network, for ``phase1`` "filter".

    Raises:
        ValueError: The settings are invalid.
    """

    def __init__(
        self,
        game: Game,
        evaluator: Evaluates,
        settings: InferenceSettings,
        num_lanes: int,
        score: Score | None = None,
    ) -> None:
        if settings.phase1 not in PHASE1:
            raise ValueError(f"phase1 is {settings.phase1!r}: expected one of {', '.join(PHASE1)}")
        if settings.phase1 != "none" and not game.spec.has_hidden_head:
            raise ValueError(
                f"phase1 is {settings.phase1!r}: networks of {game.spec.name} have no head for "
                "hidden cards; expected 'none'"
            )
        if settings.phase1 == "filter" and score is None:
            raise ValueError(
                "phase1 is 'filter': pass the filter network as score=FilterEngine(net)"
            )
        if settings.phase1 == "filter" and settings.candidates < settings.particles:
            raise ValueError(
                f"candidates is {settings.candidates}: expected at least particles = "
                f"{settings.particles}"
            )
        self.game, self.settings, self.num_lanes = game, settings, num_lanes
        self._evaluator, self._score = evaluator, score
        self._particles = make_particles(game, num_lanes * game.spec.num_seats, settings.particles)
        self._replayer = Replayer(
            game, evaluator.evaluate, settings.temperature, settings.epsilon, settings.solve
        )
        self._least = settings.ess_floor * settings.particles

    def reset(self, lanes: np.ndarray) -> None:
        """Discards the particles of lanes (int ``[n]``) in which a new game starts."""
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
            views: ``[n]`` rows of running games; the seat to move searches. Hidden hands are not
                read.
            records: The moves of all lanes since the deal, rows indexed by lane; a move that the
                searching seat did not see is negative.
            rng: uint64 streams, one per lane, changed in place.
            num_worlds: Worlds per view, >= 1.
            truth: ``[n]`` rows with all hands, for diagnostics only; no world depends on them.

        Returns:
            States ``[n * num_worlds]``, grouped by view, and diagnostics.

        Raises:
            ValueError: A record does not lead to its view.
        """
        positions = make_positions(self.game, lanes, views)
        count = len(positions.lanes)
        worlds = self.game.empty(count * num_worlds)
        active = self._active(views, count)
        words = self.game.spec.hidden_words
        prior_worlds(self.game.rules, take(positions, ~active), rng, num_worlds, words, worlds)
        diagnostics = no_diagnostics(count)
        sources = np.tile(np.arange(num_worlds, dtype=np.int32), (count, 1))
        if active.any():
            here = take(positions, active)
            true = (
                None if truth is None else true_hidden(self.game, take(truth, active), here.seats)
            )
            put(diagnostics, active, self._update(here, records, rng, true))
            betas = np.empty(len(here.lanes))
            draw_worlds(
                self.game.rules, self._particles, here, self._least, rng, worlds, sources, betas
            )
            diagnostics.beta[active] = betas
        return worlds, diagnostics._replace(sources=sources)

    def marginals(
        self, lanes: np.ndarray, views: States, records: Records, rng: np.ndarray
    ) -> Beliefs:
        """Returns the beliefs of the seats to move about the hidden cards; the arguments are those
        of ``worlds``.

        Called after ``worlds`` for the same positions, it returns the distribution of those worlds
        and changes nothing. Otherwise it updates the particles as ``worlds`` would. It does not
        change ``rng``.

        Raises:
            ValueError: A record does not lead to its view.
        """
        game, rng = self.game, rng.copy()
        positions = make_positions(game, lanes, views)
        count, spec = len(positions.lanes), game.spec
        beliefs = Beliefs(
            probability=np.zeros(
                (count, spec.num_seats - 1, len(spec.hidden_kinds), spec.hidden_most + 1)
            ),
            ess=np.full(count, np.nan),
            listed=np.zeros(count, np.bool_),
            prior_only=np.zeros(count, np.bool_),
        )
        active = self._active(views, count)
        believe_prior(game.rules, take(positions, ~active), rng, spec.hidden_words, beliefs)
        if active.any():
            here = take(positions, active)
            self._update(here, records, rng, None, again=True)
            sizes = np.empty(len(here.lanes))
            effective_sizes(self._particles, here.slots, sizes)
            believe_particles(game.rules, self._particles, here, sizes, self._least, beliefs)
        return beliefs

    def _active(self, views: States, count: int) -> np.ndarray:
        """Returns whether inference is active for each view (bool ``[count]``)."""
        active = np.zeros(count, np.bool_)
        if self.settings.phase1 != "none" or self.settings.phase2:
            find_active(self.game.rules, views, self.settings.active_below, active)
        return active

    def _update(
        self,
        positions: Positions,
        records: Records,
        rng: np.ndarray,
        true: np.ndarray | None,
        again: bool = False,
    ) -> Diagnostics:
        """Updates the particles, and redraws them where there are none or the effective sample size
        is too low.

        Args:
            true: uint64 ``[n, W]``, the true worlds, if known.
            again: Whether particles that are up to date are kept at any effective sample size.
        """
        particles, count = self._particles, len(positions.lanes)
        diagnostics, sizes = no_diagnostics(count), np.zeros(count)
        current = np.zeros(count, np.bool_)
        if again:
            current = particles.moves[positions.slots] == records.lengths[positions.lanes]
        goes_on = current
        if self.settings.phase2 and self.settings.keep:
            goes_on = np.empty(count, np.bool_)
            find_kept(particles, positions, records, goes_on)
        kept = np.flatnonzero(goes_on)
        if kept.size:
            num_evaluations = self._replayer.advance(particles, take(positions, kept), records)
            diagnostics.num_evaluations[kept] = num_evaluations
            effective_sizes(particles, positions.slots, sizes)
            sizes[~goes_on] = 0.0
        fresh = np.flatnonzero(((sizes < self._least) & ~current) | (sizes == 0.0))
        if fresh.size:
            truth = None if true is None else true[fresh]
            gain, num_evaluations = self._draw(take(positions, fresh), records, rng, truth)
            diagnostics.fresh[fresh] = True
            diagnostics.phase1_gain[fresh] = gain
            diagnostics.num_evaluations[fresh] += num_evaluations
            effective_sizes(particles, positions.slots, sizes)
        if not sizes.all():
            wrong = positions.lanes[sizes == 0.0][:5].tolist()
            raise ValueError(
                f"lanes {wrong}: the record does not lead to the view; pass the moves of all lanes "
                "since the deal"
            )
        listed = particles.num_draws[positions.slots] == COMPLETE
        diagnostics.ess_share[:] = np.where(listed, np.nan, sizes / self.settings.particles)
        judge_truth(self.game.rules, particles, positions, diagnostics.gain, diagnostics.rank)
        return diagnostics

    def _draw(
        self, positions: Positions, records: Records, rng: np.ndarray, true: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draws and weights new particles for the positions; returns the gains of phase 1 and the
        number of observations evaluated.
        """
        particles, count = self._particles, len(positions.lanes)
        draws = empty_draws(count, self.settings.particles, self.game.spec.hidden_words, true)
        num_evaluations = self._phase1(positions, rng, draws) + np.zeros(count, np.int64)
        lengths = records.lengths[positions.lanes]
        if self.settings.phase2:
            put(particles.views, positions.slots, start_views(self.game, positions))
            store_draws(
                self.game.rules, particles, positions, np.zeros(count, np.int16), True, draws
            )
            num_evaluations += self._replayer.advance(particles, positions, records)
        else:
            put(particles.views, positions.slots, positions.views)
            store_draws(self.game.rules, particles, positions, lengths, False, draws)
        return draws.gain, num_evaluations

    def _phase1(self, positions: Positions, rng: np.ndarray, draws: Draws) -> int:
        """Fills ``draws`` for the positions; returns the observations evaluated per position,
        without those of the filter.
        """
        settings, rules, marginal = (
            self.settings,
            self.game.rules,
            self.settings.phase1 == "marginal",
        )
        list_all(rules, positions, draws)
        rows = np.flatnonzero(draws.num_draws == UNDRAWN)
        if marginal:
            seen = observed_by_movers(self.game, positions.views, np.arange(len(positions.lanes)))
            logits = self._evaluator.evaluate(*seen, want_hidden=True).hidden
            draw_from_marginal(rules, positions, rows, logits, rng, draws)
            weigh_by_marginal(rules, positions, logits, draws)
        elif settings.phase1 == "filter":
            weigh_by_prior(rules, positions, draws)
            if rows.size:
                assert self._score is not None
                draw_filtered(
                    self.game, positions, rows, rng, settings.candidates, self._score, draws
                )
        else:
            draw_from_prior(rules, positions, rows, rng, draws)
            weigh_by_prior(rules, positions, draws)
        return int(marginal)
