"""What a run says of itself while it goes on: events within a step, and a report at its end."""

from dataclasses import dataclass, field


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
