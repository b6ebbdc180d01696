"""What a run says of itself while it goes on: events within a step, and a report at its end."""

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import TypeVar

Result = TypeVar("Result")


@dataclass(frozen=True)
class Event:
    """How far a stage of the step is."""

    stage: str
    done: int
    total: int
    unit: str


@dataclass
class Report:
    """What a finished step says: the curves of TensorBoard, and one line for the terminal."""

    step: int
    line: str
    scalars: dict[str, float] = field(default_factory=dict)


def drain(stage: Generator[Event, None, Result]) -> Result:
    """Runs a stage to its end, its events passed over; returns its result."""
    while True:
        try:
            next(stage)
        except StopIteration as end:
            result: Result = end.value
            return result
