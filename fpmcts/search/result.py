"""Results of a search: root statistics, their standard errors, and the moves sampled from them."""

from typing import Any, NamedTuple

import numpy as np

from fpmcts.search.arrays import Forest
from fpmcts.search.roots import improved_policy, preference
from games.kernels import kernel, random_float, random_index


class SearchResult(NamedTuple):
    """The search results of n positions; A is the largest number of legal actions among them.

    If only some moves were considered, the others are listed too, with target and prior 0, no
    visits, and NaN as q.

    Attributes:
        num_legal: int32 ``[n]``.
        actions: int16 ``[n, A]``, legal actions, ascending; -1 beyond ``num_legal``.
        target: float32 ``[n, A]``, the improved policy, sums to 1.
        prior: float32 ``[n, A]``, the network's policy over the moves considered, sums to 1.
        visits: int32 ``[n, A]``, finished playouts.
        q: float32 ``[n, A]``, mean return in units of the stake; NaN where unvisited.
        standard_error: float32 ``[n, A]``, of q, see ``_write_errors``; NaN below two draws of the
            hidden cards.
        value: float32 ``[n]``, expected return of the target policy in units of the stake.
        value_error: float32 ``[n]``, its standard error, ignoring moves without one; NaN if no move
            has one. It says nothing of better moves that the search has missed.
        choice: int16 ``[n]``, the move at temperature 0.
        dropped: int32 ``[n]``, leaves not stored because the tree was full.
        done: int32 ``[n]``, playouts run; fewer than requested if the search ended early.
    """

    num_legal: np.ndarray
    actions: np.ndarray
    target: np.ndarray
    prior: np.ndarray
    visits: np.ndarray
    q: np.ndarray
    standard_error: np.ndarray
    value: np.ndarray
    value_error: np.ndarray
    choice: np.ndarray
    dropped: np.ndarray
    done: np.ndarray


def empty_result(count: int, width: int) -> SearchResult:
    """Returns a result of ``count`` positions with at most ``width`` moves, without statistics."""
    return SearchResult(
        num_legal=np.zeros(count, np.int32),
        actions=np.full((count, width), -1, np.int16),
        target=np.zeros((count, width), np.float32),
        prior=np.zeros((count, width), np.float32),
        visits=np.zeros((count, width), np.int32),
        q=np.full((count, width), np.nan, np.float32),
        standard_error=np.full((count, width), np.nan, np.float32),
        value=np.zeros(count, np.float32),
        value_error=np.full(count, np.nan, np.float32),
        choice=np.zeros(count, np.int16),
        dropped=np.zeros(count, np.int32),
        done=np.zeros(count, np.int32),
    )


@kernel
def _standard_error(shares: np.ndarray, deviations: np.ndarray) -> float:
    """Returns the standard error of a mean over some draws, NaN below two.

    Args:
        shares: float64 ``[D]``, weight s_j of each draw in the mean, sum 1.
        deviations: float64 ``[D]``, s_j (q_j - q), where q_j is the mean of draw j and q that of
            all.
    """
    second, third, squares = 0.0, 0.0, 0.0
    for j in range(shares.size):
        second += shares[j] ** 2
        third += shares[j] ** 3
        squares += deviations[j] ** 2
    if second > 1.0 - 1e-9:
        return np.nan
    # q depends on every q_j, hence the correction: n / (n - 1) for n equal shares.
    return np.sqrt(squares * second / (second - 2.0 * third + second**2))


@kernel
def _write_errors(forest: Forest, t: int, result: SearchResult) -> None:
    """Writes the standard errors of the moves of a root and of its value.

    Worlds from one particle are one draw of the hidden cards, and all moves share them. The mean
    return of a move is a self-normalised estimate, q = Σ_j s_j q_j over the draws; by the delta
    method its variance is Σ_j s_j² (q_j − q)². The deviations of the value are those of the moves,
    added up draw by draw with the weights of the improved policy.
    """
    tree, log, first = forest.tree, forest.log, forest.tree.first_edge[t, 0]
    width = 1
    for k in range(result.num_legal[t]):
        width = max(width, min(forest.num_worlds, tree.visits[t, first + k]))
    deviations = np.zeros((result.num_legal[t], width))
    shares = np.zeros((result.num_legal[t], width))
    for j in range(log.returned[t]):
        k = log.move[t, j]
        draw = forest.sources[t * forest.num_worlds + log.world[t, j]]
        share = 1.0 / tree.returns[t, first + k]
        shares[k, draw] += share
        deviations[k, draw] += share * (
            log.value[t, j] - tree.total[t, first + k] / tree.returns[t, first + k]
        )
    total, weight = np.zeros(width), np.zeros(width)
    known = 0.0
    for k in range(result.num_legal[t]):
        result.standard_error[t, k] = (
            _standard_error(shares[k], deviations[k]) if tree.returns[t, first + k] > 1 else np.nan
        )
        if not np.isnan(result.standard_error[t, k]):
            target = np.float64(result.target[t, k])
            known += target
            total += target * deviations[k]
            weight += target * shares[k]
    if known > 0.0:
        result.value_error[t] = _standard_error(weight / known, total)


@kernel
def read_roots(forest: Forest, rule: Any, result: SearchResult) -> None:
    """Writes the statistics of the roots to the arrays of a result."""
    tree, jobs, scratch = forest.tree, forest.jobs, forest.scratch
    for t in range(forest.num_trees):
        n = tree.degree[t, 0]
        baseline = improved_policy(rule, tree, t, scratch)
        best, best_score, value, done = 0, -np.inf, 0.0, 0
        for k in range(n):
            edge = tree.first_edge[t, 0] + k
            returned = tree.returns[t, edge]
            result.actions[t, k] = tree.action[t, edge]
            result.target[t, k] = scratch[k]
            result.prior[t, k] = tree.prior[t, edge]
            result.visits[t, k] = returned
            mean = tree.total[t, edge] / returned if returned > 0 else baseline
            result.q[t, k] = mean if returned > 0 else np.nan
            value += scratch[k] * mean
            done += returned
            score = preference(rule, returned, tree.prior[t, edge], scratch[k])
            if score > best_score:
                best, best_score = k, score
        result.num_legal[t] = n
        result.value[t] = value
        result.choice[t] = tree.action[t, tree.first_edge[t, 0] + best]
        result.dropped[t] = jobs.dropped[t]
        result.done[t] = done
        _write_errors(forest, t, result)


def spread(narrow: SearchResult, legal: list[np.ndarray]) -> SearchResult:
    """Returns a result over some moves as one over all legal moves."""
    result = empty_result(len(legal), max(moves.size for moves in legal))
    for t, moves in enumerate(legal):
        n = narrow.num_legal[t]
        places = np.searchsorted(moves, narrow.actions[t, :n])
        for wide, field in zip(result, narrow, strict=True):
            if wide.ndim == 2:
                wide[t, places] = field[t, :n]
            else:
                wide[t] = field[t]
        result.actions[t, : moves.size] = moves
        result.num_legal[t] = moves.size
    return result


def join(parts: list[SearchResult]) -> SearchResult:
    """Returns several results as one, padded to the widest."""
    if len(parts) == 1:
        return parts[0]
    width = max(part.actions.shape[1] for part in parts)

    def padded(array: np.ndarray, fill: float) -> np.ndarray:
        if array.ndim == 1:
            return array
        return np.pad(array, ((0, 0), (0, width - array.shape[1])), constant_values=fill)

    fills = {"actions": -1, "q": np.nan, "standard_error": np.nan}
    columns = (
        np.concatenate([padded(getattr(part, name), fills.get(name, 0)) for part in parts])
        for name in SearchResult._fields
    )
    return SearchResult(*columns)


@kernel
def _choose(
    actions: np.ndarray,
    target: np.ndarray,
    choice: np.ndarray,
    num_legal: np.ndarray,
    temperatures: np.ndarray,
    rng: np.ndarray,
    lanes: np.ndarray,
    out: np.ndarray,
) -> None:
    """Writes the move of each search: ``choice`` at T = 0, else drawn from target^(1/T)."""
    weights = np.empty(target.shape[1])
    for k in range(lanes.size):
        if temperatures[k] <= 0.0:
            random_float(rng, lanes[k])  # each search consumes one number at any temperature
            out[k] = choice[k]
            continue
        top, total = 0.0, 0.0
        for j in range(num_legal[k]):
            top = max(top, np.float64(target[k, j]))
        for j in range(num_legal[k]):
            # Relative to the largest: at a low temperature, the powers of all would be 0.
            weights[j] = (np.float64(target[k, j]) / top) ** (1.0 / temperatures[k])
            total += weights[j]
        out[k] = actions[k, random_index(rng, lanes[k], weights, num_legal[k], total)]


def sample_targets(
    result: SearchResult, temperatures: np.ndarray, rng: np.ndarray, lanes: np.ndarray
) -> np.ndarray:
    """Returns the move of each search (int16 ``[n]``): its choice at T = 0, else drawn from
    target^(1/T).

    Args:
        result: ``[n]``.
        temperatures: float64 ``[n]``.
        rng: uint64 streams, changed in place; search k draws from ``lanes[k]`` (int64 ``[n]``).
    """
    actions = np.zeros(len(lanes), np.int16)
    _choose(
        result.actions,
        result.target,
        result.choice,
        result.num_legal,
        temperatures,
        rng,
        lanes,
        actions,
    )
    return actions


def heated(target: np.ndarray, temperature: float) -> np.ndarray:
    """Returns target^(1/T), scaled to sum to 1 (float32 ``[n, A]``); the best move at T = 0."""
    powers = (target / target.max(1, keepdims=True)) ** (1.0 / max(temperature, 1e-9))
    return (powers / powers.sum(1, keepdims=True)).astype(np.float32)
