"""The options of no-limit Hold'em, checked: each error is one line with the option, what was given and what is expected."""

from collections.abc import Sequence
from typing import Any

from games.no_limit_holdem.state import MOST_CHIPS, MOST_SEATS, MOST_SIZES

LEAST, ALL_IN = 0.0, float("inf")
"""How ``Rules.sizes`` tells the two sizes that are no multiple of the pot."""
MOST_POTS = 100.0


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def check_stacks(players: Any, stacks: Any) -> list[int]:
    """Returns the chips of each seat. Raises ValueError."""
    if not _is_whole(players) or not 2 <= players <= MOST_SEATS:
        raise ValueError(f"players={players}: expected 2 to {MOST_SEATS}")
    if isinstance(stacks, str) or not isinstance(stacks, Sequence):
        stacks = [stacks] * players
    if len(stacks) != players:
        raise ValueError(f"stacks={list(stacks)}: expected one number, or {players} of them, one for each player")
    for chips in stacks:
        if not _is_whole(chips) or not 1 <= chips <= MOST_CHIPS:
            raise ValueError(f"stacks={chips}: expected whole chips, at most {MOST_CHIPS}")
    return list(stacks)


def check_bets(players: int, small_blind: Any, big_blind: Any, ante: Any, stacks: list[int], least_stack: Any) -> None:
    """Raises ValueError where blinds or antes are none, or where a stack cannot pay them."""
    if not _is_whole(big_blind) or big_blind < 1:
        raise ValueError(f"big_blind={big_blind}: expected whole chips, at least 1")
    if not _is_whole(small_blind) or not 0 <= small_blind <= big_blind:
        raise ValueError(f"small_blind={small_blind}: expected whole chips, 0 to the big blind ({big_blind})")
    if not _is_whole(ante) or ante < 0:
        raise ValueError(f"ante={ante}: expected whole chips, at least 0")
    posts = f"the big blind and the ante ({big_blind + ante})"
    for chips in stacks:
        if chips < big_blind + ante:
            raise ValueError(f"stacks={chips}: expected at least {posts}")
    if least_stack is not None and (not _is_whole(least_stack) or not big_blind + ante <= least_stack <= min(stacks)):
        raise ValueError(f"least_stack={least_stack}: expected {posts} to the smallest of stacks ({min(stacks)})")


def parse_sizes(bet_sizes: Any) -> list[float]:
    """Returns the sizes of ``Rules.sizes``, ascending. Raises ValueError."""
    expected = f"expected 1 to {MOST_SIZES} different sizes: least, all-in, multiples of the pot (above 0, up to {MOST_POTS:g})"
    if isinstance(bet_sizes, str) or not isinstance(bet_sizes, Sequence) or not 1 <= len(bet_sizes) <= MOST_SIZES:
        raise ValueError(f"bet_sizes={bet_sizes}: {expected}")
    sizes = []
    for given in bet_sizes:
        word = str(given).strip().lower().replace("_", "-")
        try:
            size = {"least": LEAST, "all-in": ALL_IN}[word] if word in ("least", "all-in") else float(word)
        except ValueError:
            size = -1.0
        if word not in ("least", "all-in") and not 0 < size <= MOST_POTS:
            raise ValueError(f"bet_sizes={given}: {expected}")
        sizes.append(size)
    if len({size_text(size) for size in sizes}) < len(sizes):
        raise ValueError(f"bet_sizes={list(bet_sizes)}: {expected}")
    return sorted(sizes)


def size_text(size: float) -> str:
    """Returns the text of a size: ``least``, ``0.5 pot``, ``all-in``."""
    return "least" if size == LEAST else "all-in" if size == ALL_IN else f"{size:g} pot"
