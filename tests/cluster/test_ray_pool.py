"""A Ray cluster of two nodes: units are done once each, whatever happens to those who do them;
errors are one line.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fpmcts.cluster.connect import connect
from fpmcts.cluster.pools import ignore
from fpmcts.cluster.settings import ClusterError, ClusterSettings

sys.path.insert(
    0, str(Path(__file__).resolve().parent)
)  # actors import what the tests do, by the same name
from cluster_echo import Echo, Unit  # noqa: E402

ray = pytest.importorskip("ray")
pytestmark = pytest.mark.slow  # starting a cluster takes seconds

from fpmcts.cluster import ray_pool  # noqa: E402
from fpmcts.cluster.ray_pool import RayCluster  # noqa: E402

FACTS = "cluster_echo:facts"
CONNECT = """
import sys
from fpmcts.cluster.connect import connect
from fpmcts.cluster.pools import ignore
from fpmcts.cluster.settings import ClusterError, ClusterSettings
try:
    connect(ClusterSettings(kind="ray", address=sys.argv[1]), int, "cluster_echo:facts")
except ClusterError as error:
    sys.exit(str(error))
"""


@pytest.fixture(scope="module", autouse=True)
def stranger(nodes: Any) -> Iterator["subprocess.Popen[str]"]:
    """A driver with another token: Ray has it try for twenty seconds, beside the other tests."""
    process = subprocess.Popen(
        [sys.executable, "-c", CONNECT, nodes.address],
        env=os.environ | {"RAY_AUTH_TOKEN": "wrong"},
        stderr=subprocess.PIPE,
        text=True,
    )
    yield process
    process.kill()
    process.communicate()


@pytest.fixture(scope="module")
def connected(nodes: Any) -> Iterator[RayCluster]:
    """Two actors, or what took their places."""
    made = connect(ClusterSettings(kind="ray", address=nodes.address), partial(Echo, 2.0), FACTS)
    assert isinstance(made, RayCluster)
    yield made
    made.close()


@pytest.fixture
def made(connected: RayCluster, monkeypatch: pytest.MonkeyPatch) -> RayCluster:
    """The same, whose settings a test may change, after they have worked."""
    monkeypatch.setattr(connected, "_settings", connected._settings)
    do(connected, units(2))
    connected.curves()
    return connected


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


def test_units_are_done_with_what_is_shared(made: RayCluster) -> None:
    assert made.size == 2
    np.testing.assert_array_equal(do(made, units(8)), EXPECTED)
    np.testing.assert_array_equal(do(made, units(8), weight=1.5), np.array(EXPECTED) / 2)
    curves = made.curves()
    assert curves["cluster/units"] == 16 and curves["cluster/units_retried"] == 0
    assert sum(curves[f"cluster_actors/units_{k}"] for k in range(2)) == 16
    assert do(made, []) == []


@pytest.mark.parametrize("fault", ["kill", "hang"])
def test_an_actor_that_ends_or_hangs_is_replaced(
    made: RayCluster, fault: str, tmp_path: Path
) -> None:
    made._settings = replace(made._settings, unit_seconds=2.0)
    wanted = units(8)
    wanted[3] = wanted[3]._replace(fault=fault, flag=str(tmp_path / "flag"))
    np.testing.assert_array_equal(do(made, wanted), EXPECTED)
    assert made.curves()["cluster/units_retried"] >= 1


def test_a_slow_actor_that_makes_progress_is_let_be(made: RayCluster, tmp_path: Path) -> None:
    made._settings = replace(made._settings, unit_seconds=1.0)
    wanted = [unit._replace(fault="slow", flag=str(tmp_path / "flag")) for unit in units(2)]
    np.testing.assert_array_equal(do(made, wanted), EXPECTED[:2])
    assert made.curves()["cluster/units_retried"] == 0


def test_what_has_begun_comes_to_its_end(made: RayCluster, tmp_path: Path) -> None:
    """After Ctrl-C: nothing more is given out, and nothing that has begun is lost."""
    found: list[int] = []
    wanted = [unit._replace(fault="slow", flag=str(tmp_path / "flag")) for unit in units(8)]
    for k, _ in made.pool({"weight": np.array(3.0)}).run(wanted, ignore, lambda: bool(found)):
        found.append(k)
    assert len(found) == 3, "one that was the first, and one of each actor"


@pytest.mark.parametrize("error", ["OutOfMemoryError", "NodeDiedError"])
def test_an_answer_that_is_lost_is_asked_for_again(
    made: RayCluster, error: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where Ray's memory monitor has ended the actor."""
    get, lost = ray.get, [getattr(ray.exceptions, error)("low on memory")]

    def failing(reference: Any) -> Any:
        if lost:
            raise lost.pop()
        return get(reference)

    monkeypatch.setattr(ray, "get", failing)
    np.testing.assert_array_equal(do(made, units(8)), EXPECTED)
    assert made.curves()["cluster/units_retried"] >= 1


def test_a_node_that_is_removed(nodes: Any, made: RayCluster) -> None:
    run = made.pool({"weight": np.array(3.0)}).run(units(8))
    found = dict([next(run)])
    nodes.remove_node(nodes.list_all_nodes()[1])
    found |= dict(run)
    np.testing.assert_array_equal([found[k][0] for k in range(8)], EXPECTED)
    nodes.add_node(num_cpus=1, object_store_memory=80 * 10**6)


def test_an_error_of_the_work_is_raised_here(
    made: RayCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And so is the end of every actor by one unit."""
    with pytest.raises(ValueError, match="numbers: expected others"):
        do(made, [*units(2), Unit(np.zeros(1), "raise", str(tmp_path / "flag"))])
    monkeypatch.setattr(ray_pool, "MOST_TRIES", 2)
    with pytest.raises(ClusterError, match=r"unit 0 of 1 ended 2 actors \(.*\); if memory"):
        do(made, [Unit(np.zeros(1), "always kill", str(tmp_path / "flag"))])


@pytest.mark.parametrize(
    ("told", "line"),
    [
        ({"code": "other"}, "a different code: 'other' there, 'same' here; install the same$"),
        ({"device": "cuda"}, "a different device: .* set cluster.mixed=true if results"),
    ],
)
def test_an_actor_that_differs_is_refused(
    made: RayCluster, told: dict[str, str], line: str
) -> None:
    told = {"code": "same", "device": "cpu"} | told
    with pytest.raises(ClusterError, match=f"an actor of the cluster has {line}"):
        made.greet(made.actors[0], told)
    made._settings = replace(made._settings, mixed=True)
    if told["code"] == "same":
        made.greet(made.actors[0], told)


def test_no_actor_comes(made: RayCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    made._settings = replace(made._settings, actor_cpus=64, start_seconds=0.1)
    monkeypatch.setattr(made, "actors", [made._begin(), made._begin()])
    with pytest.raises(
        ClusterError,
        match="cluster.start_seconds=0.1: none of 2 actors started in time; .* 64 cores, .* free",
    ):
        do(made, units(1))


def test_a_cluster_that_is_not_there() -> None:
    started = time.monotonic()
    with pytest.raises(
        ClusterError,
        match="cluster.address=127.0.0.1:1: cannot be reached .*; start one with 'ray start",
    ):
        connect(ClusterSettings(kind="ray", address="127.0.0.1:1"), Echo, FACTS)
    assert time.monotonic() - started < 60


def test_without_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fpmcts.cluster.ray_pool", None)
    with pytest.raises(
        ClusterError, match=r"cluster=ray: needs the extra 'ray' \(pip install 'fpmcts\[ray\]'\)"
    ):
        connect(ClusterSettings(kind="ray"), Echo, FACTS)


def test_the_head_of_the_cluster_dies(made: RayCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []

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
        "is gone; what was finished is saved, and the same command resumes once there is a cluster"
        in said[0]
    )


def test_who_has_another_token(nodes: Any, stranger: "subprocess.Popen[str]") -> None:
    said = stranger.communicate(timeout=60)[1].splitlines()[-1]
    assert said.startswith(f"cluster.address={nodes.address}: cannot be reached (")
    assert "something listens there: expected" in said and "RAY_AUTH_MODE=token" in said
