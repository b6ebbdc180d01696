"""Lots of a figure, each a pure function of its arguments: done by threads of this process or by actors of a Ray cluster."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from importlib import import_module
from typing import Any

from runtime.cluster import ClusterSettings, connect
from runtime.pools import Pool, ThreadPool, Tick

_STOPPED = object()


class LotWorker:
    """What an actor runs. Args: function: MODULE:NAME, whose arguments are a unit."""

    def __init__(self, function: str) -> None:
        module, _, name = function.partition(":")
        self._function = getattr(import_module(module), name)

    def __call__(self, unit: tuple[Any, ...], tick: Tick) -> Any:
        """Does a lot."""
        return self._function(*unit)


def play_lots(
    function: Callable[..., Any],
    lots: Sequence[tuple[Any, ...]],
    threads: int,
    cluster: ClusterSettings,
    stopping: Callable[[], bool],
) -> Iterator[tuple[int, Any]]:
    """Yields (number of the lot, what the function returns) as lots end, until all are done or it is to stop.

    Args:
        function: Of a module, so that other processes can import it.
        lots: The arguments of each.
        threads: Lots side by side, without a cluster.
        cluster: Who does them.
        stopping: Whether to begin no more lots. In a cluster those that are being played are lost then.

    Raises:
        ClusterError: The cluster cannot be used.
    """
    if not lots:
        return
    name = f"{function.__module__}:{function.__qualname__}"
    with ExitStack() as stack:
        if cluster.kind == "none":

            def play(lot: tuple[Any, ...], tick: Tick) -> Any:
                return _STOPPED if stopping() else function(*lot)

            pool: Pool[tuple[Any, ...], Any] = ThreadPool([play] * threads)
        else:
            actors = connect(cluster, "reproduce.lots:LotWorker", {"function": name}, "games.environment:environment")
            stack.callback(actors.close)
            pool = actors.pool({})
        for k, result in pool.run(lots):
            if result is not _STOPPED:
                yield k, result
            if cluster.kind != "none" and stopping():
                return
