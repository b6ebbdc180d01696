"""A cluster that asks for a token lets in who has it; who has another one, or none, is told in one
line.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

pytest.importorskip("ray")
HERE = Path(__file__).resolve().parent
CONNECT = """
import sys
from fpmcts.cluster.settings import ClusterError, ClusterSettings
from fpmcts.cluster.connect import connect
try:
    settings = ClusterSettings(kind="ray", address=sys.argv[1])
    cluster = connect(settings, "cluster_echo:Echo", {}, "cluster_echo:facts")
except ClusterError as error:
    sys.exit(str(error))
print("actors:", cluster.size)
cluster.close()
"""


def environment(**more: str) -> dict[str, str]:
    kept = {key: text for key, text in os.environ.items() if not key.startswith("RAY_")}
    return kept | {"PYTHONPATH": os.pathsep.join([str(HERE.parents[1]), str(HERE)])} | more


@pytest.fixture
def address() -> Iterator[str]:
    """A cluster of one core whose token is "right"."""
    folder = tempfile.mkdtemp(prefix="ray")  # short: names of sockets are in it
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    line = [
        str(Path(sys.executable).parent / "ray"),
        "start",
        "--head",
        "--block",
        f"--port={port}",
        "--num-cpus=1",
        "--include-dashboard=false",
        "--object-store-memory=80000000",
        "--disable-usage-stats",
        f"--temp-dir={folder}",
    ]
    token = environment(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN="right")
    head = subprocess.Popen(
        line,
        env=token,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    started = time.monotonic()
    while time.monotonic() - started < 60:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            break
        except OSError:
            time.sleep(0.5)
    yield f"127.0.0.1:{port}"
    head.terminate()
    with suppress(subprocess.TimeoutExpired):
        head.wait(10)
    with suppress(ProcessLookupError):
        os.killpg(head.pid, signal.SIGKILL)
    head.wait()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.slow
def test_who_has_another_token_is_told_so(address: str) -> None:
    def connect(**more: str) -> "subprocess.CompletedProcess[str]":
        line = [sys.executable, "-c", CONNECT, address]
        return subprocess.run(
            line, env=environment(**more), capture_output=True, text=True, timeout=120
        )

    time.sleep(5)
    let_in = connect(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN="right")
    assert let_in.returncode == 0, let_in.stderr
    assert "actors: 1" in let_in.stdout
    wrong = connect(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN="wrong")
    assert wrong.returncode == 1
    last = wrong.stderr.strip().splitlines()[-1]
    assert last.startswith(f"cluster.address={address}: cannot be reached (")
    assert (
        "something listens there: expected a cluster of the same version of Ray, "
        "RAY_AUTH_MODE=token and its token" in last
    )
