"""The search: lock-step FPMCTS over a batch of positions.

    worlds ──▶ begin_search ─▶ ┌─ evaluate ─▶ absorb ─▶ advance ─┐ ──▶ SearchResult
                               └──────────── requests ◀──────────┘

Hundreds of positions are searched at once; in each round the kernels of ``fpmcts.simulate`` run every simulation to its next
evaluation and one forward pass per network answers them all. Several slots per tree fill the batches further: late in a batch of
games, or for a single position.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fpmcts.root import RootRule, halving_schedule, improved_policy, visit_shares
from fpmcts.simulate import GUMBEL, Jobs, Params, Requests, Slots, absorb, advance, begin_search
from fpmcts.tree import Tree, make_policy_cache, make_tree
from games.interface import Game, States
from games.kernels import kernel, random_float, random_u64
from networks.evaluator import Outputs
from runtime.settings import setting

Evaluate = Callable[[np.ndarray, np.ndarray], Outputs]
"""(observations int8 [N, C, L], seats int8 [N]) -> Outputs: the answer of the seats' networks."""


@dataclass(frozen=True)
class SearchSettings:
    """Settings of FPMCTS.

    Attributes:
        root: "puct" or "gumbel", see ``fpmcts.root``.
        playouts: Simulations per search, >= 1. The paper: 400 in training, 600 in matches (5.1, 5.2).
        c: Exploration constant of p-UCT, > 0. The paper: 2 (5.2).
        worlds: Worlds drawn per search, >= 1, used in turn.
        slots: Simulations under way at once in one tree, >= 1. 1 is the algorithm of the paper; more make larger batches, with
            a few returns still out when the next move is chosen.
        considered: gumbel: number of moves that sequential halving starts from, >= 1.
        strength: gumbel: logits per unit of shrunk advantage, > 0.
        signal: gumbel: expected spread of the true advantages of a root's moves, on [-1, 1], > 0.
        prior_floor: gumbel: added to the priors of the root's moves, > 0; what a move that the policy has given up starts from.
        gumbel_noise: gumbel: 1 samples the considered moves (self-play), 0 takes the best ones (matches).
        solve: Whether new leaves are checked for a sure win; with ``rollout`` every decision of a simulation.
        rollout: What a leaf is worth. 0: its value, the paper. λ in (0, 1]: the λ-return of a play-out from there by the
            policies, which blends the values met on the way with the result; 1: the result alone, without the values' bias.
    """

    root: str = setting("puct", choices=("puct", "gumbel"))
    playouts: int = setting(400, least=1, most=100_000)
    c: float = setting(2.0, least=1e-9)
    worlds: int = setting(64, least=1, most=65_536)
    slots: int = setting(1, least=1, most=1024)
    considered: int = setting(8, least=1, most=1024)
    strength: float = setting(24.0, least=1e-9)
    signal: float = setting(0.15, least=1e-9)
    prior_floor: float = setting(1e-9, least=1e-12, most=1)
    gumbel_noise: float = setting(1.0, least=0, most=1)
    solve: bool = True
    rollout: float = setting(0.0, least=0, most=1)


class SearchResult(NamedTuple):
    """What the search says of n positions; A is the largest number of legal actions among them."""

    num_legal: np.ndarray  # int32 [n]
    actions: np.ndarray  # int16 [n, A]: legal actions, ascending; -1 beyond num_legal
    target: np.ndarray  # float32 [n, A]: the improved policy, sums to 1; 0 beyond num_legal
    prior: np.ndarray  # float32 [n, A]: the network's policy
    visits: np.ndarray  # int32 [n, A]
    q: np.ndarray  # float32 [n, A]: mean return in units of the stake, NaN where unvisited
    value: np.ndarray  # float32 [n]: expected return of the target policy, in units of the stake
    choice: np.ndarray  # int16 [n]: the move to play at temperature 0 (gumbel: the winner of the halving)
    dropped: np.ndarray  # int32 [n]: leaves that found no room in the tree


class SearchCounters:
    """Work done since the search was made.

    Attributes:
        room: Evaluations that there was room for: slots of the positions under search, added up over the rounds.
        lookups, hits: Policies of other players asked for, and those found in the cache.
    """

    def __init__(self) -> None:
        self.searches = 0
        self.simulations = 0
        self.evaluations = 0
        self.rounds = 0
        self.dropped = 0
        self.room = 0
        self.lookups = 0
        self.hits = 0
        self.kernel_seconds = 0.0
        self.network_seconds = 0.0


@kernel
def _read_roots(
    tree: Tree, jobs: Jobs, params: Params, num_trees: int, actions: np.ndarray, target: np.ndarray, prior: np.ndarray,
    visits: np.ndarray, q: np.ndarray, value: np.ndarray, choice: np.ndarray, scratch: np.ndarray,
) -> None:  # fmt: skip
    """Writes the statistics of the roots to the arrays of a SearchResult."""
    for t in range(num_trees):
        n = tree.degree[t, 0]
        if params.rule == GUMBEL:
            baseline = improved_policy(tree, t, params.strength, params.signal, params.floor, scratch)
        else:
            visit_shares(tree, t, scratch)
            baseline = np.float64(tree.node_value[t, 0])
        best, best_score, total = 0, -np.inf, 0.0
        for k in range(n):
            edge = tree.first_edge[t, 0] + k
            returned = tree.returns[t, edge]
            actions[t, k] = tree.action[t, edge]
            target[t, k] = scratch[k]
            prior[t, k] = tree.prior[t, edge]
            visits[t, k] = tree.visits[t, edge]
            mean = tree.total[t, edge] / returned if returned > 0 else baseline
            q[t, k] = mean if returned > 0 else np.nan
            total += scratch[k] * mean
            if params.rule == GUMBEL:  # the winner: most visits, then noise + improved logit
                score = 1e6 * returned + jobs.noise[t, k] + np.log(max(scratch[k], 1e-12))
            else:
                score = returned + 0.5 * tree.prior[t, edge]
            if score > best_score:
                best, best_score = k, score
        value[t] = total
        choice[t] = tree.action[t, tree.first_edge[t, 0] + best]


@kernel
def _draw_noise(rng: np.ndarray, lanes: np.ndarray, seeds: np.ndarray, noise: np.ndarray, scale: float) -> None:
    """Draws the seed of every search and, if asked for, the Gumbel noise of its root moves from the lanes' streams."""
    for t in range(lanes.size):
        seeds[t] = random_u64(rng, lanes[t])
        for k in range(noise.shape[1]):
            noise[t, k] = -np.log(-np.log(random_float(rng, lanes[t]) + 1e-300) + 1e-300) * scale if scale > 0.0 else 0.0


class Search:
    """FPMCTS over up to ``max_positions`` positions at a time.

    Args:
        game: The game.
        evaluate: The networks of all seats.
        settings: See SearchSettings.
        max_positions: Positions held at once; longer batches are searched in parts.
        win_only: Whether returns are ±1 (objective "wp") or points (objective "adp").
        edges_per_node: Room of a tree. A leaf that finds none is evaluated and backed up, but not stored (``dropped``).
    """

    def __init__(
        self, game: Game, evaluate: Evaluate, settings: SearchSettings, max_positions: int, win_only: bool, edges_per_node: int
            = 24
    ) -> None:
        spec = game.spec
        self.game, self.evaluate, self.settings, self.max_positions = game, evaluate, settings, max_positions
        self.counters = SearchCounters()
        trees, slots = max_positions, max_positions * settings.slots
        nodes = settings.playouts + 2
        self._tree = make_tree(trees, nodes, spec.max_legal + edges_per_node * nodes)
        self._cache = make_policy_cache(trees, 4 * nodes, 48 * nodes)
        self.win_only = win_only
        self._params = Params(
            rule=int(RootRule[settings.root.upper()]),
            c=settings.c,
            strength=settings.strength,
            signal=settings.signal,
            floor=settings.prior_floor,
            win_only=win_only,
            solve=settings.solve,
            rollout=settings.rollout,
        )
        self._schedules: dict[int, np.ndarray] = {}
        self._jobs = Jobs(
            seat=np.zeros(trees, np.int8),
            simulations=np.full(trees, settings.playouts, np.int32),
            started=np.zeros(trees, np.int32),
            stake=np.ones(trees),
            seed=np.zeros(trees, np.uint64),
            noise=np.zeros((trees, spec.max_legal), np.float32),
            dropped=np.zeros(trees, np.int32),
            lookups=np.zeros(trees, np.int32),
            hits=np.zeros(trees, np.int32),
        )
        self._slots = Slots(
            phase=np.zeros(slots, np.int8),
            world=np.zeros(slots, np.int32),
            depth=np.zeros(slots, np.int32),
            path=np.zeros((slots, spec.max_moves), np.int32),
            rng=np.zeros(slots, np.uint64),
            beyond=np.zeros(slots, np.bool_),
            blended=np.zeros(slots),
            weight=np.zeros(slots),
            num_legal=np.zeros(slots, np.int32),
            legal=np.zeros((slots, spec.max_legal), np.int16),
            priors=np.zeros((slots, spec.max_legal), np.float32),
        )
        self._states = game.empty(slots)
        self._requests = Requests(
            slot=np.zeros(slots, np.int32),
            seat=np.zeros(slots, np.int8),
            observation=np.zeros((slots, *spec.observation_shape), np.int8),
        )
        self._scratch = np.zeros(spec.max_legal)

    def run(self, worlds: States, rng: np.ndarray, lanes: np.ndarray, playouts: int | None = None) -> SearchResult:
        """Returns the search's verdict on n positions.

        Args:
            worlds: ``[n * W]`` rows, W worlds for each position (W = ``settings.worlds``); the seat to move searches; it has at
                least two legal actions.
            rng: uint64 ``[any]`` streams; changed in place. Position k draws from stream ``lanes[k]`` alone.
            lanes: int64 ``[n]``.
            playouts: Simulations per position, 1 to ``settings.playouts``; None: as many as that.

        Raises:
            ValueError: The number of worlds does not fit the number of positions, or there is no room for the playouts.
        """
        n, per = len(lanes), self.settings.worlds
        playouts = self.settings.playouts if playouts is None else playouts
        if not 1 <= playouts <= self.settings.playouts:
            raise ValueError(f"playouts is {playouts}; expected 1 to settings.playouts = {self.settings.playouts}")
        self._jobs.simulations[:] = playouts
        if playouts not in self._schedules:
            self._schedules = {playouts: halving_schedule(self.settings.considered, playouts)}
        if len(worlds[0]) != n * per:
            raise ValueError(f"worlds has {len(worlds[0])} rows; expected {n} positions x {per} worlds = {n * per}")
        parts = [
            self._run_part(
                type(worlds)(*(field[a * per : min(a + self.max_positions, n) * per] for field in worlds)),
                rng,
                lanes[a : a + self.max_positions],
            )
            for a in range(0, n, self.max_positions)
        ]
        return parts[0] if len(parts) == 1 else _join(parts)

    def _run_part(self, worlds: States, rng: np.ndarray, lanes: np.ndarray) -> SearchResult:
        game, settings, n = self.game, self.settings, len(lanes)
        tree, jobs, slots, requests = self._tree, self._jobs, self._slots, self._requests
        (schedule,) = self._schedules.values()
        noise_scale = settings.gumbel_noise if self._params.rule == GUMBEL else 0.0
        _draw_noise(rng, lanes, jobs.seed, jobs.noise, noise_scale)
        start = time.perf_counter()
        in_network = 0.0
        count = begin_search(
            game.rules, worlds, settings.worlds, tree, self._cache, jobs, slots, self._states, requests, n, settings.slots
        )
        while count > 0:
            before = time.perf_counter()
            answer = self.evaluate(requests.observation[:count], requests.seat[:count])
            in_network += time.perf_counter() - before
            self.counters.evaluations += count
            self.counters.rounds += 1
            self.counters.room += n * settings.slots
            absorb(
                game.rules, game.decoder, tree, self._cache, self._params, jobs, slots, self._states, requests, count,
                answer.policy, answer.value, settings.slots,
            )  # fmt: skip
            count = advance(
                game.rules, worlds, settings.worlds, tree, self._cache, self._params, schedule, jobs, slots, self._states,
                requests, n, settings.slots, self._scratch,
            )  # fmt: skip
        result = self._read(n)
        self.counters.searches += n
        self.counters.simulations += int(jobs.started[:n].sum())
        self.counters.dropped += int(result.dropped.sum())
        self.counters.lookups += int(jobs.lookups[:n].sum())
        self.counters.hits += int(jobs.hits[:n].sum())
        self.counters.network_seconds += in_network
        self.counters.kernel_seconds += time.perf_counter() - start - in_network
        return result

    def _read(self, n: int) -> SearchResult:
        num_legal = self._tree.degree[:n, 0].copy()
        width = int(num_legal.max(initial=1))
        result = SearchResult(
            num_legal=num_legal,
            actions=np.full((n, width), -1, np.int16),
            target=np.zeros((n, width), np.float32),
            prior=np.zeros((n, width), np.float32),
            visits=np.zeros((n, width), np.int32),
            q=np.full((n, width), np.nan, np.float32),
            value=np.zeros(n, np.float32),
            choice=np.zeros(n, np.int16),
            dropped=self._jobs.dropped[:n].copy(),
        )
        _read_roots(
            self._tree, self._jobs, self._params, n, result.actions, result.target, result.prior, result.visits, result.q,
            result.value, result.choice, self._scratch,
        )  # fmt: skip
        return result


def _join(parts: list[SearchResult]) -> SearchResult:
    """Returns several results as one, padded to the widest."""
    width = max(part.actions.shape[1] for part in parts)

    def padded(array: np.ndarray, fill: float) -> np.ndarray:
        if array.ndim == 1:
            return array
        return np.pad(array, ((0, 0), (0, width - array.shape[1])), constant_values=fill)

    fills = {"actions": -1, "q": np.nan}
    columns = (
        np.concatenate([padded(getattr(part, name), fills.get(name, 0)) for part in parts]) for name in SearchResult._fields
    )
    return SearchResult(*columns)
