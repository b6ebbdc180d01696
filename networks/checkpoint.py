"""Checkpoints: arrays and JSON metadata in a file, written atomically, read without running code.

The file is a plain safetensors file. Its header carries the metadata as JSON text and a SHA-256
over metadata and arrays, so a truncated, damaged or foreign file is recognised. A new file replaces
the old one in a single step after it has reached the disk: if saving fails at any point, the
previous checkpoint stays readable.

This module does not import torch (130 MB of memory), since tabular runs do not need it;
``networks/weights.py`` turns networks into arrays.
"""

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import load as load_bytes
from safetensors.numpy import save_file

from games.base.files import ROOT, replacing, shipped
from games.base.settings import InputError, build

FORMAT = "fpmcts-1"

CHECKPOINT = "checkpoint.safetensors"
PREVIOUS = "checkpoint.previous.safetensors"
NETWORKS = "networks.safetensors"
"""The files of a run: its full state, now and before the last step, and its networks only."""

FORMER_NAMES = {("value_head", "win_bombs"): "win_stakes", ("root", "gumbel"): "puct"}
"""Present names of values of former versions, by metadata key and value."""

ANY = object()
FORMER_KEYS: dict[str, dict[str, object]] = {
    "inference": {"others": "ours", "history": 0},
    "search": {"considered": ANY, "gumbel_noise": ANY},
    "cluster": dict.fromkeys(
        ("in_flight", "unit_seconds", "start_seconds", "object_store_mb"), ANY
    ),
    "selfplay": {"unit_games": ANY, "posterior": True, "temperature_start": 1.0},
}
"""Keys of former versions with their default, the only value that is still supported, or ANY if
results do not depend on the key, by group of settings.
"""

TYPES = frozenset("BOOL U8 I8 U16 I16 U32 I32 U64 I64 F16 F32 F64".split())
"""Types of arrays; safetensors has more, which numpy lacks."""

_held: dict[Path, bytes] = {}

Arrays = dict[str, np.ndarray]
Entry = TypeVar("Entry")
Settings = TypeVar("Settings")


class CheckpointError(InputError):
    """A checkpoint cannot be written, read or used; the message is one line that names it and the
    reason.
    """


def save(path: Path | str, arrays: Mapping[str, np.ndarray], meta: Mapping[str, Any]) -> None:
    """Writes a checkpoint, replacing ``path`` atomically.

    Args:
        path: The file; its folder must exist.
        arrays: Arrays of any shape and of boolean, integer or floating type.
        meta: Metadata that JSON can hold: counters, the resolved configuration, the code version,
            the game, network shapes, states of random streams as integers of any size.

    Raises:
        CheckpointError: The file cannot be written (full disk, read-only folder, ...). The file at
            ``path`` is unchanged.
    """
    path = Path(path)
    dense = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    text = json.dumps(meta, sort_keys=True, allow_nan=False)
    header = {"format": FORMAT, "meta": text, "sha256": _digest(dense, text)}
    try:
        with replacing(path) as temporary:
            save_file(dense, temporary, header)
    except (OSError, SafetensorError) as error:
        raise CheckpointError(
            f"cannot write checkpoint {path}: {error}; the previous file, if any, is intact"
        ) from error


def load(path: Path | str) -> tuple[Arrays, dict[str, Any]]:
    """Returns the arrays and the metadata of a checkpoint.

    Raises:
        CheckpointError: The file is missing, unreadable, truncated, damaged, or not a checkpoint of
            this program.
    """
    arrays, header = read_tensors(path, FORMAT, {"meta", "sha256"})
    if _digest(arrays, header["meta"]) != header["sha256"]:
        raise CheckpointError(f"{path} is damaged: its contents do not match its checksum")
    return arrays, parse_meta(header["meta"], path)


def file_of(path: Path | str, *names: str) -> Path:
    """Returns the file of what a run has learned: the path itself or, in a folder, the first of
    ``names`` that is there, else the first of them.

    ``models/…`` means the files that come with the project, unless the current folder has such a
    file.
    """
    path = Path(path)
    if not path.exists() and path.parts[:1] == ("models",):
        path = shipped("models").joinpath(*path.parts[1:])
    if not path.is_dir():
        return path
    return path / next((name for name in names if (path / name).exists()), names[0])


@contextmanager
def holding(files: Mapping[Path, bytes]) -> Iterator[None]:
    """Within the block, this process reads these files from the given contents, whatever has become
    of them on disk; so results come from the bytes by which they are named.

    Args:
        files: Contents by path.
    """
    global _held
    before, _held = _held, {_key(path): data for path, data in files.items()}
    try:
        yield
    finally:
        _held = before


def _key(path: Path) -> Path:
    """Returns a path that is the same on every machine of a cluster for files of the project."""
    path = path.absolute()
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


def is_there(path: Path) -> bool:
    """Returns whether there is a file to read: held (see ``holding``) or on disk."""
    return _key(path) in _held or path.is_file()  # a pipe or a device would be read forever


def read_tensors(
    path: Path | str, form: str, keys: Collection[str] = ()
) -> tuple[Arrays, dict[str, str]]:
    """Returns the arrays and the texts of a safetensors file.

    Args:
        path: The file.
        form: Required value of ``format`` in its header.
        keys: Further texts that it must have.

    Raises:
        CheckpointError: The file is missing, unreadable, truncated, damaged, or of another form.
    """
    path = Path(path)
    try:
        if path.exists() and not path.is_file():  # a pipe would block, a device never end
            raise CheckpointError(f"{path} is not a file; expected a checkpoint")
        if (data := _held.get(_key(path))) is not None:
            entries = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
            header = entries.pop("__metadata__", {})
            _check(path, form, keys, header, {name: e["dtype"] for name, e in entries.items()})
            return load_bytes(data), header
        with safe_open(path, framework="numpy") as file:
            header, names = file.metadata() or {}, file.keys()
            kinds = {name: file.get_slice(name).get_dtype() for name in names}
            _check(path, form, keys, header, kinds)
            return {name: file.get_tensor(name) for name in names}, header
    except CheckpointError:
        raise
    except FileNotFoundError as error:
        raise CheckpointError(f"there is no checkpoint at {path}") from error
    except OSError as error:
        raise CheckpointError(f"cannot read checkpoint {path}: {error}") from error
    except (SafetensorError, ValueError, KeyError, TypeError, AttributeError) as error:
        # numpy has no arrays of some shapes; a header may be any JSON
        raise CheckpointError(f"{path}: truncated, damaged or not a checkpoint: {error}") from error


def _check(
    path: Path,
    form: str,
    keys: Collection[str],
    header: Mapping[str, str],
    kinds: Mapping[str, str],
) -> None:
    """Raises CheckpointError unless a file has the form, the texts and types that can be read."""
    if header.get("format") != form or not header.keys() >= set(keys):
        raise CheckpointError(
            f"{path} is not a checkpoint of this program: its header has no {form!r}"
        )
    for name, kind in kinds.items():
        if kind not in TYPES:
            raise CheckpointError(
                f"{path}: {name} is of type {kind}; expected one of {', '.join(sorted(TYPES))}"
            )


def entry(meta: Mapping[str, Any], key: str, kind: type[Entry], path: Path | str) -> Entry:
    """Returns the value of a checkpoint's metadata at a key such as ``config.network``.

    Raises:
        CheckpointError: The value is missing or has another type.
    """
    found: Any = meta
    for name in key.split("."):
        found = found.get(name) if isinstance(found, dict) else None
    if not isinstance(found, kind):
        had = "nothing" if found is None else f"a value of type {type(found).__name__}"
        raise CheckpointError(
            f"{path}: its metadata have {had} at {key}; expected one of type {kind.__name__}"
        )
    return found


def parse_meta(text: str, path: Path | str) -> dict[str, Any]:
    """Returns metadata, by their present names, from their text. Raises CheckpointError if it is
    not a JSON object.
    """
    try:
        meta = _with_present_names(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise CheckpointError(f"{path}: its metadata are not JSON ({error})") from error
    if not isinstance(meta, dict):
        raise CheckpointError(f"{path}: its metadata are not a JSON object")
    return meta


@contextmanager
def naming(path: Path | str, advice: str = "") -> Iterator[None]:
    """Turns errors from the contents of an intact checkpoint of another version into a
    CheckpointError that names the file, with advice at its end.
    """
    try:
        yield
    except KeyError as error:
        raise CheckpointError(f"{path} cannot be used: it has no {error}{advice}") from error
    except (ValueError, TypeError) as error:
        raise CheckpointError(f"{path} cannot be used: {error}{advice}") from error


def _with_present_names(meta: Any) -> Any:
    """Returns metadata with the names of former versions replaced by the present ones."""
    if not isinstance(meta, dict):
        return meta
    return {
        key: FORMER_NAMES.get((key, value), value)
        if isinstance(value, str)
        else _with_present_names(value)
        for key, value in meta.items()
    }


def check_compatible(meta: Mapping[str, Any], **expected: Any) -> None:
    """Checks metadata against expected values, for example ``game="doudizhu", network={"channels":
    48}``.

    Keys of ``meta`` that are not expected are ignored, within mappings too.

    Raises:
        CheckpointError: Naming every key that differs, with both values.
    """
    differences = list(_differences(meta, expected, ""))
    if differences:
        raise CheckpointError(f"the checkpoint does not fit: {'; '.join(differences)}")


def settings_of(schema: type[Settings], values: object, name: str) -> Settings:
    """Returns settings, a dataclass, from the metadata of a checkpoint.

    Raises:
        CheckpointError: A key is unknown, as in the checkpoint of a later version, or a value is
            not allowed, or no longer.
    """
    if not isinstance(values, dict):
        raise CheckpointError(
            f"the checkpoint does not fit this version: {name} is not a group of keys"
        )
    try:
        settings: Settings = build(schema, present_keys(values, name), f"{name}.")
    except ValueError as error:
        raise CheckpointError(f"the checkpoint does not fit this version: {error}") from error
    return settings


def present_keys(values: Mapping[str, Any], name: str = "") -> dict[str, Any]:
    """Returns a stored group of settings, or a whole configuration, without keys of former
    versions. Raises ValueError if one has a value that is no longer supported.
    """
    kept, former = {}, FORMER_KEYS.get(name, {})
    for key, value in values.items():
        if key not in former:
            is_group = not name and isinstance(value, Mapping)
            kept[key] = present_keys(value, key) if is_group else value
        elif former[key] not in (ANY, value):
            raise ValueError(f"{name}.{key}={value} is no longer supported")
    return kept


def _digest(arrays: Mapping[str, np.ndarray], text: str) -> str:
    """Returns the SHA-256 of metadata and arrays: names, types, shapes and contents."""
    digest = hashlib.sha256(text.encode())
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"\0{name}\0{array.dtype.str}\0{array.shape}\0".encode())
        digest.update(array.data if array.size else b"")
    return digest.hexdigest()


def _differences(found: Any, expected: Any, name: str) -> Iterator[str]:
    """Yields a text for every leaf of ``expected`` that differs. A switch that ``found`` lacks was
    added since, and is off.
    """
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        for key, value in expected.items():
            yield from _differences(found.get(key), value, f"{name}.{key}" if name else str(key))
    elif found != expected and not (found is None and expected is False):
        yield f"{name} is {found!r}, expected {expected!r}"
