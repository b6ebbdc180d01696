"""Connects to a cluster; imports Ray only if one is requested."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fpmcts.cluster.settings import ClusterError, ClusterSettings

if TYPE_CHECKING:
    from fpmcts.cluster.ray_pool import RayCluster


def connect(
    settings: ClusterSettings,
    make: Callable[[], Any],
    facts: str = "fpmcts.environment:environment",
) -> "RayCluster":
    """Returns a cluster of actors. Ray is imported here and nowhere else.

    Args:
        settings: See ClusterSettings.
        make: Makes the worker of an actor (``fpmcts.cluster.pools``); must be picklable. If
            anything is shared, the worker has a method ``refresh(shared)``.
        facts: MODULE:NAME of a function that returns, as texts by name, what must be equal in the
            actors and in this process, such as versions. With ``mixed`` the names "instructions"
            and "device" may differ.

    Raises:
        ClusterError: Ray is not installed, or the cluster cannot be used.
    """
    try:
        from fpmcts.cluster.ray_pool import RayCluster
    except ImportError as error:
        raise ClusterError(
            f"cluster=ray: needs the extra 'ray' (pip install 'fpmcts[ray]'); {error}"
        ) from error
    return RayCluster(settings, make, facts)
