"""Reports the death of a process that cannot: Ray ends its driver at once and silently when the
node on this machine is gone, and ``kill -9`` cannot be caught.
"""

import atexit
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

# Reads lines until the process that writes them ends, and prints the last one below its progress.
# A process that has just been started shows no environment yet: hence the second search.
SCRIPT = """
while read -r next; do line=$next; done
[ -n "$line" ] || exit 0
printf '\\n%s\\n' "$line" >&2
for pause in 0.2 0; do
    grep -ls "$0" /proc/[0-9]*/environ | cut -d/ -f3 | xargs -r kill -9
    sleep $pause
done
"""
ENDED = (
    "the process ended abruptly, for example because the Ray node on this machine died; what was "
    "finished is saved, and the same command resumes"
)


class RayGuard:
    """A shell in its own session. If this process neither exits normally nor calls ``dismiss``, the
    shell prints a line and kills the processes that were started as ``marked``.
    """

    def __init__(self) -> None:
        self._mark = f"FPMCTS_GUARD={uuid4().hex}"
        self._shell = subprocess.Popen(
            ["/bin/sh", "-c", SCRIPT, self._mark],
            stdin=subprocess.PIPE,
            text=True,
            start_new_session=True,  # Ctrl-C is for this process
        )
        atexit.register(self.dismiss)
        self.prepare(ENDED)

    def prepare(self, line: str) -> None:
        """Sets the line; with "" nothing is done at the end."""
        assert self._shell.stdin is not None
        prefix = f"{Path(sys.argv[0]).name}: " if line else ""
        with suppress(BrokenPipeError):  # the shell was killed
            self._shell.stdin.write(f"{prefix}{line}\n")
            self._shell.stdin.flush()

    @contextmanager
    def marked(self) -> Iterator[None]:
        """Marks the processes that are started in this block; works only on Linux."""
        name, _, value = self._mark.partition("=")
        # Without SPT_NOENV Ray's agents write their titles over their environment.
        added = {name: value, "SPT_NOENV": "1"}
        os.environ |= added
        try:
            yield
        finally:
            for key in added:
                del os.environ[key]

    def dismiss(self) -> None:
        """Ends the shell without printing or killing."""
        if self._shell.returncode is None:
            self.prepare("")
            self._shell.communicate()
            atexit.unregister(self.dismiss)
