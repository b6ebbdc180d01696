"""Errors that ``evaluate.py`` reports in one line instead of a traceback."""

from fpmcts.cluster.settings import ClusterError
from fpmcts.evaluation.match import IllegalMoveError
from fpmcts.evaluation.plots import ReportError
from fpmcts.evaluation.saved_games import SaveError
from fpmcts.evaluation.units import StoreError
from fpmcts.players.foreign import ExternalPlayerError
from fpmcts.players.lookup import PlayerError
from games.help import error_text
from games.settings import ConfigError
from networks.checkpoint import CheckpointError

ERRORS = (ConfigError, CheckpointError, PlayerError, StoreError, ReportError, SaveError)
"""Errors of the command line and of the files it names."""
LONGEST_FAULT = 20_000
"""Maximum characters in the report of a player's fault, which holds the question and the answer."""


def ending(error: Exception) -> str:
    """Returns the line for an error; raises one that no line is known for."""
    if isinstance(error, IllegalMoveError | ExternalPlayerError):
        kept = "finished games are kept, and the same command continues"
        return f"{error_text(error, LONGEST_FAULT)}; {kept}"
    if isinstance(error, MemoryError):
        return "not enough memory for the decks and their games; give fewer decks"
    is_of_a_file = isinstance(error, OSError) and error.filename is not None
    if is_of_a_file or isinstance(error, (*ERRORS, ClusterError)):
        return error_text(error)
    raise error
