"""RHCP by brute force, from its description alone: hands are tuples of 15 counts, and every step of
the recursion is a list.

It shares no code with the kernels; what a move is, ``tests.games.doudizhu.oracle`` says. Ranks are
3 to 17 here, as in the description.
"""

from collections.abc import Iterator
from functools import cache
from itertools import combinations

from games.doudizhu.moves import Category
from tests.games.doudizhu.oracle import readings

Cards = tuple[int, ...]
RANKS = range(3, 18)
ACE, TWO = 14, 15
JOKERS = (16, 17)


def cards(text: str) -> Cards:
    """Returns the counts of a text such as 3344TLB."""
    return tuple(text.count(name) for name in "3456789TJQKA2LB")


def text(hand: Cards) -> str:
    """Returns the text of counts."""
    return "".join(name * count for name, count in zip("3456789TJQKA2LB", hand, strict=True))


def held(hand: Cards, rank: int) -> int:
    return hand[rank - 3]


def minus(hand: Cards, group: Cards) -> Cards:
    return tuple(a - b for a, b in zip(hand, group, strict=True))


def made_of(
    main: list[int], copies: int, kickers: tuple[int, ...] = (), kicker_size: int = 0
) -> Cards:
    return tuple(copies * main.count(rank) + kicker_size * kickers.count(rank) for rank in RANKS)


KINDS = {
    **{"solo": (1, 0), "pair": (2, 0), "trio": (3, 0), "bomb": (4, 0)},
    **{"solo chain": (1, 0), "pair chain": (2, 0), "trio chain": (3, 0)},
    **{"trio + solo": (3, 1), "trio + pair": (3, 2)},
    **{"plane + solos": (3, 1), "plane + pairs": (3, 2)},
}
"""For each kind: cards per main rank, cards per kicker."""


def kicker_choices(
    main: list[int], size: int, number: int, hand: Cards = (4,) * 13 + (1, 1)
) -> Iterator[tuple[int, ...]]:
    """Yields the ranks of every choice of kickers from a hand; both jokers are none."""
    for kickers in combinations(
        [rank for rank in RANKS if held(hand, rank) >= size and rank not in main], number
    ):
        if not set(JOKERS) <= set(kickers):
            yield kickers


NAMES = {
    "PLANE_SOLOS": "plane + solos",
    "PLANE_PAIRS": "plane + pairs",
    "FOUR_SOLOS": "four + two solos",
    "FOUR_PAIRS": "four + two pairs",
    "TRIO_SOLO": "trio + solo",
    "TRIO_PAIR": "trio + pair",
}


def name_of(category: Category) -> str:
    return NAMES.get(category.name, category.name.lower().replace("_", " "))


@cache
def identify(hand: Cards) -> tuple[str, int, int] | None:
    """Returns (kind, ranks in a row, top rank) where the hand is one group: a move of the rules in
    which no solo kicker of a plane repeats a rank."""
    for category, length, top in readings(hand):
        if category != Category.PLANE_SOLOS or hand.count(1) == length:
            return name_of(category), length, top + 3
    return None


def worth(kind: str, r: int) -> int:
    """Returns the value of a group by its top rank."""
    if kind in ("solo", "pair", "trio", "trio + solo", "trio + pair"):
        return r - 10
    if kind in ("solo chain", "pair chain"):
        return r - 9
    if kind in ("trio chain", "plane + solos", "plane + pairs"):
        return int((r - 2) / 2)
    if kind.startswith("four"):
        return int((r - 3) / 2)
    return 20 if kind == "rocket" else r + 4


def score(value: tuple[int, int]) -> int:
    return value[0] - 7 * value[1]


def last_best(hand: Cards, groups: list[Cards]) -> Cards:
    """Returns the last of the groups that leave the best hand."""
    return max(reversed(groups), key=lambda group: score(value(minus(hand, group))))


def with_kickers(hand: Cards, main: list[int], sizes: tuple[int, ...]) -> Iterator[Cards]:
    for size in sizes:
        for kickers in kicker_choices(main, size, len(main), hand):
            yield made_of(main, 3, kickers, size)


def kicked_trios(hand: Cards) -> list[Cards]:
    """Returns step 3 of the lead, in order."""
    found = []
    for start in range(3, TWO + 1):
        for sizes, lengths in (((1, 2), [1]), ((1,), [2, 3, 4]), ((2,), [2, 3])):
            for length in lengths:
                main = list(range(start, start + length))
                if all(held(hand, rank) == 3 for rank in main if rank <= TWO) and (
                    length == 1 or main[-1] <= ACE
                ):
                    found += with_kickers(hand, main, sizes)
    return found


def plain_groups(hand: Cards) -> list[Cards]:
    """Returns step 4 of the lead, in order."""
    start = next((rank for rank in range(3, TWO + 1) if 1 <= held(hand, rank) <= 3), None)
    if start is None:
        return []
    found = [made_of([start], copies) for copies in (1, 2, 3) if held(hand, start) >= copies]
    for copies, shortest in ((1, 5), (2, 3), (3, 2)):
        for end in range(start + shortest - 1, ACE + 1):
            main = list(range(start, end + 1))
            if all(held(hand, rank) >= copies for rank in main):
                found.append(made_of(main, copies))
    return found


@cache
def pick(hand: Cards) -> Cards:
    """Returns steps 2 to 5 of the lead."""
    rocket = made_of(list(JOKERS), 1)
    jokers = [rank for rank in JOKERS if held(hand, rank)]
    if len(jokers) == 2 and value(minus(hand, rocket))[1] == 1:
        return rocket
    groups = kicked_trios(hand) or plain_groups(hand)
    if groups:
        return last_best(hand, groups)
    if len(jokers) == 1:
        return made_of(jokers, 1)
    return made_of([min(rank for rank in RANKS if held(hand, rank) == 4)], 4)


@cache
def value(hand: Cards) -> tuple[int, int]:
    """Returns (sum, rounds)."""
    if not any(hand):
        return 0, 0
    one = identify(hand)
    if one and not one[0].startswith("four"):
        return worth(one[0], one[2]), 1
    group = pick(hand)
    found = identify(group)
    assert found is not None
    total, rounds = value(minus(hand, group))
    return total + worth(found[0], found[2]), rounds + 1


def lead(hand: Cards) -> Cards:
    return hand if identify(hand) else pick(hand)


def beats(group: tuple[str, int, int] | None, target: tuple[str, int, int]) -> bool:
    if group is None or target[0] == "rocket":
        return False
    if group[0] == "rocket" or (group[0] == "bomb" and target[0] != "bomb"):
        return True
    return group[:2] == target[:2] and group[2] > target[2]


def same_kind(hand: Cards, target: tuple[str, int, int]) -> list[Cards]:
    """Returns the groups of the kind and length of the target that beat it, in order; none for four
    + two and the rocket.
    """
    kind, length, beaten = target
    if kind not in KINDS:
        return []
    copies, size = KINDS[kind]
    found = []
    for top in range(beaten + 1, (ACE if length > 1 else 17) + 1):
        main = list(range(top - length + 1, top + 1))
        if all(
            held(hand, rank) == 3 if size and length > 1 else held(hand, rank) >= copies
            for rank in main
        ):
            found += with_kickers(hand, main, (size,)) if size else [made_of(main, copies)]
    return found


def reply(hand: Cards, target: tuple[str, int, int]) -> Cards:
    """Returns the cards played, none for pass."""
    if beats(identify(hand), target):
        return hand
    total, rounds = value(hand)
    bar = score((total, rounds + 1))
    groups = [group for group in same_kind(hand, target) if score(value(minus(hand, group))) >= bar]
    if groups:
        return last_best(hand, groups)
    chosen = made_of([], 0)
    for rank in RANKS:
        bomb = made_of([rank], 4)
        if held(hand, rank) == 4 and beats(("bomb", 1, rank), target):
            rest = value(minus(hand, bomb))
            if score(rest) >= bar or rest[0] > 0:
                chosen, bar = bomb, score(rest)
    if (
        not any(chosen)
        and all(held(hand, rank) for rank in JOKERS)
        and total > 20
        and target[0] != "rocket"
    ):
        chosen = made_of(list(JOKERS), 1)
    return chosen
