"""The rules again, slowly and independently: every reading of a set of cards, from the text of the
rules.

Cards are counts per rank in a tuple of 15. Nothing here is shared with ``games.doudizhu`` but the
order of the ranks.
"""

from itertools import combinations, product

from games.doudizhu.moves import Category

CHAIN_END = 12  # ranks 0..11 are 3 to A
JOKERS = (13, 14)
DECK = (4,) * 13 + (1, 1)

Reading = tuple[Category, int, int]
"""Category, length, top rank."""


def _kickers_are_solos(rest: tuple[int, ...], trios: range) -> bool:
    """Whether a plane of these trios may have these solos: no bomb, no longer chain of trios, not
    both jokers."""
    extends = any(
        rest[rank] == 3 for rank in (trios.start - 1, trios.stop) if 0 <= rank < CHAIN_END
    )
    return max(rest) <= 3 and not extends and sum(rest[joker] for joker in JOKERS) <= 1


def readings(counts: tuple[int, ...]) -> set[Reading]:
    """Returns every reading of the cards as a move (more than one would be an ambiguous rule)."""
    found: set[Reading] = set()
    total = sum(counts)
    ranks = [rank for rank in range(15) if counts[rank]]
    if not ranks:
        return found
    kinds = sorted(count for count in counts if count)
    low, top = ranks[0], ranks[-1]
    groups = {
        (1,): Category.SOLO,
        (2,): Category.PAIR,
        (3,): Category.TRIO,
        (4,): Category.BOMB,
        (1, 3): Category.TRIO_SOLO,
        (2, 3): Category.TRIO_PAIR,
    }
    if tuple(kinds) in groups:
        found.add((groups[tuple(kinds)], 1, max(ranks, key=lambda rank: counts[rank])))
    if tuple(ranks) == JOKERS:
        found.add((Category.ROCKET, 1, 14))
    if top - low + 1 == len(ranks) and top < CHAIN_END and kinds[0] == kinds[-1] < 4:
        category, shortest = {
            1: (Category.SOLO_CHAIN, 5),
            2: (Category.PAIR_CHAIN, 3),
            3: (Category.TRIO_CHAIN, 2),
        }[kinds[0]]
        if len(ranks) >= shortest:
            found.add((category, len(ranks), top))
    for first, last in combinations(range(CHAIN_END), 2):
        trios = range(first, last + 1)
        if any(counts[rank] != 3 for rank in trios):
            continue
        rest = tuple(0 if rank in trios else count for rank, count in enumerate(counts))
        if sum(rest) == len(trios) and _kickers_are_solos(rest, trios):
            found.add((Category.PLANE_SOLOS, len(trios), last))
        if sum(rest) == 2 * len(trios) and set(rest) == {0, 2}:
            found.add((Category.PLANE_PAIRS, len(trios), last))
    for rank in ranks:
        rest = tuple(0 if other == rank else count for other, count in enumerate(counts))
        if counts[rank] == 4 and total == 6 and not all(rest[joker] for joker in JOKERS):
            found.add((Category.FOUR_SOLOS, 1, rank))
        if counts[rank] == 4 and total == 8 and sorted(rest)[-2:] == [2, 2]:
            found.add((Category.FOUR_PAIRS, 1, rank))
    return found


def subsets(counts: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Returns every set of cards contained in the hand, the empty one included."""
    return list(product(*(range(count + 1) for count in counts)))


def answers(reading: Reading, target: Reading) -> bool:
    """Whether a move beats another."""
    if reading[0] == Category.ROCKET:
        return True
    if reading[0] == Category.BOMB and target[0] not in (Category.BOMB, Category.ROCKET):
        return True
    return reading[:2] == target[:2] and reading[2] > target[2]
