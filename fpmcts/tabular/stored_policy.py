"""A tabular policy packed into a few kilobytes, the format of those in ``models/``.

``visited`` has a bit for each information set (uint8, packed, the lowest bit first); ``weights``
a row for each of those whose bit is set, in proportion to the probabilities of the legal actions.
The others, never visited by the run, are uniform.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from games.play.tables import Tables

TYPES: tuple[Any, ...] = (np.uint8, np.float16, np.float32)
"""Types of ``weights``, the smallest first."""


def without_rare_moves(policy: np.ndarray, threshold: float) -> np.ndarray:
    """Returns a policy without the actions below a probability; the most probable action (the first
    of equals) always stays.

    Exploration and coarse buckets leave bad moves with small probabilities in the average policy:
    without them a policy for a large game plays better.

    Args:
        policy: float64 ``[I, A]``; rows of zeros stay zero.
        threshold: 0 keeps all actions, 1 only the most probable.

    Source: Ganzfried, Sandholm and Waugh, "Strategy purification and thresholding", 2012.
    """
    best = np.eye(policy.shape[1], dtype=np.bool_)[policy.argmax(axis=1)]
    kept = np.where((policy >= threshold) | best, policy, 0.0)
    total = kept.sum(axis=1, keepdims=True)
    return kept / np.where(total > 0.0, total, 1.0)


def pack(policy: np.ndarray, kind: Any) -> dict[str, np.ndarray]:
    """Returns the arrays of a policy.

    Args:
        policy: float64 ``[I, A]``; a row of zeros was never visited.
        kind: One of ``TYPES``. uint8 keeps probabilities to within 1/510 of the largest one of a
            row.
    """
    visited = policy.any(axis=1)
    rows = policy[visited]
    weights = np.rint(255 * rows / rows.max(axis=1, keepdims=True)) if kind is np.uint8 else rows
    return {"visited": np.packbits(visited, bitorder="little"), "weights": weights.astype(kind)}


def unpack(arrays: Mapping[str, np.ndarray], game: Tables) -> np.ndarray:
    """Returns a policy: float64 ``[game.num_infosets, game.max_actions]``, zeros in rows that were
    never visited.

    Raises:
        ValueError: It is not a policy of this game.
    """
    size = -(-game.num_infosets // 8)
    visited, weights = arrays.get("visited"), arrays.get("weights")
    if (
        visited is None
        or weights is None
        or visited.dtype != np.uint8
        or visited.shape != (size,)
        or weights.dtype not in TYPES
    ):
        found = ", ".join(
            f"{name} {array.dtype} {array.shape}" for name, array in sorted(arrays.items())
        )
        raise ValueError(f"{found or 'nothing'}; expected visited uint8 ({size},) and weights")
    seen = np.unpackbits(visited, count=game.num_infosets, bitorder="little").astype(np.bool_)
    rows, expected = weights.astype(np.float64), (int(seen.sum()), game.max_actions)
    if rows.shape != expected:
        raise ValueError(
            f"weights of shape {rows.shape}: expected {expected}, the information sets that "
            "were visited"
        )
    total = rows.sum(axis=1, keepdims=True)
    if (
        not np.isfinite(total).all()
        or (rows < 0).any()
        or not (total > 0).all()
        or (rows * ~game.legal[seen]).any()
    ):
        raise ValueError(
            "weights: expected finite numbers of 0 or more for legal actions, not all 0 in a row"
        )
    result = np.zeros((game.num_infosets, game.max_actions))
    result[seen] = rows / total
    return result
