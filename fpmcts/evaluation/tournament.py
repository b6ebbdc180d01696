"""Tournaments: every pair of players over duplicate decks, in several processes, continued after an
interruption.

    pairs ─▶ tasks (some decks of one pair) ─▶ workers ─▶ finished tasks in a file for each pair ─▶
    MatchResult per pair

A task is the unit of work and of what is kept: its games are played in lock-step in one process.
Tasks and their random numbers depend on the configuration alone. A match with a sequential test
ends with the first of its tasks, in the order of the plan, after which the test is decided; what
was played of later ones counts for nothing. What is kept belongs to one pair under one version of
the code; it is removed when the tournament is complete.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from fpmcts.evaluation.aivat import corrections
from fpmcts.evaluation.duplicate import (
    MatchResult,
    deck_scores,
    duplicate_games,
    games_per_deck,
    part_seed,
    summary,
)
from fpmcts.evaluation.match import PlayedGames, joined_games
from fpmcts.evaluation.plan import SLOW_DECKS, Plan, Task, identity, kinds_of
from fpmcts.evaluation.sequential import SequentialResult
from fpmcts.evaluation.units import Store, Tell, as_arrays, as_text, num_cores, run_units
from fpmcts.players.lookup import Host
from fpmcts.progress import Progress
from games.agent import Agent
from games.batches import take
from games.interface import GameSpec, Records, seats_to_move
from networks.device import choose_device


class TaskWorker:
    """Plays tasks in one process; players are made once."""

    def __init__(self, plan: Plan) -> None:
        self.plan, config = plan, plan.tournament.config
        device = choose_device(config.device)
        if device.type == "cpu":
            torch.set_num_threads(1)  # one process per core
        self.game = config.game.make()
        lanes = SLOW_DECKS * games_per_deck(self.game.spec)
        self._host = Host(self.game, plan.tournament.players, str(device), lanes)
        self._agents: dict[str, Agent] = {}

    def agent(self, label: str) -> Agent:
        """Returns the player of a label."""
        if label not in self._agents:
            agent = self._agents[label] = self._host.make(label)
            if "external" not in kinds_of(self.plan.tournament, label):
                self._warm_up(agent)
        return self._agents[label]

    def _warm_up(self, agent: Agent) -> None:
        """Asks for one move, so that reading or compiling kernels is not counted as time to
        move.
        """
        deal = take(self.plan.decks, np.zeros(1, np.int64))
        records = Records(
            np.full((1, self.game.spec.max_moves), -1, np.int16), np.zeros(1, np.int16)
        )
        agent.start(1, 0)
        agent.act(
            np.zeros(1, np.int64), self.game.view(deal, seats_to_move(self.game, deal)), records
        )

    def play(self, task: Task, tell: Tell) -> PlayedGames:
        """Returns the games of a task; tells how many are over."""
        told = 0

        def progress(done: int, total: int) -> None:
            nonlocal told
            tell(done - told)
            told = done

        decks = take(self.plan.decks, slice(task.first, task.last))
        seed = part_seed(self.plan.tournament.config.seed, task.first)
        agents = self.agent(task.a), self.agent(task.b)
        games = duplicate_games(self.game, *agents, decks, seed, progress=progress)
        if not self.plan.tournament.config.aivat:
            return games
        deals = take(
            decks, np.repeat(np.arange(task.last - task.first), games_per_deck(self.game.spec))
        )
        return replace(games, luck=corrections(self.game, agents, games, deals, seed))

    def close(self) -> None:
        """Ends the programs of external players."""
        for agent in self._agents.values():
            getattr(agent, "close", lambda: None)()


class Watched:
    """A match that a sequential test looks at after each task, in the order of the plan; without a
    test it is never decided.

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
        """Looks after each task that is finished and has only finished ones before it, until the
        test is decided.
        """
        tasks = self._plan.tasks
        while (
            self._test
            and not self.is_decided
            and self.num_tasks < len(tasks)
            and tasks[self.num_tasks] in finished
        ):
            wins = deck_scores(self._spec, finished[tasks[self.num_tasks]])[1].mean(axis=1)
            self._scores = np.append(self._scores, wins)
            self.num_tasks += 1
            self.result = self._test.result(self._scores)


def play_tournament(
    plan: Plan,
    progress: Progress = lambda *at: None,
    stopping: Callable[[], bool] = lambda: False,
    note: Callable[[str], None] = lambda text: None,
) -> dict[tuple[str, str], MatchResult] | None:
    """Returns the result of every pair of labels, None if it was stopped before the end.

    Args:
        plan: What to play.
        progress: Called several times a second with the games that this call plays.
        stopping: Whether to stop after the tasks that are being played.
        note: Shows a line.

    Raises:
        PlayerError: A player cannot be made.
        IllegalMoveError, ExternalPlayerError: A player failed; the games of the finished tasks are
            kept.
        StoreError: Results cannot be kept.
    """
    config, players = plan.tournament.config, plan.tournament.players
    if not config.resume:
        forget(plan)
    spec, finished = config.game.make().spec, dict[Task, PlayedGames]()
    stores = {pair: Store(path, own) for pair, (path, own) in _files(plan).items()}
    for pair, store in stores.items():
        for (first, last), text in store.finished():
            finished[Task(*pair, first, last)] = PlayedGames.of_arrays(as_arrays(text))
    left = [task for task in plan.tasks if task not in finished]
    games, total = (
        games_per_deck(spec) * sum(task.last - task.first for task in tasks)
        for tasks in (left, plan.tasks)
    )
    if finished:
        note(f"continuing: {total - games:,} of {total:,} games were finished before")
    watched = Watched(plan, spec)
    watched.add(finished)
    if not watched.is_decided:
        count = partial(_report, progress, games)
        with closing(
            run_units(
                partial(TaskWorker, plan), left, _processes(plan), config.cluster, count, stopping
            )
        ) as played:
            for k, result in played:
                finished[left[k]] = result
                stores[left[k].pair].add([left[k].first, left[k].last], as_text(result.as_arrays()))
                watched.add(finished)
                if watched.is_decided:
                    break
    if not watched.is_decided and any(task not in finished for task in plan.tasks):
        return None
    tasks = plan.tasks[: watched.num_tasks] if watched.is_decided else plan.tasks
    results = {}
    for pair in dict.fromkeys(task.pair for task in tasks):
        parts = joined_games([finished[task] for task in tasks if task.pair == pair])
        result = summary(spec, (players[pair[0]].name, players[pair[1]].name), parts)
        results[pair] = replace(result, sequential=watched.result)
    return results


def _report(progress: Progress, total: int, done: int) -> None:
    progress("playing", done, total, "games")


def _files(plan: Plan) -> dict[tuple[str, str], tuple[Path, dict[str, Any]]]:
    """Returns the file of each pair, and the identity that names it."""
    folder, found = Path(plan.tournament.config.unfinished), {}
    for pair in dict.fromkeys(task.pair for task in plan.tasks):
        own = identity(plan, pair)
        name = hashlib.sha256(json.dumps(own, sort_keys=True).encode()).hexdigest()[:24]
        found[pair] = folder / f"{name}.jsonl", own
    return found


def forget(plan: Plan) -> None:
    """Removes the finished tasks from disk, once their results are where they belong."""
    for path, _ in _files(plan).values():
        path.unlink(missing_ok=True)


def _processes(plan: Plan) -> int:
    """Returns the number of processes: one for each core, one for a GPU, where the configuration
    names none.
    """
    config = plan.tournament.config
    if config.processes:
        return config.processes
    return 1 if choose_device(config.device).type == "cuda" else num_cores()
