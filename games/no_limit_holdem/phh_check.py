"""``fpmcts check FILES``: which hand histories can be read and played, which cannot, and why; and
records of those that can.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from games.base import files as disk
from games.base.help import say
from games.base.settings import did_you_mean
from games.no_limit_holdem.phh import ENDS, BadHandError, find_files, read
from games.no_limit_holdem.phh_games import record_of
from games.no_limit_holdem.phh_replay import verdicts

EXAMPLES = 3


def main(arguments: Sequence[str], command: str = "fpmcts check") -> int:
    """Runs the command; returns 0 if all hands can be used, else 1."""
    about = "What can be read, what not and why."
    parser = argparse.ArgumentParser(prog=command, description=about)
    help_text = "files or folders of hands in the PHH format"
    parser.add_argument("files", nargs="+", metavar="FILES", help=help_text)
    help_text = "new file for records of the hands that can be played, which a browser table opens"
    parser.add_argument("--records", type=Path, metavar="FILE", help=help_text)
    given = parser.parse_args(arguments)
    if given.records and given.records.exists():
        parser.error(f"--records {given.records}: already exists; give another file, or remove it")
    lines, status = check(find_files(given.files), given.records)
    say("\n".join(lines))
    return status


def check(files: Sequence[Path], records: Path | None = None) -> tuple[list[str], int]:
    """Returns the result of reading and playing files, as lines, and 0 if all hands can be used,
    else 1; writes the records of those that can.
    """
    problems: list[BadHandError] = []
    hands = list(read(files, problems))
    told = f"{len(files):,} files, {len(hands) + len(problems):,} hands: {len(hands):,} read"
    played, checked = [], Counter[tuple[str, bool]]()
    for hand, verdict in zip(hands, verdicts(hands), strict=True):
        checked[verdict.checked, not verdict.fault] += 1
        if verdict.fault:
            problems.append(BadHandError(hand.file, hand.number, verdict.fault))
        else:
            played.append(hand)
    lines = [
        told,
        f"{len(played):,} played by the rules: {checked['all', True]:,} to the end in the file, "
        f"{checked['pot', True]:,} to a pot that fits it (unseen cards won), {checked['', True]:,} "
        "without an end in the file to check",
        f"{checked['all', False] + checked['pot', False]:,} contradict the end in the file",
    ]
    if records is not None:
        written = []
        for hand in played:
            try:
                written.append(json.dumps(record_of(hand)) + "\n")
            except BadHandError as refused:
                problems.append(refused)
        disk.write(records, "".join(written))
        lines.append(f"{len(written):,} records in {records}")
    if unread := Counter(key for hand in hands for key in hand.unread):
        keys = ", ".join(f"{key}{did_you_mean(key, ENDS)}" for key in sorted(unread))
        lines.append(f"fields that are not of the format and were not read: {keys}")
    kinds: dict[str, list[BadHandError]] = {}
    for error in problems:
        # Reasons are grouped by their words without quotations and numbers.
        kind = re.sub(r"'[^']*'|\"[^\"]*\"|\[[^\]]*\]|\d+", "…", error.reason)
        kinds.setdefault(kind, []).append(error)
    for errors in sorted(kinds.values(), key=len, reverse=True):
        lines.append(f"{len(errors):,} cannot be used, such as:")
        lines += [f"  {error}" for error in errors[:EXAMPLES]]
    return lines, 1 if problems else 0
