"""Doudizhu positions for the tests."""

from collections.abc import Sequence

import numpy as np

from games.doudizhu.cards import COPIES, HAND_SIZES, cards_text, pack, parse_cards, unpack
from games.doudizhu.game import Doudizhu
from games.doudizhu.state import States, start
from games.kernels import streams
from tests.games import driver

GAME = Doudizhu()


def play(states: States, *texts: str) -> States:
    """Plays legal moves in lane 0."""
    for text in texts:
        move = GAME.parse_action(text)
        assert move in driver.legal_actions(GAME, states, 0), text
        driver.step(GAME.rules, states, 0, move)
    return states


def endgame(*hands: str) -> States:
    """A position with these hands left, the landlord to lead; the other cards were played, the
    bottom cards among them."""
    left = np.array([unpack(parse_cards(hand)) for hand in hands])
    deck = np.repeat(np.arange(15), COPIES - left.sum(axis=0))
    played = np.zeros((3, 15), dtype=np.int64)
    for seat, (size, counts) in enumerate(zip(HAND_SIZES, left, strict=True)):
        cards, deck = np.split(deck, [size - counts.sum()])
        played[seat] = np.bincount(cards, minlength=15)
    low_cards = np.flatnonzero(played[0])[:3]
    states = start(pack(left)[None], pack(np.bincount(low_cards, minlength=15))[None])
    states.played[0] = pack(played)
    return states


def random_game(seed: int) -> tuple[States, list[int]]:
    """A deal and the moves of a random game from it."""
    rng = np.random.default_rng(seed)
    deal = GAME.deal(streams(seed, 1))
    states, moves = GAME.deal(streams(seed, 1)), []
    while driver.current_seat(GAME.rules, states, 0) >= 0:
        moves.append(int(rng.choice(driver.legal_actions(GAME, states, 0))))
        driver.step(GAME.rules, states, 0, moves[-1])
    return deal, moves


def deal_hidden(states: States, seat: int, rng: np.random.Generator) -> States:
    """A copy of lane 0 in which the cards that ``seat`` cannot see are dealt again, the known
    bottom cards apart."""
    unseen, fewest, most, _, sizes = GAME.hidden_targets(states, np.array([seat]))
    free = most[0] - fewest[0]
    following = fewest[0] + rng.multivariate_hypergeometric(free, sizes[0] - fewest[0].sum())
    world = States(*(field.copy() for field in states))
    world.hands[0, (seat + 1) % 3] = pack(following)
    world.hands[0, (seat + 2) % 3] = pack(unseen[0] - following)
    return world


def texts(moves: Sequence[int]) -> list[str]:
    """The texts of moves."""
    return [GAME.action_text(move) for move in moves]


def random_endgame(
    rng: np.random.Generator, mover: int, most: int = 8, most_others: int = 5
) -> States:
    """``mover`` leads, sometimes answers; 2 to ``most`` rather good cards against 1 to
    ``most_others`` in each other hand."""
    strength = np.arange(15) + rng.uniform(0, 8)
    left, deck = [np.zeros(15, int)] * 3, COPIES.astype(int)
    for seat in (mover, (mover + 1) % 3, (mover + 2) % 3):
        size = rng.integers(2, most + 1) if seat == mover else rng.integers(1, most_others + 1)
        ranks = np.repeat(np.arange(15), deck)
        weights = strength[ranks] if seat == mover else np.full(len(ranks), 1.0)
        held = rng.choice(ranks, size, replace=False, p=weights / weights.sum())
        left[seat] = np.bincount(held, minlength=15)
        deck = deck - left[seat]
    states = endgame(*(cards_text(pack(cards)) for cards in left))
    states.seat[0] = mover
    if rng.random() < 0.3:
        states.target[0] = rng.integers(1, 30)
    return states
