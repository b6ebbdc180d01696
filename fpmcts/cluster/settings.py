"""Where units of work run: in this process, or on actors of a Ray cluster
(``fpmcts.cluster.ray_pool``).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from games.base.settings import InputError, setting


@dataclass(frozen=True)
class ClusterSettings:
    """The workers that run the units; no result depends on them, if ``precision`` is named and no
    player has a limit of time.

    Attributes:
        kind: "none": threads or processes of this machine; "ray": actors of a Ray cluster.
        address: Address of the cluster, HOST:PORT, or "auto" for the one this machine belongs to.
            None: a local one, started for the run and stopped with it.
        actors: Worker processes. 0: as many as the cluster's cores allow.
        actor_cpus: Cores per actor.
        actor_gpus: GPUs per actor; above 0 and with ``device=auto`` the actor plays on one.
        unit_games: Games per unit. 0: an actor's share. Fewer are better if actors differ in speed,
            but the games of a unit advance together, so few games mean small network batches.
        mixed: Whether actors may run on processors with other instruction sets or on another
            device, so that results depend on the machine that computed them.
    """

    depends: ClassVar[dict[str, str]] = {
        "": "kind=ray",
        **dict.fromkeys(("kind", "lag"), ""),
    }
    kind: str = setting("none", choices=("none", "ray"))
    address: str | None = None
    actors: int = setting(0, least=0, most=100_000)
    actor_cpus: float = setting(1.0, least=0, most=4096)
    actor_gpus: float = setting(0.0, least=0, most=64)
    unit_games: int = setting(0, least=0, most=1_000_000)
    mixed: bool = False


class ClusterError(InputError):
    """The cluster is unusable or gone; the message is one line that says what to do."""


Shared = Mapping[str, np.ndarray]
"""Data shared by all units of a batch, such as weights; it changes from batch to batch."""
