"""Tournaments: every pair of players over duplicate decks, in several processes, continued after an interruption.

    pairs ─▶ tasks (some decks of one pair) ─▶ workers ─▶ finished tasks on disk ─▶ MatchResult per pair

A task is the unit of work and of what is kept: its games are played in lock-step in one process, and written to disk once all of
them are over. Tasks and their random numbers depend on the configuration alone, so the results are the same with any number of
processes, and after any interruption. What is kept belongs to one pair under one version of the code; it is removed when the
tournament is complete.
"""

import hashlib
import io
import json
import os
import shutil
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import combinations
from multiprocessing import active_children, get_context, parent_process
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from typing import Any

import numpy as np
import torch

from agents import match_settings
from agents.agent import Agent
from agents.players import KINDS, LocalBestResponseOptions, Maker, MixOptions, Player, file_of
from evaluation.config import Tournament, make_game
from evaluation.decks import evaluation_decks
from evaluation.duplicate import MatchResult, duplicate_games, games_per_deck, summary
from evaluation.match import PlayedGames, Usage, total_usage
from games.batches import States, num_rows, take
from games.interface import Game, Records, seats_to_move
from games.kernels import LAYERS, Stream, sources_digest, streams
from runtime.device import choose_device
from runtime.memory import Need, check_fits
from runtime.settings import ConfigError

FAST_DECKS, SLOW_DECKS, EXTERNAL_DECKS = 500, 40, 2
"""Decks of a task: enough for full batches of the networks, few enough that an interruption costs little."""
POLL_SECONDS = 0.2
DIGEST_SIZE = hashlib.sha256().digest_size


class TournamentError(RuntimeError):
    """A tournament that cannot go on; the message says which match and why. What was finished is kept."""


@dataclass(frozen=True)
class Task:
    """Decks ``first`` up to but not including ``last`` of the pair of labels ``a`` and ``b``."""

    a: str
    b: str
    first: int
    last: int


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


@dataclass(frozen=True)
class Plan:
    """What a worker has to know.

    Attributes:
        tournament: The configuration.
        decks: One row per deck.
        tasks: In the order in which they are played.
    """

    tournament: Tournament
    decks: States
    tasks: tuple[Task, ...]


def make_plan(tournament: Tournament, game: Game, decks: States | None = None) -> Plan:
    """Returns the tasks of a tournament.

    Args:
        tournament: The configuration.
        game: Its game.
        decks: Given decks; None: those of the seed.
    """
    config = tournament.config
    pairs = list(combinations(tournament.labels, 2))
    asked = tournament.num_decks() if decks is None else num_rows(decks)
    assert asked is not None
    check_fits([Need("decks", asked, asked * _deck_bytes(game, len(pairs)))])
    counts = {pair: asked for pair in pairs}
    if config.slow_decks is not None:
        counts |= {pair: min(config.slow_decks, asked) for pair in pairs if any(_is_slow(tournament, label) for label in pair)}
    tasks = []
    for pair in pairs:
        size = min(_task_decks(tournament, label) for label in pair)
        tasks += [Task(*pair, first, min(first + size, counts[pair])) for first in range(0, counts[pair], size)]
    if decks is None:
        decks = evaluation_decks(game, config.seed, asked)
    return Plan(tournament, decks, tuple(tasks))


def _deck_bytes(game: Game, num_pairs: int) -> int:
    """Returns the bytes of a deck with all its games: two bytes for a move, and the results."""
    spec = game.spec
    deck = sum(array.nbytes for array in game.empty(1))
    return deck + num_pairs * games_per_deck(spec) * (2 * spec.max_moves + 16 * spec.num_seats)


def _kinds(tournament: Tournament, label: str) -> list[str]:
    """Returns the kind of a player, or those of the players in a mix."""
    player = tournament.players[label]
    if isinstance(player.options, MixOptions):
        return [kind for part in player.options.seats for kind in _kinds(tournament, part)]
    return [player.kind]


def _is_slow(tournament: Tournament, label: str) -> bool:
    return any(KINDS[kind].slow for kind in _kinds(tournament, label))


def _task_decks(tournament: Tournament, label: str) -> int:
    if "external" in _kinds(tournament, label):
        return EXTERNAL_DECKS
    return SLOW_DECKS if _is_slow(tournament, label) else FAST_DECKS


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
        self.game = make_game(config)
        lanes = SLOW_DECKS * games_per_deck(self.game.spec)
        rules = config.game_options().get("rules", "")
        self._maker = Maker(self.game, rules, plan.tournament.players, str(device), lanes)
        self._agents: dict[str, Agent] = {}

    def agent(self, label: str) -> Agent:
        """Returns the player of a label."""
        if label not in self._agents:
            agent = self._agents[label] = self._maker.make(label)
            if "external" not in _kinds(self.plan.tournament, label):
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
        seed = int(streams(self.plan.tournament.config.seed, 1, Stream.PLAY, task.first)[0] >> np.uint64(1))
        return duplicate_games(self.game, self.agent(task.a), self.agent(task.b), decks, seed, progress=tell)

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


class Store:
    """Finished tasks on disk, one folder per pair, named by everything that its games depend on.

    Args:
        folder: Holds all pairs.
        plan: The tasks.
    """

    def __init__(self, folder: Path, plan: Plan) -> None:
        self.plan = plan
        self._folders = {
            (task.a, task.b): folder / _identity(plan, task.a, task.b) for task in plan.tasks if task.first == 0
        }

    def _file(self, task: Task) -> Path:
        return self._folders[task.a, task.b] / f"{task.first}-{task.last}.npz"

    def load(self, task: Task) -> PlayedGames | None:
        """Returns the games of a task, None if it is not finished."""
        try:
            content = self._file(task).read_bytes()
        except OSError:
            return None
        digest, data = content[:DIGEST_SIZE], content[DIGEST_SIZE:]
        if hashlib.sha256(data).digest() != digest:
            return None  # damaged: it is played again
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            return _unpack(arrays)

    def check(self) -> None:
        """Raises TournamentError where games could not be kept: better before they are played than after."""
        for folder in self._folders.values():
            with self._refusals(folder.parent):
                folder.mkdir(parents=True, exist_ok=True)
                probe = folder / ".writable"
                probe.touch()
                probe.unlink()

    def save(self, task: Task, games: PlayedGames) -> None:
        """Keeps the games of a task, with a checksum before them. Raises TournamentError where the disk refuses."""
        path, data = self._file(task), io.BytesIO()
        np.savez(data, allow_pickle=False, **_pack(games))
        with self._refusals(path.parent.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary = path.with_suffix(".partial")
            temporary.write_bytes(hashlib.sha256(data.getvalue()).digest() + data.getvalue())
            os.replace(temporary, path)

    @staticmethod
    @contextmanager
    def _refusals(folder: Path) -> Iterator[None]:
        """Turns errors of the system into TournamentError."""
        try:
            yield
        except OSError as error:
            raise TournamentError(f"unfinished={folder}: cannot be written ({error.strerror}); give another folder") from error

    def remove(self) -> None:
        """Forgets all pairs."""
        for folder in self._folders.values():
            shutil.rmtree(folder, ignore_errors=True)


def _identity(plan: Plan, a: str, b: str) -> str:
    """Returns a hash of what the games of a pair depend on: code, rules, decks, seed, and both players with their weights."""
    config, players = plan.tournament.config, plan.tournament.players

    def describe(label: str) -> dict[str, Any]:
        player: Player = players[label]
        values = asdict(player.options)
        for option in {"checkpoint", "run"} & values.keys():
            path = file_of(config.game, player.options)
            assert path is not None
            values[option] = hashlib.sha256(path.read_bytes()).hexdigest()
        if isinstance(player.options, MixOptions):
            values["seats"] = [describe(part) for part in player.options.seats]
        if isinstance(player.options, LocalBestResponseOptions) and player.options.against is not None:
            values["against"] = describe(player.options.against)
        return {"kind": player.kind, **values}

    digest = hashlib.sha256()
    searches = match_settings.file_of(config.game).read_text(encoding="utf-8")
    facts = [sources_digest(*LAYERS), searches, config.game, config.game_options(), config.seed, config.device]
    facts += [describe(a), describe(b)]
    digest.update(json.dumps(facts, sort_keys=True).encode())
    for array in plan.decks:
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()[:24]


def _pack(games: PlayedGames) -> dict[str, np.ndarray]:
    """Returns games as named arrays."""
    longest = int(games.records.lengths.max(initial=0))
    return {
        "seating": games.seating,
        "returns": games.returns,
        "last_seats": games.last_seats,
        "moves": games.records.moves[:, :longest],
        "lengths": games.records.lengths,
        "usage": np.array([[used.seconds, used.decisions, used.forced] for used in games.usage]),
    }


def _unpack(arrays: Any) -> PlayedGames:
    """Returns the games in named arrays."""
    usage = [Usage(float(seconds), int(decisions), int(forced)) for seconds, decisions, forced in arrays["usage"]]
    records = Records(arrays["moves"], arrays["lengths"])
    return PlayedGames(arrays["seating"], arrays["returns"], arrays["last_seats"], records, usage)


def _joined(parts: list[PlayedGames]) -> PlayedGames:
    """Returns the games of several tasks as one."""
    longest = max(int(part.records.lengths.max(initial=0)) for part in parts)
    moves = []
    for part in parts:
        some = part.records.moves[:, :longest]
        moves.append(np.pad(some, ((0, 0), (0, longest - some.shape[1])), constant_values=-1))
    usage = [total_usage(used) for used in zip(*(part.usage for part in parts), strict=True)]
    return PlayedGames(
        np.concatenate([part.seating for part in parts]),
        np.concatenate([part.returns for part in parts]),
        np.concatenate([part.last_seats for part in parts]),
        Records(np.concatenate(moves), np.concatenate([part.records.lengths for part in parts])),
        usage,
    )


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
    game = make_game(config)
    store = Store(Path(config.unfinished), plan)
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

    for task, games in _played(plan, left, count, stopping):
        store.save(task, games)
        finished[task] = games
    if len(finished) < len(plan.tasks):
        return None
    results = {}
    for a, b in dict.fromkeys((task.a, task.b) for task in plan.tasks):
        parts = [finished[task] for task in plan.tasks if (task.a, task.b) == (a, b)]
        results[a, b] = summary(game.spec, (players[a].name, players[b].name), _joined(parts))
    return results


def forget(plan: Plan) -> None:
    """Removes the finished tasks from disk, once their results are where they belong."""
    Store(Path(plan.tournament.config.unfinished), plan).remove()


def _played(
    plan: Plan, tasks: list[Task], count: Callable[[int], None], stopping: Callable[[], bool]
) -> Iterator[tuple[Task, PlayedGames]]:
    """Yields tasks with their games as they end, in this process or in a pool."""
    config = plan.tournament.config
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


def read_given_decks(tournament: Tournament, game: Game) -> States | None:
    """Returns the decks of a file that the configuration names, None where it gives a number.

    Raises:
        ConfigError: There is no such file, or it holds no decks of the game.
    """
    if tournament.num_decks() is not None:
        return None
    path = Path(tournament.config.decks)
    if not path.is_file():
        raise ConfigError(f"decks={path}: expected a number of decks, or a file of decks; there is no such file")
    try:
        return game.read_decks(path)
    except (ValueError, OSError) as error:
        raise ConfigError(f"decks: {error}") from error


