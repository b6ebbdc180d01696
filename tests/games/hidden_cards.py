"""What the hidden-card kernels of every game must satisfy, as checks that a test calls for one
state and one seat.

Worlds are consistent with the view, do not depend on the truth, and their codes lead there and
back.
"""

from collections import Counter

import numpy as np

from games.kernels import streams
from games.kernels.rows import States, take
from games.play.interface import Game
from tests.games import driver

ROOM = 2_000
"""Worlds that are listed at most."""
DRAWN = 24


def empty_words(game: Game, count: int) -> np.ndarray:
    return np.zeros((count, game.spec.hidden_words), np.uint64)


def listed(game: Game, view: States, seat: int, room: int = ROOM) -> np.ndarray | None:
    """Returns the words of all worlds (uint64 ``[n, W]``), None where there are more than
    ``room``."""
    words = empty_words(game, room)
    total = driver.list_hidden(game.rules, view, 0, seat, words)
    return None if total < 0 else words[:total]


def drawn(game: Game, view: States, seat: int, count: int = DRAWN, seed: int = 0) -> np.ndarray:
    """Returns the words of worlds from the prior (uint64 ``[count, W]``)."""
    words = empty_words(game, count)
    driver.draw_hidden(game.rules, view, 0, seat, streams(seed, 1), 0, words)
    return words


def truth(game: Game, state: States, seat: int) -> np.ndarray:
    """Returns the words of the true world (uint64 ``[W]``)."""
    words = empty_words(game, 1)[0]
    driver.hidden_of(game.rules, state, 0, seat, words)
    return words


def world(game: Game, view: States, seat: int, words: np.ndarray) -> States:
    """Returns the world of a view and hidden words, with what chance has still to deal; the words
    must be possible."""
    row = game.empty(1)
    assert driver.fill_world(game.rules, view, 0, seat, words, row, 0)
    driver.deal_rest(game.rules, row, 0, 1, streams(1, 1), 0)
    return row


def positions(game: Game, seed: int) -> list[tuple[States, list[int], States]]:
    """Running positions of a random game: the deal, the moves, the state (one row)."""
    rng, deal = np.random.default_rng(seed), game.deal(streams(seed, 1))
    state, moves, found = take(deal, np.array([0])), list[int](), []
    while driver.current_seat(game.rules, state, 0) >= 0:
        found.append((deal, list(moves), take(state, np.array([0]))))
        moves.append(int(rng.choice(driver.legal_actions(game, state, 0)[-9:])))
        driver.step(game.rules, state, 0, moves[-1])
    return found


def check_draws(game: Game, state: States, seat: int, most: int) -> bool:
    """Checks that worlds are drawn as often as the prior says, where they are 2 to ``most``; says
    whether they are.

    The far end of chi-squared: 5 standard deviations and 5, about 1 in a million.
    """
    view = game.view(state, np.array([seat]))
    every = listed(game, view, seat)
    if every is None or not 2 <= len(every) <= most:
        return False
    found = Counter(map(tuple, drawn(game, view, seat, 30 * len(every)).tolist()))
    squares = 0.0
    for words in every:
        chance = np.exp(driver.log_prior_hidden(game.rules, view, 0, seat, words))
        expected = 30 * len(every) * chance
        squares += (found.pop(tuple(words.tolist()), 0) - expected) ** 2 / expected
    assert not found, "a world was drawn that is not listed"
    assert squares - (len(every) - 1) < 5 * np.sqrt(2 * len(every)) + 5
    return True


def check_worlds(game: Game, state: States, seat: int) -> None:
    """Checks the worlds that a seat cannot tell from a state of one row."""
    view = game.view(state, np.array([seat]))
    mover = driver.current_seat(game.rules, state, 0)
    every, some = listed(game, view, seat), drawn(game, view, seat)
    if every is not None:
        codes = {tuple(words.tolist()) for words in every}
        assert len(codes) == len(every), "a world is listed twice"
        assert tuple(truth(game, state, seat).tolist()) in codes, "the true world is not listed"
        assert codes >= {tuple(words.tolist()) for words in some}, (
            "a world was drawn that is not listed"
        )
        total = sum(
            np.exp(driver.log_prior_hidden(game.rules, view, 0, seat, words)) for words in every
        )
        assert abs(total - 1.0) < 1e-9, f"the prior sums to {total}"
        assert listed(game, view, seat, len(every)) is not None
        assert len(every) == 1 or listed(game, view, seat, len(every) - 1) is None
        some = every[:: max(1, len(every) // DRAWN)]
    counts = np.zeros((game.spec.num_seats - 1, len(game.spec.hidden_kinds)), np.int8)
    totals = set()
    for words in (*some, truth(game, state, seat)):
        row = world(game, view, seat, words)
        seen = game.view(row, np.array([seat]))
        assert driver.equal(seen, view), "the seat can distinguish the world from the state"
        assert driver.current_seat(game.rules, row, 0) == mover
        if mover >= 0:
            assert len(driver.legal_actions(game, row, 0)) > 0
        if mover == seat:
            np.testing.assert_array_equal(
                driver.legal_actions(game, row, 0), driver.legal_actions(game, view, 0)
            )
        np.testing.assert_array_equal(
            driver.observation(game, row, 0, seat), driver.observation(game, view, 0, seat)
        )
        keys = {int(driver.infoset_key(game.rules, states, 0, seat)) for states in (row, view)}
        assert len(keys) == 1, "the key of the world is not that of the view"
        np.testing.assert_array_equal(truth(game, row, seat), words)
        driver.count_hidden(game.rules, view, 0, seat, words, counts)
        assert not counts.size or counts.min() >= 0 and counts.max() <= game.spec.hidden_most
        totals.add(tuple(counts.sum(axis=1).tolist()))
    assert len(totals) <= 1, "the others hold different numbers of things in different worlds"


def check_independence(game: Game, state: States, seat: int) -> None:
    """Checks that lists, draws and the prior are the same whatever the truth is, given views or
    full states of any world."""
    view = game.view(state, np.array([seat]))
    some = drawn(game, view, seat, 3, seed=5)
    for words in some:
        other = world(game, view, seat, words)
        there = game.view(other, np.array([seat]))
        np.testing.assert_array_equal(drawn(game, there, seat, 8), drawn(game, view, seat, 8))
        here, again = listed(game, view, seat), listed(game, there, seat)
        assert (here is None) == (again is None)
        if here is not None and again is not None:
            np.testing.assert_array_equal(here, again)
        prior = [driver.log_prior_hidden(game.rules, v, 0, seat, words) for v in (view, there)]
        assert prior[0] == prior[1]


def check_replay(game: Game, deal: States, moves: list[int], state: States, seat: int) -> None:
    """Checks that a world taken back to the start of the game leads, by the moves, to itself.

    Args:
        deal: The state before the first move. moves: Those since. state: The state after them.
    """
    view, starts = game.view(state, np.array([seat])), game.empty(1)
    driver.start_view(game.rules, view, 0, seat, starts, 0)
    words = truth(game, state, seat)
    at_start = words.copy()
    driver.start_hidden(game.rules, view, 0, seat, at_start)
    row, real = game.empty(1), game.empty(1)
    assert driver.fill_world(game.rules, starts, 0, seat, at_start, row, 0)
    np.testing.assert_array_equal(truth(game, row, seat), truth(game, deal, seat))
    driver.copy_row(game.rules, deal, 0, real, 0)
    for move in moves:
        seen = driver.seen_move(game.rules, real, 0, move, seat)
        driver.step(game.rules, real, 0, move)
        action = driver.played_move(
            game.rules, row, 0, seat, seen, at_start
        )  # moves that are not seen included
        assert action == move, "the words do not determine the move that was played"
        driver.step(game.rules, row, 0, action)
    np.testing.assert_array_equal(truth(game, row, seat), words)
    reached = game.view(row, np.array([seat]))
    assert driver.equal(reached, view), "the replay does not lead to the view"
