"""Systems other than Linux: nothing asks for what macOS lacks, and Windows is refused in a
sentence.
"""

import re
import runpy
import subprocess
import sys

import pytest

from games.base.files import ROOT

LACKING = {
    "os": (
        *("sched_getaffinity", "sched_setaffinity", "posix_fadvise", "posix_fallocate"),
        *("eventfd", "memfd_create", "pidfd_open", "copy_file_range", "splice", "getrandom"),
    ),
    "mmap": ("MADV_HUGEPAGE",),
    "select": ("epoll",),
    "signal": ("sigtimedwait", "pidfd_send_signal"),
    "time": ("CLOCK_BOOTTIME",),
}
"""Names of the standard library that Linux has and macOS has not."""
EVERYTHING = f"""
import importlib, pkgutil, sys
for module, names in {LACKING}.items():
    for name in names:
        vars(importlib.import_module(module)).pop(name, None)
for package in map(importlib.import_module, ("games", "networks", "inference", "fpmcts")):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:  # an extra
            assert error.name.split(".")[0] not in ("games", "networks", "inference", "fpmcts")
from games.base.system import num_cores
assert num_cores() >= 1
"""


@pytest.mark.slow
def test_everything_imports_without_what_macos_lacks() -> None:
    done = subprocess.run(
        [sys.executable, "-c", EVERYTHING], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_what_systems_lack_is_asked_for_in_one_place() -> None:
    names = re.compile(r"\bfcntl\b|sched_getaffinity")
    asking = [
        str(path.relative_to(ROOT))
        for package in ("games", "networks", "inference", "fpmcts")
        for path in (ROOT / package).rglob("*.py")
        if names.search(path.read_text())
    ]
    assert asking == ["games/base/system.py"]


def test_windows_is_refused_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(SystemExit, match="^fpmcts runs on Linux and macOS; on Windows, .* WSL$"):
        runpy.run_path(str(ROOT / "games" / "__init__.py"))
