"""A Ray cluster for the tests of this folder."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

STORE = 80 * 10**6


@pytest.fixture(scope="module")
def nodes() -> Iterator[Any]:
    """Two nodes of a core each; the second may be removed and added."""
    ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster as Nodes

    before = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).resolve().parent), before])
    made = Nodes(
        initialize_head=True,
        head_node_args={"num_cpus": 1, "object_store_memory": STORE, "include_dashboard": False},
    )
    made.add_node(num_cpus=1, object_store_memory=STORE)
    yield made
    os.environ["PYTHONPATH"] = before
    ray.shutdown()
    made.shutdown()
