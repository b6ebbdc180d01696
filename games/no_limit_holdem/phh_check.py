"""``python -m games.no_limit_holdem.phh check FILES``: what of hand histories can be read and
played, what not, and why.
"""

import re
import sys
import time
from collections import Counter
from collections.abc import Sequence
from typing import TextIO

from games.no_limit_holdem.phh import BadHandError, Hand, find_files, read
from games.no_limit_holdem.phh_replay import faults

USAGE = (
    "python -m games.no_limit_holdem.phh check FILES    files or folders of hands in the PHH format"
)
EXAMPLES = 3


def say(text: str, stream: TextIO | None = None) -> None:
    """Writes a line."""
    (stream or sys.stdout).write(f"{text}\n")


def main(arguments: Sequence[str]) -> int:
    """Runs the command; returns 0 where all hands can be used, 1 where not, 2 where it was given
    wrongly.
    """
    if len(arguments) < 2 or arguments[0] != "check":
        say(USAGE, sys.stderr)
        return 2
    try:
        files = find_files(arguments[1:])
    except BadHandError as error:
        say(f"phh: {error}", sys.stderr)
        return 2
    return check([str(file) for file in files])


def check(files: Sequence[str]) -> int:
    """Prints what comes of reading and playing files; returns 0 where all hands can be used, else
    1.
    """
    began = time.perf_counter()
    problems: list[BadHandError] = []
    hands = list(read(files, "skip", problems))
    seconds = time.perf_counter() - began
    said = faults(hands)
    unread = len(problems)
    problems += [
        BadHandError(hand.file, hand.number, fault)
        for hand, fault in zip(hands, said, strict=True)
        if fault
    ]
    played = len(hands) - (len(problems) - unread)
    say(
        f"{len(files):,} files, {len(hands) + unread:,} hands: {len(hands):,} read "
        f"({len(hands) / seconds:,.0f} a second), "
    )
    say(f"{played:,} played by the rules to the end that the file tells")
    for line in _contents([hand for hand, fault in zip(hands, said, strict=True) if not fault]):
        say(line)
    kinds = Counter(_kind(error.reason) for error in problems)
    for kind, count in kinds.most_common():
        examples = [str(error) for error in problems if _kind(error.reason) == kind][:EXAMPLES]
        say(f"{count:,} cannot be used, such as:")
        for example in examples:
            say(f"  {example}")
    return 1 if problems else 0


def _kind(reason: str) -> str:
    """Returns what a reason has in common with others: its words without what is quoted and without
    numbers.
    """
    return re.sub(r"'[^']*'|\"[^\"]*\"|\[[^\]]*\]|\d+", "…", reason)


def _contents(hands: Sequence[Hand]) -> list[str]:
    """Returns what kinds of hands there are."""
    if not hands:
        return []
    seats = Counter(len(hand.stacks) for hand in hands)
    names = {name for hand in hands for name in hand.players}
    lines = [
        "players at the table: "
        f"{', '.join(f'{count:,} hands with {n}' for n, count in sorted(seats.items()))}"
    ]
    return [*lines, f"{len(names):,} names, {sum(len(hand.moves) for hand in hands):,} moves"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
