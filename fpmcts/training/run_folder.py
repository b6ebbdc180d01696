"""The folder of a run: its resolved configuration, its checkpoints, and a lock against a second
writer.
"""

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from omegaconf import OmegaConf

from fpmcts.training.interface import RunConfig, Saved
from games.base.files import sweep, write
from games.base.settings import InputError, flatten_config
from games.base.system import Lock
from networks.checkpoint import (
    CHECKPOINT,
    NETWORKS,
    PREVIOUS,
    CheckpointError,
    load,
    present_keys,
    save,
)

CONFIG, LOCK = "config.yaml", "lock"
VERSION = 2
"""Version of run folders; a run of another version cannot be resumed."""
SAVE_SHARE = 0.1
"""Maximum share of the run's time for writing checkpoints, if they are large and steps are
short.
"""
MAY_CHANGE = (
    "run_dir",
    "resume",
    "device",
    "threads",
    "budget.",
    "evaluation.",
    "precision",
    "remembered",
    "selfplay.lanes",
    "cluster.",
)
"""Keys that may differ when a run is resumed; other changes are refused, since the run would no
longer be a single experiment.
"""
LASTS = ("cluster.lag",)
"""Exceptions to ``MAY_CHANGE``: keys that must not differ."""
BEGINNING = "init_from"
"""Key of the checkpoint that a run starts from; a command that resumes the run may omit it."""


class RunFolderError(InputError):
    """A run folder that cannot be used; the message says which and why."""


class RunFolder(AbstractContextManager["RunFolder"]):
    """A run folder. As a context manager it is locked against a second writer.

    A folder in which no run has started (``begin``, ``save``) is left unchanged, so that a command
    that fails at its start can be corrected and repeated.

    Attributes:
        path: The folder.
        config: The configuration of the run, with ``run_dir`` and ``init_from`` filled in.
        notes: Messages of ``load`` to the user.
    """

    def __init__(self, path: Path, config: RunConfig, lock: Lock, is_new: bool) -> None:
        self.path, self.config, self._lock, self._is_new = path, config, lock, is_new
        self.notes: list[str] = []
        self._previous_is_better = False
        self._last_saved, self._save_seconds = time.monotonic(), 0.0
        self._left: tuple[int, int] | None = None

    @classmethod
    def open(cls, config: RunConfig) -> Self:
        """Returns the folder of a run, created if missing, and locked until ``close``.

        Raises:
            RunFolderError: The folder cannot be written, is in use, or holds something else, a run
                of another version, or one that ``resume=false`` must not overwrite.
        """
        path = Path(config.run_dir or f"runs/{config.run_name()}")
        config = replace(config, run_dir=str(path))
        lock = _locked(path)
        is_new = not (path / CONFIG).exists() and not (path / CHECKPOINT).exists()
        folder = cls(path, config, lock, is_new)
        try:
            with _refusals(path):
                sweep(path)
            if not folder._is_new:
                folder._resume()
        except BaseException:
            folder.close()
            raise
        return folder

    def _resume(self) -> None:
        """Compares the configuration with that of the existing run."""
        path, there = self.path, self.path / CONFIG
        if not self.config.resume:
            raise RunFolderError(
                f"run_dir={path}: already holds a run, and resume=false; give another run_dir or "
                "remove it"
            )
        if there.exists():
            values = dict(_read_yaml(there))
            self._check_version(values.pop("version", 1))
            try:
                old = type(self.config).parse(present_keys(values))
            except ValueError as error:
                raise RunFolderError(
                    f"run_dir={path}: holds a different kind of run ({error}); give another run_dir"
                ) from error
            if getattr(self.config, BEGINNING, "") is None:
                self.config = replace(self.config, **{BEGINNING: getattr(old, BEGINNING)})
            _check_same_run(path, old, self.config)

    def _check_version(self, version: object) -> None:
        """Raises RunFolderError if another version started the run."""
        if version != VERSION:
            networks = self.path / NETWORKS
            weights = (
                f"; to start a new run from its weights, set init_from={networks}"
                if networks.exists()
                else ""
            )
            raise RunFolderError(
                f"run_dir={self.path}: was started by another version of fpmcts, and only that "
                "version can resume it; give another "
                f"run_dir{weights}"
            )

    def begin(self) -> None:
        """Writes the configuration of a new run: from now on it can be resumed."""
        if not self._is_new:
            return
        values = OmegaConf.create({"version": VERSION} | self.config.as_dict())
        with _refusals(self.path):
            write(self.path / CONFIG, OmegaConf.to_yaml(values))
        self._is_new = False

    def close(self) -> None:
        """Releases the lock; leaves nothing behind if no run has started."""
        self._left = self._checkpoint()
        self._lock.close()

    def __enter__(self) -> Self:
        """Locks the folder again after ``close``.

        Raises:
            RunFolderError: Another process is using the folder, or has used it since.
        """
        if self._lock.file.closed:
            self._lock, left = _locked(self.path), self._left
            if self._checkpoint() != left:
                self.close()
                raise RunFolderError(
                    f"run_dir={self.path}: another process has trained this run since; "
                    "create the Run again"
                )
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _checkpoint(self) -> tuple[int, int] | None:
        """Returns the identity of the last checkpoint's file, None if there is none."""
        try:
            found = (self.path / CHECKPOINT).stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns

    def load(self) -> Saved | None:
        """Returns the last good checkpoint, None if the run has none yet. Writes its networks
        beside it if they are missing.

        Raises:
            CheckpointError: Both it and the previous one are damaged, or the networks cannot be
                written.
            RunFolderError: It is of another version.
        """
        latest, previous = self.path / CHECKPOINT, self.path / PREVIOUS
        if not latest.exists() and not previous.exists():
            return None
        try:  # the latest is missing if the run was stopped while replacing it
            saved = Saved(*load(latest if latest.exists() else previous))
        except CheckpointError as error:
            try:
                saved = Saved(*load(previous))
            except CheckpointError:
                raise error from None
            self._previous_is_better = True
            self.notes.append(f"{error}; resuming from the one before it, {PREVIOUS}")
        self._check_version(saved.meta.get("version", 1))
        self._mend_networks(saved)
        return saved

    def _mend_networks(self, saved: Saved) -> None:
        """Rewrites the networks of a checkpoint if those in the folder are damaged or of another
        step, after a stop between files.
        """
        if not _networks(saved):
            return
        try:
            if load(self.path / NETWORKS)[1] == saved.meta:
                return
        except CheckpointError:
            pass
        save(self.path / NETWORKS, _networks(saved), saved.meta)

    def is_save_due(self, seconds: float = 0.0) -> bool:
        """Returns whether the last checkpoint is ``seconds`` old, and another one stays within
        ``SAVE_SHARE`` of the time.
        """
        return time.monotonic() - self._last_saved >= max(seconds, self._save_seconds / SAVE_SHARE)

    def save(self, saved: Saved) -> None:
        """Writes a checkpoint; at every moment at least one complete file exists.

        Raises:
            CheckpointError, RunFolderError: It cannot be written; the previous one is intact.
        """
        self.begin()
        started = time.monotonic()
        latest, previous = self.path / CHECKPOINT, self.path / PREVIOUS
        temporary = self.path / f".{CHECKPOINT}.partial"
        meta = saved.meta | {"version": VERSION}
        with _refusals(self.path):
            try:
                save(temporary, saved.arrays, meta)
                if latest.exists() and not self._previous_is_better:
                    os.replace(latest, previous)
                os.replace(temporary, latest)
            finally:
                temporary.unlink(missing_ok=True)
        self._previous_is_better = False
        if _networks(saved):
            save(self.path / NETWORKS, _networks(saved), meta)
        self._last_saved = time.monotonic()
        self._save_seconds = self._last_saved - started


def _locked(path: Path) -> Lock:
    """Returns the lock of a run folder. Raises RunFolderError."""
    with _refusals(path):
        try:
            return Lock(path / LOCK)
        except BlockingIOError as error:
            raise RunFolderError(
                f"run_dir={path}: another run is training in it; give another run_dir"
            ) from error


@contextmanager
def _refusals(path: Path) -> Iterator[None]:
    """Turns errors of the system into RunFolderError."""
    try:
        yield
    except OSError as error:
        raise RunFolderError(
            f"run_dir={path}: cannot be written ({error.strerror}); give another run_dir"
        ) from error


def _networks(saved: Saved) -> dict[str, np.ndarray]:
    """Returns only the arrays of the networks."""
    return {
        name: array
        for name, array in saved.arrays.items()
        if name.startswith(("network.", "filter."))
    }


def keys_of(folder: Path) -> dict[str, Any]:
    """Returns the keys of the run in a folder, nested, and only those with a name (``game``,
    ``algorithm``) if it is of another version; {} if there is no run.
    """
    try:
        read = _read_yaml(folder / CONFIG) if (folder / CONFIG).is_file() else {}
        values = present_keys(read)
    except ValueError as error:
        raise RunFolderError(f"run_dir={folder}: {error}") from error
    named = {key: own for key, own in values.items() if isinstance(own, dict) and "name" in own}
    return values if values.pop("version", 1) == VERSION and "game" in named else named


def may_change(key: str, more: tuple[str, ...] = ()) -> bool:
    """Returns whether a key may differ when a run is resumed; ``more``: further keys that may."""
    return key not in LASTS and key.startswith(MAY_CHANGE + more)


def other_run(path: object, key: str, before: object, value: object) -> RunFolderError:
    """Returns the error for a key whose value differs from that of the run's start."""
    return RunFolderError(
        f"run_dir={path}: was started with {key}={before}, not {value}; drop the change or give "
        "another run_dir"
    )


def _read_yaml(path: Path) -> Mapping[str, object]:
    try:
        values = OmegaConf.to_container(OmegaConf.load(path))
    except Exception as error:  # the YAML library raises many types
        raise RunFolderError(f"{path}: cannot be read as YAML ({error})") from error
    if not isinstance(values, dict):
        raise RunFolderError(f"{path}: expected a mapping of keys")
    return {str(key): value for key, value in values.items()}


def _leaves(config: RunConfig) -> Iterator[tuple[str, object]]:
    """Yields all keys and values of a configuration, those of groups without a schema
    (``algorithm``) one by one.
    """
    for key, value in flatten_config(config):
        if isinstance(value, Mapping):
            yield from ((f"{key}.{name}", own) for name, own in value.items())
        else:
            yield key, value


def _check_same_run(path: Path, old: RunConfig, new: RunConfig) -> None:
    """Raises RunFolderError, which names the first key whose value differs from that of the run's
    start.
    """
    before = dict(_leaves(old))
    for key, value in _leaves(new):
        if not may_change(key, new.may_change) and before.get(key) != value:
            raise other_run(path, key, before.get(key), value)
