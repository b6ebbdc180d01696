"""The way to a cluster, without Ray where none is asked for."""

from fpmcts.cluster.settings import Cluster, ClusterError, ClusterSettings


def connect(
    settings: ClusterSettings, factory: str, arguments: dict[str, object], facts: str
) -> Cluster:
    """Returns a cluster of actors. Ray is imported here and nowhere else.

    Args:
        settings: See ClusterSettings.
        factory: MODULE:NAME of what makes the worker of an actor from ``arguments``. A worker is
            called with a unit and a tick (``fpmcts.cluster.pools``) and returns the result; where
            anything is shared, it has a method ``refresh(shared)``.
        arguments: Plain values.
        facts: MODULE:NAME of a function that returns what actors must agree with this process on,
            such as versions: texts by name. With ``mixed`` the names "instructions" and "device"
            may differ.

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
