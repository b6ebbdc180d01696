"""Whole games at a table, move by move, as they were when somebody last read them."""

import doctest

import pytest

from games.doudizhu import cards, moves
from tests.games.playthrough import GAMES, GOLDEN, text


@pytest.mark.parametrize("name", GAMES)
def test_games_are_as_recorded(name: str) -> None:
    assert text(name) == (GOLDEN / f"{name}.txt").read_text()


@pytest.mark.parametrize("module", [cards, moves])
def test_examples_in_docstrings(module: object) -> None:
    result = doctest.testmod(module)
    assert result.attempted > 0 and result.failed == 0
