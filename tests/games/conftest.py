"""The game that a conformance test is about."""

import pytest

from games import make
from games.interface import Game


@pytest.fixture(scope="module")
def game(game_name: str) -> Game:
    return make(game_name)
