"""Where units of work are done: in this process, or by actors of a Ray cluster
(``fpmcts.cluster.ray_pool``).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from fpmcts.cluster.pools import Pool
from games.settings import setting


@dataclass(frozen=True)
class ClusterSettings:
    """The workers that do the units; no result depends on them.

    Attributes:
        kind: "none": threads or processes of this machine; "ray": actors of a Ray cluster.
        address: Of the cluster, HOST:PORT, or "auto" for the one this machine belongs to. None: one
            on this machine, which is started for the run and ends with it.
        actors: Processes that work. 0: as many as the cluster's cores can hold.
        actor_cpus: Cores that an actor is given.
        actor_gpus: GPUs that an actor is given; where it is above 0 and ``device=auto`` it plays on
            one.
        unit_games: Games of a unit. 0: the share of an actor. Where actors differ in speed less is
            better; the games of a unit advance together, so few of them make small batches for the
            networks.
        in_flight: Units that an actor is given at a time, so that it never waits for the next one.
        unit_seconds: Seconds after which an actor that has not answered is ended and its units are
            given to another one.
        start_seconds: Seconds within which the first actor has to be there.
        object_store_mb: Memory for results on their way, of a cluster that is started for the run.
        mixed: Whether actors may run on processors with other instructions than this one's, or
            another device, so that results depend on the machine that computed them.
    """

    kind: str = setting("none", choices=("none", "ray"))
    address: str | None = None
    actors: int = setting(0, least=0, most=100_000)
    actor_cpus: float = setting(1.0, least=0, most=4096)
    actor_gpus: float = setting(0.0, least=0, most=64)
    unit_games: int = setting(0, least=0, most=1_000_000)
    in_flight: int = setting(2, least=1, most=16)
    unit_seconds: float = setting(900.0, least=1, most=1e6)
    start_seconds: float = setting(180.0, least=1, most=1e6)
    object_store_mb: int = setting(256, least=80, most=1_000_000)
    mixed: bool = False


class ClusterError(RuntimeError):
    """A cluster that cannot be used, or is gone; one line that says what to do."""


Shared = Mapping[str, np.ndarray]
"""What all units of a batch are done with, such as weights; it changes from batch to batch."""


class Cluster(Protocol):
    """Actors that were made once and do batches of units."""

    size: int
    """Actors that were asked for."""

    def pool(self, shared: Shared) -> Pool[Any, Any]:
        """Returns a pool that does units with what is shared."""
        ...

    def curves(self) -> dict[str, float]:
        """Returns what happened since the last call, as curves."""
        ...

    def close(self) -> None:
        """Ends the actors, and the cluster where it was started for the run."""
        ...
