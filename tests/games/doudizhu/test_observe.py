"""Observations against a slow reading of the plane table from the deal and the list of moves."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from games import make
from games.doudizhu import observe
from games.doudizhu.cards import COPIES, unpack
from games.doudizhu.moves import Category
from games.doudizhu.observe import PLANES, Encoding
from games.doudizhu.state import States
from games.play.interface import Game
from tests.games import driver
from tests.games.doudizhu.positions import random_game

RANKS = np.arange(15)


def thresholds(counts: np.ndarray, copies: int) -> np.ndarray:
    return counts >= np.arange(1, copies + 1)[:, None]


def broadcast(*values: float) -> np.ndarray:
    return np.repeat(np.array(values)[:, None], 15, axis=1)


class Table:
    """A game followed card by card: hands, cards played by each seat, and the log of (seat, counts,
    category)."""

    def __init__(self, game: Game, deal: States) -> None:
        self.game = game
        self.hands = unpack(deal.hands[0]).astype(int)
        self.bottom = unpack(deal.bottom[0]).astype(int)
        self.played = np.zeros((3, 15), dtype=int)
        self.log: list[tuple[int, np.ndarray, Category]] = []

    def play(self, move: int) -> None:
        seat = len(self.log) % 3
        counts = unpack(self.game.rules.cards[move]).astype(int)
        self.hands[seat] -= counts
        self.played[seat] += counts
        self.log.append((seat, counts, Category(self.game.rules.category[move])))

    def to_beat(self) -> tuple[int | None, np.ndarray, int]:
        """The seat and the cards of the move to beat, and the passes since."""
        for passes, (seat, counts, category) in enumerate(reversed(self.log)):
            if passes == 2:
                break
            if category != Category.PASS:
                return seat, counts, passes
        return None, np.zeros(15, dtype=int), 0

    def unseen(self, seat: int) -> np.ndarray:
        return COPIES - self.hands[seat] - self.played.sum(axis=0)

    def known_bottom(self) -> np.ndarray:
        return np.maximum(self.bottom - self.played[0], 0)

    def last_moves(self, count: int) -> np.ndarray:
        moves = [counts for _, counts, _ in reversed(self.log)][:count]
        return np.array(moves + [np.zeros(15, dtype=int)] * (count - len(moves)))


def unbeaten(own: np.ndarray, unseen: np.ndarray, copies: int) -> np.ndarray:
    return np.array(
        [own[rank] >= copies and not (unseen[rank + 1 :] >= copies).any() for rank in RANKS]
    )


def default_planes(table: Table, seat: int) -> np.ndarray:
    own, unseen = table.hands[seat], table.unseen(seat)
    following, previous = (seat + 1) % 3, (seat + 2) % 3
    sizes = np.array([20, 17, 17]) - table.played.sum(axis=1)
    target_seat, target, passes = table.to_beat()
    bombs = sum(category >= Category.BOMB for _, _, category in table.log)
    return np.concatenate(
        [
            thresholds(own, 4),
            thresholds(unseen, 4),
            thresholds(table.known_bottom(), 3),
            thresholds(table.played[following], 4),
            thresholds(table.played[previous], 4),
            thresholds(target, 4),
            broadcast(target_seat is None, target_seat == following, target_seat == previous),
            table.last_moves(9),
            broadcast(sizes[seat], sizes[following], sizes[previous]),
            broadcast(
                sizes[following] == 1,
                sizes[following] == 2,
                sizes[previous] == 1,
                sizes[previous] == 2,
            ),
            broadcast(bombs, passes),
            [unbeaten(own, unseen, copies) for copies in (1, 2, 3)],
            [unseen == 4],
            broadcast(unseen[13] and unseen[14]),
            broadcast(*(seat == role for role in range(3))),
        ]
    )


def paper_planes(table: Table, seat: int) -> np.ndarray:
    rows = [
        table.hands[seat],
        table.unseen(seat),
        *table.last_moves(3),
        table.played.sum(axis=0),
        table.known_bottom(),
    ]
    return np.array(rows)


@pytest.mark.parametrize(
    ("encoding", "planes"), [("default", default_planes), ("paper", paper_planes)]
)
def test_observations_are_the_planes_of_the_table(encoding: str, planes: object) -> None:
    game = make("doudizhu", encoding=encoding)
    for seed in range(3):
        states, moves = random_game(seed)
        table = Table(game, states)
        for move in [*moves, None]:
            for seat in range(3):
                found = driver.observation(game, states, 0, seat)
                np.testing.assert_array_equal(found, planes(table, seat).astype(np.int8))
                scaled = found * game.spec.observation_scale[:, None]
                assert scaled.min() >= 0 and scaled.max() <= 1
            if move is not None:
                table.play(move)
                driver.step(game.rules, states, 0, move)


@pytest.mark.parametrize("encoding", Encoding)
def test_the_readme_has_the_table(encoding: Encoding) -> None:
    readme = (Path(observe.__file__).parent / "README.md").read_text()
    rows = [
        f"| {planes} | {meaning} | {Fraction(scale).limit_denominator(100)} |"
        for meaning, planes, scale in PLANES[encoding]
    ]
    assert "\n".join(rows) in readme
