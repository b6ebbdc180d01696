"""Files of decks: our JSON lines, and the evaluation deals of DouZero. The format is told by the content, not by the name.

**JSON lines.** One line is one deck; blank lines do not count. The smallest form::

    {"hands": ["345566789TTJJK2LB", "3456679TJQQKKAA22", "3445778899TJQQKA2"], "bottom": "38A"}

``hands`` are the 17 cards of each seat in the order of play, the landlord's first and without the three ``bottom`` cards. Other
fields are not looked at. Records of games (``records.py``) have these two, so a file of them is a file of decks too, one for each
game.

**DouZero.** A pickled list with a dictionary for each deck (``eval_data.pkl``)::

    {"landlord": [3, 4, ...], "landlord_up": [...], "landlord_down": [...], "three_landlord_cards": [...]}

The ranks are 3 to 14 (the ace), 17 (the 2), 20 and 30 (the jokers). The landlord's 20 cards include the three face-up ones. Play
goes from the landlord to ``landlord_down`` and on to ``landlord_up``: our seats 0, 1, 2.

A pickle is a program for a small machine, and some of its instructions import and call whatever the file names. A file from a
stranger is therefore never given to ``pickle``: ``_unpickle`` carries out the few instructions that build lists, dictionaries,
texts and whole numbers, and has no others.

Source of the format: ``generate_eval_data.py`` and ``douzero/env/game.py`` in kwai/DouZero.
"""

import json
import pickletools
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from games.doudizhu import state
from games.doudizhu.cards import BIG_JOKER, LITTLE_JOKER, NUM_RANKS, RANK_NAMES, TWO, cards_text, pack, unpack
from games.doudizhu.records import check_deck, parse_deal
from games.doudizhu.state import States

MAX_BYTES = 64 * 2**20
"""The largest file that is read: some 400,000 decks."""
MAX_DECKS = 1_000_000
"""The most decks that are read: a pickle can repeat one in 3 bytes, but its state takes a hundred."""

MAX_PICKLE_BYTES = 16 * 2**20
"""The largest pickle: some 100,000 decks, ten times DouZero's own. Its instructions are carried out one by one, in Python."""
_MAX_HEIGHT = 4096
"""Values side by side on the stack of a pickle, and marks: pickles of lists keep a thousand there."""
_MAX_VALUES = 700_000
"""Lists, dictionaries and remembered values in a pickle."""

_Deal = tuple[tuple[int, int, int], int]
"""The packed hands, the landlord's with the bottom cards, and the packed bottom cards."""
_MAX_TEXT = 100
"""Characters of a hand, spaces included."""

_SIZES = {"landlord": 20, "landlord_down": 17, "landlord_up": 17, "three_landlord_cards": 3}
"""The parts of a deck of DouZero and their cards: the hands in the order of our seats, then the bottom cards."""
_RANKS = {**{number: number - 3 for number in range(3, 15)}, 17: TWO, 20: LITTLE_JOKER, 30: BIG_JOKER}
"""Our rank for each of DouZero's."""

# Instructions of pickles, by their names in pickletools. DUP, which could double a list again and again, is not among them.
_NUMBERS_AND_TEXTS = frozenset(
    "BININT1 BININT2 BININT INT LONG LONG1 LONG4 SHORT_BINUNICODE BINUNICODE BINUNICODE8 UNICODE".split()
)
_STORE = frozenset("BINPUT LONG_BINPUT PUT".split())
_FETCH = frozenset("BINGET LONG_BINGET GET".split())
_USE_MARKED = frozenset("LIST DICT APPENDS SETITEMS".split())
_MAKES = frozenset("EMPTY_LIST EMPTY_DICT LIST DICT".split())
_IGNORED = frozenset("PROTO FRAME".split())


class DeckFileError(ValueError):
    """A file cannot be read as decks. The message names the file, the line or entry (from 1), and what was expected."""


def read_decks(path: Path | str) -> States:
    """Returns the decks of a file, in its order: the states (one row per deck) before the first move.

    Every deck is checked: the 54 cards, the sizes of the hands, and that the bottom cards are the landlord's. Nothing in the file
    is executed.

    Raises:
        DeckFileError: A deck is wrong, or there is none; the file is in neither format, has more than ``MAX_BYTES`` or more than
            ``MAX_DECKS``.
        OSError: The file cannot be read.
    """
    with open(path, "rb") as file:
        data = file.read(MAX_BYTES + 1)
    try:
        if len(data) > MAX_BYTES:
            raise ValueError(f"more than {MAX_BYTES:,} bytes, the most that is read")
        first = data[:1000].lstrip()[:1]
        if first == b"{":
            lines = ((number, line) for number, line in enumerate(data.split(b"\n"), 1) if line.strip())
            deals = _deals("line", lines, _parse_line)
        elif first in (b"\x80", b"]", b"("):  # protocols 2 and later, 1, and 0, of a list
            if len(data) > MAX_PICKLE_BYTES:
                raise ValueError(f"a pickle of more than {MAX_PICKLE_BYTES:,} bytes, the most that is read; give JSON lines")
            deals = _deals("entry", enumerate(_entries(data), 1), _parse_entry)
        else:
            raise ValueError(
                f"begins with {data[:20]!r}: expected decks as JSON lines, "
                'such as {"hands": [...], "bottom": "38A"}, or a pickled list of DouZero\'s evaluation deals'
            )
        if not deals:
            raise ValueError("there is no deck in it")
    except ValueError as error:
        raise DeckFileError(f"{path}: {error}") from error
    return state.start(np.array([hands for hands, _ in deals], np.uint64), np.array([bottom for _, bottom in deals], np.uint64))


def write_decks(path: Path | str, states: States) -> None:
    """Writes decks as JSON lines, the smallest form; a file that is there is overwritten.

    Args:
        path: The file.
        states: One row per deck, before the first move, with all the hands.

    Raises:
        ValueError: A row is no such state; nothing is written then.
        OSError: The file cannot be written.
    """
    lines = []
    for row, (hands, bottom) in enumerate(zip(states.hands, states.bottom, strict=True)):
        try:
            if states.length[row]:
                raise ValueError(f"{states.length[row]} moves have been played: expected none")
            check_deck(unpack(hands).sum(axis=0))
        except ValueError as error:
            raise ValueError(f"row {row}: {error}") from error
        dealt = (hands[0] - bottom, *hands[1:])
        lines.append(json.dumps({"hands": [cards_text(cards) for cards in dealt], "bottom": cards_text(bottom)}) + "\n")
    Path(path).write_text("".join(lines), encoding="utf-8")


def _deals(place: str, items: Iterable[tuple[int, Any]], parse: Callable[[Any], _Deal]) -> list[_Deal]:
    """Returns the deals that ``parse`` makes of numbered items. Raises ValueError naming the place and the number."""
    deals: list[_Deal] = []
    for number, item in items:
        if len(deals) == MAX_DECKS:
            raise ValueError(f"more than {MAX_DECKS:,} decks, the most that are read")
        try:
            deals.append(parse(item))
        except ValueError as error:
            raise ValueError(f"{place} {number}: {error}") from error
    return deals


def _parse_line(line: bytes) -> _Deal:
    """Returns the deal of a line of JSON. Raises ValueError."""
    try:
        fields: Any = json.loads(line.decode())
    except (ValueError, RecursionError) as error:
        raise ValueError(f"no JSON: {error}") from error
    if not isinstance(fields, dict) or not {"hands", "bottom"} <= fields.keys():
        raise ValueError("expected an object with the fields hands and bottom")
    hands, bottom = fields["hands"], fields["bottom"]
    texts = [*hands, bottom] if isinstance(hands, list) else [hands]
    if len(texts) < 2 or not all(isinstance(text, str) and len(text) <= _MAX_TEXT for text in texts):
        raise ValueError("hands: expected a list of texts; bottom: expected a text; each of no more than 20 cards")
    return parse_deal(hands, bottom)


def _parse_entry(entry: Any) -> _Deal:
    """Returns the deal of one of DouZero's dictionaries. Raises ValueError."""
    if not isinstance(entry, dict) or entry.keys() != _SIZES.keys():
        got = f"the keys {', '.join(_shown(key) for key in sorted(entry)[:10])}" if isinstance(entry, dict) else _shown(entry)
        raise ValueError(f"got {got}: expected a dictionary with the keys {', '.join(_SIZES)}")
    parts = np.array([_count(name, entry[name]) for name in _SIZES])  # [4, 15]
    check_deck(parts[:3].sum(axis=0))
    for part, (name, expected) in zip(parts, _SIZES.items(), strict=True):
        if part.sum() != expected:
            raise ValueError(f"{part.sum()} cards in {name}: expected {expected}")
    for rank in np.flatnonzero(parts[3] > parts[0]):
        raise ValueError(
            f"the {RANK_NAMES[rank]} occurs {parts[3, rank]} times in three_landlord_cards and {parts[0, rank]} times in "
            "landlord: expected the landlord to hold the three cards"
        )
    landlord, down, up, bottom = (int(cards) for cards in pack(parts))
    return (landlord, down, up), bottom


def _count(name: str, cards: Any) -> np.ndarray:
    """Returns the cards of each of our ranks (int64 ``[15]``) in a list of DouZero's. Raises ValueError."""
    counts = np.zeros(NUM_RANKS, np.int64)
    if not isinstance(cards, list):
        raise ValueError(f"{name} is {_shown(cards)}: expected a list of cards")
    for card in cards:
        if type(card) is not int or card not in _RANKS:  # a bool is an int
            raise ValueError(f"{name}: {_shown(card)} is no card; expected 3 to 14, 17 (the 2), 20 or 30 (the jokers)")
        counts[_RANKS[card]] += 1
    return counts


def _shown(value: Any) -> str:
    """Returns a short text for anything that ``_unpickle`` makes."""
    if isinstance(value, int):
        return str(value) if value.bit_length() < 64 else "a number of more than 64 bits"
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else value[:40] + "...")
    return f"a {type(value).__name__}"


def _entries(data: bytes) -> list[Any]:
    """Returns the list in a pickle. Raises ValueError."""
    try:
        entries = _unpickle(data)
    except (IndexError, KeyError) as error:
        raise ValueError("no pickle: it takes from its stack or its memory what is not there") from error
    if not isinstance(entries, list):
        raise ValueError(f"a pickle of {_shown(entries)}: expected a list with a dictionary for each deck")
    return entries


def _unpickle(data: bytes) -> Any:
    """Returns the value of a pickle of lists, dictionaries with texts as keys, texts and whole numbers. Calls nothing.

    Raises:
        ValueError: There are other instructions in it, or it is cut off or malformed.
        IndexError, KeyError: It is malformed.
    """
    stack: list[Any] = []
    marks: list[int] = []  # heights of the stack
    memory: dict[Any, Any] = {}  # by number
    made = 0
    for instruction, argument, position in pickletools.genops(data):
        name = instruction.name
        made += name in _MAKES
        if max(len(stack), len(marks)) > _MAX_HEIGHT or max(made, len(memory)) > _MAX_VALUES:
            raise ValueError(f"more at byte {position} than a list of decks needs: no pickle of decks")
        if name in _NUMBERS_AND_TEXTS:
            stack.append(argument)
        elif name == "MEMOIZE":
            memory[len(memory)] = stack[-1]
        elif name in _STORE:
            memory[argument] = stack[-1]
        elif name in _FETCH:
            stack.append(memory[argument])
        elif name == "MARK":
            marks.append(len(stack))
        elif name == "EMPTY_LIST":
            stack.append([])
        elif name == "EMPTY_DICT":
            stack.append({})
        elif name == "APPEND":
            item = stack.pop()
            _expect(list, stack[-1]).append(item)
        elif name == "SETITEM":
            value, key = stack.pop(), stack.pop()
            _expect(dict, stack[-1])[_expect(str, key)] = value
        elif name in _USE_MARKED:
            height = marks.pop()
            items = stack[height:]
            del stack[height:]
            if name == "LIST":
                stack.append(items)
            elif name == "APPENDS":
                _expect(list, stack[-1]).extend(items)
            else:
                pairs = {_expect(str, key): value for key, value in zip(items[::2], items[1::2], strict=True)}
                if name == "DICT":
                    stack.append({})
                _expect(dict, stack[-1]).update(pairs)
        elif name == "STOP":
            if len(stack) != 1 or position != len(data) - 1:
                raise ValueError("no pickle, or more than one: something is left at its end")
        elif name not in _IGNORED:
            raise ValueError(
                f"the instruction {name} at byte {position}: expected a pickle of lists, dictionaries, texts and whole numbers; "
                "nothing else is read, since a pickle can run any program"
            )
    return stack[-1]


def _expect(kind: type, value: Any) -> Any:
    """Returns a value of a type. Raises ValueError if it has another."""
    if not isinstance(value, kind):
        raise ValueError(f"no pickle of decks: got {_shown(value)} where a {kind.__name__} was expected")
    return value
