"""Files of decks: what is written is read back, DouZero's deals become the right hands, and no file
can run anything."""

import json
import os
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from games.doudizhu import deck_files
from games.doudizhu.cards import unpack
from games.doudizhu.state import States
from games.kernels import streams
from tests.games.doudizhu.positions import GAME
from tests.games.driver import equal

DECKS = GAME.deal(streams(4, 20))
DOUZERO_RANKS = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 17, 20, 30]
read_decks = GAME.read_decks
PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


def douzero(states: States) -> list[dict[str, list[int]]]:
    """Returns decks as DouZero writes them: ``landlord_down`` plays after the landlord, and
    ``landlord_up`` before it."""
    entries = []
    for hands, bottom in zip(states.hands, states.bottom, strict=True):
        cards = [
            [DOUZERO_RANKS[rank] for rank in np.repeat(np.arange(15), unpack(part))]
            for part in (*hands, bottom)
        ]
        landlord, down, up, three = cards
        entries.append(
            {
                "landlord": landlord,
                "landlord_up": up,
                "landlord_down": down,
                "three_landlord_cards": three,
            }
        )
    return entries


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_decks_of_douzero(protocol: int, tmp_path: Path) -> None:
    path = tmp_path / "eval_data.jsonl"
    path.write_bytes(pickle.dumps(douzero(DECKS), protocol))
    assert equal(read_decks(path), DECKS)
    path.write_bytes(pickle.dumps(douzero(DECKS)[:1], protocol))
    assert len(read_decks(path).seat) == 1


def fails(path: Path, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))}[:,] .*{message}"):
        read_decks(path)


HAND, BOTTOM = ["345566789TTJJK2LB", "3456679TJQQKKAA22", "3445778899TJQQKA2"], "38A"
LINES = {
    "no JSON": ("hands", "expected an object with fields hands, bottom"),
    "nested": ("[" * 60_000, "expected an object"),
    "missing": ({"hands": HAND}, "bottom: expected a text"),
    "size": (
        {"hands": [HAND[0] + BOTTOM, *HAND[1:]], "bottom": BOTTOM},
        "20 cards in the landlord's hand: expected 17",
    ),
    "five": (
        {"hands": HAND, "bottom": "333"},
        "not a deck: 54 cards, expected 54: the 3 occurs 6 times, expected 4, the 8 ",
    ),
    "card": ({"hands": HAND, "bottom": "33X"}, "no card 'X'"),
}


@pytest.mark.parametrize("fault", LINES)
def test_faults_are_named_with_their_line(fault: str, tmp_path: Path) -> None:
    content, message = LINES[fault]
    line = (content if isinstance(content, str) else json.dumps(content)).encode()
    path = tmp_path / "decks"
    path.write_bytes(
        json.dumps({"hands": HAND, "bottom": BOTTOM}).encode() + b"\n\n" + line + b"\n"
    )
    fails(path, f"line 3: .*({message})")


def change(key: str, edit: Callable[[list[Any]], Any]) -> Callable[[list[Any]], Any]:
    """Returns what edits one part of the third deck."""
    return lambda decks: edit(decks[2][key])


ENTRIES: dict[str, tuple[Callable[[list[Any]], Any], str]] = {
    "missing": (
        lambda decks: decks[2].pop("landlord_up"),
        "entry 3: got a dict: expected a dictionary with the keys",
    ),
    "no deck": (
        lambda decks: decks.__setitem__(2, decks),  # a list that holds itself
        "entry 3: got a list: expected a dictionary",
    ),
    "rank": (
        change("landlord", lambda cards: cards.__setitem__(0, 15)),
        "entry 3: landlord: 15 is not a card; expected 3 to 14",
    ),
    "lost": (
        change("landlord_up", lambda cards: cards.pop(0)),
        "entry 3: the cards are not a deck: 53 cards, expected 54: the ",
    ),
    "sizes": (
        lambda decks: decks[2]["landlord_up"].append(decks[2]["landlord_down"].pop()),
        "entry 3: 16 cards in landlord_down: expected 17",
    ),
    "bottom": (
        lambda decks: decks[2].update(
            three_landlord_cards=3 * [min({*decks[2]["landlord_up"]} - {*decks[2]["landlord"]})]
        ),
        "entry 3: the . occurs . times in three_landlord_cards and . times in landlord: expected",
    ),
}


@pytest.mark.parametrize("fault", ENTRIES)
def test_faults_are_named_with_their_entry(fault: str, tmp_path: Path) -> None:
    edit, message = ENTRIES[fault]
    decks = douzero(DECKS)[:5]
    edit(decks)
    path = tmp_path / "eval_data.pkl"
    path.write_bytes(pickle.dumps(decks))
    fails(path, message)


class Command:
    """Runs a command when it is unpickled."""

    def __init__(self, command: str) -> None:
        self.command = command

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (self.command,)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_pickle_runs_nothing(protocol: int, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    command = Command(f"touch {mark}")
    decks: list[Any] = douzero(DECKS)
    decks[3]["landlord"].append(command)
    for content in ([command], decks, [{"landlord": command}]):
        data = pickle.dumps(content, protocol)
        path = tmp_path / "eval_data.pkl"
        path.write_bytes(data)
        fails(
            path,
            "the instruction (STACK_)?GLOBAL at byte .*expected a pickle of lists, dictionaries, "
            "texts and whole numbers",
        )
        assert not mark.exists()
    pickle.loads(pickle.dumps(command, protocol))
    assert mark.exists()  # it would have


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"]Pname\n.", "the instruction PERSID at byte 1"),
        (b"\x80\x02]\x82\x01a.", "the instruction EXT1 at byte 3"),
        (b"(Vls\nios\nsystem\n.", "the instruction INST at byte 5"),
        (b"\x80\x02].", "there is no deck in it"),
        (b"(I01\nl.", "entry 1: got True"),
        (b"\x80\x02]r\xff\xff\xff\xff.", "more at byte 3 than a list"),  # a memory of 2^32 places
        (
            b"\x80\x05\x96" + b"\xff" * 7 + b"\x0f.",
            "expected .* bytes in a bytearray8|bytearray",
        ),  # 2^60 bytes
        (b"](\xff", "unknown|not a pickle|exhausted"),
        (b"", "begins with b''"),
        (b"PK\x03\x04", "begins with b'PK.*expected decks as JSON lines, such as"),
    ],
)
def test_other_pickles_are_refused(data: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "eval_data.pkl"
    path.write_bytes(data)
    fails(path, f"({message})")


@pytest.mark.parametrize(
    "data",
    [
        b"]" * 20_000 + b".",
        b"(" * 20_000,
        b"](" + b"K\x01" * 20_000 + b"e.",
        b"](]]]]e" * 3_000 + b".",
        b"\x80\x04]" + b"\x94" * 20_000 + b".",
    ],
    ids=["brackets", "marks", "numbers", "lists of lists", "memory"],
)
def test_pickles_of_brackets_are_refused_soon(
    data: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With limits a hundredth of the real ones."""
    monkeypatch.setattr(deck_files, "_MOST_VALUES", 7_000)
    monkeypatch.setattr(deck_files, "_MOST_DECKS", 10_000)
    path = tmp_path / "eval_data.pkl"
    path.write_bytes(data)
    fails(path, "more at byte [0-9]+ than a list of decks needs|exhausted|more than 10,000 decks")


def test_the_largest_pickle(tmp_path: Path) -> None:
    path = tmp_path / "eval_data.pkl"
    path.write_bytes(b"]" * (deck_files.MOST_BYTES + 1))
    fails(path, "a pickle of more than 16,777,216 bytes")
