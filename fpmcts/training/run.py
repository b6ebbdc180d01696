"""A run: steps of an algorithm until a budget is used up, saved in a folder.

train.py ─▶ Run ─▶ algorithm.step (fpmcts/training/fpmcts.py: play ─▶ reservoirs ─▶ learn ─▶
evaluate) ─▶ Report
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from fpmcts.configuration import overrides_of
from fpmcts.players import load_player
from fpmcts.progress import Progress, silent
from fpmcts.terminal import Terminal, in_notebook
from fpmcts.training.algorithms import read_run
from fpmcts.training.curves import Curves, points
from fpmcts.training.interface import Algorithm, Closes, Report, RunConfig, Saved
from fpmcts.training.run_folder import RunFolder
from games import GAMES, make
from games.base.help import say_on_stderr
from games.base.settings import ConfigError
from games.kernels.compilation import CompileClock
from games.play.interface import Game
from networks.checkpoint import CHECKPOINT, naming

if TYPE_CHECKING:
    from games.play.agent import Agent

_COMPILING = CompileClock()


def _ignore(line: str) -> None:
    """Shows nothing."""


class Run:
    """A run in its folder: a new one, or the existing one resumed::

        run = Run("runs/leduc", game="leduc", budget={"minutes": 5})
        for report in run:
            print(report)
        player = run.player()

    Iterating trains until the budget is used up. You can leave the loop at any time: the run is
    saved, and iterating again, or creating the ``Run`` again, resumes it bit-for-bit. Budget and
    evaluation may differ; all other keys that are not given are those of the folder.

    Args:
        run_dir: Folder of the run; None: ``runs/<game>-<seed>``.
        progress: Whether to show a progress bar; None: in notebooks. Elsewhere the lines of
            ``train.py`` go to stderr, unless it is False.
        keys: The keys of ``train.py``, groups as dictionaries: ``game="leduc"``,
            ``algorithm="smooth_uct"``, ``game={"name": "goofspiel", "cards": 4}``, ``budget={
            "minutes": 5}``. A game of your own is given by its module, its class or an instance:
            ``game=make(MyGame, dice=2)``.

    Attributes:
        config: The configuration, with ``run_dir`` and ``init_from`` filled in.
        algorithm: The algorithm.
        last: The report of the last step, None before the first.
        seconds: Wall-clock time spent in steps, over all sessions, without compilation.

    Raises:
        ValueError: The run cannot be started or resumed. Saved files are intact; a folder without a
            run is unchanged.
    """

    def __init__(
        self, run_dir: str | Path | None = None, *, progress: bool | None = None, **keys: Any
    ) -> None:
        given = keys if run_dir is None else {"run_dir": str(run_dir), **keys}
        config = read_run(overrides_of(_named(given)))
        if in_notebook() if progress is None else progress:
            terminal = Terminal()
            self._open(config, terminal.progress, terminal.note, close=terminal.close)
        else:
            self._open(config, say=say_on_stderr if progress is None else _ignore)

    @classmethod
    def of(
        cls,
        config: RunConfig,
        progress: Progress = silent,
        say: Callable[[str], None] = _ignore,
        stopping: Callable[[], bool] = lambda: False,
    ) -> Self:
        """Returns the run of a configuration.

        Args:
            config: The configuration.
            progress: Called with the progress of a step.
            say: Shows a line.
            stopping: Whether to stop after the current step.
        """
        run = cls.__new__(cls)
        run._open(config, progress, say, stopping)
        return run

    def _open(
        self,
        config: RunConfig,
        progress: Progress = silent,
        say: Callable[[str], None] = _ignore,
        stopping: Callable[[], bool] = lambda: False,
        close: Callable[[], None] = lambda: None,
    ) -> None:
        """Starts the run, or loads the existing one. ``close`` closes its display."""
        self._progress, self._say, self._stopping, self._close = progress, say, stopping, close
        self.folder = RunFolder.open(config)
        self.config = self.folder.config
        try:
            is_new = not self._restore()
            self.folder.begin()
        finally:
            self.folder.close()
        for line in self.folder.notes:
            say(line)
        where = self.folder.path
        say(f"new run in {where}" if is_new else f"resuming {where} from {self.where()}")
        begins = getattr(self.config, "init_from", None) if is_new else None
        if begins and not getattr(self.algorithm, "is_gradient", True):
            say(
                f"searches teach the networks of {begins} from a reservoir that is empty at first: "
                "the run may play worse than they for some iterations (docs/train.md)"
            )

    def _restore(self) -> bool:
        """Loads the last checkpoint of the folder; returns whether there is one."""
        vars(self).pop("algorithm", None)  # its stores may fill the memory
        self.seconds = 0.0
        self.last: Report | None = None
        saved = self.folder.load()
        try:
            self.algorithm: Algorithm = self.config.start(is_new=saved is None)
        except MemoryError as error:
            smaller = "give smaller stores, networks or fewer lanes"
            raise ConfigError(f"the run does not fit into memory ({error}); {smaller}") from error
        if saved is not None:
            where = self.folder.path
            advice = (
                ". Another version may have written it; a new run (run_dir=NEW) can begin from its "
                f"networks: init_from={where}"
            )
            with naming(where / CHECKPOINT, advice if hasattr(self.config, "init_from") else ""):
                self.load(saved)
        self._is_torn, self._is_saved = False, True
        return saved is not None

    def __iter__(self) -> Iterator[Report]:
        """Continues the run until its budget is used up or it is asked to stop; yields the report
        of every step.
        """
        with self.folder, ExitStack() as stack:
            stack.callback(self._close)
            stack.callback(self._rest)
            if self._is_torn:
                self._rest()
                self._restore()
            needed = "" if self.config.resume else " with resume=true"
            again = f"the same command{needed} resumes it"
            if all(bound is None for bound in vars(self.config.budget).values()):
                self._say(f"runs until Ctrl-C and is saved on the way; {again}")
            curves = Curves(self.folder.path, self.last.step if self.last else None)
            if self.last is not None:  # its points may not have been on disk before the stop
                curves.add(self.last)
            self._say(self.algorithm.about)
            self.config.prepare(self._say)
            while not self._stopping() and not self.is_finished():
                self._is_torn = True
                try:
                    report = self.step()
                except ConfigError:  # a full table is consistent: keep what was reported
                    self._save_rest()
                    raise
                self._is_torn = self._is_saved = False
                if self.algorithm.saves_each_step or self.folder.is_save_due():
                    self._save_rest()
                curves.add(report)
                try:
                    yield report
                except GeneratorExit:  # the caller has left the loop
                    self._save_rest()
                    raise
            self._save_rest()
            self._say(
                f"stopped after {self.where()}; {again}" if self._stopping() else "budget used up"
            )

    def _rest(self) -> None:
        """Stops what plays in the background."""
        if isinstance(algorithm := vars(self).get("algorithm"), Closes):
            algorithm.close()

    def _save_rest(self) -> None:
        """Saves the steps that are not saved yet, if there are any."""
        if not self._is_saved:
            self.save()
            self._is_saved = True

    @property
    def game(self) -> Game:
        """The game of the run."""
        return self.config.game.make()

    def player(self, kind: str | None = None, **options: Any) -> "Agent":
        """Returns a player from the last save.

        Args:
            kind: Name of the player; None: ``tabular`` for an algorithm on tables, ``mcts`` for a
                model of opponents, else ``policy``. ``fpmcts`` searches with the networks.
            options: Options of the player, as of ``load_player``.
        """
        players = self.config.players
        name = kind or players[0]
        if name in ("policy", "fpmcts", "tabular") and name not in players:
            raise ConfigError(f"player({name!r}): this run is played by {' or '.join(players)}")
        source = {"run" if name == "tabular" else "checkpoint": str(self.folder.path)}
        return load_player(name, self.game, **source | options)

    def curve(self, name: str) -> list[tuple[int, float]]:
        """Returns the steps and values of a curve, such as ``nash_conv/average_policy``, over all
        sessions; [] without such a curve. ``Report.scalars`` has the names.
        """
        return points(self.folder.path, name)

    def __repr__(self) -> str:
        return f"Run({str(self.folder.path)!r}): {self.where()}"

    def step(self) -> Report:
        """Returns the report of the next step, which is neither saved nor added to the curves."""
        started, compiled = time.monotonic(), _COMPILING.seconds
        self.last = self.algorithm.step(self._progress)
        self.seconds += time.monotonic() - started - (_COMPILING.seconds - compiled)
        return self.last

    def save(self) -> None:
        """Writes a checkpoint. Raises CheckpointError if it cannot be written; the previous one is
        then intact.
        """
        self.folder.save(self.state())

    def is_finished(self) -> bool:
        """Returns whether the budget is used up, or nothing is left to do."""
        spent = self.algorithm.spent | {"minutes": self.seconds / 60}
        bounds = vars(self.config.budget).items()
        nothing_left = self.last is not None and self.last.is_last
        return nothing_left or any(
            bound is not None and spent[key] >= bound for key, bound in bounds
        )

    def where(self) -> str:
        """Returns the progress of the run, in words."""
        counts = [f"{count:,} {name}" for name, count in self.algorithm.spent.items()]
        return ", ".join([*counts, f"{self.seconds / 60:.1f} min"])

    def state(self) -> Saved:
        """Returns the checkpoint of the run: that of the algorithm, and the clock."""
        saved = self.algorithm.state()
        report = None if self.last is None else asdict(self.last)
        return Saved(saved.arrays, saved.meta | {"seconds": self.seconds, "report": report})

    def load(self, saved: Saved) -> None:
        """Restores a result of ``state``."""
        self.algorithm.load(saved)
        self.seconds = saved.meta["seconds"]
        report = saved.meta["report"]
        self.last = None if report is None else Report(**report)


def _named(keys: Mapping[str, Any]) -> dict[str, Any]:
    """Returns keys with a game, or the class of one, replaced by its module and its options."""
    game = keys.get("game")
    if isinstance(game, Game):
        usual, given = vars(game.Options()), vars(game.options)
        options = {key: value for key, value in given.items() if value != usual[key]}
        return {**keys, "game": {"name": game.spec.name, **options}}
    if not isinstance(game, type):
        return dict(keys)
    if game.__module__ == "__main__":
        raise ConfigError(
            f"game={game.__name__}: workers import a game from its module; put the class into a "
            "file of its own"
        )
    name = make(game).spec.name  # a built-in one has another than its module
    return {**keys, "game": name if name in GAMES else game.__module__}
