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


def test_two_actors_one_of_which_is_killed(nodes: Any, alone: dict[str, np.ndarray]) -> None:
    made, cluster = in_cluster(nodes, 2)
    killed = []

    def kill(what: str, done: int, total: int, unit: str) -> None:
        if done and not killed:  # units are on their way
            killed.append(cluster.actors[0])
            ray.kill(killed[0].handle)

    made.step(kill)
    same(run(made, 2), run(trainer(), 3))
    scalars = made.step(silent).scalars
    assert cluster.retried > 0
    assert scalars["cluster/actors"] >= 1
    assert (
        scalars["cluster_actors/units_0"] + scalars["cluster_actors/units_1"]
        == scalars["cluster/units"]
    )
    made.close()


def test_a_run_goes_on_without_its_cluster(nodes: Any, alone: dict[str, np.ndarray]) -> None:
    made, cluster = in_cluster(nodes, 1)
    run(made, 1)
    cluster.close()
    resumed = trainer()
    resumed.load(made.state())
    same(run(resumed, 3), alone)


@pytest.fixture(scope="module")
def lagging() -> dict[str, np.ndarray]:
    """The arrays and the last match after two iterations with searches and one of policy gradient,
    without a cluster.
    """
    made = trainer("cluster.lag=1")
    arrays = run(made, 5)
    made.close()
    return arrays


def test_players_that_lag_one_of_whom_is_killed(nodes: Any, lagging: dict[str, np.ndarray]) -> None:
    made, cluster = in_cluster(nodes, 2, "cluster.lag=1")
    run(made, 2)  # the games of the next iteration are on their way
    ray.kill(cluster.actors[1].handle)
    run(made, 1)
    made.close()
    resumed = trainer("cluster.lag=1")
    resumed.load(made.state())
    same(run(resumed, 2), lagging)
    resumed.close()


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
