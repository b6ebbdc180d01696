"""Random games, a fake network, and naive enumeration: what the tests of inference are held
against.
"""

import math
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from games.doudizhu.cards import unpack
from games.doudizhu.game import Doudizhu
from games.doudizhu.state import States
from games.kernels import kernel, random_below, streams
from games.kernels.generic import current_seat, legal, step
from games.kernels.rows import take
from games.play.interface import Records
from networks.resnet import Outputs

GAME = Doudizhu()

DRAWS = 20_000
"""Draws of a chi-square test."""
FALSE_ALARM_Z = 4.0
"""Largest score of such a test: one false alarm in 30,000 tests. The seeds are fixed."""


class Played(NamedTuple):
    """Games in progress: all the cards, and the public record."""

    states: States
    records: Records


@kernel
def _play(rules, states, moves, lengths, rng, longest, most_cards, actions):
    for i in range(rng.size):
        while current_seat(rules, states, i) >= 0 and lengths[i] < longest:
            cards = 0
            for seat in range(3):
                for rank in range(15):
                    cards += (states.hands[i, seat] >> np.uint64(4 * rank)) & np.uint64(15)
            if cards <= most_cards:
                break
            action = actions[random_below(rng, i, legal(rules, states, i, actions))]
            step(rules, states, i, action)
            moves[i, lengths[i]] = action
            lengths[i] += 1


def play_on(played: Played, seed: int, longest: int = 200, most_cards: int = -1) -> None:
    """Plays random moves in every running game up to a number of moves, or until no more than
    ``most_cards`` are left.
    """
    states, records = played
    rng = streams(seed, len(records.lengths))
    scratch = np.zeros(GAME.spec.max_legal, np.int16)
    _play(GAME.rules, states, records.moves, records.lengths, rng, longest, most_cards, scratch)


def random_games(count: int, seed: int, longest: int = 200, most_cards: int = -1) -> Played:
    """Returns games of random moves, see ``play_on``."""
    records = Records(
        np.full((count, GAME.spec.max_moves), -1, np.int16), np.zeros(count, np.int16)
    )
    played = Played(GAME.deal(streams(seed, count)), records)
    play_on(played, seed + 1, longest, most_cards)
    return played


def running(played: Played) -> np.ndarray:
    """Returns the lanes that are not over."""
    return np.flatnonzero(played.states.winner < 0)


def views(played: Played, lanes: np.ndarray) -> States:
    """Returns what the seats to move see."""
    here = take(played.states, lanes)
    return GAME.view(here, here.seat)


def endgames(count: int) -> Iterator[tuple[States, int]]:
    """Yields (view of one row, seat to move) of positions with at most 16 cards left and 12 to 400
    worlds.
    """
    played = random_games(300, 1, most_cards=16)
    some = views(played, running(played))
    for i in range(len(some.seat)):
        view = take(some, slice(i, i + 1))
        if count and 12 <= len(possible_hands(view, int(view.seat[0]))) <= 400:
            count -= 1
            yield view, int(view.seat[0])
    assert count == 0


class FakeEvaluator:
    """A fixed function of the observation and the seat; sums of integers, so that a row does not
    depend on its batch.
    """

    def __init__(self, seed: int = 0, strength: float = 1.0) -> None:
        """Takes the size of the logits; 0 is the uniform policy, and the prior of the hidden
        cards.
        """
        rng = np.random.default_rng(seed)
        shape = (math.prod(GAME.spec.observation_shape), GAME.spec.policy_size + 75)
        self.table = rng.integers(-8, 9, shape).astype(np.float32)
        self.strength = np.float32(strength)

    def evaluate(
        self, observations: np.ndarray, seats: np.ndarray, want_hidden: bool = False
    ) -> Outputs:
        count = len(observations)
        outputs = np.zeros((count, self.table.shape[1]), np.float32)
        if self.strength:
            sums = (
                observations.reshape(count, -1).astype(np.float32) @ self.table
            )  # exact: below 2**24
            outputs = self.strength * np.sin(sums + np.float32(5.0) * seats[:, None])
        hidden = (
            outputs[:, -75:].reshape(-1, 5, 15) if want_hidden else np.zeros((0, 5, 15), np.float32)
        )
        return Outputs(outputs[:, :-75], outputs[:, 0], hidden)


def possible_hands(view: States, seat: int) -> np.ndarray:
    """Returns the counts (int ``[W, 15]``) of every hand that the next seat may hold; ``view`` has
    one row.
    """
    unseen, fewest, most, size = bounds(view, seat)
    hands = np.array(
        [
            c
            for c in product(*(range(a, b + 1) for a, b in zip(fewest, most, strict=True)))
            if sum(c) == size
        ]
    )
    return hands.reshape(-1, 15)


def bounds(view: States, seat: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Returns what the game says of the next seat's hand: unseen, fewest, most, and its size."""
    unseen, fewest, most, _, _ = GAME.hidden_targets(view, np.array([seat]))
    following = (seat + 1) % 3
    return (
        unseen[0],
        fewest[0],
        most[0],
        (20 if following == 0 else 17) - int(unpack(view.played[0, following]).sum()),
    )


def hypergeometric(view: States, seat: int, hands: np.ndarray) -> np.ndarray:
    """Returns the prior of hands of the next seat (counts ``[W, 15]``) at the information set, by
    counting deals of cards.
    """
    _, fewest, most, size = bounds(view, seat)
    total = math.comb(int((most - fewest).sum()), size - int(fewest.sum()))
    ways = [
        math.prod(
            math.comb(int(m - f), int(c - f)) for f, m, c in zip(fewest, most, hand, strict=True)
        )
        for hand in hands
    ]
    return np.array(ways, dtype=np.float64) / total


def chi_square_z(counts: np.ndarray, probabilities: np.ndarray) -> float:
    """Returns the chi-square statistic as a standard normal score (Wilson & Hilferty, 1931); rare
    cells are put together.
    """
    expected = counts.sum() * probabilities
    rare = expected < 5.0
    if rare.any():
        counts = np.append(counts[~rare], counts[rare].sum())
        expected = np.append(expected[~rare], expected[rare].sum())
    assert (expected > 0).all()
    degrees = len(expected) - 1
    statistic = float(((counts - expected) ** 2 / expected).sum())
    shift = 2.0 / (9.0 * degrees)
    return float(((statistic / degrees) ** (1 / 3) - (1 - shift)) / math.sqrt(shift))
