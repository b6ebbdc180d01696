"""What an interrupted tournament has finished: the games of its tasks on disk, with checksums."""

import hashlib
import io
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from agents.match_search import FOLDER
from agents.players import Entrant
from evaluation.match import PlayedGames, Usage
from evaluation.plan import Plan, Task
from games.interface import Records
from games.kernels import sources_digest

DIGEST_SIZE = hashlib.sha256().digest_size


class TournamentError(RuntimeError):
    """A tournament that cannot go on; the message says which match and why. What was finished is kept."""


class KeptGames:
    """Finished tasks on disk, one folder per pair, named by everything that its games depend on.

    Args:
        folder: Holds all pairs.
        plan: The tasks.
    """

    def __init__(self, folder: Path, plan: Plan) -> None:
        self.plan = plan
        self._folders = {(task.a, task.b): folder / _identity(plan, task.a, task.b) for task in plan.tasks if task.first == 0}

    def names(self) -> list[str]:
        """Returns the names of the folders, in the order of the pairs."""
        return [folder.name for folder in self._folders.values()]

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
            with self.refusals(folder.parent):
                folder.mkdir(parents=True, exist_ok=True)
                probe = folder / ".writable"
                probe.touch()
                probe.unlink()

    def save(self, task: Task, games: PlayedGames) -> None:
        """Keeps the games of a task, with a checksum before them. Raises TournamentError where the disk refuses."""
        path, data = self._file(task), io.BytesIO()
        np.savez(data, allow_pickle=False, **_pack(games))
        with self.refusals(path.parent.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary = path.with_suffix(".partial")
            temporary.write_bytes(hashlib.sha256(data.getvalue()).digest() + data.getvalue())
            os.replace(temporary, path)

    @staticmethod
    @contextmanager
    def refusals(folder: Path) -> Iterator[None]:
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
    config, players = plan.tournament.config, plan.players

    def describe(label: str) -> dict[str, Any]:
        player: Entrant = players[label]
        values = player.options.as_dict()
        for option in {"checkpoint", "run"} & values.keys():
            path = player.options.file(config.game.name)
            assert path is not None
            values[option] = hashlib.sha256(path.read_bytes()).hexdigest()
        return {"kind": player.kind, **values, "needs": [describe(other) for other in player.options.needs()]}

    digest = hashlib.sha256()
    searches = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.yaml")}
    facts = [sources_digest(), searches, config.game.as_dict(), config.seed, config.device, config.aivat]
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
        **({} if games.luck is None else {"luck": games.luck}),
    }


def _unpack(arrays: Any) -> PlayedGames:
    """Returns the games in named arrays."""
    usage = [Usage(float(seconds), int(decisions), int(forced)) for seconds, decisions, forced in arrays["usage"]]
    records = Records(arrays["moves"], arrays["lengths"])
    luck = arrays["luck"] if "luck" in arrays else None
    return PlayedGames(arrays["seating"], arrays["returns"], arrays["last_seats"], records, usage, luck)
