"""Worlds of Goofspiel: the opponent's possible bids, packed into one hidden word.

All states of an information set are equally likely. They are counted, not listed: the result of
each round says whether the opponent's card was lower than, higher than or equal to the seat's own,
and one pass over the cards counts the ways to fill all rounds, in n * n steps (``_count_ways``); a
draw follows these counts. Prizes to come are not part of the words: chance deals them
(``deal_rest``).
"""

import numpy as np

from games.goofspiel.state import DRAW, Rules, States, nibble, start_row, step
from games.kernels import kernel, random_below, random_float

NOTHING, LOWER, HIGHER, SAME = 0, 1, 2, 3
"""The opponent's card compared with the seat's own, by the result of a round."""


@kernel
def num_hidden(views: States, i: int, seat: int) -> int:
    """Returns the number of hidden bids that the opponent has made."""
    return int((np.int64(views.turn[i]) + seat) >> 1)


@kernel
def _bids_by_card(rules: Rules, views: States, i: int, seat: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns, for each of the seat's cards, how the opponent's card compares with it (int64
    ``[n]``: NOTHING, LOWER, HIGHER, SAME), and its round.
    """
    compared, rounds = np.zeros(rules.cards, np.int64), np.zeros(rules.cards, np.int64)
    for number in range(np.int64(views.turn[i]) >> 1):
        card, result = nibble(views.bids[i, seat], number), nibble(views.results[i], number)
        compared[card] = SAME if result == DRAW else LOWER if result == seat + 1 else HIGHER
        rounds[card] = number
    return compared, rounds


@kernel
def _count_ways(compared: np.ndarray, num_free: int) -> np.ndarray:
    """Returns the number of ways to assign the opponent's cards from card ``c`` on to rounds (int64
    ``[n + 1, n + 1]``, by c and h).

    Cards are taken in ascending order. h rounds wait for a card higher than the seat's own, which
    came earlier; each card goes to one of them or stays free. A round whose card is lower than the
    seat's card c takes one of the cards free when c is reached. The number of free cards follows
    from c and h. Entry [0, 0] is the total.

    Args:
        compared: See ``_bids_by_card``.
        num_free: Number of rounds that take any card at the end, 0 or 1.
    """
    n = compared.size
    ways = np.zeros((n + 1, n + 1), np.int64)
    taken = np.int64(0)  # by rounds that started waiting, or took a card, before c
    for c in range(n):
        taken += compared[c] != NOTHING
    ways[n, 0] = n - taken if num_free else 1
    for c in range(n - 1, -1, -1):
        taken -= compared[c] != NOTHING
        begins = np.int64(compared[c] == HIGHER)
        for h in range(c + 1):
            free = c - taken + h
            if compared[c] == SAME:
                ways[c, h] = ways[c + 1, h]
            elif free >= 0:
                kept = ways[c + 1, h + begins]
                given = h * ways[c + 1, h - 1 + begins] if h > 0 else np.int64(0)
                ways[c, h] = (kept + given) * (free if compared[c] == LOWER else 1)
    return ways


@kernel
def _take(cards: np.ndarray, count: int, rng: np.ndarray, lane: int) -> int:
    """Returns a random one of the first ``count`` cards and moves the last of them to its place."""
    at = random_below(rng, lane, count)
    card = cards[at]
    cards[at] = cards[count - 1]
    return int(card)


@kernel
def _draw(
    compared: np.ndarray,
    rounds: np.ndarray,
    last: int,
    ways: np.ndarray,
    rng: np.ndarray,
    lane: int,
) -> np.uint64:
    """Returns the packed bids of a world; ``last`` is the round that takes any card, -1 if there is
    none.
    """
    n, num_free, waiting, word = compared.size, 0, 0, np.uint64(0)
    free, wait = np.empty(n, np.int64), np.empty(n, np.int64)
    for c in range(n):
        if compared[c] == SAME:
            word |= np.uint64(c) << np.uint64(4 * rounds[c])
            continue
        if compared[c] == LOWER:
            word |= np.uint64(_take(free, num_free, rng, lane)) << np.uint64(4 * rounds[c])
            num_free -= 1
        begins = np.int64(compared[c] == HIGHER)
        given = waiting * ways[c + 1, waiting - 1 + begins] if waiting else np.int64(0)
        kept = ways[c + 1, waiting + begins]
        if random_float(rng, lane) * (given + kept) < given:
            word |= np.uint64(c) << np.uint64(4 * _take(wait, waiting, rng, lane))
            waiting -= 1
        else:
            free[num_free] = c
            num_free += 1
        if begins:
            wait[waiting] = rounds[c]
            waiting += 1
    if last >= 0:
        word |= np.uint64(_take(free, num_free, rng, lane)) << np.uint64(4 * last)
    return word


@kernel
def num_worlds(rules: Rules, views: States, i: int, seat: int) -> int:
    """Returns the number of worlds that a seat cannot rule out."""
    compared, _ = _bids_by_card(rules, views, i, seat)
    return int(
        _count_ways(compared, num_hidden(views, i, seat) - (np.int64(views.turn[i]) >> 1))[0, 0]
    )


@kernel
def draw_hidden(
    rules: Rules, views: States, i: int, seat: int, rng: np.ndarray, lane: int, hidden: np.ndarray
) -> None:
    """Draws worlds uniformly."""
    compared, rounds = _bids_by_card(rules, views, i, seat)
    over, made = np.int64(views.turn[i]) >> 1, num_hidden(views, i, seat)
    ways = _count_ways(compared, made - over)
    for k in range(hidden.shape[0]):
        hidden[k, 0] = _draw(compared, rounds, over if made > over else -1, ways, rng, lane)


@kernel
def log_prior_hidden(rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray) -> float:
    """Returns the log-probability of a world, the same for all."""
    return -np.log(np.float64(num_worlds(rules, views, i, seat)))


@kernel
def list_hidden(rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray) -> int:
    """Lists all worlds."""
    compared, round_of = _bids_by_card(rules, views, i, seat)
    rounds, count = num_hidden(views, i, seat), 0
    every = (np.int64(1) << rules.cards) - 1
    allowed = np.full(rules.cards + 1, every)  # by round: the cards allowed by its result
    for own in range(rules.cards):
        bit = np.int64(1) << own
        if compared[own] == SAME:
            allowed[round_of[own]] = bit
        elif compared[own] == LOWER:
            allowed[round_of[own]] = bit - 1
        elif compared[own] == HIGHER:
            allowed[round_of[own]] = every & -2 * bit
    left = np.zeros(rules.cards + 1, np.int64)  # by round: the cards still to be tried
    used = np.zeros(rules.cards + 1, np.int64)
    words = np.zeros(rules.cards + 1, np.uint64)
    number = 0
    left[0] = allowed[0]
    while number >= 0:
        if number == rounds:
            if count == hidden.shape[0]:
                return -1
            hidden[count, 0] = words[number]
            count += 1
            number -= 1
            continue
        bit = left[number] & -left[number]
        if bit == 0:
            number -= 1
            continue
        left[number] ^= bit
        card = np.uint64(rules.lists[bit, 0])
        used[number + 1] = used[number] | bit
        words[number + 1] = words[number] | card << np.uint64(4 * number)
        number += 1
        left[number] = allowed[number] & ~used[number] if number < rounds else 0
    return count


@kernel
def hidden_of(rules: Rules, states: States, i: int, seat: int, hidden: np.ndarray) -> None:
    """Writes the opponent's bids."""
    hidden[0] = states.bids[i, 1 - seat]


@kernel
def fill_world(
    rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray, worlds: States, j: int
) -> bool:
    """Replays both seats' bids; returns whether the rounds end as the seat saw them."""
    start_row(rules, views.prizes[i], worlds, j)
    for turn in range(np.int64(views.turn[i])):
        number, mover = turn >> 1, turn & 1
        card = nibble(views.bids[i, seat] if mover == seat else hidden[0], number)
        if not np.int64(worlds.hands[j, mover]) >> card & 1:
            return False
        step(rules, worlds, j, card)
    return bool(worlds.results[j] == views.results[i])


@kernel
def played_move(
    rules: Rules, worlds: States, i: int, seat: int, seen: int, hidden: np.ndarray
) -> int:
    """Returns the next bid; the opponent's come from the words."""
    return int(seen) if seen >= 0 else nibble(hidden[0], np.int64(worlds.turn[i]) >> 1)


@kernel
def shuffle_from(
    rules: Rules, prizes: np.uint64, shown: int, rng: np.ndarray, lane: int
) -> np.uint64:
    """Returns an order of prizes (packed) that begins as ``prizes`` does for ``shown`` rounds and
    continues at random.
    """
    kept = prizes & ((np.uint64(1) << np.uint64(4 * shown)) - np.uint64(1))
    left = (np.int64(1) << rules.cards) - 1
    for number in range(shown):
        left ^= np.int64(1) << nibble(kept, number)
    for number in range(shown, rules.cards):
        card = np.int64(rules.lists[left, random_below(rng, lane, rules.cards - number)])
        left ^= np.int64(1) << card
        kept |= np.uint64(card) << np.uint64(4 * number)
    return kept


@kernel
def deal_rest(
    rules: Rules, worlds: States, first: int, count: int, rng: np.ndarray, lane: int
) -> None:
    """Deals the prizes to come."""
    if not rules.is_random:
        return
    for j in range(first, first + count):
        turn = np.int64(worlds.turn[j])
        if turn < 2 * rules.cards - 2:
            worlds.prizes[j] = shuffle_from(rules, worlds.prizes[j], (turn >> 1) + 1, rng, lane)
