"""Actors of a Ray cluster that process units of work. This is the only module that imports Ray.

The driver keeps the number of each unit; no other state exists. An actor that dies, hangs or loses
its answer is replaced, and its units are assigned again: a unit is a pure function, so the second
answer equals the first. An actor has only a few units at a time, and answers are taken as they
arrive, so nothing piles up.

Arrays that arrive through Ray lie in read-only shared memory, which numba treats as another type.
So data is sent packed, and unpacked into arrays of the receiver.
"""

import logging
import os
import pickle
import socket
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import numpy as np

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # errors are reported in one line
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")

import ray  # noqa: E402
from ray import exceptions  # noqa: E402

from fpmcts.cluster.guard import RayGuard
from fpmcts.cluster.pools import Count, Done, Pool, Stopping, ignore, never
from fpmcts.cluster.settings import ClusterError, ClusterSettings, Shared
from games.base.files import ROOT
from games.base.system import num_cores

POLL_SECONDS = 0.5
START_SECONDS = 180.0
"""Seconds within which the first actor must have started."""
UNIT_SECONDS = 900.0
"""Seconds without any progress after which an actor is ended and its units are reassigned."""
IN_FLIGHT = 2
"""Units assigned to an actor at a time, so that it never waits for the next one."""
OBJECT_STORE_MB = 256
"""Memory for results in transit, of a cluster started for the run."""
MOST_TRIES = 4
"""Number of actors that may end on a unit before the unit is blamed."""
REACH_SECONDS = 5.0
ANSWER_SECONDS = 10.0
"""Seconds within which an actor at work must say how much it has done."""
HEAD_SECONDS = 5.0
"""Seconds without a connection to the head of the cluster after which it counts as lost."""
MEMORY = (
    "if memory ran out, fewer actors on a machine need less (more cluster.actor_cpus), and in "
    "training smaller units (cluster.unit_games)"
)
FULL = (exceptions.ObjectStoreFullError, exceptions.OutOfDiskError)
"""Errors when both the object store and the disk that it spills to are full."""


def packed(value: object) -> np.ndarray:
    """Returns a value as bytes (uint8 ``[n]``), which Ray passes on unchanged."""
    return np.frombuffer(pickle.dumps(value, protocol=4), np.uint8)


def unpacked(data: np.ndarray) -> Any:
    """Returns the packed value; its arrays are writable."""
    return pickle.loads(data.data)  # noqa: S301 - of processes that were let into the cluster


class RayWorker:
    """The worker in an actor; an ordinary class, so that tests can run it without Ray."""

    def __init__(self, make: np.ndarray) -> None:
        self._make = make  # a failure here would look like a lost actor
        self._worker: Any = None
        self._version, self._ticks = -1, 0

    @ray.method(concurrency_group="asked")
    def ticks(self) -> int:
        """Returns how often the worker has reported progress; answered while a unit is done."""
        return self._ticks

    def _tick(self, done: int) -> None:
        self._ticks += 1

    def environment(self, facts: str) -> dict[str, str]:
        """Returns what must be equal here and in the driver, from the function MODULE:NAME."""
        return resolve_name(facts)()

    def do(self, version: int, shared: np.ndarray, unit: np.ndarray) -> tuple[np.ndarray, float]:
        """Returns the packed result of a unit, and the seconds it took."""
        started = time.perf_counter()
        if self._worker is None:
            self._worker = unpacked(self._make)()
        if version != self._version and (weights := unpacked(shared)):
            self._worker.refresh(weights)
        self._version = version
        result = packed(self._worker(unpacked(unit), self._tick))
        return result, time.perf_counter() - started


@dataclass
class _Actor:
    """An actor as the driver sees it.

    Attributes:
        handle: Ray's handle.
        hello: Reference to its first answer, until it arrives.
        began: When it was requested.
        units: Units assigned and not answered yet, in order, by their references.
        since: When it received or reached the first of them, or was last seen to make progress.
        ticks: Its reports of progress by then.
    """

    handle: Any
    hello: Any
    began: float
    units: dict[Any, int] = field(default_factory=dict)
    since: float = 0.0
    ticks: int = 0

    def is_stuck(self) -> bool:
        """Returns whether it has made no progress since it was last asked."""
        try:
            ticks = ray.get(self.handle.ticks.remote(), timeout=ANSWER_SECONDS)
        except exceptions.RayError:
            return True
        self.since, before, self.ticks = time.monotonic(), self.ticks, ticks
        return bool(ticks == before)


class RayCluster:
    """Actors that are created once and run batches of units.

    Attributes:
        size: Number of actors requested.
    """

    def __init__(self, settings: ClusterSettings, make: Callable[[], Any], facts: str) -> None:
        self._settings, self._make, self._facts = settings, packed(make), facts
        self._environment = resolve_name(facts)()
        self._began_ray = not ray.is_initialized()
        self._guard = RayGuard()
        try:
            self._connect()
        except BaseException:
            self._guard.dismiss()
            raise
        self._head = ray.get_runtime_context().gcs_address
        self._over = threading.Event()
        threading.Thread(target=self._watch_head, daemon=True).start()
        cores = ray.cluster_resources().get("CPU", 0.0)
        self.size = settings.actors or max(
            1, int(cores / max(settings.actor_cpus, 1e-9)) if settings.actor_cpus else 1
        )
        self.actors = [self._begin() for _ in range(self.size)]
        self.version = -1
        self._counts: defaultdict[str, float] = defaultdict(float)
        self._by_actor = np.zeros((self.size, 2))  # units, and seconds spent on them
        self.retried = self.failed_starts = 0

    def _connect(self) -> None:
        """Joins the cluster, or starts one."""
        s = self._settings
        paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
        common: dict[str, Any] = {
            "log_to_driver": False,
            "logging_level": logging.ERROR,
            "namespace": f"fpmcts-{os.getpid()}",
            "runtime_env": {"env_vars": {"PYTHONPATH": paths, "OMP_NUM_THREADS": "1"}},
            "ignore_reinit_error": True,
        }
        answers = False
        try:
            if s.address is None and not ray.is_initialized():
                cores = num_cores()
                with self._guard.marked():
                    ray.init(
                        address="local",  # without it, a cluster that runs here would be joined
                        num_cpus=max(cores, int(np.ceil(s.actors * s.actor_cpus))),
                        object_store_memory=OBJECT_STORE_MB * 10**6,
                        include_dashboard=False,
                        **common,
                    )
            else:
                address = s.address or "auto"
                if (known := _address_of(address)) is not None:  # Ray itself would wait for minutes
                    _reach(known, REACH_SECONDS)
                    answers = True
                ray.init(address=address, **common)
        except Exception as error:  # Ray raises a bare Exception when a part does not start in time
            if s.address is None:
                raise ClusterError(
                    f"cluster=ray: no cluster could be started on this machine "
                    f"({_first_line(error)}); it needs {OBJECT_STORE_MB} MB of shared memory, its "
                    "files are in RAY_TMPDIR (a short path) or /tmp"
                ) from error
            where = f"cluster.address={s.address}"
            how = "start one with 'ray start --head' (docs/cluster.md)"
            if answers:
                how = (
                    "something listens there: expected a cluster of the same version of Ray, "
                    "RAY_AUTH_MODE=token and its token "
                    "in ~/.ray/auth_token or RAY_AUTH_TOKEN (docs/cluster.md)"
                )
            raise ClusterError(
                f"{where}: cannot be reached ({_first_line(error)}); {how}"
            ) from error

    def _begin(self) -> _Actor:
        """Returns a new actor, which may not have started yet."""
        s = self._settings
        options = {
            "num_cpus": s.actor_cpus,
            "num_gpus": s.actor_gpus,
            "max_restarts": 0,
            "max_task_retries": 0,
            "concurrency_groups": {"asked": 1},
        }
        made: Any = ray.remote(**options)  # type: ignore[call-overload]
        handle = made(RayWorker).remote(self._make)
        return _Actor(handle, handle.environment.remote(self._facts), time.monotonic())

    def pool(self, shared: Shared) -> "RayPool":
        """Returns a pool whose workers share some data, which is sent to each node once."""
        self.version += 1
        try:
            reference = ray.put(packed(dict(shared)))
        except FULL as error:
            raise self._too_small(error) from error
        return RayPool(self, reference)

    def _too_small(self, error: BaseException) -> ClusterError:
        return ClusterError(
            "cluster=ray: its memory is too small for the results in transit, and there is no disk "
            "to spill to; set smaller units (cluster.unit_games), or start a cluster with 'ray "
            f"start --object-store-memory=BYTES' and set cluster.address ({_first_line(error)})"
        )

    def curves(self) -> dict[str, float]:
        """Returns statistics since the last call; actor k is the k-th that was requested, or its
        replacement.
        """
        counts, self._counts = self._counts, defaultdict(float)
        by_actor, self._by_actor = self._by_actor, np.zeros((self.size, 2))
        seconds = max(counts["seconds"], 1e-9)
        curves = {
            "cluster/actors": float(sum(actor.hello is None for actor in self.actors)),
            "cluster/units": counts["units"],
            "cluster/units_retried": counts["retried"],
            "cluster/megabytes_per_second": counts["bytes"] / seconds / 1e6,
            "cluster/actors_busy_share": counts["busy"] / seconds / self.size,
            "cluster/driver_idle_share": counts["idle"] / seconds,
        }
        for k, (units, busy) in enumerate(by_actor):
            curves |= {
                f"cluster_actors/units_{k}": float(units),
                f"cluster_actors/busy_share_{k}": float(busy / seconds),
            }
            if units:
                curves[f"cluster_actors/seconds_per_unit_{k}"] = float(busy / units)
        return curves

    def count(self, **numbers: float) -> None:
        """Adds to the curves."""
        for name, number in numbers.items():
            self._counts[name] += number

    def replace(self, actor: _Actor, why: str) -> list[int]:
        """Replaces an actor; returns the units that it had."""
        with suppress(Exception):
            ray.kill(actor.handle)
        units = list(actor.units.values())
        self.failed_starts = self.failed_starts + 1 if actor.hello is not None else 0
        if self.failed_starts > MOST_TRIES * self.size:
            raise ClusterError(
                f"{self.failed_starts} actors of the cluster in a row ended as soon as they "
                f"started ({why}); see Ray's logs"
            )
        self.actors[self.actors.index(actor)] = self._begin()
        self.retried += len(units)
        self.count(retried=float(len(units)))
        return units

    def _watch_head(self) -> None:
        """Ends this process with one line when the head of the cluster is gone: calls of Ray would
        wait forever.
        """
        seen = time.monotonic()
        while not self._over.wait(1.0):
            try:
                _reach(self._head, 1.0)
                seen = time.monotonic()
            except OSError:
                if time.monotonic() - seen > HEAD_SECONDS and not self._over.is_set():
                    self.end(
                        f"the head of the Ray cluster at {self._head} is gone; what was finished "
                        "is saved, and the same command "
                        "resumes once there is a cluster"
                    )
                    return

    def end(self, line: str) -> None:
        """Ends the process; a run saves after each step, so only the current step is lost."""
        self._guard.prepare(line)
        os._exit(1)

    def greet(self, actor: _Actor, environment: Mapping[str, str]) -> None:
        """Checks that an actor runs the same code with the same versions, and admits it."""
        for name, own in self._environment.items():
            may_differ = name in ("instructions", "device")
            if environment.get(name) != own and not (self._settings.mixed and may_differ):
                may = "; set cluster.mixed=true if results may depend on that" * may_differ
                raise ClusterError(
                    f"an actor of the cluster has a different {name}: "
                    f"{environment.get(name)!r} there, {own!r} here; install the same{may}"
                )
        actor.hello = None

    def check_started(self) -> None:
        """Raises ClusterError if no actor has started in time."""
        waited = time.monotonic() - min(actor.began for actor in self.actors)
        if all(actor.hello is not None for actor in self.actors) and waited > START_SECONDS:
            free = ray.available_resources().get("CPU", 0.0)
            raise ClusterError(
                f"cluster=ray: none of {self.size} actors started within {START_SECONDS:g} s; "
                "each needs "
                f"{self._settings.actor_cpus:g} cores, {free:g} are free in the cluster"
            )

    def close(self) -> None:
        """Ends the actors, and the cluster if it was started for the run."""
        self._over.set()
        self._guard.dismiss()
        if not ray.is_initialized():
            return
        for actor in self.actors:
            with suppress(Exception):
                ray.kill(actor.handle)
        if self._began_ray:
            with suppress(Exception):
                ray.shutdown()


class RayPool(Pool[Any, Any]):
    """See ``fpmcts.cluster.pools.Pool``: units run by the actors of a cluster."""

    def __init__(self, cluster: RayCluster, shared: Any) -> None:
        self._cluster, self._shared, self._version = cluster, shared, cluster.version

    def run(
        self, units: Sequence[Any], tick: Count = ignore, stopping: Stopping = never
    ) -> Done[Any]:
        """See ``Pool``; actors do not report progress within a unit."""
        cluster, waiting, tries = self._cluster, deque(range(len(units))), [0] * len(units)
        started, idle = time.monotonic(), 0.0

        def give_again(actor: _Actor, why: str, remedy: str) -> None:
            lost = cluster.replace(actor, why)
            for k in reversed(lost):
                tries[k] += 1
                if tries[k] >= MOST_TRIES:
                    raise ClusterError(
                        f"unit {k} of {len(units)} ended {MOST_TRIES} actors ({why}); {remedy}"
                    )
                waiting.appendleft(k)

        for actor in cluster.actors:  # leftovers of an abandoned batch
            actor.units.clear()
        stopped = False
        while waiting or any(actor.units for actor in cluster.actors):
            if stopping() and not stopped:
                stopped = True
                for actor in cluster.actors:  # what an actor has in hand comes to its end
                    actor.units = dict([*actor.units.items()][:1])
            if stopped:
                waiting.clear()
            self._give_out(units, waiting)
            references = {
                reference: actor for actor in cluster.actors for reference in self._expected(actor)
            }
            before = time.monotonic()
            ready, _ = ray.wait(list(references), num_returns=1, timeout=POLL_SECONDS)
            idle += time.monotonic() - before
            for reference in ready:
                actor = references[reference]
                try:
                    answer = ray.get(reference)
                except FULL as error:
                    raise cluster._too_small(error) from error
                except exceptions.RayTaskError as error:
                    raise error.cause if isinstance(error.cause, Exception) else error from None
                except exceptions.RayError as error:  # of the actor, its node or the answer
                    give_again(actor, _first_line(error), MEMORY)
                    continue
                if reference is actor.hello:
                    cluster.greet(actor, answer)
                    continue
                k = actor.units.pop(reference)
                actor.since = time.monotonic()
                result, seconds = answer
                cluster.count(units=1.0, busy=seconds, bytes=float(result.nbytes))
                cluster._by_actor[cluster.actors.index(actor)] += 1.0, seconds
                yield k, unpacked(result)
            if not ready:
                cluster.check_started()
            for actor in list(cluster.actors):
                overdue = actor.units and time.monotonic() - actor.since > UNIT_SECONDS
                if overdue and actor.is_stuck():
                    why = f"no progress within {UNIT_SECONDS:g} s"
                    give_again(actor, why, "smaller units (cluster.unit_games) need less")
        cluster.count(seconds=time.monotonic() - started, idle=idle)

    def _expected(self, actor: _Actor) -> list[Any]:
        """Returns the references of an actor's pending answers."""
        return list(actor.units) if actor.hello is None else [actor.hello]

    def _give_out(self, units: Sequence[Any], waiting: "deque[int]") -> None:
        """Assigns waiting units to the running actors, least busy first."""
        able = [actor for actor in self._cluster.actors if actor.hello is None]
        while waiting and able:
            actor = min(able, key=lambda one: len(one.units))
            if len(actor.units) >= IN_FLIGHT:
                return
            k = waiting.popleft()
            if not actor.units:
                actor.since = time.monotonic()
            unit = packed(units[k])
            actor.units[actor.handle.do.remote(self._version, self._shared, unit)] = k


def _address_of(address: str) -> str | None:
    """Returns HOST:PORT of an address; for "auto" the known one, or None."""
    if address != "auto":
        return address
    file = Path("/tmp/ray/ray_current_cluster")
    return os.environ.get("RAY_ADDRESS") or (file.read_text().strip() if file.exists() else None)


def _reach(address: str, seconds: float) -> None:
    """Raises OSError if nothing listens at HOST:PORT, ValueError if that is not an address."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    socket.create_connection((host, int(port)), timeout=seconds).close()


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:200]
