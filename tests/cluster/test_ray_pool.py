"""A Ray cluster of two nodes: units are done once each, whatever happens to those who do them;
errors are one line.
"""

import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fpmcts.cluster.connect import connect
from fpmcts.cluster.settings import ClusterError, ClusterSettings

sys.path.insert(
    0, str(Path(__file__).resolve().parent)
)  # actors import what the tests do, by the same name
from cluster_echo import Unit  # noqa: E402

ray = pytest.importorskip("ray")
pytestmark = pytest.mark.slow  # each starts a cluster of its own

from fpmcts.cluster import ray_pool  # noqa: E402
from fpmcts.cluster.ray_pool import RayCluster  # noqa: E402

ECHO, FACTS = "cluster_echo:Echo", "cluster_echo:facts"


def cluster(nodes: Any, facts: str = FACTS, **settings: Any) -> RayCluster:
    made = connect(
        ClusterSettings(kind="ray", address=nodes.address, **settings), ECHO, {"factor": 2.0}, facts
    )
    assert isinstance(made, RayCluster)
    return made


def do(made: RayCluster, units: list[Unit], weight: float = 3.0) -> list[np.ndarray]:
    """Returns the results of all units in order; each must come once."""
    found: dict[int, np.ndarray] = {}
    for k, (numbers, _) in made.pool({"weight": np.array(weight)}).run(units):
        assert k not in found
        assert numbers.flags.writeable
        found[k] = numbers
    return [found[k] for k in range(len(units))]


def units(count: int) -> list[Unit]:
    return [Unit(np.arange(k, k + 3.0)) for k in range(count)]


EXPECTED = [6.0 * np.arange(k, k + 3.0) for k in range(8)]


def test_units_are_done_with_what_is_shared(nodes: Any) -> None:
    made = cluster(nodes)
    assert made.size == 2
    np.testing.assert_array_equal(do(made, units(8)), EXPECTED)
    np.testing.assert_array_equal(do(made, units(8), weight=1.5), np.array(EXPECTED) / 2)
    curves = made.curves()
    assert curves["cluster/units"] == 16 and curves["cluster/units_retried"] == 0
    assert sum(curves[f"cluster_actors/units_{k}"] for k in range(2)) == 16
    assert do(made, []) == []
    made.close()


@pytest.mark.parametrize("fault", ["kill", "hang"])
def test_an_actor_that_ends_or_hangs_is_replaced(nodes: Any, fault: str, tmp_path: Path) -> None:
    made = cluster(nodes, unit_seconds=4.0)
    do(made, units(2))  # both are there
    wanted = units(8)
    wanted[3] = wanted[3]._replace(fault=fault, flag=str(tmp_path / "flag"))
    np.testing.assert_array_equal(do(made, wanted), EXPECTED)
    assert made.retried >= 1
    made.close()


def test_a_node_that_is_removed(nodes: Any, tmp_path: Path) -> None:
    made = cluster(nodes, unit_seconds=60.0)
    do(made, units(2))
    run = made.pool({"weight": np.array(3.0)}).run(units(8))
    found = dict([next(run)])
    nodes.remove_node(nodes.list_all_nodes()[1])
    found |= dict(run)
    np.testing.assert_array_equal([found[k][0] for k in range(8)], EXPECTED)
    made.close()
    nodes.add_node(num_cpus=1, object_store_memory=80 * 10**6)


def test_an_error_of_the_work_is_raised_here(nodes: Any, tmp_path: Path) -> None:
    """And so is the end of every actor by one unit."""
    made, flag = cluster(nodes, actors=1), str(tmp_path / "flag")
    with pytest.raises(ValueError, match="numbers: expected others"):
        do(made, [*units(2), Unit(np.zeros(1), "raise", flag)])
    made.close()
    made = cluster(nodes, actors=1)
    with pytest.raises(ClusterError, match="unit 0 of 1 ended 4 actors; a smaller"):
        do(made, [Unit(np.zeros(1), "always kill", flag)])
    made.close()


def test_other_code_is_refused(nodes: Any) -> None:
    made = cluster(nodes, facts="cluster_echo:other_code", actors=1)
    with pytest.raises(
        ClusterError,
        match="an actor of the cluster has another code: .* there, .* here; install the same",
    ):
        do(made, units(1))
    made.close()


def test_other_processors_are_refused_unless_they_may_be(nodes: Any) -> None:
    made = cluster(nodes, actors=1)
    actor = made.actors[0]
    with pytest.raises(
        ClusterError,
        match="another device: 'cuda' there, 'cpu' here; .* set cluster.mixed=true where results",
    ):
        made.greet(actor, {"code": "same", "device": "cuda"})
    made._settings = replace(made._settings, mixed=True)
    made.greet(actor, {"code": "same", "device": "cuda"})
    assert actor.hello is None
    made.close()


def test_no_actor_comes(nodes: Any) -> None:
    made = cluster(nodes, actors=1, actor_cpus=64, start_seconds=2)
    with pytest.raises(
        ClusterError,
        match="cluster.start_seconds=2: none of 1 actors came in time; .* 64 cores, .* free",
    ):
        do(made, units(1))
    made.close()


def test_a_cluster_that_is_not_there_or_lets_nobody_in(monkeypatch: pytest.MonkeyPatch) -> None:
    started = time.monotonic()
    with pytest.raises(
        ClusterError,
        match="cluster.address=127.0.0.1:1: cannot be reached .*; start one with 'ray start",
    ):
        connect(ClusterSettings(kind="ray", address="127.0.0.1:1"), ECHO, {}, FACTS)
    assert time.monotonic() - started < 60

    def refuse(**_: object) -> None:
        raise RuntimeError("unauthenticated")

    monkeypatch.setattr(ray, "init", refuse)
    monkeypatch.setattr(ray_pool, "_reach", lambda *_: None)
    with pytest.raises(ClusterError, match="reached .unauth.*something listens there.* its token"):
        connect(ClusterSettings(kind="ray", address="127.0.0.1:1"), ECHO, {}, FACTS)


def test_without_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fpmcts.cluster.ray_pool", None)
    with pytest.raises(
        ClusterError, match=r"cluster=ray: needs the extra 'ray' \(pip install 'fpmcts\[ray\]'\)"
    ):
        connect(ClusterSettings(kind="ray"), ECHO, {}, FACTS)


def test_the_head_of_the_cluster_dies(nodes: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    made = cluster(nodes, actors=1)

    def gone(address: str, seconds: float) -> None:
        raise ConnectionRefusedError

    monkeypatch.setattr(made, "end", said.append)
    monkeypatch.setattr(ray_pool, "HEAD_SECONDS", 0.5)
    monkeypatch.setattr(ray_pool, "_reach", gone)
    for _ in range(100):
        time.sleep(0.1)
        if said:
            break
    assert len(said) == 1
    assert (
        "is gone; what was finished is saved, and the same command goes on once there is a cluster"
        in said[0]
    )
    made.close()
