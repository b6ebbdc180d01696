"""Tournaments: every pair of players, or one table of them, over duplicate decks, in several
processes, resumable after an interruption.

    plan ─▶ tasks (some decks of a pair) ─▶ workers ─▶ finished tasks in a file for each pair
                                                               └▶ its games ─▶ MatchResult

A task is the unit of work and of storage: its games are played in lock-step in one process. Tasks
and their random numbers depend only on the configuration. A match with a sequential test ends with
the first of its tasks, in the order of the plan, after which the test is decided; games of later
tasks are discarded. Stored games belong to one pair, or to the table, under one version of the
code; they are removed when the tournament is complete.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path

import numpy as np
import torch

from fpmcts.cluster.pools import Stopping, Tick, never
from fpmcts.cluster.processes import ProcessPool
from fpmcts.cluster.store import ResultFile, as_arrays, as_text
from fpmcts.evaluation.aivat import corrections
from fpmcts.evaluation.config import EvaluateConfig
from fpmcts.evaluation.duplicate import duplicate_games, part_seed, table_games
from fpmcts.evaluation.match import PlayedGames
from fpmcts.evaluation.match_result import MatchResult
from fpmcts.evaluation.plan import SLOW_DECKS, DeckTask, Plan, identity, kinds_of
from fpmcts.evaluation.sequential import SequentialResult, SequentialTest
from fpmcts.evaluation.statistics import wins
from fpmcts.players.lookup import Host
from fpmcts.progress import Progress, silent
from games.base.system import num_cores
from games.kernels.rows import concatenate, named, take
from games.play.agent import Agent
from games.play.interface import GameSpec, Records, seats_to_move
from networks.checkpoint import holding
from networks.device import choose_device


class TaskWorker:
    """Plays tasks in one process; players are made once."""

    def __init__(self, plan: Plan) -> None:
        self.plan, config = plan, plan.tournament.config
        device = choose_device(config.device)
        if device.type == "cpu":
            torch.set_num_threads(1)  # one process per core
        self.game = config.game.make()
        lanes = SLOW_DECKS * plan.games_per_deck
        plan.inputs.check_game(config.game.name)
        players = plan.inputs.named(plan.tournament.players)
        self._host = Host(self.game, players, str(device), lanes)
        self._agents: dict[str, Agent] = {}
        self._checked: set[str] = set()
        self._files = ExitStack()
        self._files.enter_context(holding(plan.inputs.files))

    def agent(self, label: str) -> Agent:
        """Returns the player of a label."""
        if label not in self._agents:
            agent = self._agents[label] = self._host.make(label)
            if "external" not in kinds_of(self.plan.tournament, label):
                self._warm_up(agent)
        return self._agents[label]

    def _warm_up(self, agent: Agent) -> None:
        """Makes one move, so that loading or compiling kernels does not count as thinking time."""
        deal = take(self.plan.decks, np.zeros(1, np.int64))
        seats = seats_to_move(self.game, deal)
        if seats[0] < 0:  # everybody is all-in by the blinds
            return
        records = Records(
            np.full((1, self.game.spec.max_moves), -1, np.int16), np.zeros(1, np.int16)
        )
        agent.start(1, 0)
        agent.act(np.zeros(1, np.int64), self.game.view(deal, seats), records)

    def __call__(self, task: DeckTask, tick: Tick) -> PlayedGames:
        """Returns the games of a task; reports finished ones to ``tick``."""
        games = self._games(task, tick)
        for label in {*task.players} - self._checked:  # whatever they run has started by now
            self.plan.inputs.check_sources(self.plan.tournament.players, label)
            self._checked.add(label)
        return games

    def _games(self, task: DeckTask, tick: Tick) -> PlayedGames:
        config, rows = self.plan.tournament.config, np.arange(task.first, task.last)
        decks, seed = take(self.plan.decks, rows), part_seed(config.seed, task.first)
        agents = [self.agent(label) for label in task.players]
        if config.table:
            return table_games(self.game, agents, decks, seed, tick=tick)
        games = duplicate_games(self.game, agents[0], agents[1], decks, seed, tick=tick)
        if not config.aivat:
            return games
        deals = take(self.plan.decks, np.repeat(rows, self.plan.games_per_deck))
        return games._replace(luck=corrections(self.game, agents, games, deals, seed))

    def close(self) -> None:
        """Stops the programs of external players, and reads files as they are again."""
        for agent in self._agents.values():
            getattr(agent, "close", lambda: None)()
        self._files.close()


class SequentialVerdict:
    """The leading finished tasks of a plan, up to the one that decides its sequential test.

    Attributes:
        result: The result of the test; None without a test or a finished task.
    """

    def __init__(self, plan: Plan, spec: GameSpec) -> None:
        self._plan, self._spec, sprt = plan, spec, plan.tournament.config.sprt
        self._test = SequentialTest(*sprt) if sprt else None
        self.result: SequentialResult | None = None
        self._leading, self._scores = 0, Counter[float]()

    @property
    def tasks(self) -> tuple[DeckTask, ...]:
        """The tasks that count."""
        return self._plan.tasks[: self._leading]

    @property
    def is_decided(self) -> bool:
        """Whether the test has ended the match."""
        return self.result is not None and self.result.accepted is not None

    def update(self, finished: Mapping[DeckTask, PlayedGames]) -> None:
        """Takes in the tasks that have been finished since."""
        for task in self._plan.tasks[self._leading :]:
            if self.is_decided or task not in finished:
                return
            self._leading += 1
            if self._test is not None:
                side = MatchResult(("", ""), self._spec, finished[task]).sides[0]
                self._scores.update(wins(side.returns).mean(axis=1).tolist())
                scores, counts = (np.array([*x]) for x in (self._scores, self._scores.values()))
                self.result = self._test.result(scores, counts)


def _games_of(text: str) -> PlayedGames:
    """Returns stored games."""
    seating, returns, last, moves, lengths, *others = as_arrays(text).values()
    return PlayedGames(seating, returns, last, Records(moves, lengths), *others)


class TaskStore:
    """The files of finished tasks, one for each pair or table; pairs of equal players share one."""

    def __init__(self, plan: Plan, files: Mapping[Path, ResultFile]) -> None:
        self._files = {players: files[path] for players, (path, _) in _files(plan).items()}
        self.kept = {
            DeckTask(players, first, last): _games_of(text)
            for players, file in self._files.items()
            for (first, last), text in file.finished()
        }

    def finished(self) -> Iterable[tuple[DeckTask, PlayedGames]]:
        """See ``fpmcts.cluster.pools.ResultStore``."""
        return self.kept.items()

    def add(self, task: DeckTask, games: PlayedGames) -> None:
        """See ``fpmcts.cluster.pools.ResultStore``."""
        self._files[task.players].add((task.first, task.last), as_text(dict(named(games))))


def play_tournament(
    plan: Plan,
    progress: Progress = silent,
    stopping: Stopping = never,
    note: Callable[[str], None] = lambda text: None,
) -> dict[tuple[str, ...], MatchResult] | None:
    """Returns the result of every pair of labels, or of the table; None if it was stopped before
    the end.

    Args:
        plan: The plan to play.
        progress: Called with the number of games over.
        stopping: Whether to stop after the current tasks.
        note: Shows a line.

    Raises:
        PlayerError: A player cannot be made.
        IllegalMoveError, ExternalPlayerError: A player failed; the games of the finished tasks are
            kept.
        ResultFileError: Results cannot be kept.
    """
    config, finished = plan.tournament.config, dict[DeckTask, PlayedGames]()
    game, sizes = config.game.make(), {task: plan.num_games([task]) for task in plan.tasks}
    verdict, total = SequentialVerdict(plan, game.spec), sum(sizes.values())
    pool = ProcessPool(partial(TaskWorker, plan), _processes(config), config.cluster)
    with ExitStack() as stack:
        files = {
            path: stack.enter_context(ResultFile(path, own, config.resume))
            for path, own in dict(_files(plan).values()).items()
        }
        store = TaskStore(plan, files)
        if store.kept:
            before = sum(sizes.get(task, 0) for task in store.kept)
            note(f"continuing: {before:,} of {total:,} games were finished before")

        def show(done: int) -> None:
            progress("playing", done, total, "games")

        tasks = {task: task for task in plan.tasks}
        results = pool.results(tasks, sizes, show, store, stopping)
        for task, games in stack.enter_context(closing(results)):
            finished[task] = games
            verdict.update(finished)
            if verdict.is_decided:
                break
    if len(verdict.tasks) < len(plan.tasks) and not verdict.is_decided:
        return None
    found = {}
    for labels in dict.fromkeys(task.players for task in verdict.tasks):
        names = tuple(plan.tournament.players[label].name for label in labels)
        played = concatenate([finished[task] for task in verdict.tasks if task.players == labels])
        habits = game.habits(played.records)
        found[labels] = MatchResult(names, game.spec, played, verdict.result, habits)
    return found


def _files(plan: Plan) -> dict[tuple[str, ...], tuple[Path, dict[str, object]]]:
    """Returns the file of each pair or table, and the identity that names it."""
    folder, found = Path(plan.tournament.config.unfinished), {}
    for players in dict.fromkeys(task.players for task in plan.tasks):
        own = identity(plan, players)
        name = hashlib.sha256(json.dumps(own, sort_keys=True).encode()).hexdigest()[:24]
        found[players] = folder / f"{name}.jsonl", own
    return found


def forget(plan: Plan) -> None:
    """Removes the finished tasks from disk, once their results have been reported."""
    for path, _ in _files(plan).values():
        path.unlink(missing_ok=True)


def _processes(config: EvaluateConfig) -> int:
    """Returns the number of processes: as configured, else one for a GPU, or one per core."""
    return config.processes or (1 if choose_device(config.device).type == "cuda" else num_cores())
