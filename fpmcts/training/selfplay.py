"""Self-play: many games in lock-step, whose decisions FPMCTS searches and stores as samples.

    lanes that wait ──▶ cheap moves: drawn from the policy
    (games.play.lockstep) └▶ full moves: worlds ─▶ search ─▶ drawn from the target

Forced moves and sure wins are played without a search, and so are the moves of seats that do not
search (``searching``).
"""

import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fpmcts.search.result import SearchResult, heated, sample_targets
from fpmcts.search.search import Evaluate, Search
from fpmcts.training.policy_games import draw_moves, solved
from fpmcts.training.samples import Samples, empty_samples, fill_results, truncate_targets
from games.base.settings import setting
from games.kernels import kernel, random_below, random_float
from games.kernels.rows import take
from games.play.interface import Game
from games.play.lockstep import Games, Lockstep, Noted
from inference.determinizer import Determinizer

SEARCHES = ".gradient.start=null, .gradient.start>0"
"""What the keys of searched games need (``games.base.settings.check_used``)."""


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

    depends: ClassVar[dict[str, str]] = {
        "": SEARCHES,
        "lanes": "",
        "exploration": f"searching=one and {SEARCHES}",
    }
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


@dataclass
class SelfPlay:
    """Plays batches of games against itself.

    Attributes:
        game: The game.
        evaluate: The networks of all seats.
        determinizer: Deals the worlds of a search; needs a lane for each game of a call.
        search: FPMCTS.
        settings: See SelfPlaySettings.
    """

    game: Game
    evaluate: Evaluate
    determinizer: Determinizer
    search: Search
    settings: SelfPlaySettings

    def play(
        self, deals: np.ndarray, rng: np.ndarray, iteration: int, tick: Callable[[int], None]
    ) -> Games[Samples]:
        """Plays one game per deal.

        Args:
            deals: uint64 ``[G]`` seeds of the deals.
            rng: uint64 ``[G]`` streams, changed in place; game k draws only from stream k.
            iteration: Counted from 0; sets the temperature and stamps the samples.
            tick: Called with the number of finished games.
        """
        game, settings, num = self.game, self.settings, len(deals)
        solve = solved(deals, self.search.settings.solve)
        games = Lockstep(game, game.deal(deals), window=settings.lanes, solve=solve)
        temperature, work = settings.temperature(iteration), defaultdict[str, float](float)
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
                actions[chosen], samples = self._search(
                    games, at, rng, temperature, iteration, work
                )
            samples.result[~is_target] = np.nan
            return actions, [(at, samples)]

        win_only, nothing = self.search.win_only, empty_samples(game, 0)
        played = games.play(decide, nothing, tick, expected=not win_only)
        samples = played.decisions
        no_target = np.isnan(samples.result)
        fill_results(game, played, samples)
        searched = samples.policy_weight > 0
        results = samples.result[searched]
        results = np.sign(results) if win_only else results
        work["root_value_squared_error"] = ((samples.root_value[searched] - results) ** 2).sum()
        samples.result[no_target] = np.nan
        work |= {"games": num, "moves": games.records.lengths.sum(), "decisions": len(no_target)}
        work["sure_wins"] = games.sure_wins
        return played._replace(work=work)

    def _search(
        self,
        games: Lockstep,
        lanes: np.ndarray,
        rng: np.ndarray,
        temperature: float,
        iteration: int,
        work: defaultdict[str, float],
    ) -> tuple[np.ndarray, Samples]:
        """Returns a searched move for each lane, and its samples."""
        seen, before, here = (
            games.seen_by_movers(lanes),
            time.perf_counter(),
            take(games.states, lanes),
        )
        views = self.game.view(here, games.seats[lanes])
        worlds, diagnostics = self.determinizer.worlds(
            lanes, views, seen, rng, self.search.settings.worlds, here
        )
        work["inference_seconds"] += time.perf_counter() - before
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
        known = np.isfinite(diagnostics.rank) & np.isfinite(diagnostics.gain)
        for name, amount in {
            **_policy_statistics(result),
            "ess_share": np.nansum(diagnostics.ess_share),
            "ess_count": np.isfinite(diagnostics.ess_share).sum(),
            "true_world_rank": diagnostics.rank[known].sum(),
            "true_hand_log_likelihood_over_prior": diagnostics.gain[known].sum(),
            "truth_count": known.sum(),
        }.items():
            work[name] += float(amount)
        return actions, part


def _policy_statistics(result: SearchResult) -> dict[str, float]:
    """Returns sums over a batch of searches: entropies (nats), KL(target ‖ prior) (nats) and the
    top-1 match.
    """
    target, prior = (
        result.target.astype(np.float64),
        np.maximum(result.prior.astype(np.float64), 1e-12),
    )
    log_target = np.log(np.maximum(target, 1e-12))
    inside = np.arange(target.shape[1]) < result.num_legal[:, None]
    top = np.where(inside, prior, -1.0).argmax(1)
    return {
        "searches": len(target),
        "target_entropy": -(target * log_target).sum(),
        "prior_entropy": -(prior * np.log(prior) * inside).sum(),
        "kl_target_prior": (target * (log_target - np.log(prior))).sum(),
        "search_policy_match": (target.argmax(1) == top).sum(),
    }
