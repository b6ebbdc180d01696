"""What ``python -m reproduce`` makes of a file in ``conf/reproduce``, whatever its kind."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple


class Event(NamedTuple):
    """How far the work is."""

    what: str
    done: int
    total: int
    unit: str


Play = Callable[[Callable[[], bool]], Iterator[Event | list[str]]]
"""Given whether to stop, yields how far it is, and at the end what there is to say; nothing of that if it was stopped before."""


def with_cluster(given: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Returns keys and values, ``cluster=ray`` as the choice that it is for the other commands."""
    return {"cluster.kind" if key == "cluster" else key: text for key, text in given}


class Job(NamedTuple):
    """Attributes: config: Its checked keys. about: A line. result: The file that tells the result. play: Does it."""

    config: Any
    about: str
    result: Path
    play: Play
