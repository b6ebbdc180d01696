"""Files are there whole or not at all, and one process at a time holds a lock."""

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from games.base.files import replacing, sweep, write
from games.base.system import Lock


def full(*arguments: Any, **options: Any) -> Any:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("call", ["os.fsync", "os.replace", "pathlib.Path.write_bytes"])
def test_a_full_disk_leaves_the_old_file_and_no_other(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "file", "old")
    monkeypatch.setattr(call, full)
    with pytest.raises(OSError, match=r"No space left on device: '.*/file'"):
        write(tmp_path / "file", "new")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "old"


def test_two_writers_of_one_file_do_not_mix(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with replacing(path) as one, replacing(path) as other:
        one.write_text("one")
        other.write_text("other")
    assert path.read_text() == "one" and list(tmp_path.iterdir()) == [path]


def test_what_killed_writers_left_is_removed(tmp_path: Path) -> None:
    for name in (".file.0a1b2c3d.partial", ".tmpAb12Cd", ".mine", "file", "lock"):
        (tmp_path / name).touch()
    sweep(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {".mine", "file", "lock"}


def test_a_lock_is_held_once_and_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "lock"
    for _ in range(2):
        lock = Lock(path)
        with pytest.raises(BlockingIOError):
            Lock(path)
        lock.close()
        assert not list(tmp_path.iterdir())
    kept = Lock(path)
    kept.file.write(b"kept")
    kept.close(remove=False)
    Lock(path).close(remove=False)
    assert path.read_bytes() == b"kept"
