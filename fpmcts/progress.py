"""Progress of long work: a callback that is passed down, so that functions return results alone."""

from collections.abc import Callable

Progress = Callable[[str, int, int, str], None]
"""(what is being done, how much is done, how much there is, its unit), such as ``("self-play", 12,
512, "games")``.
"""


def silent(what: str, done: int, total: int, unit: str) -> None:
    """Shows nothing."""
