"""Connects to a cluster; imports Ray only if one is requested."""

from fpmcts.cluster.settings import Cluster, ClusterError, ClusterSettings


def connect(
    settings: ClusterSettings, factory: str, arguments: dict[str, object], facts: str
) -> Cluster:
    """Returns a cluster of actors. Ray is imported here and nowhere else.

    Args:
        settings: See ClusterSettings.
        factory: MODULE:NAME of a function that makes the worker of an actor from ``arguments``. A
            worker is called with a unit and a tick (``fpmcts.cluster.pools``) and returns the
            result; if anything is shared, it has a method ``refresh(shared)``.
        arguments: Plain values.
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
    return RayCluster(settings, factory, arguments, facts)
