"""Decks as texts, and the evaluation deals of DouZero.

**DouZero.** A pickled list with a dictionary for each deck (``eval_data.pkl``)::

    {"landlord": [3, 4, ...], "landlord_up": [...], "landlord_down": [...], "three_landlord_cards":
    [...]}

The ranks are 3 to 14 (the ace), 17 (the 2), 20 and 30 (the jokers). The landlord's 20 cards include
the three face-up ones. Play goes from the landlord to ``landlord_down`` and on to ``landlord_up``:
our seats 0, 1, 2.

A pickle is a program for a small machine, and some of its instructions import and call whatever the
file names. Only a file whose instructions build lists, dictionaries, texts and whole numbers is
given to ``pickle``.

Source of the format: ``generate_eval_data.py`` and ``douzero/env/game.py`` in kwai/DouZero.
"""

import pickle
import pickletools
from collections.abc import Mapping
from typing import Any

import numpy as np

from games.doudizhu import state
from games.doudizhu.cards import (
    BIG_JOKER,
    COPIES,
    LITTLE_JOKER,
    NUM_RANKS,
    RANK_NAMES,
    TWO,
    pack,
    parse_cards,
    unpack,
)
from games.doudizhu.state import States

MOST_BYTES = 16 * 2**20
"""The largest pickle: some 100,000 decks, ten times DouZero's own."""
_MOST_VALUES = 700_000
"""Lists, dictionaries and remembered values in a pickle."""
_MOST_DECKS = 1_000_000
"""A pickle can repeat one in 3 bytes."""
_MOST_TEXT = 100
"""Characters of a hand, spaces included."""
_PARTS = {"the landlord's hand": 17, "the second hand": 17, "the third hand": 17, "the bottom": 3}
_SIZES = {"landlord": 20, "landlord_down": 17, "landlord_up": 17, "three_landlord_cards": 3}
"""The parts of a deck of DouZero and their cards: the hands in the order of our seats, then the
bottom cards.
"""
RANKS = {
    **{number: number - 3 for number in range(3, 15)},
    17: TWO,
    20: LITTLE_JOKER,
    30: BIG_JOKER,
}
"""Our rank for each of DouZero's."""
_STORE = frozenset("BINPUT LONG_BINPUT PUT".split())
_MAKE = frozenset("EMPTY_LIST EMPTY_DICT LIST DICT MEMOIZE".split())
_HARMLESS = frozenset(
    "PROTO FRAME MARK APPEND APPENDS SETITEM SETITEMS STOP BINGET LONG_BINGET GET "
    "BININT1 BININT2 BININT INT LONG LONG1 LONG4 "
    "SHORT_BINUNICODE BINUNICODE BINUNICODE8 UNICODE".split()
)
"""Instructions of pickles, by their names in pickletools. DUP, which could double a list again and
again, is not among them.
"""
_ALLOWED = _HARMLESS | _STORE | _MAKE


def parse_deal(hands: Any, bottom: Any) -> States:
    """Returns the state before the first move (one row).

    Args:
        hands: The cards of each seat, the landlord's without the bottom cards.
        bottom: The three bottom cards.

    Raises:
        ValueError: They are not texts, have wrong sizes or are not a deck.
    """
    texts = [*hands, bottom] if isinstance(hands, list) else [hands]
    if len(texts) != len(_PARTS) or not all(
        isinstance(text, str) and len(text) <= _MOST_TEXT for text in texts
    ):
        raise ValueError(
            "hands: expected a list of 3 texts; bottom: expected a text; each of no more than 20 "
            "cards"
        )
    parts = unpack(np.array([parse_cards(text) for text in texts]))
    _check_sizes(parts, _PARTS)
    _check_deck(parts.sum(axis=0))
    parts[0] += parts[3]
    return _start(parts[None])


def _start(parts: np.ndarray) -> States:
    """Returns states of hands and bottom cards by rank (int ``[B, 4, 15]``)."""
    cards = pack(parts)
    return state.start(cards[:, :3], cards[:, 3])


def _check_sizes(parts: np.ndarray, sizes: Mapping[str, int]) -> None:
    """Raises ValueError if a part of a deck (int ``[4, 15]``) has the wrong number of cards."""
    for part, (name, expected) in zip(parts, sizes.items(), strict=True):
        if part.sum() != expected:
            raise ValueError(f"{part.sum()} cards in {name}: expected {expected}")


def _check_deck(counts: np.ndarray) -> None:
    """Raises ValueError, naming the ranks, unless the cards of each rank (int ``[15]``) are those
    of the deck.
    """
    wrong = [
        f"the {name} occurs {count} times, expected {copies}"
        for name, count, copies in zip(RANK_NAMES, counts, COPIES, strict=True)
        if count != copies
    ]
    if wrong:
        raise ValueError(
            f"the cards are not a deck: {counts.sum()} cards, expected {COPIES.sum()}: "
            f"{', '.join(wrong)}"
        )


def read_douzero(data: bytes) -> States:
    """Returns the decks of a pickle of DouZero (one row per deck) before the first move. Nothing in
    it is executed.

    Raises:
        ValueError: A deck is wrong, or there is none; the message gives the entry, from 1. Or it is
            another pickle.
    """
    parts = []
    for number, entry in enumerate(_unpickle(data), 1):
        try:
            parts.append(_parse_entry(entry))
        except ValueError as error:
            raise ValueError(f"entry {number}: {error}") from error
    if not parts:
        raise ValueError("there is no deck in it")
    return _start(np.array(parts))


def _parse_entry(entry: Any) -> np.ndarray:
    """Returns the hands and the bottom cards (int ``[4, 15]``) of one of DouZero's dictionaries.
    Raises ValueError.
    """
    if not isinstance(entry, dict) or entry.keys() != _SIZES.keys():
        raise ValueError(
            f"got {_shown(entry)}: expected a dictionary with the keys {', '.join(_SIZES)}"
        )
    parts = np.array([_count(name, entry[name]) for name in _SIZES])  # [4, 15]
    _check_deck(parts[:3].sum(axis=0))
    _check_sizes(parts, _SIZES)
    for rank in np.flatnonzero(parts[3] > parts[0]):
        raise ValueError(
            f"the {RANK_NAMES[rank]} occurs {parts[3, rank]} times in three_landlord_cards and "
            f"{parts[0, rank]} times in "
            "landlord: expected the landlord to hold the three cards"
        )
    return parts


def _count(name: str, cards: Any) -> np.ndarray:
    """Returns the cards of each of our ranks (int64 ``[15]``) in a list of DouZero's. Raises
    ValueError.
    """
    counts = np.zeros(NUM_RANKS, np.int64)
    if not isinstance(cards, list):
        raise ValueError(f"{name} is {_shown(cards)}: expected a list of cards")
    for card in cards:
        if type(card) is not int or card not in RANKS:  # a bool is an int
            raise ValueError(
                f"{name}: {_shown(card)} is not a card; expected 3 to 14, 17 (the 2), 20 or 30 "
                "(the jokers)"
            )
        counts[RANKS[card]] += 1
    return counts


def _shown(value: Any) -> str:
    """Returns a short text for anything in a pickle."""
    if isinstance(value, int) and value.bit_length() < 64:
        return str(value)
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else value[:40] + "...")
    return f"a {type(value).__name__}"


def _unpickle(data: bytes) -> list[Any]:
    """Returns the list in a pickle of lists, dictionaries, texts and whole numbers. Raises
    ValueError: it is another.
    """
    if len(data) > MOST_BYTES:
        raise ValueError(
            f"a pickle of more than {MOST_BYTES:,} bytes, the most that is read; give JSON lines"
        )
    made = position = 0
    for instruction, argument, position in pickletools.genops(data):
        name = instruction.name
        if name not in _ALLOWED:
            raise ValueError(
                f"the instruction {name} at byte {position}: expected a pickle of lists, "
                "dictionaries, texts and whole numbers; "
                "nothing else is read, since a pickle can run any program"
            )
        made += name in _MAKE or name in _STORE
        if made > _MOST_VALUES or (name in _STORE and int(argument) > _MOST_VALUES):
            raise ValueError(
                f"more at byte {position} than a list of decks needs: not a pickle of decks"
            )
    if position != len(data) - 1:
        raise ValueError("not a pickle, or more than one: something is left at its end")
    try:
        entries = pickle.loads(data)
    except (
        pickle.UnpicklingError,
        EOFError,
        AttributeError,
        IndexError,
        KeyError,
        TypeError,
        ValueError,
    ) as error:
        raise ValueError(f"not a pickle of decks: {error}") from error
    if not isinstance(entries, list):
        raise ValueError(
            f"a pickle of {_shown(entries)}: expected a list with a dictionary for each deck"
        )
    if len(entries) > _MOST_DECKS:
        raise ValueError(f"more than {_MOST_DECKS:,} decks, the most that are read")
    return entries
