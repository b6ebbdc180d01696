"""Reads hand histories of no-limit Texas hold'em in the PHH format, a file, a folder or many hands a file, compressed or not.

    python -m games.no_limit_holdem.phh check FILES    what can be read, what not and why

A file of several hands (``.phhs``) is a TOML table a hand, ``[1]``, ``[2]``, …; a file without such headers is one hand. Hands
are read line by line, as most files are written; one that is written otherwise (arrays over several lines) by ``tomllib``.
Source of the format: Kim, "Recording and Describing Poker Hands", 2024, and the specification phh-std.

Seats are numbered from 0, so that seat 0 is the file's ``p1``. The order is that of PHH: with three players and more p1 has the
small blind and the last the button; heads-up p1 has the big blind, and ``blinds_or_straddles`` and ``antes`` are listed the other
way round, the small blind first. Chips are integers: a hand with amounts such as 0.25 is counted in hundredths (``Hand.scale``).
"""

import lzma
import re
import runpy
import tomllib
from collections.abc import Iterable, Iterator
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from games.no_limit_holdem.phh_actions import CALL as CALL
from games.no_limit_holdem.phh_actions import FOLD as FOLD
from games.no_limit_holdem.phh_actions import UNSEEN as UNSEEN
from games.no_limit_holdem.phh_actions import played, shown

SUFFIXES = (".phh", ".phhs", ".phh.xz", ".phhs.xz")
BAD = ("skip", "fail")
_HEADER = re.compile(r"^\[([^\[\]\n]+)\][ \t]*(?:#[^\n]*)?\r?$", re.MULTILINE)
_AMOUNTS = ("antes", "blinds_or_straddles", "starting_stacks")
_NEEDED = ("variant", *_AMOUNTS, "actions")


class BadHandError(ValueError):
    """A hand, or a file, that cannot be used.

    Attributes:
        file: Path.
        number: The header of the hand in its file; "" where the file itself is meant.
        reason: What was found and what is expected.
    """

    def __init__(self, file: str, number: str, reason: str) -> None:
        self.file, self.number, self.reason = file, number, reason
        super().__init__(f"{file}{f', hand {number}' if number else ''}: {reason}")


class Hand(NamedTuple):
    """One hand. S is the number of players; amounts are chips, ``scale`` of them to the file's unit.

    Attributes:
        file: Where it was read. number: Its header there.
        blinds: S blinds, straddles and posts by seat; a negative one is what a player who just sat down posts.
        antes: S antes by seat.
        stacks: S stacks before the hand.
        min_bet: The least bet; 0 where the file does not say.
        hole: S pairs of cards (``games.poker.hands``), ``UNSEEN`` where never told.
        board: The cards dealt to the board, at most five.
        seats: Who moved, move by move.
        moves: FOLD, CALL, or what was bet or raised to.
        boards: How many cards lay on the board at each move.
        players: S names; empty where the file has none.
        finishing_stacks: S stacks after the hand, None where the file has none.
        table: What tells sessions apart: the file's ``table``, "" without.
        scale: Chips to the file's unit of money: 1, or 100 and more where amounts are no integers.
    """

    file: str
    number: str
    blinds: tuple[int, ...]
    antes: tuple[int, ...]
    stacks: tuple[int, ...]
    min_bet: int
    hole: tuple[tuple[int, int], ...]
    board: tuple[int, ...]
    seats: tuple[int, ...]
    moves: tuple[int, ...]
    boards: tuple[int, ...]
    players: tuple[str, ...] = ()
    finishing_stacks: tuple[int, ...] | None = None
    table: str = ""
    scale: int = 1


class _OddError(Exception):
    """A hand that is not written as the quick reader expects."""


def find_files(paths: Iterable[str | Path]) -> list[Path]:
    """Returns the files of hands among paths and in the folders among them, those of a folder in the order of their numbers.

    Raises:
        BadHandError: A path that is not there, or a folder without hands.
    """
    found: list[Path] = []
    for given in map(Path, paths):
        if given.is_dir():
            inside = sorted((p for p in given.rglob("*") if p.name.endswith(SUFFIXES) and p.is_file()), key=_natural)
            if not inside:
                raise BadHandError(str(given), "", f"no hands in this folder; expected files {', '.join(SUFFIXES)}")
            found += inside
        elif given.is_file():
            found.append(given)
        else:
            raise BadHandError(str(given), "", "no such file or folder")
    return found


def _natural(path: Path) -> list[tuple[int, str]]:
    """Returns a key that sorts 2.phh before 10.phh."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", str(path))]


def read(paths: Iterable[str | Path], bad: str = "fail", problems: list[BadHandError] | None = None) -> Iterator[Hand]:
    """Yields the hands of files and folders in order.

    Args:
        paths: Files and folders.
        bad: "fail" raises at the first hand that cannot be read, "skip" goes on with the next.
        problems: Takes what was skipped.

    Raises:
        BadHandError: A path that is not there; with ``bad="fail"`` also a hand that cannot be read.
        ValueError: Another ``bad``.
    """
    if bad not in BAD:
        raise ValueError(f"bad={bad}: expected one of {', '.join(BAD)}")
    for path in find_files(paths):
        try:
            blocks = list(split(_text(path)))
            if not blocks:
                raise BadHandError(str(path), "", "no hand in this file")
        except BadHandError as error:
            if bad == "fail":
                raise
            blocks = []
            if problems is not None:
                problems.append(error)
        for number, block in blocks:
            try:
                yield parse(block, str(path), number)
            except BadHandError as error:
                if bad == "fail":
                    raise
                if problems is not None:
                    problems.append(error)


def _text(path: Path) -> str:
    """Returns the text of a file. Raises BadHandError where it cannot be read."""
    try:
        data = path.read_bytes()
        return (lzma.decompress(data) if path.name.endswith(".xz") else data).decode("utf-8")
    except OSError as error:
        raise BadHandError(str(path), "", f"cannot be read ({error.strerror})") from error
    except (lzma.LZMAError, EOFError) as error:
        raise BadHandError(str(path), "", "is no whole xz file") from error
    except UnicodeDecodeError as error:
        raise BadHandError(str(path), "", "is no text in UTF-8") from error


def split(text: str) -> Iterator[tuple[str, str]]:
    """Yields the number and the text of each hand of a file."""
    headers = list(_HEADER.finditer(text))
    if not headers:
        if text.strip():
            yield "1", text
        return
    for header, following in zip(headers, [*headers[1:], None], strict=True):
        yield header[1].strip("\"'"), text[header.end() : following.start() if following else len(text)]


def parse(text: str, file: str = "", number: str = "1") -> Hand:
    """Returns the hand of a TOML table without its header.

    Raises:
        BadHandError: It is none, is of another game than no-limit Texas hold'em, or contradicts itself.
    """
    try:
        try:
            return _hand(_quick_fields(text), file, number)
        except _OddError:
            return _hand(tomllib.loads(text, parse_float=Decimal), file, number)
    except tomllib.TOMLDecodeError as error:
        raise BadHandError(file, number, f"is no TOML ({error})") from None
    except BadHandError:
        raise
    except ValueError as error:
        raise BadHandError(file, number, str(error)) from None


def _quick_fields(text: str) -> dict[str, Any]:
    """Returns the fields of a hand that has one in each line. Raises _OddError where it is written otherwise."""
    fields: dict[str, Any] = {}
    for line in text.splitlines():
        if not line or line[0] == "#":
            continue
        key, equals, value = line.partition(" = ")
        if not equals or key in fields:
            raise _OddError
        if key == "actions":
            fields[key] = _quick_texts(value)
        else:
            fields[key] = _quick_value(value)
    return fields


def _quick_texts(value: str) -> list[str]:
    """Returns a list of texts."""
    quote = value[1:2]
    if value[:1] != "[" or value[-2:] != f"{quote}]" or quote not in ("'", '"'):
        raise _OddError
    inner = value[2:-2]
    texts = inner.split(f"{quote}, {quote}")
    if "\\" in inner or inner.count(quote) != 2 * (len(texts) - 1):
        raise _OddError
    return texts


@lru_cache(maxsize=4096)
def _quick_value(value: str) -> Any:
    """Returns a value that needs no parser: an integer, a text, true or false, a list of numbers or of plain texts."""
    first, last = value[:1], value[-1:]
    if first == "[" and last == "]":
        inner = value[1:-1]
        if "'" in inner or '"' in inner:
            return tuple(_quick_texts(value))
        try:
            return tuple([int(part) for part in inner.split(",")]) if inner.strip() else ()
        except ValueError:
            return _decimals(inner)
    if first in ("'", '"') and last == first and len(value) > 1 and "\\" not in value and value.count(first) == 2:
        return value[1:-1]
    if value in ("true", "false"):
        return value == "true"
    try:
        return int(value)
    except ValueError:
        raise _OddError from None


def _decimals(inner: str) -> tuple[Decimal, ...]:
    try:
        return tuple([Decimal(part.strip()) for part in inner.split(",")])
    except InvalidOperation:
        raise _OddError from None


def _hand(fields: dict[str, Any], file: str, number: str) -> Hand:
    """Returns the hand of fields; raises ValueError where they make none."""
    for key in _NEEDED:
        if key not in fields:
            raise ValueError(f"{key} is missing")
    if fields["variant"] != "NT":
        raise ValueError(f"variant = {fields['variant']!r}: expected 'NT', no-limit Texas hold'em")
    stacks = fields["starting_stacks"]
    if not isinstance(stacks, (list, tuple)) or not 2 <= len(stacks) <= 10:
        raise ValueError(f"starting_stacks = {shown(stacks)}: expected 2 to 10 stacks")
    seats = len(stacks)
    for key in (*_AMOUNTS, "finishing_stacks", "players"):
        if key in fields and (not isinstance(fields[key], (list, tuple)) or len(fields[key]) != seats):
            raise ValueError(f"{key} = {shown(fields[key])}: expected one for each of the {seats} players")
    hole, board, movers, moves, boards = played(fields["actions"], seats)
    finishing, minimum = fields.get("finishing_stacks"), fields.get("min_bet", 0)
    amounts = [*(x for key in _AMOUNTS for x in fields[key]), *(finishing or ()), minimum, *moves]
    scale = 1
    if any(type(amount) is not int for amount in amounts):
        scale = _scale(amounts)

        def chips(values: Iterable[Any]) -> tuple[int, ...]:
            return tuple([int(value * scale) for value in values])

        moves = [move if move in (FOLD, CALL) else int(move * scale) for move in moves]
    else:
        chips = tuple  # type: ignore[assignment]
    blinds, antes, stacks = chips(fields["blinds_or_straddles"]), chips(fields["antes"]), chips(stacks)
    if seats == 2:
        blinds, antes = blinds[::-1], antes[::-1]
    if min(stacks) <= 0:
        raise ValueError(f"starting_stacks = {shown(fields['starting_stacks'])}: expected more than 0 chips each")
    if min(antes) < 0:
        raise ValueError(f"antes = {shown(fields['antes'])}: expected none below 0")
    return Hand(
        file, number, blinds, antes, stacks, chips((minimum,))[0], tuple(hole), tuple(board), tuple(movers), tuple(moves),
        tuple(boards), tuple(map(str, fields.get("players", ()))), chips(finishing) if finishing else None,
        str(fields.get("table", "")), scale,
    )  # fmt: skip


def _scale(amounts: list[Any]) -> int:
    """Returns how many chips make a unit, so that every amount is an integer; raises ValueError where some amount is none."""
    for amount in amounts:
        if isinstance(amount, bool) or not isinstance(amount, (int, Decimal)) or not Decimal(amount).is_finite():
            raise ValueError(f"{amount!r} is no amount; expected a number")
    for scale in (1, 100, 10_000):
        if all(amount * scale == int(amount * scale) for amount in amounts):
            return scale
    raise ValueError("amounts with more than four decimal places; expected at most four")


if __name__ == "__main__":
    runpy.run_module("games.no_limit_holdem.phh_check", run_name="__main__")  # which imports this file as a module
