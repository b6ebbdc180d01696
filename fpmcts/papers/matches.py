"""Matches of players, for studies of networks: a study of tables does without torch."""

from collections.abc import Sequence
from pathlib import Path

from fpmcts.cluster.pools import Stopping
from fpmcts.evaluation.config import parse_command_line
from fpmcts.evaluation.match_result import MatchResult
from fpmcts.evaluation.plan import make_plan
from fpmcts.evaluation.precision import with_precisions
from fpmcts.evaluation.tournament import play_tournament
from fpmcts.progress import Progress


def play_match(
    words: Sequence[str], folder: Path, progress: Progress, stopping: Stopping
) -> MatchResult | None:
    """Returns the result of a match, None if it was stopped.

    Args:
        words: Keys of evaluate.py.
        folder: Where finished games stay.
        progress: Called with the games played.
        stopping: Whether to stop.
    """
    tournament = parse_command_line([*words, f"unfinished={folder}"])
    plan = with_precisions(make_plan(tournament, tournament.config.game.make()))[0]
    results = play_tournament(plan, progress, stopping)
    return None if results is None else results[tournament.labels]
