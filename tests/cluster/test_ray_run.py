"""Runs and matches in a cluster are those without one, whatever happens to its actors."""

from typing import Any

import numpy as np
import pytest

from fpmcts.evaluation.config import parse_command_line
from fpmcts.evaluation.plan import make_plan
from fpmcts.evaluation.tournament import play_tournament
from fpmcts.progress import silent
from fpmcts.training.fpmcts import FPMCTS
from games import make
from tests.training.tiny_run import config, same

ray = pytest.importorskip("ray")
pytestmark = pytest.mark.slow  # each starts a cluster of its own
from fpmcts.cluster.ray_pool import RayCluster  # noqa: E402

SEARCHES = (
    "evaluation.search_every=1",
    "evaluation.search_decks=26",  # two units
    "evaluation.search_playouts=4",
)


def trainer(*overrides: str) -> FPMCTS:
    return FPMCTS(config(*SEARCHES, *overrides))


def in_cluster(nodes: Any, actors: int, *overrides: str) -> tuple[FPMCTS, RayCluster]:
    made = trainer(
        *overrides, "cluster=ray", f"cluster.address={nodes.address}", f"cluster.actors={actors}"
    )
    assert isinstance(made.workers.cluster, RayCluster)
    return made, made.workers.cluster


def run(one: FPMCTS, steps: int) -> dict[str, np.ndarray]:
    """Returns the arrays after some steps, and what the last match said."""
    reports = [one.step(silent) for _ in range(steps)]
    return one.state().arrays | {
        k: np.array(x) for k, x in reports[-1].scalars.items() if "_against_" in k
    }


@pytest.fixture(scope="module")
def alone() -> dict[str, np.ndarray]:
    """The arrays after two iterations without a cluster."""
    return run(trainer(), 4)


def test_a_run_goes_on_without_its_cluster(nodes: Any, alone: dict[str, np.ndarray]) -> None:
    made, cluster = in_cluster(nodes, 1)
    run(made, 1)
    cluster.close()
    resumed = trainer()
    resumed.load(made.state())
    same(run(resumed, 3), alone)


def test_matches(nodes: Any, tmp_path: Any) -> None:
    line = [
        "game=kuhn",
        "a=tabular",
        "b=random",
        "decks=1200",
        f"unfinished={tmp_path}",
    ]
    game, results = make("kuhn"), []
    for more in (["processes=1"], ["cluster=ray", f"cluster.address={nodes.address}"]):
        tournament = parse_command_line([*line, *more])
        found = play_tournament(make_plan(tournament, game))
        assert found is not None
        results.append(found["a", "b"])
    np.testing.assert_array_equal(results[0].games.returns, results[1].games.returns)
    assert results[0].total == results[1].total


def test_bootstrap(nodes: Any) -> None:
    """A step of Doudizhu: games of the teacher, and a match."""
    doudizhu = (
        "game=doudizhu",
        "bootstrap.games=60",
        "bootstrap.games_per_step=60",
        "train.value_window=500",
        "evaluation.decks=2",
    )
    made = []
    for more in ((), ("cluster=ray", f"cluster.address={nodes.address}", "cluster.actors=2")):
        one = trainer(*doudizhu, *more)
        made.append(run(one, 1))
        one.close()
    same(*made)
