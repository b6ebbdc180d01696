"""A Ray cluster for the tests of this folder."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

STORE = 80 * 10**6
# Read once, when Ray is imported.
os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "right"}


@pytest.fixture(scope="package")
def nodes() -> Iterator[Any]:
    """Two nodes with one core each, which require a token; the second may be removed and added."""
    ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster as Nodes

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(__file__).resolve().parent), prepend=os.pathsep)
        patch.setenv("RAY_worker_niceness", "0")  # other tests run beside these
        head = {"num_cpus": 1, "object_store_memory": STORE, "include_dashboard": False}
        made = Nodes(initialize_head=True, head_node_args=head)
        made.add_node(num_cpus=1, object_store_memory=STORE)
        yield made
        ray.shutdown()
        made.shutdown()
