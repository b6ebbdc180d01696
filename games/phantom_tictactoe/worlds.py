"""Worlds of Phantom Tic-Tac-Toe: the opponent's attempts in order, packed into one hidden word.

A world is a history, not a board: two histories that end in the same marks are two worlds, since
the opponent knows which attempts it made. All histories of an information set are equally likely.
They are listed by replaying the game with the seat's own attempts and, for the opponent's, every
sequence that gives the same outcomes and does not end the game (``list_hidden``).

With revealed attempts, draws need no list. The squares that the opponent *got* are not the seat's
marks; those where it failed were the seat's marks at that time. So the two choices are independent:
the number of worlds is the number of orders in which the opponent can have got its squares (at most
360, ``_orders``), times the number of ways to fail in between (counted block by block,
``_count_fails``). Otherwise sequences are drawn at random until one fits.
"""

import numpy as np

from games.kernels import kernel, random_below, random_float
from games.kernels.generic import copy_row
from games.phantom_tictactoe.state import (
    CENTRE,
    EVERY,
    SQUARES,
    Rules,
    States,
    attempt,
    start_row,
    step,
)

MOST_ORDERS = 512
"""Room for the orders in which the opponent can have got its squares, at most 6 * 5 * 4 * 3."""
WRONG, OWN, OTHER = -1, 0, 1
"""Results of ``_go_on``: the outcomes differ from the view's; or all own attempts are made and it
is the seat's or the opponent's turn.
"""


@kernel
def _go_on(rules: Rules, views: States, i: int, seat: int, worlds: States, j: int) -> int:
    """Makes the seat's attempts in lane ``j`` while it is its turn; returns WRONG, OWN or OTHER."""
    made, goal = (
        np.int64(rules.counts[worlds.tried[j, seat]]),
        np.int64(rules.counts[views.tried[i, seat]]),
    )
    while worlds.turn[j] == seat and made < goal:
        square = attempt(views.attempts[i, seat], made)
        step(rules, worlds, j, square)
        made += 1
        if rules.reveal and (worlds.marks[j, seat] ^ views.marks[i, seat]) >> square & 1:
            return WRONG
    if worlds.turn[j] < 0:
        return WRONG
    return OWN if worlds.turn[j] == seat else OTHER


@kernel
def _scratch(rows: int) -> States:
    """Returns scratch states."""
    return States(
        np.zeros(rows, np.int8),
        np.zeros((rows, 2), np.int16),
        np.zeros((rows, 2), np.int16),
        np.zeros((rows, 2), np.uint64),
        np.zeros((rows, 2), np.uint64),
    )


@kernel
def _list(rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray, store: bool) -> int:
    """Returns the number of worlds, and lists their words if ``store``; -1 if they do not fit.

    Depth first: lane d of ``line`` is the game after d attempts of the opponent, ``left[d]`` the
    squares it has yet to try there.
    """
    other, count, depth = 1 - seat, 0, 0
    goal = np.int64(rules.counts[views.tried[i, seat]])
    line, left = _scratch(SQUARES + 1), np.zeros(SQUARES + 1, np.int64)
    start_row(rules, line, 0)
    ends = _go_on(rules, views, i, seat, line, 0)
    while True:
        if ends != WRONG:
            done = (
                rules.counts[line.tried[depth, seat]] == goal and line.turn[depth] == views.turn[i]
            )
            if done:
                if store and count == hidden.shape[0]:
                    return -1
                if store:
                    hidden[count, 0] = line.attempts[depth, other]
                count += 1
            if ends == OTHER:
                own, tries = np.int64(line.marks[depth, seat]), np.int64(EVERY)
                # The opponent did not have squares that the seat got later; after the last it can
                # only fail.
                if rules.reveal:
                    tries = own if done else own | EVERY & ~np.int64(views.marks[i, seat])
                elif done:
                    tries = np.int64(0)
                left[depth] = tries & ~np.int64(line.tried[depth, other])
        while left[depth] == 0:
            if depth == 0:
                return count
            depth -= 1
        bit = left[depth] & -left[depth]
        left[depth] ^= bit
        copy_row(rules, line, depth, line, depth + 1)
        depth += 1
        left[depth] = 0
        step(rules, line, depth, np.int64(rules.lists[EVERY ^ bit, 0]))
        ends = WRONG if line.turn[depth] < 0 else _go_on(rules, views, i, seat, line, depth)


@kernel
def list_hidden(rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray) -> int:
    """Lists all worlds."""
    return _list(rules, views, i, seat, hidden, True)


@kernel
def _own_marks(
    rules: Rules, views: States, i: int, seat: int, squares: np.ndarray, needed: np.ndarray
) -> int:
    """Returns the number of the seat's marks.

    Args:
        squares: Receives their squares in the order of placement.
        needed: Receives, by block, the squares that the opponent must have got by its end, since
            the seat then failed there.
    """
    count = 0
    for number in range(np.int64(rules.counts[views.tried[i, seat]])):
        square = attempt(views.attempts[i, seat], number)
        if np.int64(views.marks[i, seat]) >> square & 1:
            squares[count] = square
            count += 1
        elif count + seat > 0:
            needed[count + seat - 1] |= np.int64(1) << square
    return count


@kernel
def _orders(
    rules: Rules, views: States, i: int, seat: int, num_own: int, needed: np.ndarray
) -> np.ndarray:
    """Returns the squares that the opponent can have got, in order and packed (uint64 ``[n]``), if
    attempts are revealed.
    """
    blocks = num_own + seat - np.int64(np.int64(views.turn[i]) != seat)
    found, count, depth = np.empty(MOST_ORDERS, np.uint64), 0, 0
    got, left, words = (
        np.zeros(SQUARES + 1, np.int64),
        np.zeros(SQUARES + 1, np.int64),
        np.zeros(SQUARES + 1, np.uint64),
    )
    may = EVERY & ~np.int64(views.marks[i, seat])
    left[0] = may & 1 << CENTRE if rules.is_small and seat == 1 else may
    while depth >= 0:
        if depth == blocks:
            found[count] = words[depth]
            count, depth = count + 1, depth - 1
            continue
        bit = left[depth] & -left[depth]
        left[depth] ^= bit
        if bit == 0:
            depth -= 1
            continue
        squares = got[depth] | bit
        if needed[depth] & ~squares or rules.wins[squares]:
            continue
        square = np.uint64(rules.lists[EVERY ^ bit, 0] + 1)
        words[depth + 1] = words[depth] | square << np.uint64(4 * depth)
        depth += 1
        got[depth], left[depth] = squares, may & ~squares
    return found[:count]


@kernel
def _falling(n: int, k: int) -> int:
    """Returns n (n - 1) ... (n - k + 1)."""
    product = np.int64(1)
    for x in range(n - k + 1, n + 1):
        product *= x
    return int(product)


@kernel
def _count_fails(rules: Rules, num_own: int, seat: int) -> np.ndarray:
    """Returns the number of ways for the opponent to fail from a block on (int64 ``[b + 1, num_own
    + 1]``, by block and fails so far).

    A block is the opponent's attempts in one turn; in block b it can fail at b of the seat's marks,
    or b + 1 if the seat moves first.
    """
    blocks = num_own + seat  # including the one that the opponent has begun
    ways = np.zeros((blocks + 1, num_own + 1), np.int64)
    ways[blocks] = 1
    for b in range(blocks - 1, -1, -1):
        at = b + 1 - seat
        for failed in range(at + 1):
            for more in range(at - failed + 1):
                if b == 0 and at == 1 and rules.is_small and more == 0:
                    continue  # its first attempt is at the centre, which X has
                ways[b, failed] += _falling(at - failed, more) * ways[b + 1, failed + more]
    return ways


@kernel
def _draw_fails(
    rules: Rules,
    ways: np.ndarray,
    own: np.ndarray,
    seat: int,
    got: np.uint64,
    rng: np.ndarray,
    lane: int,
) -> np.uint64:
    """Returns all attempts of the opponent (packed), given the squares that it got (packed), with
    random fails in every block.
    """
    blocks, word, length, failed = ways.shape[0] - 1, np.uint64(0), 0, 0
    # From ``failed`` on: marks that the opponent has not tried, among those placed before the
    # block.
    squares = own.copy()
    for b in range(blocks):
        at, more = b + 1 - seat, 0
        u = random_float(rng, lane) * ways[b, failed]
        if b == 0 and at == 1 and rules.is_small:
            more = 1
        else:
            for more in range(at - failed + 1):
                weight = _falling(at - failed, more) * ways[b + 1, failed + more]
                if u < weight:
                    break
                u -= weight
        for _ in range(more):
            drawn = failed + random_below(rng, lane, at - failed)
            squares[failed], squares[drawn] = squares[drawn], squares[failed]
            word |= np.uint64(squares[failed] + 1) << np.uint64(4 * length)
            failed, length = failed + 1, length + 1
        if attempt(got, b) >= 0:
            word |= np.uint64(attempt(got, b) + 1) << np.uint64(4 * length)
            length += 1
    return word


@kernel
def _draw_orders(
    rules: Rules, views: States, i: int, seat: int, rng: np.ndarray, lane: int, hidden: np.ndarray
) -> None:
    """Draws words if attempts are revealed: an order of the squares that the opponent got, and
    fails in between.
    """
    own, needed = np.zeros(SQUARES, np.int64), np.zeros(SQUARES + 1, np.int64)
    num_own = _own_marks(rules, views, i, seat, own, needed)
    orders = _orders(rules, views, i, seat, num_own, needed)
    ways = _count_fails(rules, num_own, seat)
    for k in range(hidden.shape[0]):
        got = orders[random_below(rng, lane, orders.size)]
        hidden[k, 0] = _draw_fails(rules, ways, own, seat, got, rng, lane)


@kernel
def _draw_until_it_fits(
    rules: Rules, views: States, i: int, seat: int, rng: np.ndarray, lane: int, hidden: np.ndarray
) -> None:
    """Draws words if attempts are not revealed."""
    line, goal = _scratch(1), np.int64(rules.counts[views.tried[i, seat]])
    for k in range(hidden.shape[0]):
        while True:
            start_row(rules, line, 0)
            ends = _go_on(rules, views, i, seat, line, 0)
            while ends == OTHER and (
                rules.counts[line.tried[0, seat]] < goal or views.turn[i] == seat
            ):
                tried = np.int64(line.tried[0, 1 - seat])
                step(
                    rules,
                    line,
                    0,
                    np.int64(
                        rules.lists[tried, random_below(rng, lane, SQUARES - rules.counts[tried])]
                    ),
                )
                ends = _go_on(rules, views, i, seat, line, 0)
            if ends != WRONG:
                break
        hidden[k, 0] = line.attempts[0, 1 - seat]


@kernel
def draw_hidden(
    rules: Rules, views: States, i: int, seat: int, rng: np.ndarray, lane: int, hidden: np.ndarray
) -> None:
    """Draws worlds uniformly."""
    if rules.reveal:
        _draw_orders(rules, views, i, seat, rng, lane, hidden)
    else:
        _draw_until_it_fits(rules, views, i, seat, rng, lane, hidden)


@kernel
def num_worlds(rules: Rules, views: States, i: int, seat: int) -> int:
    """Returns the number of worlds that a seat cannot rule out."""
    if not rules.reveal:
        return _list(rules, views, i, seat, np.zeros((0, 1), np.uint64), False)
    needed = np.zeros(SQUARES + 1, np.int64)
    num_own = _own_marks(rules, views, i, seat, np.zeros(SQUARES, np.int64), needed)
    orders = _orders(rules, views, i, seat, num_own, needed)
    return int(orders.size * _count_fails(rules, num_own, seat)[0, 0])


@kernel
def log_prior_hidden(rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray) -> float:
    """Returns the log-probability of a world, the same for all."""
    return -np.log(np.float64(num_worlds(rules, views, i, seat)))


@kernel
def hidden_of(rules: Rules, states: States, i: int, seat: int, hidden: np.ndarray) -> None:
    """Writes the opponent's attempts."""
    hidden[0] = states.attempts[i, 1 - seat]


@kernel
def fill_world(
    rules: Rules, views: States, i: int, seat: int, hidden: np.ndarray, worlds: States, j: int
) -> bool:
    """Replays the game up to the view; later attempts in the words are ignored."""
    other, goal = 1 - seat, np.int64(rules.counts[views.tried[i, seat]])
    start_row(rules, worlds, j)
    made = np.int64(rules.counts[worlds.tried[j, other]])
    for number in range(made):
        if attempt(hidden[0], number) != attempt(worlds.attempts[j, other], number):
            return False
    ends = _go_on(rules, views, i, seat, worlds, j)
    while ends == OTHER:
        done = views.turn[i] == other and rules.counts[worlds.tried[j, seat]] == goal
        square = attempt(hidden[0], made)
        if done and (
            not rules.reveal or square < 0 or not np.int64(worlds.marks[j, seat]) >> square & 1
        ):
            return True
        if square < 0 or square >= SQUARES or np.int64(worlds.tried[j, other]) >> square & 1:
            return False
        step(rules, worlds, j, square)
        made += 1
        ends = _go_on(rules, views, i, seat, worlds, j)
    return ends == OWN and views.turn[i] == seat and rules.counts[worlds.tried[j, seat]] == goal


@kernel
def played_move(
    rules: Rules, worlds: States, i: int, seat: int, seen: int, hidden: np.ndarray
) -> int:
    """Returns the next attempt; the opponent's come from the words, including those that ``seat``
    has not seen.
    """
    if worlds.turn[i] == seat:
        return max(int(seen), -1)
    return attempt(hidden[0], np.int64(rules.counts[worlds.tried[i, 1 - seat]]))
