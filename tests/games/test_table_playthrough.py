"""Whole games at a table, move by move, as they were when somebody last read them."""

import pytest

from tests.games.table_playthrough import GAMES, GOLDEN, text


@pytest.mark.parametrize("name", GAMES)
def test_games_are_as_recorded(name: str) -> None:
    assert text(name) == (GOLDEN / f"{name}.txt").read_text()
