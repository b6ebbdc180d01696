"""Tournaments: every pair of players over duplicate decks, in several processes, continued after an interruption.

    pairs ─▶ tasks (some decks of one pair) ─▶ workers ─▶ finished tasks on disk ─▶ MatchResult per pair

A task is the unit of work and of what is kept: its games are played in lock-step in one process, and written to disk once all
of them are over. Tasks and their random numbers depend on the configuration alone, so the results are the same with any number
of processes, and after any interruption. A match with a sequential test ends with the first of its tasks, in the order of the
plan, after which the test is decided; what was played of later ones counts for nothing. What is kept belongs to one pair under
one version of the code; it is removed when the tournament is complete.
"""

import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass, replace
from multiprocessing import active_children, get_context, parent_process
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path

import numpy as np
import torch

from agents.agent import Agent
from agents.players import Host
from evaluation.aivat import corrections
from evaluation.duplicate import MatchResult, deck_scores, duplicate_games, games_per_deck, part_seed, summary
from evaluation.kept_games import KeptGames
from evaluation.match import PlayedGames, joined_games
from evaluation.plan import SLOW_DECKS, Plan, Task, kinds_of
from evaluation.sequential import SequentialResult
from games.batches import take
from games.interface import GameSpec, Records, seats_to_move
from runtime.cluster import Shared
from runtime.connect import connect
from runtime.device import choose_device
from runtime.interrupt import unheard_by_children

POLL_SECONDS = 0.2


@dataclass(frozen=True)
class Progress:
    """How far a tournament is.

    Attributes:
        games: Games that are over.
        total: All games.
        kept: Those of them that an earlier call had finished.
    """

    games: int
    total: int
    kept: int


class Worker:
    """Plays tasks in one process; players are made once.

    Args:
        plan: All tasks.
        counter: Receives the number of games that are over; None: nobody counts.
    """

    def __init__(self, plan: Plan, counter: "Synchronized[int] | None" = None) -> None:
        self.plan, self._counter = plan, counter
        config = plan.tournament.config
        device = choose_device(config.device)
        if device.type == "cpu":
            torch.set_num_threads(1)  # one process per core
        self.game = config.game.make()
        lanes = SLOW_DECKS * games_per_deck(self.game.spec)
        self._host = Host(self.game, plan.players, str(device), lanes)
        self._agents: dict[str, Agent] = {}

    def agent(self, label: str) -> Agent:
        """Returns the player of a label."""
        if label not in self._agents:
            agent = self._agents[label] = self._host.make(label)
            if "external" not in kinds_of(self.plan.tournament, label):
                self._warm_up(agent)
        return self._agents[label]

    def _warm_up(self, agent: Agent) -> None:
        """Asks for one move, so that reading or compiling kernels is not counted as time to move."""
        deal = take(self.plan.decks, np.zeros(1, np.int64))
        records = Records(np.full((1, self.game.spec.max_moves), -1, np.int16), np.zeros(1, np.int16))
        agent.start(1, 0)
        agent.act(np.zeros(1, np.int64), self.game.view(deal, seats_to_move(self.game, deal)), records)

    def play(self, task: Task) -> PlayedGames:
        """Returns the games of a task."""
        told = 0

        def tell(done: int, total: int) -> None:
            nonlocal told
            if self._counter is not None:
                with self._counter.get_lock():
                    self._counter.value += done - told
            told = done

        decks = take(self.plan.decks, slice(task.first, task.last))
        seed = part_seed(self.plan.tournament.config.seed, task.first)
        agents = self.agent(task.a), self.agent(task.b)
        games = duplicate_games(self.game, *agents, decks, seed, progress=tell)
        if not self.plan.tournament.config.aivat:
            return games
        deals = take(decks, np.repeat(np.arange(task.last - task.first), games_per_deck(self.game.spec)))
        return replace(games, luck=corrections(self.game, agents, games, deals, seed))

    def close(self) -> None:
        """Ends the programs of external players."""
        for agent in self._agents.values():
            close = getattr(agent, "close", None)
            if close is not None:
                close()


_worker: Worker


def _start_worker(plan: Plan, counter: "Synchronized[int]") -> None:
    """Prepares a process of the pool: Ctrl-C is the parent's business, and the process does not outlive it."""
    global _worker
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    if parent is not None:

        def follow() -> None:
            parent.join()
            os._exit(1)

        threading.Thread(target=follow, daemon=True).start()
    _worker = Worker(plan, counter)


def _play_in_worker(task: Task) -> PlayedGames:
    return _worker.play(task)


class Watched:
    """A match that a sequential test looks at after each task, in the order of the plan; it never decides where there is no test.

    Args:
        plan: One pair, if there is a test.
        spec: Of the game.

    Attributes:
        result: After the last look; None: no test, or no look.
        num_tasks: Tasks that it has seen, from the first on.
    """

    def __init__(self, plan: Plan, spec: GameSpec) -> None:
        self.result: SequentialResult | None = None
        self.num_tasks = 0
        self._plan, self._spec, self._test = plan, spec, plan.tournament.sequential_test()
        self._scores = np.zeros(0)

    @property
    def is_decided(self) -> bool:
        """Returns whether a hypothesis was accepted."""
        return self.result is not None and self.result.accepted is not None

    def add(self, finished: Mapping[Task, PlayedGames]) -> None:
        """Looks after each task that is finished and has only finished ones before it, until the test is decided."""
        tasks = self._plan.tasks
        while self._test and not self.is_decided and self.num_tasks < len(tasks) and tasks[self.num_tasks] in finished:
            wins = deck_scores(self._spec, finished[tasks[self.num_tasks]])[1].mean(axis=1)
            self._scores = np.append(self._scores, wins)
            self.num_tasks += 1
            self.result = self._test.result(self._scores)


def play_tournament(
    plan: Plan,
    tell: Callable[[Progress], None] = lambda progress: None,
    stopping: Callable[[], bool] = lambda: False,
) -> dict[tuple[str, str], MatchResult] | None:
    """Returns the result of every pair of labels, None if it was stopped before the end.

    Args:
        plan: What to play.
        tell: Called with the progress, several times a second.
        stopping: Whether to stop after the tasks that are being played.

    Raises:
        PlayerError: A player cannot be made.
        IllegalMoveError, ExternalPlayerError: A player failed; the games of the finished tasks are kept.
        TournamentError: Results cannot be kept.
    """
    config, players = plan.tournament.config, plan.tournament.players
    game = config.game.make()
    store = KeptGames(Path(config.unfinished), plan)
    if not config.resume:
        store.remove()
    store.check()
    count_per_deck = games_per_deck(game.spec)
    finished = {task: games for task in plan.tasks if (games := store.load(task)) is not None}
    kept = count_per_deck * sum(task.last - task.first for task in finished)
    total = count_per_deck * sum(task.last - task.first for task in plan.tasks)
    left = [task for task in plan.tasks if task not in finished]

    def count(games: int) -> None:
        tell(Progress(kept + games, total, kept))

    watched = Watched(plan, game.spec)
    watched.add(finished)
    if not watched.is_decided:
        with closing(_played(plan, left, count, stopping)) as played:
            for task, games in played:
                store.save(task, games)
                finished[task] = games
                watched.add(finished)
                if watched.is_decided:
                    break
    if not watched.is_decided and len(finished) < len(plan.tasks):
        return None
    tasks = plan.tasks[: watched.num_tasks] if watched.is_decided else plan.tasks
    results = {}
    for a, b in dict.fromkeys((task.a, task.b) for task in tasks):
        parts = [finished[task] for task in tasks if (task.a, task.b) == (a, b)]
        result = summary(game.spec, (players[a].name, players[b].name), joined_games(parts))
        results[a, b] = replace(result, sequential=watched.result)
    return results


def forget(plan: Plan) -> None:
    """Removes the finished tasks from disk, once their results are where they belong."""
    KeptGames(Path(plan.tournament.config.unfinished), plan).remove()


def _played(
    plan: Plan, tasks: list[Task], count: Callable[[int], None], stopping: Callable[[], bool]
) -> Generator[tuple[Task, PlayedGames], None, None]:
    """Yields tasks with their games as they end, in this process or in a pool; closed early, it ends the processes at once."""
    config = plan.tournament.config
    if config.cluster.kind != "none":
        yield from _played_in_cluster(plan, tasks, count, stopping)
        return
    processes = min(config.processes or len(os.sched_getaffinity(0)), len(tasks))
    if choose_device(config.device).type == "cuda":
        processes = min(processes, 1) if not config.processes else processes
    context = get_context("spawn")
    counter = context.Value("q", 0)
    count(0)
    if processes <= 1:
        worker = Worker(plan, counter)
        try:
            for task in tasks:
                if stopping():
                    return
                yield task, _watched(worker, task, counter, count)
        finally:
            worker.close()
        return
    pool = ProcessPoolExecutor(processes, context, _start_worker, (plan, counter))
    try:
        waiting, running = list(tasks), dict[Future[PlayedGames], Task]()
        while running or (waiting and not stopping()):
            while waiting and len(running) < processes and not stopping():
                task = waiting.pop(0)
                with unheard_by_children():  # processes start here
                    running[pool.submit(_play_in_worker, task)] = task
            done, _ = wait(running, POLL_SECONDS, FIRST_COMPLETED)
            count(counter.value)
            for future in done:
                yield running.pop(future), future.result()
    except BaseException:  # nobody waits for the others' games
        for process in active_children():
            process.terminate()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


class ClusterWorker:
    """What an actor of a cluster runs. Args: plan: All tasks."""

    def __init__(self, plan: Plan) -> None:
        self._worker = Worker(plan)

    def refresh(self, shared: Shared) -> None:
        """Does nothing: players read what they need themselves."""

    def work(self, task: None) -> Callable[[Task], Iterator[PlayedGames]]:
        """Returns what a pool asks of a worker."""

        def play(unit: Task) -> Iterator[PlayedGames]:
            yield self._worker.play(unit)

        return play


def _played_in_cluster(
    plan: Plan, tasks: list[Task], count: Callable[[int], None], stopping: Callable[[], bool]
) -> Iterator[tuple[Task, PlayedGames]]:
    """Yields tasks with their games as actors of a cluster end them."""
    factory, facts = "evaluation.tournament:ClusterWorker", "games.environment:environment"
    cluster, over = connect(plan.tournament.config.cluster, factory, {"plan": plan}, facts), 0
    count(0)
    try:
        for k, games in cluster.pool({}, None).run(tasks):
            over += len(games.seating)
            count(over)
            yield tasks[k], games
            if stopping():
                return
    finally:
        cluster.close()


def _watched(worker: Worker, task: Task, counter: "Synchronized[int]", count: Callable[[int], None]) -> PlayedGames:
    """Returns the games of a task that this process plays, while a thread tells the progress."""
    over = threading.Event()

    def watch() -> None:
        while not over.wait(POLL_SECONDS):
            count(counter.value)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        return worker.play(task)
    finally:
        over.set()
        thread.join()
        count(counter.value)
