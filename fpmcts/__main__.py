"""``python -m fpmcts`` is the command ``fpmcts``."""

from fpmcts.command import main

main()
