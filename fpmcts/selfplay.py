"""Self-play: many games in lock-step, each decision searched by FPMCTS, giving samples.

    deals ─▶ prepare ──▶ cheap moves (policy) ──┐
              ▲   └────▶ full moves: worlds ─▶ search ─▶ sample ─▶ move
              └─────────────────────────────────┘

Forced moves and sure wins are played without a search. With *playout-cap randomisation* (Wu, "Accelerating self-play learning
in Go", 2019, 3.1) only a share of the decisions is searched and teaches the policy; the others are sampled from the policy
network, so that more games, hence more outcomes, fit in the budget.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fpmcts.samples import Samples, empty_samples, join, truncate_targets
from fpmcts.search import Evaluate, Search, SearchResult
from games.interface import (
    Game,
    Records,
    Rules,
    States,
    current_seat,
    legal,
    observe,
    seats_to_move,
    stake,
    step,
    sure_win,
    take,
    team_return,
)
from games.kernels import kernel, random_below, random_float
from inference.determinizer import Determinizer
from networks.decode import legal_logits, softmax

OVER, CHEAP, FULL, UNDECIDED = 0, 1, 2, 3


@dataclass(frozen=True)
class SelfPlaySettings:
    """Settings of self-play.

    Attributes:
        lanes: Games that advance together, >= 1.
        searching: "all" seats of a game search, the paper; or "one", drawn for each game: it answers the average policies of
            the others, who play from their networks. Then each sample is a best response, weighed by its own chance to get
            there, and the reservoir is the average that fictitious play asks for (Heinrich, Lanctot & Silver, "Fictitious
            self-play in extensive-form games", 2015, 4).
        exploration: Chance that a seat that does not search makes a random move, in [0, 1]. What it does weighs no sample of the
            one that searches, so that rare situations, too, can be answered often enough.
        full_share: Share of the unforced decisions of the seats that search, which are searched, in (0, 1] in a run; 1 is the
            paper.
        posterior: Whether worlds are weighed by the moves played (phase 2 of inference), as they are in matches; if not, they
            come from phase 1, and a decision asks for half as many evaluations (*measured*: 125 of 275 with 32 playouts and
            32 particles).
        temperature_start: T at the first iteration, > 0; moves are drawn from target^(1/T). The paper: "high".
        temperature_end: The same at ``temperature_iterations`` and after; >= 0, 0 plays the best move.
        temperature_iterations: Iterations over which T falls linearly, >= 1.
        opening_moves: Moves from the deal that are sampled at T; later ones are sampled at ``late_temperature`` · T.
        late_temperature: See above, >= 0.
    """

    lanes: int = 512
    searching: str = "all"
    exploration: float = 0.0
    full_share: float = 1.0
    posterior: bool = False
    temperature_start: float = 1.0
    temperature_end: float = 0.5
    temperature_iterations: int = 40
    opening_moves: int = 200
    late_temperature: float = 1.0

    def temperature(self, iteration: int) -> float:
        """Returns T at an iteration, counted from 0. Source: DeltaDou, 5.1 (cools down during self-play)."""
        progress = min(1.0, iteration / self.temperature_iterations)
        return self.temperature_start + (self.temperature_end - self.temperature_start) * progress


@dataclass
class SelfPlayStatistics:
    """What a batch of games looked like; sums and counts, so that batches add up."""

    games: int = 0
    moves: int = 0
    decisions: int = 0
    searches: int = 0
    sure_wins: int = 0
    target_entropy: float = 0.0
    prior_entropy: float = 0.0
    kl_target_prior: float = 0.0
    top1_match: float = 0.0
    root_value_error: float = 0.0
    ess_share: float = 0.0
    ess_count: int = 0
    true_world_rank: float = 0.0
    posterior_gain: float = 0.0
    truth_count: int = 0
    seconds: float = 0.0
    inference_seconds: float = 0.0


class Games(NamedTuple):
    """Finished games: final states and the public record."""

    final: States
    records: Records


@kernel
def prepare(
    rules: Rules, states: States, moves: np.ndarray, lengths: np.ndarray, rng: np.ndarray, lanes: np.ndarray,
    searchers: np.ndarray, full_share: float, solve: bool, kinds: np.ndarray, counts: np.ndarray, scratch: np.ndarray,
) -> None:  # fmt: skip
    """Plays forced moves and sure wins in every lane up to its next real decision, and says which kind that is.

    Args:
        moves, lengths: the public record, by lane; appended to.
        searchers: int8 ``[games]``: the seat that searches, -1 = all.
        kinds: int8 ``[games]``: UNDECIDED lanes are advanced and get OVER, CHEAP or FULL; others are left alone.
        counts: int64 ``[3]``: adds the number of moves, of decisions, of sure wins.
        scratch: int16 ``[max_legal]``.
    """
    for lane in lanes:
        while kinds[lane] == UNDECIDED:
            if current_seat(rules, states, lane) < 0:
                kinds[lane] = OVER
                break
            n = legal(rules, states, lane, scratch)
            action = scratch[0] if n == 1 else -1
            if n > 1 and solve:
                action = sure_win(rules, states, lane)
                if action >= 0:
                    counts[2] += 1
            if action < 0:
                counts[1] += 1
                searches = searchers[lane] < 0 or searchers[lane] == current_seat(rules, states, lane)
                kinds[lane] = FULL if random_float(rng, lane) < full_share and searches else CHEAP
                break
            step(rules, states, lane, action)
            moves[lane, lengths[lane]] = action
            lengths[lane] += 1
            counts[0] += 1


@kernel
def _draw_seats(rng: np.ndarray, num_seats: int, seats: np.ndarray) -> None:
    """Draws a seat (int8 ``[games]``) for each game from its stream."""
    for lane in range(seats.size):
        seats[lane] = random_below(rng, lane, num_seats)


@kernel
def play_actions(
    rules: Rules, states: States, moves: np.ndarray, lengths: np.ndarray, lanes: np.ndarray, actions: np.ndarray,
    kinds: np.ndarray,
) -> None:  # fmt: skip
    """Plays ``actions[k]`` in lane ``lanes[k]``, appends it to the record and marks the lane as undecided."""
    for k in range(lanes.size):
        lane = lanes[k]
        step(rules, states, lane, actions[k])
        moves[lane, lengths[lane]] = actions[k]
        lengths[lane] += 1
        kinds[lane] = UNDECIDED


@kernel
def observe_movers(rules: Rules, states: States, lanes: np.ndarray, observations: np.ndarray, seats: np.ndarray) -> None:
    """Writes the observation (int8 ``[n, C, L]``) and the seat (int8 ``[n]``) of the player to move in each lane."""
    for k in range(lanes.size):
        seats[k] = current_seat(rules, states, lanes[k])
        observe(rules, states, lanes[k], seats[k], observations[k])


@kernel
def sample_policy(
    rules: Rules, decoder: np.ndarray, states: States, lanes: np.ndarray, policy: np.ndarray, temperature: float,
    rng: np.ndarray, actions: np.ndarray, log_prob: np.ndarray, certainty: np.ndarray, scratch_actions: np.ndarray,
    scratch: np.ndarray,
) -> None:  # fmt: skip
    """Draws a legal action per lane from softmax(logits / T); the most likely one at T = 0.

    Args:
        policy: float32 ``[n, policy_size]`` outputs of the mover's network. temperature: T >= 0.
        actions, log_prob, certainty: ``[n]``, written: the action, the log of its chance, the largest chance of an action.
        scratch_actions: int16 ``[max_legal]``. scratch: float64 ``[max_legal]``.
    """
    for k in range(lanes.size):
        n = legal(rules, states, lanes[k], scratch_actions)
        legal_logits(decoder, policy, k, scratch_actions, n, scratch)
        if temperature <= 0.0:
            actions[k], log_prob[k], certainty[k] = scratch_actions[np.argmax(scratch[:n])], 0.0, 1.0
            continue
        softmax(scratch, n, temperature, scratch)
        u, j = random_float(rng, lanes[k]), 0
        while j < n - 1 and u >= scratch[j]:
            u -= scratch[j]
            j += 1
        actions[k], log_prob[k] = scratch_actions[j], np.log(max(scratch[j], 1e-12))
        certainty[k] = np.max(scratch[:n])


@kernel
def explore(
    rules: Rules, states: States, lanes: np.ndarray, share: float, rng: np.ndarray, actions: np.ndarray, scratch: np.ndarray
) -> None:
    """Replaces a share of the actions (int16 ``[n]``) by random legal ones; ``scratch`` is int16 ``[max_legal]``."""
    for k in range(lanes.size):
        if random_float(rng, lanes[k]) < share:
            actions[k] = scratch[random_below(rng, lanes[k], legal(rules, states, lanes[k], scratch))]


@kernel
def _choose(
    actions: np.ndarray, target: np.ndarray, choice: np.ndarray, num_legal: np.ndarray, temperatures: np.ndarray,
    rng: np.ndarray, lanes: np.ndarray, out: np.ndarray,
) -> None:  # fmt: skip
    """Writes the move of each search: ``choice`` at T = 0, else drawn from target^(1/T)."""
    for k in range(lanes.size):
        u = random_float(rng, lanes[k])
        if temperatures[k] <= 0.0:
            out[k] = choice[k]
            continue
        total = 0.0
        for j in range(num_legal[k]):
            total += np.float64(target[k, j]) ** (1.0 / temperatures[k])
        u *= total
        out[k] = choice[k]
        for j in range(num_legal[k]):
            u -= np.float64(target[k, j]) ** (1.0 / temperatures[k])
            if u < 0.0:
                out[k] = actions[k, j]
                break


def sample_targets(result: SearchResult, temperatures: np.ndarray, rng: np.ndarray, lanes: np.ndarray) -> np.ndarray:
    """Returns the move of each search (int16 ``[n]``): its choice at T = 0, else drawn from target^(1/T).

    Args:
        result: ``[n]``. temperatures: float64 ``[n]``.
        rng: uint64 streams, changed in place; search k draws from ``lanes[k]`` (int64 ``[n]``).
    """
    actions = np.zeros(len(lanes), np.int16)
    _choose(result.actions, result.target, result.choice, result.num_legal, temperatures, rng, lanes, actions)
    return actions


@kernel
def fill_results(rules: Rules, finals: States, games: np.ndarray, states: States, results: np.ndarray) -> None:
    """Writes the return of each sample's mover in units of the stake at the sample; sample k is of game ``games[k]``."""
    for k in range(games.size):
        seat = current_seat(rules, states, k)
        results[k] = team_return(rules, finals, games[k], seat) / stake(rules, states, k)


class Drawn(NamedTuple):
    """N moves drawn from the policies."""

    actions: np.ndarray  # int16 [N]: explored ones included
    samples: Samples  # [N]: actions[:, 0] is the move played, its target 1; the policy weight is 0
    log_prob: np.ndarray  # float32 [N]: log of the chance of the move that the policy drew
    certainty: np.ndarray  # float32 [N]: probability of the most likely move
    value: np.ndarray  # float32 [N]: the mover's network, in the units of its objective


def draw_moves(
    game: Game, evaluate: Evaluate, states: States, rng: np.ndarray, lanes: np.ndarray, temperature: float, exploration: float,
    iteration: int,
) -> Drawn:  # fmt: skip
    """Draws a move from the policy network of the mover in each lane.

    Args:
        lanes: int64 ``[N]``; lane k draws from ``rng[k]``, changed in place.
        temperature: See ``sample_policy``.
        exploration: Chance that a move is then replaced by a random one.
        iteration: Stamps the samples.
    """
    n, scratch = len(lanes), np.zeros(game.spec.max_legal, np.int16)
    observations, seats = np.empty((n, *game.spec.observation_shape), np.int8), np.empty(n, np.int8)
    observe_movers(game.rules, states, lanes, observations, seats)
    outputs = evaluate(observations, seats)
    actions, log_prob, certainty = np.zeros(n, np.int16), np.zeros(n, np.float32), np.zeros(n, np.float32)
    sample_policy(
        game.rules, game.decoder, states, lanes, outputs.policy, temperature, rng, actions, log_prob, certainty, scratch,
        np.zeros(game.spec.max_legal),
    )  # fmt: skip
    if exploration > 0.0:
        explore(game.rules, states, lanes, exploration, rng, actions, scratch)
    samples = empty_samples(game, n)._replace(states=take(states, lanes))
    samples.actions[:, 0], samples.target[:, 0] = actions, 1.0
    samples.iteration[:] = iteration
    return Drawn(actions, samples, log_prob, certainty, np.asarray(outputs.value, np.float32))


class SelfPlay:
    """Plays batches of games against itself.

    Args:
        game: The game.
        evaluate: The networks of all seats.
        determinizer: Deals the worlds of a search; needs as many lanes as games are played in one call.
        search: FPMCTS.
        settings: See SelfPlaySettings.
    """

    def __init__(
        self,
        game: Game,
        evaluate: Evaluate,
        determinizer: Determinizer,
        search: Search,
        settings: SelfPlaySettings,
    ) -> None:
        self.game, self.evaluate, self.determinizer, self.search, self.settings = game, evaluate, determinizer, search, settings

    def play(
        self, deals: np.ndarray, rng: np.ndarray, iteration: int
    ) -> Iterator[tuple[int, tuple[Samples, Games, SelfPlayStatistics] | None]]:
        """Plays one game per deal; yields (games finished, None) as it goes and (games, result) at the end.

        Args:
            deals: uint64 ``[G]`` seeds of the deals.
            rng: uint64 ``[G]`` streams, changed in place; game k draws from stream k alone.
            iteration: Counted from 0; sets the temperature and stamps the samples.
        """
        started = time.perf_counter()
        game, rules, num = self.game, self.game.rules, len(deals)
        states = game.deal(deals)
        records = Records(np.full((num, game.spec.max_moves), -1, np.int16), np.zeros(num, np.int16))
        kinds = np.full(num, UNDECIDED, np.int8)
        counts = np.zeros(3, np.int64)
        scratch = np.zeros(game.spec.max_legal, np.int16)
        statistics = SelfPlayStatistics(games=num)
        temperature = self.settings.temperature(iteration)
        parts: list[Samples] = []
        sample_games: list[np.ndarray] = []
        searchers = np.full(num, -1, np.int8)
        if self.settings.searching == "one":
            _draw_seats(rng, game.spec.num_seats, searchers)
        self.determinizer.reset(np.arange(num))
        while True:
            running = np.flatnonzero(kinds != OVER)[: self.settings.lanes]
            if running.size == 0:
                break
            prepare(
                rules, states, records.moves, records.lengths, rng, running, searchers, self.settings.full_share,
                self.search.settings.solve, kinds, counts, scratch,
            )  # fmt: skip
            cheap = running[kinds[running] == CHEAP]
            full = running[kinds[running] == FULL]
            if cheap.size:
                drawn = draw_moves(game, self.evaluate, states, rng, cheap, temperature, self.settings.exploration, iteration)
                actions, part, lanes = drawn.actions, drawn.samples, cheap
            elif full.size:
                actions, part = self._full(states, records, rng, full, temperature, iteration, statistics)
                lanes = full
            else:
                continue
            parts.append(part)
            sample_games.append(lanes)
            play_actions(rules, states, records.moves, records.lengths, lanes, actions, kinds)
            yield int((kinds == OVER).sum()), None
        samples = join(parts, game)
        owners = np.concatenate(sample_games) if sample_games else np.zeros(0, np.int64)
        fill_results(rules, states, owners, samples.states, samples.result)
        searched = samples.policy_weight > 0
        error = samples.root_value[searched] - self._in_objective(samples.result[searched])
        statistics.root_value_error = float((error**2).sum())
        statistics.moves, statistics.decisions, statistics.sure_wins = (int(c) for c in counts)
        statistics.moves += len(owners)
        statistics.seconds = time.perf_counter() - started
        yield num, (samples, Games(states, records), statistics)

    def _in_objective(self, results: np.ndarray) -> np.ndarray:
        return np.sign(results) if self.search.win_only else results

    def _full(
        self, states: States, records: Records, rng: np.ndarray, lanes: np.ndarray, temperature: float, iteration: int,
        statistics: SelfPlayStatistics,
    ) -> tuple[np.ndarray, Samples]:  # fmt: skip
        """Returns a searched move for each lane, and its samples."""
        before = time.perf_counter()
        here = take(states, lanes)
        views = self.game.view(here, seats_to_move(self.game, here))
        worlds, diagnostics = self.determinizer.worlds(lanes, views, records, rng, self.search.settings.worlds, here)
        statistics.inference_seconds += time.perf_counter() - before
        result = self.search.run(worlds, rng, lanes)
        late = records.lengths[lanes] >= self.settings.opening_moves
        temperatures = np.where(late, temperature * self.settings.late_temperature, temperature).astype(np.float64)
        actions = sample_targets(result, temperatures, rng, lanes)
        part = empty_samples(self.game, len(lanes))._replace(states=here, root_value=result.value)
        part.actions[:], part.target[:] = truncate_targets(result.actions, result.target)
        part.policy_weight[:] = 1.0
        part.iteration[:] = iteration
        _add_policy_statistics(statistics, result)
        statistics.ess_share += float(np.nansum(diagnostics.ess_share))
        statistics.ess_count += int(np.isfinite(diagnostics.ess_share).sum())
        known = np.isfinite(diagnostics.rank) & np.isfinite(diagnostics.gain)
        statistics.true_world_rank += float(diagnostics.rank[known].sum())
        statistics.posterior_gain += float(diagnostics.gain[known].sum())
        statistics.truth_count += int(known.sum())
        return actions, part


def _add_policy_statistics(statistics: SelfPlayStatistics, result: SearchResult) -> None:
    """Adds entropies (nats), KL(target ‖ prior) (nats) and the top-1 match of a batch of searches."""
    target, prior = result.target.astype(np.float64), np.maximum(result.prior.astype(np.float64), 1e-12)
    log_target = np.log(np.maximum(target, 1e-12))
    inside = np.arange(target.shape[1]) < result.num_legal[:, None]
    statistics.searches += len(target)
    statistics.target_entropy -= float((target * log_target).sum())
    statistics.prior_entropy -= float((prior * np.log(prior) * inside).sum())
    statistics.kl_target_prior += float((target * (log_target - np.log(prior))).sum())
    statistics.top1_match += float((target.argmax(1) == np.where(inside, prior, -1.0).argmax(1)).sum())
