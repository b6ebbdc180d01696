"""Self-play for card games with hidden hands: Fictitious-Play MCTS as in DeltaDou (IJCAI 2019).

The names below are public and imported on first use, so ``import fpmcts`` is immediate. Everything
else may change without notice.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fpmcts.evaluation.match_result import MatchResult as MatchResult
    from fpmcts.evaluation.measures import best_response as best_response
    from fpmcts.evaluation.measures import match as match
    from fpmcts.evaluation.measures import nash_conv as nash_conv
    from fpmcts.players import load_player as load_player
    from fpmcts.players.analysis import analyse as analyse
    from fpmcts.training.interface import Report as Report
    from fpmcts.training.run import Run as Run
    from games import make as make
    from games.play.agent import Agent as Agent
    from games.play.decision import Decision as Decision
    from games.play.interface import Game as Game
    from games.play.registry import Player as Player
    from games.play.table import Table as Table

_MODULES = {
    "Agent": "games.play.agent",
    "Decision": "games.play.decision",
    "Game": "games.play.interface",
    "MatchResult": "fpmcts.evaluation.match_result",
    "Player": "games.play.registry",
    "Report": "fpmcts.training.interface",
    "Run": "fpmcts.training.run",
    "Table": "games.play.table",
    "analyse": "fpmcts.players.analysis",
    "best_response": "fpmcts.evaluation.measures",
    "load_player": "fpmcts.players",
    "make": "games",
    "match": "fpmcts.evaluation.measures",
    "nash_conv": "fpmcts.evaluation.measures",
}
"""The module of each public name."""
__all__ = [*_MODULES]  # noqa: PLE0604

__version__ = "0.2.0"


def __getattr__(name: str) -> Any:
    """Imports a public name when it is first used."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_MODULES])
