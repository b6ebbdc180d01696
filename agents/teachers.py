"""Teachers: heuristic players whose games the supervised start learns from, by the family of games that they play."""

from agents.doudizhu import heuristic_games
from agents.doudizhu.heuristic_games import HeuristicGames, generate_games
from games import GAMES, family

__all__ = ["HeuristicGames", "TEACHERS", "generate_games", "taught_games"]

TEACHERS: dict[str, tuple[str, ...]] = {"doudizhu": heuristic_games.TEACHERS}
"""Names of the teachers of each family of games that has any."""


def taught_games() -> tuple[str, ...]:
    """Returns the names of the games that have teachers."""
    return tuple(name for name in GAMES if family(name) in TEACHERS)
