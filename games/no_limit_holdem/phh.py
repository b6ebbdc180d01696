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

from games.poker.hands import RANKS, SUITS

FOLD, CALL = -1, 0
"""Moves in ``Hand.moves``; a positive number is a bet or raise to so many chips of the round."""
UNSEEN = -1
"""A card that is not told."""
SUFFIXES = (".phh", ".phhs", ".phh.xz", ".phhs.xz")
BAD = ("skip", "fail")
_HEADER = re.compile(r"^\[([^\[\]\n]+)\][ \t]*(?:#[^\n]*)?\r?$", re.MULTILINE)
_CARD = {f"{r}{s}": 4 * k + j for k, r in enumerate(RANKS) for j, s in enumerate(SUITS)} | {"??": UNSEEN}
_SEAT = {f"p{seat + 1}": seat for seat in range(10)}
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
        raise ValueError(f"starting_stacks = {_shown(stacks)}: expected 2 to 10 stacks")
    seats = len(stacks)
    for key in (*_AMOUNTS, "finishing_stacks", "players"):
        if key in fields and (not isinstance(fields[key], (list, tuple)) or len(fields[key]) != seats):
            raise ValueError(f"{key} = {_shown(fields[key])}: expected one for each of the {seats} players")
    hole, board, movers, moves, boards = _played(fields["actions"], seats)
    finishing, minimum = fields.get("finishing_stacks"), fields.get("min_bet", 0)
    amounts = [*(x for key in _AMOUNTS for x in fields[key]), *(finishing or ()), minimum, *moves]
    scale = 1
    if any(type(amount) is not int for amount in amounts):
        scale = _scale(amounts)

        def chips(values: Iterable[Any]) -> tuple[int, ...]:
            return tuple([int(value * scale) for value in values])

        moves = [move if move in (FOLD, CALL) else int(move * scale) for move in moves]
    else:
        chips = tuple
    blinds, antes, stacks = chips(fields["blinds_or_straddles"]), chips(fields["antes"]), chips(stacks)
    if seats == 2:
        blinds, antes = blinds[::-1], antes[::-1]
    if min(stacks) <= 0:
        raise ValueError(f"starting_stacks = {_shown(fields['starting_stacks'])}: expected more than 0 chips each")
    if min(antes) < 0:
        raise ValueError(f"antes = {_shown(fields['antes'])}: expected none below 0")
    return Hand(
        file, number, blinds, antes, stacks, chips((minimum,))[0], tuple(hole), tuple(board), tuple(movers), tuple(moves),
        tuple(boards), tuple(map(str, fields.get("players", ()))), chips(finishing) if finishing else None,
        str(fields.get("table", "")), scale,
    )  # fmt: skip


def _shown(value: Any) -> str:
    """Returns a value as a file shows it, cut where it is long."""
    text = str(list(value) if isinstance(value, tuple) else value)
    return text if len(text) <= 60 else text[:57] + "..."


def _scale(amounts: list[Any]) -> int:
    """Returns how many chips make a unit, so that every amount is an integer; raises ValueError where some amount is none."""
    for amount in amounts:
        if isinstance(amount, bool) or not isinstance(amount, (int, Decimal)) or not Decimal(amount).is_finite():
            raise ValueError(f"{amount!r} is no amount; expected a number")
    for scale in (1, 100, 10_000):
        if all(amount * scale == int(amount * scale) for amount in amounts):
            return scale
    raise ValueError("amounts with more than four decimal places; expected at most four")


Played = tuple[list[tuple[int, int]], list[int], list[int], list[Any], list[int]]


def _played(actions: Any, seats: int) -> Played:
    """Returns hole cards, board, who moved, moves and how many cards lay on the board at each; raises ValueError."""
    if not isinstance(actions, (list, tuple)):
        raise ValueError(f"actions = {_shown(actions)}: expected a list")
    hole = [(UNSEEN, UNSEEN)] * seats
    board: list[int] = []
    movers: list[int] = []
    moves: list[Any] = []
    boards: list[int] = []
    for k, action in enumerate(actions):
        words = action.split() if "#" not in action else action[: action.index("#")].split()
        if not words:
            continue
        who = words[0]
        if who == "d":
            _deal(words, action, hole, board, seats)
            continue
        seat, what = _SEAT.get(who, seats), words[1] if len(words) > 1 else ""
        if seat >= seats:
            raise ValueError(f"action {k + 1}, {action!r}: there is no player {who!r} among p1 to p{seats}")
        if what == "f" and len(words) == 2:
            moves.append(FOLD)
        elif what == "cc" and len(words) == 2:
            moves.append(CALL)
        elif what == "cbr" and len(words) == 3:
            moves.append(_amount(words[2], k, action))
        elif what == "sm" and len(words) <= 3:  # shows or mucks; unseen or absent cards tell nothing
            if len(words) == 3 and words[2] != "-":
                _see(hole, seat, _cards(words[2], action, 2))
            continue
        else:
            raise ValueError(f"action {k + 1}, {action!r}: expected f, cc, cbr AMOUNT or sm")
        movers.append(seat)
        boards.append(len(board))
    seen = [card for pair in hole for card in pair if card >= 0] + [card for card in board if card >= 0]
    if len(set(seen)) < len(seen):
        raise ValueError("a card is dealt twice")
    return hole, board, movers, moves, boards


def _amount(text: str, k: int, action: str) -> Any:
    """Returns an amount above 0; raises ValueError."""
    try:
        amount = int(text) if text.isdigit() else Decimal(text)
    except InvalidOperation:
        amount = 0
    if not (amount > 0 and amount < 10**9):
        raise ValueError(f"action {k + 1}, {action!r}: {text!r} is no amount; expected chips above 0")
    return amount


@lru_cache(maxsize=65536)
def _cards(text: str, action: str, count: int) -> tuple[int, ...]:
    """Returns cards from a text; raises ValueError where they are none or not as many."""
    cards = tuple([_CARD.get(text[k : k + 2], -2) for k in range(0, len(text), 2)])
    if -2 in cards or len(cards) != count:
        raise ValueError(f"{action!r}: expected {count} card{'s' if count > 1 else ''} such as Ah or ??")
    return cards


def _see(hole: list[tuple[int, int]], seat: int, cards: tuple[int, ...]) -> None:
    """Takes in the cards of a seat; what was told before stays where they are unseen. Raises ValueError on a contradiction."""
    before = hole[seat]
    if UNSEEN in cards:
        return
    if UNSEEN not in before and set(before) != set(cards):
        raise ValueError(f"p{seat + 1} shows other cards than were dealt")
    hole[seat] = (max(cards), min(cards))


def _deal(words: list[str], action: str, hole: list[tuple[int, int]], board: list[int], seats: int) -> None:
    """Takes in cards that are dealt; raises ValueError."""
    if len(words) == 4 and words[1] == "dh":
        seat = _SEAT.get(words[2], seats)
        if seat >= seats:
            raise ValueError(f"{action!r}: there is no player {words[2]!r} among p1 to p{seats}")
        _see(hole, seat, _cards(words[3], "", 2) if len(words[3]) == 4 else _cards(words[3], action, 2))
    elif len(words) == 3 and words[1] == "db":
        board += _cards(words[2], action, 3 if not board else 1)
        if len(board) > 5:
            raise ValueError(f"{action!r}: expected at most five cards on the board")
    else:
        raise ValueError(f"{action!r}: expected 'd dh pN CARDS' or 'd db CARDS'")


if __name__ == "__main__":
    runpy.run_module("games.no_limit_holdem.phh_check", run_name="__main__")  # which imports this file as a module
