"""Runs and matches in a cluster are those without one, whatever happens to its actors."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluation.config import parse_command_line
from evaluation.plan import make_plan
from evaluation.tournament import play_tournament
from games import make
from reproduce.ismcts_tables import read_job
from runtime.settings import ConfigError
from training.algorithms import read_run
from training.trainer import Trainer

ray = pytest.importorskip("ray")
from runtime.ray_pool import RayCluster  # noqa: E402

TINY = (
    "game=kuhn", "threads=1", "episode.games=16", "episode.games_per_step=8", "episode.value_games=12", "search.playouts=8",
    "train.batch_size=16", "train.reservoir=40", "evaluation.exact_every=0",
)  # fmt: skip


def trainer(*overrides: str) -> Trainer:
    return Trainer(read_run((*TINY, *overrides))[0])


def in_cluster(nodes: Any, actors: int, *overrides: str) -> tuple[Trainer, RayCluster]:
    made = trainer(*overrides, "cluster=ray", f"cluster.address={nodes.address}", f"cluster.actors={actors}")
    assert isinstance(made.workers.cluster, RayCluster)
    return made, made.workers.cluster


def run(one: Trainer, steps: int) -> dict[str, np.ndarray]:
    for _ in range(steps):
        for _ in one.run_step():
            pass
    return one.get_state().arrays


def same(first: dict[str, np.ndarray], second: dict[str, np.ndarray]) -> None:
    assert first.keys() == second.keys()
    for name, array in first.items():
        np.testing.assert_array_equal(array, second[name], err_msg=name)


@pytest.fixture(scope="module")
def alone() -> dict[str, np.ndarray]:
    """The arrays after two iterations without a cluster."""
    return run(trainer(), 4)


def test_two_actors_one_of_which_is_killed(nodes: Any, alone: dict[str, np.ndarray]) -> None:
    made, cluster = in_cluster(nodes, 2)
    events = made.run_step()
    next(events)  # units are on their way
    ray.kill(cluster.actors[0].handle)
    for _ in events:
        pass
    same(run(made, 3), alone)
    assert cluster.retried > 0
    report = made.last_report
    assert report is not None
    assert report.scalars["cluster/actors"] >= 1
    assert report.scalars["cluster_actors/units_0"] + report.scalars["cluster_actors/units_1"] == report.scalars["cluster/units"]
    cluster.close()


def test_a_run_goes_on_without_its_cluster(nodes: Any, alone: dict[str, np.ndarray]) -> None:
    made, cluster = in_cluster(nodes, 1)
    run(made, 1)
    cluster.close()
    resumed = trainer()
    resumed.set_state(made.get_state())
    same(run(resumed, 3), alone)


@pytest.mark.slow
@pytest.mark.parametrize("actors", [1, 3])
def test_any_number_of_actors(nodes: Any, alone: dict[str, np.ndarray], actors: int) -> None:
    node = nodes.add_node(num_cpus=1, object_store_memory=80 * 10**6)
    made, cluster = in_cluster(nodes, actors)
    same(run(made, 4), alone)
    cluster.close()
    nodes.remove_node(node)


LAG = ("cluster.lag=1", "evaluation.decks=150", "gradient.start=2", "gradient.games=32", "gradient.batch_size=16")


@pytest.fixture(scope="module")
def lagging() -> tuple[dict[str, np.ndarray], dict[str, float]]:
    """The arrays and the last match after two iterations with searches and one of policy gradient, without a cluster."""
    made = trainer(*LAG)
    arrays = run(made, 5)
    made.workers.close()
    return arrays, match(made)


def match(made: Trainer) -> dict[str, float]:
    """Returns what the last match said."""
    assert made.last_report is not None
    return {name: value for name, value in made.last_report.scalars.items() if name.startswith("policy_against_")}


def test_players_that_lag_one_of_whom_is_killed(nodes: Any, lagging: tuple[dict[str, np.ndarray], dict[str, float]]) -> None:
    made, cluster = in_cluster(nodes, 2, *LAG)
    run(made, 2)  # the games of the next iteration are on their way
    ray.kill(cluster.actors[1].handle)
    run(made, 1)
    made.workers.close()
    resumed = trainer(*LAG)
    resumed.set_state(made.get_state())
    same(run(resumed, 2), lagging[0])
    resumed.workers.close()


@pytest.mark.slow
@pytest.mark.parametrize("actors", [1, 2])
def test_any_number_of_actors_that_lag(nodes: Any, lagging: tuple[dict[str, np.ndarray], dict[str, float]], actors: int) -> None:
    made, _ = in_cluster(nodes, actors, *LAG)
    same(run(made, 5), lagging[0])
    assert match(made) == lagging[1]
    made.workers.close()


def test_matches(nodes: Any, tmp_path: Any) -> None:
    line = ["game=kuhn", "a=tabular", "b=random", "decks=1200", "processes=1", f"unfinished={tmp_path}"]
    game, results = make("kuhn"), []
    for more in ([], ["cluster=ray", f"cluster.address={nodes.address}"]):
        tournament = parse_command_line([*line, *more])
        found = play_tournament(make_plan(tournament, game))
        assert found is not None
        results.append(found["a", "b"])
    np.testing.assert_array_equal(results[0].games.returns, results[1].games.returns)
    assert results[0].total == results[1].total


@pytest.mark.slow
def test_bootstrap_and_measured_searches(nodes: Any) -> None:
    doudizhu = (
        "game=doudizhu", "bootstrap.games=60", "bootstrap.games_per_step=60", "network.channels=8", "network.blocks=1",
        "evaluation.search_decks=30", "evaluation.search_every=1", "evaluation.search_playouts=6", "search.playouts=6",
        "search.worlds=4", "inference.particles=8", "evaluation.decks=150",
    )  # fmt: skip
    line = (*doudizhu, *(key for key in TINY if not key.startswith(("game=", "search.playouts"))))
    made = []
    for more in ((), ("cluster=ray", f"cluster.address={nodes.address}", "cluster.actors=2")):
        one = Trainer(read_run((*line, *more))[0])
        arrays = run(one, 3)
        assert one.last_report is not None
        made.append(arrays | {name: np.array(x) for name, x in one.last_report.scalars.items() if "_against_" in name})
        one.workers.close()
    same(*made)


SMALL = ("only=[goofspiel_6_short]", "tables.goofspiel_6_short.game.cards=3", "tables.goofspiel_6_short.seconds=0.001")


def figure(folder: Path, *overrides: str) -> list[list[Any]]:
    """Returns the lots of a figure, which is played to its end, in some order."""
    job = read_job("lisy_tables", [f"run_dir={folder}", *SMALL, "matches=20", *overrides])
    assert job.play(lambda *at: None, lambda: False) is not None
    lines = (folder / "lots.jsonl").read_text().splitlines()[1:]
    return sorted(json.loads(line.partition(" ")[2]) for line in lines)


@pytest.mark.slow
def test_lots_of_a_figure(nodes: Any, tmp_path: Path) -> None:
    alone = figure(tmp_path / "alone")
    assert len(alone) == 16
    assert figure(tmp_path / "cluster", "cluster=ray", f"cluster.address={nodes.address}") == alone


def test_other_kinds_of_clusters_are_refused() -> None:
    with pytest.raises(ConfigError, match="cluster.kind=rey: expected one of none, ray; did you mean ray"):
        read_job("lisy_tables", ["cluster=rey"])
