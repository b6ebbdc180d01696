"""Every history of a small game, one after the other."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from games.rows import States, take
from tests.games import driver

Moves = tuple[tuple[int, int], ...]


def histories(game: Any) -> Iterator[tuple[int, Moves, States]]:
    """Yields the number of the deal, the moves as (place among the legal ones, action), and the
    position.
    """
    starts, chances = game.starts()
    left: list[tuple[int, Moves, States]]
    left = [(deal, (), take(starts, np.array([deal]))) for deal in range(len(chances))]
    while left:
        deal, moves, position = left.pop()
        yield deal, moves, position
        if driver.current_seat(game.rules, position, 0) >= 0:
            for made in enumerate(driver.legal_actions(game, position, 0).tolist()):
                after = take(position, np.zeros(1, np.int64))
                driver.step(game.rules, after, 0, made[1])
                left.append((deal, (*moves, made), after))
