"""The search: lock-step FPMCTS over a batch of positions.

    worlds ──▶ begin_search ─▶ ┌─ evaluate ─▶ absorb ─▶ advance ─┐ ──▶ SearchResult
                               └──────────── requests ◀──────────┘

Hundreds of positions are searched together. In each round the kernels of ``fpmcts.search.simulate``
run every simulation to its next evaluation and one forward pass per network answers them all.
Several slots per tree fill the batches further: late in a batch of games, or for a single position.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from fpmcts.search.arrays import Params, make_forest
from fpmcts.search.result import SearchResult, empty_result, join, read_roots, spread
from fpmcts.search.roots import RULES, rule_module
from fpmcts.search.simulate import Phase, absorb, advance, begin_search
from games.base.settings import setting
from games.kernels import kernel, random_u64
from games.kernels.rows import States, take
from games.play.interface import Game
from networks.evaluator import Outputs

Evaluate = Callable[[np.ndarray, np.ndarray], Outputs]
"""(observations int8 [N, C, L], roles int8 [N]) -> Outputs of the roles' networks."""
_Given = tuple[Sequence[int], Sequence[int]]
"""The moves to consider at a root, and for each the listed move that stands in for it."""
LONE_SLOTS = 64
"""Minimum slots of any search, so that a single position can fill a batch."""
FIRST_SLOTS, ROUNDS_LEFT = 2, 16
"""Slots with which a search of a single position in limited time begins; they double while that
many simulations, one after the other, fit into the time that is left.
"""
SECONDS_BETWEEN_REPORTS = 0.1
AT_ONCE = 1024
"""Simulations that a tree may start in one round. Those that meet only what the tree and the cache
hold need no evaluation: unbounded, a search of a small game would run to its end within one round,
whatever its deadline.
"""


@dataclass(frozen=True)
class SearchSettings:
    """Settings of FPMCTS.

    Attributes:
        root: The rule at the root: "puct", as at every other own node, or the module of your own
            rule, such as ``examples.own_root`` (``fpmcts.search.roots``).
        target: The policy of the search (``fpmcts.search.roots.puct``). "advantages": the prior
            shifted by the advantages of the moves; "visits": the shares of the visits (the paper).
        playouts: Simulations per search, >= 1. The paper: 400 in training, 600 in matches (5.1,
            5.2).
        c: Exploration constant of p-UCT, > 0. The paper: 2 (5.2).
        uniform: Share of the uniform distribution in the priors by which the root selects, in [0,
            1]: a move that the policy has given up is still tried. The paper: 0.
        worlds: Worlds drawn per search, >= 1, used in turn.
        slots: Simulations in flight in one tree, >= 1. 1 is the paper's algorithm; more make larger
            batches, but a few returns are still pending when the next move is chosen. A single
            decision at a table has a quarter of the playouts, up to 64 (``LONE_SLOTS``), unless
            slots or match=paper is given.
        unit: The return in which ``c``, ``strength`` and ``signal`` are stated, in stakes, >= 0. 0:
            ``Game.return_unit``, which makes them independent of the scale of the returns; under
            ``wp`` 1.
        strength: For ``target=advantages``: logits per unit of shrunk advantage, > 0.
        signal: For ``target=advantages``: expected spread of the true advantages of root moves, in
            units, > 0.
        prior_floor: For ``target=advantages``: added to the priors of visited moves in the policy,
            > 0, so that a move which the policy has given up can win.
        solve: Whether sure wins count as won, at new leaves and, with ``rollout``, beyond them, and
            whether the others are assumed to play theirs, as they do in training. In matches
            without a limit of time, also whether endgames are solved (``Game.endgame``).
        rollout: Value of a leaf. 0: the network's value (the paper). λ in (0, 1]: the λ-return of a
            rollout by the policies, which blends the values on the way with the result; 1: only the
            result, without the values' bias.
        draw_first: Whether the first move tried at an own node is drawn from the policy. The paper:
            yes (Algorithm 1, line 23). If not, p-UCT chooses it: the most probable one.
    """

    depends: ClassVar[dict[str, str]] = dict.fromkeys(
        ("strength", "signal", "prior_floor"), "target=advantages"
    )
    root: str = setting("puct", choices=RULES, or_module=True)
    target: str = setting("advantages", choices=("advantages", "visits"))
    playouts: int = setting(16, least=1, most=100_000)
    c: float = setting(2.0, least=1e-9)
    uniform: float = setting(0.25, least=0, most=1)
    worlds: int = setting(16, least=1, most=65_536)
    slots: int = setting(4, least=1, most=4096)
    unit: float = setting(1.0, least=0)
    strength: float = setting(24.0, least=1e-9)
    signal: float = setting(0.15, least=1e-9)
    prior_floor: float = setting(1e-9, least=1e-12, most=1)
    solve: bool = True
    rollout: float = setting(0.0, least=0, most=1)
    draw_first: bool = False

    def __post_init__(self) -> None:
        """Raises ConfigError if there is no such root rule."""
        if self.root not in RULES:
            rule_module(self.root)


Report = Callable[[SearchResult, int, int], None]
"""(result so far for the positions begun, playouts made for all positions, playouts requested) ->
None.
"""


class SearchCounters:
    """Work done since the search was made.

    Attributes:
        room: Capacity for evaluations: slots of the positions under search, summed over the rounds.
        lookups, hits: Policies of other players requested, and those found in the cache.
    """

    def __init__(self) -> None:
        self.evaluations = self.rounds = self.room = self.lookups = self.hits = 0


@kernel
def _draw_seeds(rng: np.ndarray, lanes: np.ndarray, seeds: np.ndarray) -> None:
    """Draws the seed of every search from its lane's stream."""
    for t in range(lanes.size):
        seeds[t] = random_u64(rng, lanes[t])


class _Watch:
    """Ends a search early and reports its progress.

    Args:
        total: Playouts requested.
    """

    def __init__(
        self,
        report: Report | None,
        cancel: Callable[[], bool] | None,
        deadline: float | None,
        total: int,
    ) -> None:
        self._report, self._cancel, self._deadline, self._total = report, cancel, deadline, total
        self._next, self._end = time.perf_counter() + SECONDS_BETWEEN_REPORTS, deadline
        self.parts: list[SearchResult] = []
        """Results of the finished positions."""

    def begin_part(self, share: float) -> None:
        """Gives the next positions their ``share`` of the time that is left."""
        if self._deadline is not None:
            now = time.perf_counter()
            self._end = now + share * (self._deadline - now)

    def closes(self, latency: float) -> bool:
        """Returns whether a simulation that takes ``latency`` seconds would return too late."""
        return self._end is not None and time.perf_counter() + latency >= self._end

    def ends(self) -> bool:
        """Returns whether to end the search now, without the simulations in flight."""
        return self.closes(0.0) or (self._cancel is not None and self._cancel())

    def wants_report(self) -> bool:
        """Returns whether it is time for a report."""
        return self._report is not None and time.perf_counter() >= self._next

    def report(self, result: SearchResult) -> None:
        """Reports a result over the positions begun."""
        if self._report is not None:
            self._report(result, int(result.done.sum()), self._total)
            self._next = time.perf_counter() + SECONDS_BETWEEN_REPORTS


class Search:
    """FPMCTS over up to ``max_positions`` positions at a time.

    Args:
        game: The game.
        evaluate: The networks of all seats.
        settings: See SearchSettings.
        max_positions: Positions held at once; longer batches are searched in parts.
        win_only: Whether returns are ±1 (objective "wp") or points (objective "adp").
        edges_per_node: Capacity of a tree. When it is full, a leaf is evaluated and backed up but
            not stored (``dropped``).

    Attributes:
        most_slots: Maximum number of slots of all positions together.
    """

    def __init__(
        self,
        game: Game,
        evaluate: Evaluate,
        settings: SearchSettings,
        max_positions: int,
        win_only: bool,
        edges_per_node: int = 24,
    ) -> None:
        if settings.unit == 0.0:
            settings = replace(settings, unit=1.0 if win_only else game.return_unit)
        self.game, self.evaluate, self.settings, self.max_positions = (
            game,
            evaluate,
            settings,
            max_positions,
        )
        self.counters = SearchCounters()
        self.win_only = win_only
        self.most_slots = max(max_positions * settings.slots, LONE_SLOTS)
        self._rule: Any = None
        params = Params(
            c=settings.c * settings.unit,
            win_only=win_only,
            solve=settings.solve,
            rollout=settings.rollout,
            draw_first=settings.draw_first,
        )
        self._forest = make_forest(
            game, params, settings.playouts, max_positions, self.most_slots, edges_per_node
        )

    def run(
        self,
        worlds: States,
        rng: np.ndarray,
        lanes: np.ndarray,
        playouts: int | None = None,
        slots: int | None = None,
        *,
        report: Report | None = None,
        cancel: Callable[[], bool] | None = None,
        deadline: float | None = None,
        moves: Sequence[Sequence[int]] | None = None,
        stand_ins: Sequence[Sequence[int]] | None = None,
        sources: np.ndarray | None = None,
    ) -> SearchResult:
        """Searches n positions and returns their results.

        Args:
            worlds: ``[n * W]`` rows, W worlds for each position (W = ``settings.worlds``); the seat
                to move searches; it has at least two legal actions.
            rng: uint64 ``[any]`` streams; changed in place. Position k draws only from stream
                ``lanes[k]``.
            lanes: int64 ``[n]``.
            playouts: Simulations per position, 1 to ``settings.playouts``; None: that many.
            slots: Simulations in flight in one tree, 1 to ``most_slots``; None:
                ``settings.slots``.
            report: Called between rounds, at most every 0.1 s, and at the end with the final
                result.
            cancel: Polled between rounds; once it returns True, the search ends with its results so
                far.
            deadline: When the search is to end, in seconds of ``time.perf_counter``: it starts no
                simulation that would not return by then on average, and drops those that do not. A
                single position begins with few slots and adds others as far as the time allows
                (``ROUNDS_LEFT``). If there are more than ``max_positions``, each part has its share
                of the time. Every position's root is evaluated in any case, so a policy and a
                choice are always returned.
            moves: For each position the legal actions to consider at the root, at least one. None:
                all.
            stand_ins: For each of ``moves`` the listed action whose policy output it uses, for
                moves with unlisted amounts; None: all are listed.
            sources: int32 ``[n, W]``, see ``inference.determinizer.Diagnostics``; the standard
                errors depend on them. None: each world is an independent draw.

        Raises:
            ValueError: The number of worlds does not fit the number of positions, there is no room
                for the playouts or the slots, or moves to consider are not legal.
        """
        n, per, settings = len(lanes), self.settings.worlds, self.settings
        playouts = settings.playouts if playouts is None else playouts
        slots = settings.slots if slots is None else slots
        if not 1 <= playouts <= settings.playouts:
            raise ValueError(
                f"playouts is {playouts}; expected 1 to settings.playouts = {settings.playouts}"
            )
        if not 1 <= slots <= self.most_slots:
            raise ValueError(f"slots is {slots}; expected 1 to {self.most_slots}")
        if len(worlds[0]) != n * per:
            raise ValueError(
                f"worlds has {len(worlds[0])} rows; expected {n} positions x {per} worlds "
                f"= {n * per}"
            )
        if moves is not None and len(moves) != n:
            raise ValueError(
                f"moves has {len(moves)} lists; expected one for each of {n} positions"
            )
        given = (
            None
            if moves is None
            else list(zip(moves, moves if stand_ins is None else stand_ins, strict=True))
        )
        self._rule = rule_module(settings.root).make(settings)
        # How long a simulation takes is not known yet.
        first = slots if n > 1 or deadline is None else min(slots, FIRST_SLOTS)
        self._forest = self._forest._replace(num_slots=first, num_worlds=per)
        if sources is None:
            sources = np.tile(np.arange(per, dtype=np.int32), (n, 1))
        watch = _Watch(report, cancel, deadline, n * playouts)
        size = min(self.max_positions, self.most_slots // slots)
        for a in range(0, n, size):
            rows = take(worlds, slice(a * per, (a + size) * per))
            part = None if given is None else given[a : a + size]
            drawn, here = sources[a : a + size].reshape(-1), lanes[a : a + size]
            watch.begin_part(len(here) / (n - a))
            watch.parts.append(self._run_part(rows, drawn, rng, here, playouts, slots, part, watch))
        result = join(watch.parts)
        watch.report(result)
        return result

    def _run_part(
        self,
        worlds: States,
        sources: np.ndarray,
        rng: np.ndarray,
        lanes: np.ndarray,
        playouts: int,
        slots: int,
        moves: Sequence[_Given] | None,
        watch: _Watch,
    ) -> SearchResult:
        forest = self._forest = self._forest._replace(
            worlds=worlds, sources=sources, num_trees=len(lanes)
        )
        jobs, requests, counters = forest.jobs, forest.requests, self.counters
        trees, in_flight = forest.num_trees, forest.num_trees * forest.num_slots
        _draw_seeds(rng, lanes, jobs.seed)
        last, flown = time.perf_counter(), 0.0
        count = begin_search(forest)
        legal = None if moves is None else self._strike(moves)
        named = moves
        while count > 0 or (jobs.started[:trees] < playouts).any():
            if count > 0:
                answer = self.evaluate(requests.observation[:count], requests.role[:count])
                counters.evaluations += count
                counters.rounds += 1
                counters.room += in_flight
                absorb(forest, count, answer.policy, answer.value)
            if named is not None:
                self._name_roots(named)
                named = None
            np.minimum(playouts, jobs.started + AT_ONCE, out=jobs.simulations)
            count = advance(forest, self._rule)
            returned = int(forest.log.returned[:trees].sum())
            # Little's law: mean time in flight = number in flight / rate.
            flown += (time.perf_counter() - last) * in_flight
            last, latency = time.perf_counter(), flown / max(returned, in_flight)
            if watch.ends():
                break
            if watch.closes(latency):
                playouts = 0
            elif forest.num_slots < slots and returned >= 2 * in_flight:
                if not watch.closes(2 * ROUNDS_LEFT * latency):
                    in_flight = min(2 * in_flight, slots)
                    forest.slots.phase[forest.num_slots : in_flight] = Phase.IDLE
                    forest = self._forest = forest._replace(num_slots=in_flight)
            if watch.wants_report():
                watch.report(join([*watch.parts, self._read(legal)]))
        result = self._read(legal)
        counters.lookups += int(jobs.lookups[:trees].sum())
        counters.hits += int(jobs.hits[:trees].sum())
        return result

    def _strike(self, moves: Sequence[_Given]) -> list[np.ndarray]:
        """Removes the root moves that are not considered; returns the moves of every position,
        listed or given.

        The root's policy is a softmax over the moves left, so this renormalises it. Unlisted moves
        are represented by their stand-ins until the root has been evaluated (``_name_roots``).
        """
        slots, everything = self._forest.slots, []
        for t, (given, stand_ins) in enumerate(moves):
            m = t * self._forest.num_slots
            legal = slots.legal[m, : slots.num_legal[m]].copy()
            if (
                not set(stand_ins) <= set(legal.tolist())
                or not 0 < len(given) <= slots.legal.shape[1]
            ):
                raise ValueError(
                    f"moves holds {list(given)}; expected some of the legal actions "
                    f"{legal.tolist()}"
                )
            slots.num_legal[m] = len(given)
            slots.legal[m, : len(given)] = np.array(stand_ins)[np.argsort(given)]
            everything.append(np.union1d(legal, given).astype(np.int16))
        return everything

    def _name_roots(self, moves: Sequence[_Given]) -> None:
        """Writes the given moves to the edges of the roots, where their stand-ins are."""
        tree = self._forest.tree
        for t, (given, _) in enumerate(moves):
            first = tree.first_edge[t, 0]
            tree.action[t, first : first + len(given)] = np.sort(given)

    def _read(self, legal: list[np.ndarray] | None) -> SearchResult:
        """Returns the result so far; ``legal``: the legal moves of every position if some were
        removed.
        """
        forest = self._forest
        result = empty_result(
            forest.num_trees, int(forest.tree.degree[: forest.num_trees, 0].max(initial=1))
        )
        read_roots(forest, self._rule, result)
        return result if legal is None else spread(result, legal)
