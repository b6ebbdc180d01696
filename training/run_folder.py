"""The folder of a run: its resolved configuration, its checkpoints, and a lock against a second writer."""

import fcntl
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Generic, Protocol, Self, TypeVar

import numpy as np
from omegaconf import OmegaConf

from networks.checkpoint import CHECKPOINT, NETWORKS, PREVIOUS, load, save
from runtime.settings import ConfigError, flatten_config

CONFIG = "config.yaml"
SAVE_SHARE = 0.1
"""Of the time for checkpoints, where they are large and steps are short."""
MAY_CHANGE = ("run_dir", "resume", "device", "threads", "budget.", "evaluation.", "precision", "init_from")
"""Keys that a resumed run may give anew; any other difference is refused, since the run would no longer be one experiment."""


class RunConfig(Protocol):
    """What the folder asks of the configuration of a run, a frozen dataclass."""

    @property
    def run_dir(self) -> str | None:
        """The folder that was asked for."""
        ...

    @property
    def resume(self) -> bool:
        """Whether an existing run is continued."""
        ...

    def run_name(self) -> str:
        """Returns the name of the folder where none was asked for."""
        ...

    def as_dict(self) -> dict[str, Any]:
        """Returns all keys for YAML."""
        ...


Config = TypeVar("Config", bound=RunConfig)


class RunFolderError(RuntimeError):
    """A run folder that cannot be used; the message says which and why."""


@dataclass
class Saved:
    """A checkpoint: named arrays and metadata."""

    arrays: dict[str, np.ndarray]
    meta: dict[str, Any]


class RunFolder(Generic[Config]):
    """An open run folder. Use as a context manager; the lock is released at the end.

    Attributes:
        path: The folder.
        config: The configuration of the run, ``run_dir`` filled in.
    """

    def __init__(self, path: Path, config: Config, lock: IO[str]) -> None:
        self.path, self.config, self._lock = path, config, lock
        self._last_saved, self._save_seconds = time.monotonic(), 0.0

    @classmethod
    def open(cls, config: Config, parse: Callable[[Mapping[str, Any]], Config]) -> Self:
        """Returns the folder of a run, made if it is not there.

        Args:
            config: Of the run.
            parse: Makes a configuration from the keys that a file holds.

        Raises:
            RunFolderError: It cannot be written, is in use, holds something else, or a run that ``resume=false`` must not
            overwrite.
        """
        path = Path(config.run_dir or f"runs/{config.run_name()}")
        config = replace(config, run_dir=str(path))  # type: ignore[type-var]
        try:
            path.mkdir(parents=True, exist_ok=True)
            lock = (path / "lock").open("w")
        except OSError as error:
            raise RunFolderError(f"run_dir={path}: cannot be written ({error.strerror}); give another run_dir") from error
        try:
            cls._claim(path, config, parse, lock)
        except BaseException:
            lock.close()
            raise
        return cls(path, config, lock)

    @staticmethod
    def _claim(path: Path, config: Config, parse: Callable[[Mapping[str, Any]], Config], lock: IO[str]) -> None:
        """Takes the lock, and writes the configuration of a new run or compares it with that of an old one."""
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise RunFolderError(f"run_dir={path}: another process is training in it") from error
        there = path / CONFIG
        if there.exists() or (path / CHECKPOINT).exists():
            if not config.resume:
                raise RunFolderError(f"run_dir={path}: holds a run already, and resume=false; give another run_dir or remove it")
            if there.exists():
                try:
                    old = parse(_read_yaml(there))
                except ConfigError as error:
                    raise RunFolderError(f"run_dir={path}: holds another kind of run ({error}); give another run_dir") from error
                _check_same_run(path, old, config)
            return
        temporary = path / (CONFIG + ".tmp")
        try:
            temporary.write_text(OmegaConf.to_yaml(OmegaConf.create(config.as_dict())))
            os.replace(temporary, there)
        except OSError as error:
            raise RunFolderError(f"run_dir={path}: cannot be written ({error.strerror}); give another run_dir") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self._lock.close()

    def load(self) -> Saved | None:
        """Returns the last good checkpoint, None if the run has none yet.

        Raises:
            CheckpointError: There is one, but neither it nor the one before it is whole.
        """
        latest, previous = self.path / CHECKPOINT, self.path / PREVIOUS
        if not latest.exists() and not previous.exists():
            return None
        if not latest.exists():
            return Saved(*load(previous))
        return Saved(*load(latest))

    def is_save_due(self, seconds: float = 0.0) -> bool:
        """Returns whether the last checkpoint is so many seconds old, and another would keep to ``SAVE_SHARE`` of the time."""
        return time.monotonic() - self._last_saved >= max(seconds, self._save_seconds / SAVE_SHARE)

    def save(self, saved: Saved) -> None:
        """Writes a checkpoint; at every moment at least one whole file is there.

        Raises:
            CheckpointError: It cannot be written; the one before is intact.
        """
        started = time.monotonic()
        latest, previous = self.path / CHECKPOINT, self.path / PREVIOUS
        temporary = self.path / (CHECKPOINT + ".new")
        save(temporary, saved.arrays, saved.meta)
        if latest.exists():
            os.replace(latest, previous)
        os.replace(temporary, latest)
        networks = {name: array for name, array in saved.arrays.items() if name.startswith(("network.", "filter."))}
        if networks:
            save(self.path / NETWORKS, networks, saved.meta)
        self._last_saved = time.monotonic()
        self._save_seconds = self._last_saved - started


def _read_yaml(path: Path) -> Mapping[str, Any]:
    try:
        values = OmegaConf.to_container(OmegaConf.load(path))
    except Exception as error:  # the YAML library raises many types
        raise RunFolderError(f"{path}: cannot be read as YAML ({error})") from error
    if not isinstance(values, dict):
        raise RunFolderError(f"{path}: expected a mapping of keys")
    return {str(key): value for key, value in values.items()}


def _check_same_run(path: Path, old: RunConfig, new: RunConfig) -> None:
    """Raises RunFolderError naming the first key in which a resumed run differs from its beginning."""
    before = dict(flatten_config(old))
    for key, value in flatten_config(new):
        if not key.startswith(MAY_CHANGE) and before[key] != value:
            raise RunFolderError(
                f"run_dir={path}: was started with {key}={before[key]}, not {value}; drop the change or give another run_dir"
            )


