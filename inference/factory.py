"""Which determinizer plays which game."""

from games.interface import Game
from games.poker.game import LimitPoker
from inference.determinizer import Determinizer, Evaluates, InferenceSettings
from inference.enumeration import HandEnumerator
from inference.filter import Score

AnyDeterminizer = Determinizer | HandEnumerator


def make_determinizer(
    game: Game, evaluator: Evaluates, settings: InferenceSettings, num_lanes: int, score: Score | None = None
) -> AnyDeterminizer:
    """Returns the determinizer of a game; the arguments are those of ``Determinizer``."""
    if isinstance(game, LimitPoker):
        return HandEnumerator(game, evaluator, settings, num_lanes)
    return Determinizer(game, evaluator, settings, num_lanes, score)
