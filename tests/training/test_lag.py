"""With ``cluster.lag=1`` an iteration is played by the weights of the one before, in the background, and nothing else changes."""

from pathlib import Path

import numpy as np
import pytest

from training.algorithms import read_run
from training.batches import batches_of
from training.reports import drain
from training.run_folder import RunFolder, RunFolderError
from training.trainer import Trainer
from training.workers import Workers

TINY = (
    "game=kuhn", "episode.games=16", "episode.games_per_step=8", "episode.value_games=12", "search.playouts=8",
    "train.batch_size=16", "train.reservoir=40", "evaluation.exact_every=0", "evaluation.decks=150", "gradient.start=2",
    "gradient.games=32", "gradient.batch_size=16", "network.channels=8", "network.blocks=1",
)  # fmt: skip
STEPS = 6
"""Two iterations of two steps with searches, two of policy gradient."""


def trainer(*overrides: str, lag: int = 1) -> Trainer:
    return Trainer(read_run((*TINY, f"cluster.lag={lag}", *overrides))[0])


def run(one: Trainer, steps: int) -> dict[str, np.ndarray]:
    """Returns the arrays after some steps, and what the last one's match said."""
    for _ in range(steps):
        drain(one.run_step())
    arrays = one.get_state().arrays
    one.workers.close()
    assert one.last_report is not None
    match = {name: np.array(value) for name, value in one.last_report.scalars.items() if name.startswith("policy_against_")}
    return arrays | match


def same(first: dict[str, np.ndarray], second: dict[str, np.ndarray]) -> None:
    assert first.keys() == second.keys()
    for name, array in first.items():
        np.testing.assert_array_equal(array, second[name], err_msg=name)


@pytest.fixture(scope="module")
def straight() -> dict[str, np.ndarray]:
    return run(trainer("threads=1"), STEPS)


def test_threads_change_nothing(straight: dict[str, np.ndarray]) -> None:
    same(run(trainer("threads=2"), STEPS), straight)


def test_nothing_depends_on_when_games_are_played(straight: dict[str, np.ndarray], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Workers, "begin", lambda *_: None)  # played when they are asked for
    same(run(trainer("threads=1"), STEPS), straight)


@pytest.mark.parametrize("steps", [2, pytest.param(1, marks=pytest.mark.slow)])
def test_resumed_equals_uninterrupted(straight: dict[str, np.ndarray], steps: int) -> None:
    first, second = trainer("threads=1"), trainer("threads=1")
    run(first, steps)
    second.set_state(first.get_state())
    same(run(second, STEPS - steps), straight)


def test_which_weights_play() -> None:
    """Iteration t is played by the weights that learned from those before t - lag."""
    for lag in (0, 1):
        one, before, played = trainer("threads=1", lag=lag), [], []
        for _ in range(4):
            iteration = one.state.iteration
            if len(before) == iteration:
                before.append([p.detach().numpy().copy() for p in one.state.playing.parameters()])
                played.append([p.detach().numpy().copy() for p in one.state.generators().networks.parameters()])
            drain(one.run_step())
        one.workers.close()
        for own, expected in zip(played[1], before[1 - lag], strict=True):
            np.testing.assert_array_equal(own, expected)
        assert any((a != b).any() for a, b in zip(before[0], before[1], strict=True))


def test_what_playing_raises_is_raised_where_it_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    one = trainer("threads=1")
    drain(one.run_step())

    def failing(self: Workers, batch: object) -> object:
        raise FloatingPointError("not finite")
        yield

    monkeypatch.setattr(Workers, "_play", failing)
    one.workers.begin(batches_of(one.config, 0))
    with pytest.raises(FloatingPointError, match="not finite"):
        drain(one.workers.play(batches_of(one.config, 0)[0]))


def test_a_run_keeps_its_lag(tmp_path: Path) -> None:
    for lag in (1, 0):
        config, kind = read_run((*TINY, f"cluster.lag={lag}", f"cluster.unit_games={lag}", f"run_dir={tmp_path / 'run'}"))
        if lag == 1:
            with RunFolder.open(config, kind.parse) as folder:
                folder.begin()
        else:
            with pytest.raises(RunFolderError, match="was started with cluster.lag=1, not 0"):
                RunFolder.open(config, kind.parse)


def test_what_an_iteration_plays() -> None:
    config = read_run((*TINY[:1], "episode.games=20", *TINY[2:]))[0]
    games = [(batch.chunk, batch.games, batch.searches) for batch in batches_of(config, 1)]
    assert games == [(0, 8, True), (1, 8, True), (2, 4, True), (3, 12, False)]
    (batch,) = batches_of(config, 2)
    assert (batch.games, batch.searches, batch.decay) == (32, False, config.gradient.decay)
