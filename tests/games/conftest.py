"""The game that a conformance test is about."""

import pytest

from games import Choice
from games.play.interface import Game


@pytest.fixture(scope="module")
def game(game_name: str) -> Game:
    return Choice.from_text(game_name).make()
