"""An actor that plays nothing and answers with what was recorded; light, so that many of them fit beside a driver."""

from collections.abc import Callable, Iterator, Mapping

import numpy as np


class Stub:
    """A worker whose answers are all the same."""

    def __init__(self, answer: list[np.ndarray]) -> None:
        self._answer = [array.copy() for array in answer]

    def refresh(self, shared: Mapping[str, np.ndarray]) -> None:
        """Does nothing."""

    def work(self, task: None) -> Callable[[int], Iterator[list[np.ndarray]]]:
        """Returns what a pool asks of a worker."""

        def answer(unit: int) -> Iterator[list[np.ndarray]]:
            yield self._answer

        return answer


def facts() -> dict[str, str]:
    """Returns nothing that stubs must agree on."""
    return {}
