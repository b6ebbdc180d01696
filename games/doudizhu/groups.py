"""The fewest groups that empty a hand, and which cards go together in them.

A *group* is a chain, a trio, a pair, a solo, a bomb or the rocket; a trio, in a chain or alone, carries a solo or a pair. Bombs
and the rocket stay whole. Of the other cards, chains are taken out in every way; what is left falls apart into trios, pairs and
solos, the lowest of which are carried. The partition with the fewest groups counts; of several, the one with fewer chains and
then the first one found.

It looks at one hand alone and knows no opponent: what a player would call the shape of the hand. Trios carry whatever there
is, which the rules of planes do not always allow.
"""

import numpy as np

from games.doudizhu.cards import LITTLE_JOKER, NUM_RANKS, count
from games.kernels import kernel

SOLO, PAIR, TRIO, SOLO_CHAIN, PAIR_CHAIN, TRIO_CHAIN, BOMB, CARRIED = range(8)
NUM_KINDS = 8
"""Kinds of groups; BOMB includes the rocket, CARRIED are the solos and pairs that trios carry."""

_RANKS_IN_CHAINS = 12
_SHORTEST = {1: 5, 2: 3, 3: 2}
"""Fewest ranks of a chain, by copies of each rank."""
_LARGEST_HAND = 20
_MOST_CHAINS = 4
"""A chain has five cards or more."""
_CHAINS = [
    (copies, ((1 << length) - 1) << start)
    for copies, shortest in _SHORTEST.items()
    for length in range(shortest, _LARGEST_HAND // copies + 1)
    for start in range(_RANKS_IN_CHAINS - length + 1)
]
_COPIES = np.array([copies for copies, _ in _CHAINS], np.int64)
_MASKS = np.array([mask for _, mask in _CHAINS], np.int64)


@kernel
def _ones(mask: int) -> int:
    """Returns the number of ranks in a mask."""
    total = 0
    while mask:
        mask &= mask - 1
        total += 1
    return total


@kernel
def _without(one: int, two: int, three: int, chain: int) -> tuple[int, int, int]:
    """Returns the rank masks of at least one, two and three cards after a chain was taken out."""
    mask = _MASKS[chain]
    for _ in range(_COPIES[chain]):
        one, two, three = (one & ~mask) | (two & mask), (two & ~mask) | (three & mask), three & ~mask
    return one, two, three


@kernel
def _best_chains(one: int, two: int, three: int, chosen: np.ndarray) -> tuple[int, int]:
    """Returns (fewest groups, number of chains) for at most three cards of each rank, and writes the chains.

    Depth first over all sets of chains that fit, each set in ascending order.

    Args:
        one, two, three: Rank masks of at least so many cards.
        chosen: int64 ``[_MOST_CHAINS]``.
    """
    left = np.zeros((_MOST_CHAINS + 1, 3), np.int64)
    tried, room = np.zeros(_MOST_CHAINS + 1, np.int64), np.zeros(_MOST_CHAINS + 1, np.int64)
    taken = np.zeros(_MOST_CHAINS, np.int64)
    left[0, 0], left[0, 1], left[0, 2] = one, two, three
    fewest, chains, depth, is_new = 1 << 20, 0, 0, True
    while depth >= 0:
        one, two, three = left[depth, 0], left[depth, 1], left[depth, 2]
        if is_new:
            trios, small = _ones(three), _ones(one & ~two) + _ones(two & ~three)
            groups = depth + trios + max(0, small - trios - room[depth])
            if groups < fewest or (groups == fewest and depth < chains):
                fewest, chains = groups, depth
                chosen[:depth] = taken[:depth]
        chain = tried[depth]
        if depth < _MOST_CHAINS:
            while chain < _MASKS.size:
                held = one if _COPIES[chain] == 1 else (two if _COPIES[chain] == 2 else three)
                if held & _MASKS[chain] == _MASKS[chain]:
                    break
                chain += 1
        is_new = depth < _MOST_CHAINS and chain < _MASKS.size
        if not is_new:
            depth -= 1
            continue
        tried[depth], taken[depth] = chain + 1, chain
        room[depth + 1] = room[depth] + (_ones(_MASKS[chain]) if _COPIES[chain] == 3 else 0)
        depth += 1
        left[depth, 0], left[depth, 1], left[depth, 2] = _without(one, two, three, chain)
        tried[depth] = chain
    return fewest, chains


@kernel
def write_groups(hand: np.uint64, out: np.ndarray, plane: int) -> int:
    """Writes NUM_KINDS count planes, the cards of each rank by the kind of their group; returns the number of groups.

    Args:
        hand: A packed set of at most 20 cards.
        out: int8 ``[C, 15]``; planes ``plane`` .. ``plane + NUM_KINDS - 1`` are written.
    """
    out[plane : plane + NUM_KINDS] = 0
    one, two, three, bombs = np.int64(0), np.int64(0), np.int64(0), 0
    for rank in range(NUM_RANKS):
        held = count(hand, rank)
        if held == 4:
            out[plane + BOMB, rank] = 4
            bombs += 1
        else:
            one |= np.int64(held >= 1) << rank
            two |= np.int64(held >= 2) << rank
            three |= np.int64(held >= 3) << rank
    if one >> LITTLE_JOKER == 3:
        one &= (1 << LITTLE_JOKER) - 1
        out[plane + BOMB, LITTLE_JOKER:] = 1
        bombs += 1
    chosen = np.zeros(_MOST_CHAINS, np.int64)
    groups, chains = _best_chains(one, two, three, chosen)
    room = 0
    for k in range(chains):
        mask, copies = _MASKS[chosen[k]], _COPIES[chosen[k]]
        for rank in range(_RANKS_IN_CHAINS):
            out[plane + SOLO_CHAIN + copies - 1, rank] += copies * ((mask >> rank) & 1)
        room += _ones(mask) if copies == 3 else 0
        one, two, three = _without(one, two, three, chosen[k])
    room += _ones(three)
    for copies in range(1, 4):
        ranks = one & ~two if copies == 1 else (two & ~three if copies == 2 else three)
        for rank in range(NUM_RANKS):
            if (ranks >> rank) & 1:
                kind = SOLO + copies - 1
                if copies < 3 and room > 0:
                    kind = CARRIED
                    room -= 1
                out[plane + kind, rank] += copies
    return groups + bombs
