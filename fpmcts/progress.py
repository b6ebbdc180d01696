"""Progress of long work: a callback that is passed down, so that functions return only results."""

from collections.abc import Callable

Progress = Callable[[str, int, int, str], None]
"""(the activity, the amount done, the total, the unit), such as ``("self-play", 12, 512,
"games")``.
"""


def silent(what: str, done: int, total: int, unit: str) -> None:
    """Shows nothing."""
