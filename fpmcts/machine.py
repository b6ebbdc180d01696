"""The machine and the commit of measured numbers."""

import platform
import subprocess
from importlib.metadata import version
from pathlib import Path
from typing import Any

from games.base.files import ROOT
from games.base.system import num_cores


def commit() -> str:
    """Returns the commit of this program, with a plus sign if files differ from it; outside a
    checkout the version.
    """
    if (ROOT / ".git").exists():
        words = ["git", "-C", str(ROOT), "describe", "--always", "--exclude=*", "--dirty=+"]
        try:
            return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
        except (OSError, subprocess.CalledProcessError):
            pass  # no git, or no commit
    return version("fpmcts")


def machine() -> dict[str, Any]:
    """Returns the conditions of a measurement: processor, cores, vector instructions, versions."""
    import numba
    import numpy
    import torch

    cpuinfo = Path("/proc/cpuinfo")
    lines = (
        [line.split(":", 1) for line in cpuinfo.read_text().splitlines() if ":" in line]
        if cpuinfo.exists()
        else []
    )
    fields = {key.strip(): value.strip() for key, value in lines}
    flags = fields.get("flags", "").split()
    return {
        "processor": fields.get("model name", platform.processor() or platform.machine()),
        "cores": num_cores(),
        "flags": [flag for flag in ("avx2", "avx512f", "avx512_bf16", "amx_bf16") if flag in flags],
        "gpu": torch.cuda.get_device_name(0) if torch.cuda.is_available() else None,
        "python": platform.python_version(),
        "numba": numba.__version__,
        "numpy": numpy.__version__,
        "torch": torch.__version__,
    }
