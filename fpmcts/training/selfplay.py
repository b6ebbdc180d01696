"""Self-play: many games in lock-step, whose decisions FPMCTS searches and stores as samples.

    lanes that wait ──▶ cheap moves: drawn from the policy
    (games.lockstep) └▶ full moves: worlds ─▶ search ─▶ drawn from the target

Forced moves and sure wins are played without a search, and so are the moves of seats that do not
search (``searching``).
"""

import time
from collections.abc import Callable
from dataclasses import astuple, dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from fpmcts.search.result import SearchResult, heated, sample_targets
from fpmcts.search.search import Evaluate, Search
from fpmcts.training.policy_games import draw_moves
from fpmcts.training.samples import (
    Noted,
    Samples,
    empty_samples,
    fill_results,
    play_games,
    truncate_targets,
)
from games.interface import Game, Records, seats_to_move
from games.kernels import kernel, random_below, random_float
from games.lockstep import Lockstep
from games.rows import States, concatenate, take
from games.settings import setting
from inference.determinizer import Determinizer


@dataclass(frozen=True)
class SelfPlaySettings:
    """Settings of self-play.

    Attributes:
        lanes: Games that advance together, >= 1; it affects only the speed.
        searching: "all" seats of a game search (the paper), or only "one", drawn for each game,
            against the average policies of the other seats, which play from their networks. Each
            sample is then a best response, weighted by the searching seat's own reach probability,
            and the reservoir is the average that fictitious play requires (Heinrich, Lanctot &
            Silver, "Fictitious self-play in extensive-form games", 2015, 4).
        exploration: Share of random moves of the seats that do not search, in [0, 1], so that rare
            situations occur often enough. They do not change the weights of the searching seat's
            samples. The value must not learn from such errors: with ``searching`` "one" every other
            game explores, once, with twice this probability at each move, and the decisions before
            that move are not used for the value. (In Leduc, exact best responses to policies with
            10 % random moves converge to NashConv 0.24.)
        temperature_end: Moves are drawn from target^(1/T): T is 1 at first (the paper: "high") and
            this from ``temperature_iterations`` on; >= 0, 0 plays the best move.
        temperature_iterations: Iterations over which T falls linearly, >= 1.
        heat_targets: Whether T also shapes the targets that the policy learns. The paper heats "to
            reduce the overfitting problem of policy", which we read so (5.1).
    """

    depends: ClassVar[dict[str, str]] = {"exploration": "searching=one"}
    lanes: int = setting(512, least=1, most=1_000_000)
    searching: str = setting("all", choices=("all", "one"))
    exploration: float = setting(0.0, least=0, most=1)
    temperature_end: float = setting(0.5, least=0, most=100)
    temperature_iterations: int = setting(40, least=1, most=1_000_000_000)
    heat_targets: bool = False

    def temperature(self, iteration: int) -> float:
        """Returns T at an iteration, counted from 0.

        Source: DeltaDou, 5.1 (cools down during self-play).
        """
        progress = min(1.0, iteration / self.temperature_iterations)
        return 1.0 + (self.temperature_end - 1.0) * progress


@dataclass
class SelfPlayStatistics:
    """Statistics of a batch of games, as sums and counts that can be added over batches."""

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
    inference_seconds: float = 0.0


class Finished(NamedTuple):
    """The results of a batch of G games."""

    samples: Samples
    final: States  # [G]
    records: Records  # [G]
    statistics: SelfPlayStatistics


@kernel
def _draw_seats(rng: np.ndarray, num_seats: int, seats: np.ndarray) -> None:
    """Draws a seat (int8 ``[games]``) for each game from its stream."""
    for lane in range(seats.size):
        seats[lane] = random_below(rng, lane, num_seats)


@kernel
def _draw_explorations(rng: np.ndarray, exploration: float, chances: np.ndarray) -> None:
    """Writes the probability of a random move until the first one, float64 ``[games]``: twice
    ``exploration`` in every other game.
    """
    for lane in range(chances.size):
        chances[lane] = min(1.0, 2.0 * exploration) if random_float(rng, lane) < 0.5 else 0.0


class SelfPlay:
    """Plays batches of games against itself.

    Args:
        game: The game.
        evaluate: The networks of all seats.
        determinizer: Deals the worlds of a search; needs a lane for each game of a call.
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
        self.game, self.evaluate, self.determinizer, self.search, self.settings = (
            game,
            evaluate,
            determinizer,
            search,
            settings,
        )

    def play(
        self, deals: np.ndarray, rng: np.ndarray, iteration: int, tick: Callable[[int], None]
    ) -> Finished:
        """Plays one game per deal.

        Args:
            deals: uint64 ``[G]`` seeds of the deals.
            rng: uint64 ``[G]`` streams, changed in place; game k draws only from stream k.
            iteration: Counted from 0; sets the temperature and stamps the samples.
            tick: Called with the number of newly finished games.
        """
        game, settings, num = self.game, self.settings, len(deals)
        games = Lockstep(
            game, game.deal(deals), window=settings.lanes, solve=self.search.settings.solve
        )
        statistics, temperature = SelfPlayStatistics(games=num), settings.temperature(iteration)
        searchers = np.full(num, -1, np.int8)
        chances, unexplored = np.full(num, settings.exploration), np.zeros(num, np.bool_)
        if settings.searching == "one":
            _draw_seats(rng, game.spec.num_seats, searchers)
            _draw_explorations(rng, settings.exploration, chances)
            unexplored = chances > 0
        self.determinizer.reset(np.arange(num))

        def decide(lanes: np.ndarray) -> tuple[np.ndarray, Noted[Samples]]:
            """Draws cheap moves as long as there are any, so that searches run in full batches."""
            searches = (searchers[lanes] < 0) | (searchers[lanes] == games.seats[lanes])
            cheap = np.flatnonzero(~searches)
            chosen = cheap if cheap.size else np.arange(len(lanes))
            at, actions = lanes[chosen], np.full(len(lanes), -1, np.int16)
            # Whether the result of a game is a valid target for the searching seat's value from
            # here on.
            is_target = ~unexplored[at] & searches[chosen]
            if cheap.size:
                drawn = draw_moves(
                    game, self.evaluate, games.states, rng, at, temperature, chances[at], iteration
                )
                actions[chosen], samples = drawn.actions, drawn.samples
                if settings.searching == "one":
                    chances[at[drawn.explored]], unexplored[at[drawn.explored]] = 0.0, False
            else:
                seen = games.seen_by_movers(at)
                actions[chosen], samples = self._search(
                    games.states, seen, rng, at, temperature, iteration, statistics
                )
            samples.result[~is_target] = np.nan
            return actions, [(at, samples)]

        owner, samples = play_games(games, decide, empty_samples(game, 0), tick)
        no_target = np.isnan(samples.result)
        fill_results(games, owner, samples, self.search.win_only)
        searched = samples.policy_weight > 0
        results = samples.result[searched]
        results = np.sign(results) if self.search.win_only else results
        statistics.root_value_error = float(((samples.root_value[searched] - results) ** 2).sum())
        samples.result[no_target] = np.nan
        statistics.moves, statistics.decisions = int(games.records.lengths.sum()), len(owner)
        statistics.sure_wins = games.sure_wins
        return Finished(samples, games.states, games.records, statistics)

    def _search(
        self,
        states: States,
        records: Records,
        rng: np.ndarray,
        lanes: np.ndarray,
        temperature: float,
        iteration: int,
        statistics: SelfPlayStatistics,
    ) -> tuple[np.ndarray, Samples]:
        """Returns a searched move for each lane, and its samples."""
        before = time.perf_counter()
        here = take(states, lanes)
        views = self.game.view(here, seats_to_move(self.game, here))
        worlds, diagnostics = self.determinizer.worlds(
            lanes, views, records, rng, self.search.settings.worlds, here
        )
        statistics.inference_seconds += time.perf_counter() - before
        result = self.search.run(worlds, rng, lanes)
        actions = sample_targets(result, np.full(len(lanes), temperature, np.float64), rng, lanes)
        part = empty_samples(self.game, len(lanes))._replace(states=here, root_value=result.value)
        target = result.target
        if self.settings.heat_targets:
            target = heated(target, temperature)
        part.actions[:], part.target[:] = truncate_targets(
            result.actions, target, part.actions.shape[1]
        )
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


def join_finished(parts: list[Finished]) -> Finished:
    """Returns units, in order, joined into one batch."""
    sums = map(sum, zip(*(astuple(part.statistics) for part in parts), strict=True))
    return Finished(
        concatenate([part.samples for part in parts]),
        concatenate([part.final for part in parts]),
        concatenate([part.records for part in parts]),
        SelfPlayStatistics(*sums),
    )


def _add_policy_statistics(statistics: SelfPlayStatistics, result: SearchResult) -> None:
    """Adds entropies (nats), KL(target ‖ prior) (nats) and the top-1 match of a batch of
    searches.
    """
    target, prior = (
        result.target.astype(np.float64),
        np.maximum(result.prior.astype(np.float64), 1e-12),
    )
    log_target = np.log(np.maximum(target, 1e-12))
    inside = np.arange(target.shape[1]) < result.num_legal[:, None]
    statistics.searches += len(target)
    statistics.target_entropy -= float((target * log_target).sum())
    statistics.prior_entropy -= float((prior * np.log(prior) * inside).sum())
    statistics.kl_target_prior += float((target * (log_target - np.log(prior))).sum())
    statistics.top1_match += float(
        (target.argmax(1) == np.where(inside, prior, -1.0).argmax(1)).sum()
    )
