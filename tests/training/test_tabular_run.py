"""Runs of the tabular algorithms: stages, resuming, curves, and what is refused."""

import weakref
from pathlib import Path

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from fpmcts.progress import silent
from fpmcts.training.interface import Report
from fpmcts.training.run import Run
from fpmcts.training.run_folder import RunFolderError
from fpmcts.training.tabular import LONGEST_STEP, Tabular, TabularConfig, next_mark
from games.base.settings import ConfigError
from networks.checkpoint import CHECKPOINT, CheckpointError, load
from tests.training.tiny_run import config, same


def composed(*overrides: str) -> TabularConfig:
    """Returns the checked configuration of a command line."""
    return config(*overrides, base=["algorithm=smooth_uct"])


def test_marks() -> None:
    marks = [0]
    while marks[-1] < 10_000:
        marks.append(next_mark(marks[-1]))
    assert marks == [0, 1000, 1259, 1585, 1995, 2512, 3162, 3981, 5012, 6310, 7943, 10_000]
    assert next_mark(10**9) == 10**9 + LONGEST_STEP
    assert next_mark(0, 1000) == 1 and next_mark(1, 1000) == 2


@pytest.mark.parametrize("algorithm", ["smooth_uct", "cfr_plus", "ismcts"])
def test_resumed_equals_uninterrupted(algorithm: str, tmp_path: Path) -> None:
    runs = []
    for name, parts in (("whole", (6,)), ("parts", (3, 3))):
        for count in parts:
            run = Run.of(
                composed("game=kuhn", f"algorithm={algorithm}", f"run_dir={tmp_path / name}")
            )
            with run.folder:
                for _ in range(count):
                    run.step()
                run.save()
        runs.append(run.algorithm)
    before, after = (run.state() for run in runs)
    assert runs[0].spent == runs[1].spent
    assert len(before.meta["curve"]) == len(after.meta["curve"]) == 6
    same(before.arrays, after.arrays)


def test_a_step_that_broke_off_leaves_no_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They may fill the memory: they are gone before the saved ones are loaded."""
    run, left = Run.of(composed("game=kuhn", f"run_dir={tmp_path}")), list[object]()
    tables, load = weakref.ref(run.algorithm.learner), run.folder.load  # type: ignore[attr-defined]
    monkeypatch.setattr(run.folder, "load", lambda: left.append(tables()) or load())
    run._restore()
    assert left == [None] and run.algorithm.spent == {"episodes": 0}


def test_checkpoint_of_another_game_is_refused() -> None:
    kuhn, leduc = Tabular(composed("game=kuhn")), Tabular(composed())
    with pytest.raises(CheckpointError, match="game.name is 'kuhn', expected 'leduc'"):
        leduc.load(kuhn.state())


def test_a_whole_run(tmp_path: Path) -> None:
    """NashConv falls, and the curves have episodes as steps."""
    keys = ["game=leduc", "budget.episodes=2000000", f"run_dir={tmp_path / 'run'}"]
    said: list[str] = []
    assert list(Run.of(composed(*keys), say=said.append)) and "new run" in said[0]
    events = EventAccumulator(str(tmp_path / "run"))
    events.Reload()
    curve = events.Scalars("nash_conv/average_policy")
    assert curve[-1].step == 2_000_000 and curve[0].step == 1000
    assert curve[0].value > 2.0 and curve[-1].value < 0.4
    assert not (tmp_path / "run" / "networks.safetensors").exists()


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ("algorithm.gamma=2", ["algorithm.gamma=2", "at most 1"]),
        ("algorithm.typo=1", ["algorithm.typo", "algorithm.eta"]),
        (
            "game=goofspiel algorithm=uct algorithm.betting_potential=0.2",
            ["algorithm.betting_potential=0.2", "goofspiel has no betting"],
        ),
        (
            "game=doudizhu algorithm=cfr_plus",
            ["algorithm=cfr_plus", "game=doudizhu", "ismcts, smooth_uct, uct"],
        ),
    ],
)
def test_what_does_not_fit_is_named(overrides: str, words: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        composed(*overrides.split())
    assert all(word in str(caught.value) for word in words), caught.value


def test_full_counters_use_the_budget_up(tmp_path: Path) -> None:
    """Dense rows count visits, hashed ones episodes; the same command then has nothing to do."""
    for game, algorithm in (("kuhn", "uct"), ("goofspiel", "ismcts")):
        said: list[str] = []
        given = composed(f"game={game}", f"algorithm={algorithm}", f"run_dir={tmp_path / game}")
        run = Run.of(given, say=said.append)
        learner = run.algorithm.learner
        learner.run(1000)
        learner.counter[0] = 2**32 - 500
        if game == "kuhn":
            learner.tables["visits"][0, 0] = 2**32 - 500
        (report,) = run
        assert report.line.endswith("its counters are full, which ends the run")
        assert learner.episodes < 2**32 and said[-1] == "budget used up"
        assert not list(Run.of(given))


def test_a_slow_step_ends_before_its_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of CFR+, whose iterations may take a minute: with the same result."""
    whole, cut = (Tabular(composed("game=kuhn", "algorithm=cfr_plus")) for _ in range(2))
    while whole.learner.episodes < 20:
        whole.step(silent)
    monkeypatch.setattr("fpmcts.training.tabular.LONGEST_SECONDS", 0.0)
    lines = []
    while cut.learner.episodes < 20:
        lines.append(cut.step(silent).line)
    assert any(line.endswith("episodes, measured at 20") for line in lines)
    assert cut.curve[-1][1]["nash_conv/average_policy"] == pytest.approx(
        whole.curve[-1][1]["nash_conv/average_policy"], rel=1e-12
    )
    assert [mark for mark, _ in cut.curve] == [mark for mark, _ in whole.curve]


def test_the_curve_in_a_checkpoint_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fpmcts.training.tabular.MOST_POINTS", 6)
    learned = Tabular(composed("game=kuhn"))
    steps = [learned.step(silent).step for _ in range(10)]
    kept = [step for step, _ in learned.state().meta["curve"]]
    assert len(kept) <= 6 and kept[0] == steps[0] and kept[-1] == steps[-1]


def test_a_run_of_a_hundred_hours_goes_on(tmp_path: Path) -> None:
    """With steps of a second; what was learned in them is left out."""
    given = composed("game=kuhn", "algorithm=cfr_plus", f"run_dir={tmp_path}")
    run = Run.of(given)
    run.algorithm.next_mark = lambda episodes: episodes + 1
    with run.folder:
        scalars = run.step().scalars
        for hour in range(100):
            steps = range(3600 * hour, 3600 * (hour + 1))
            run.algorithm.curve += [(step, scalars) for step in steps]
            run.step()
        run.seconds = 360_000.0
        run.save()
    assert (tmp_path / CHECKPOINT).stat().st_size < 4e6
    again = Run.of(given)
    with again.folder:
        assert "6000.0 min" in again.where()
        again.step()
        again.save()
    assert again.algorithm.learner.episodes > run.algorithm.learner.episodes
    assert (tmp_path / CHECKPOINT).stat().st_size < 4e6


def test_a_full_table_ends_a_run_that_goes_on_with_more_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fpmcts.training.run_folder.RunFolder.is_save_due", lambda self: False)
    reported: list[Report] = []

    def run(option: str) -> list[Report]:
        keys = ("game=phantom_tictactoe", "algorithm=ismcts", "budget.episodes=30000")
        for report in Run.of(composed(*keys, f"run_dir={tmp_path / 'run'}", option)):
            reported.append(report)
        return reported

    with pytest.raises(ConfigError, match="algorithm.memory=1: "):
        run("algorithm.memory=1")
    kept = load(tmp_path / "run" / CHECKPOINT)[0]["learner.episodes"][0]
    assert kept >= reported[-1].step > 1000
    with pytest.raises(RunFolderError, match=r"was started with algorithm.c=2.0, not 1.0"):
        run("algorithm.c=1.0")
    assert run("algorithm.memory=50")[-1].line.startswith("30,000 episodes")
