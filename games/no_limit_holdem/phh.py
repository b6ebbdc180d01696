"""Reads hand histories of no-limit Texas Hold'em in the PHH format: a file, a folder, or many hands
per file, compressed or not; and texts of PokerStars and ACPC logs, if PokerKit is installed.

    fpmcts check FILES    what can be read, what cannot, and why

A file of several hands (``.phhs``) has a TOML table per hand, ``[1]``, ``[2]``, …; a file whose
fields stand before any header is one hand. Tables and fields whose names begin with ``_`` are the
file's own; the format's fields of place, time and currency are not needed. A hand that cannot be
used is refused alone, with the reason. Source of the format: Kim, "Recording and Describing Poker
Hands", 2024, and the specification phh-std.

Seats are numbered from 0, so that seat 0 is the file's ``p1``. The order is that of PHH: with three
or more players p1 has the small blind and the last player the button; heads-up p1 has the big
blind, and ``blinds_or_straddles`` and ``antes`` are listed in reverse, the small blind first. Chips
are integers: a hand with amounts such as 0.25 is counted in hundredths (``Hand.scale``).
"""

import lzma
import re
import tomllib
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stderr
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from importlib.util import find_spec
from io import StringIO
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from games.base.settings import InputError
from games.poker.hands import NUM_CARDS, card_texts

FOLD, CALL = -1, 0
"""Moves in ``Hand.moves``; a positive number is a bet or raise to that many chips in the round."""
UNSEEN = -1
"""A card that is never shown."""
SUFFIXES = (".phh", ".phhs", ".phh.xz", ".phhs.xz")
MOST = 10**9
"""Amounts, in chips, are below this."""
MOST_BYTES = 2**27
"""Of a file, unpacked."""
MOST_TEXT = 2**14
"""Maximum characters of a hand, ten times a long one: the time to parse TOML can grow
quadratically.
"""
CARDS = {text: card for card, text in enumerate(card_texts(range(NUM_CARDS)))} | {"??": UNSEEN}
_SEAT = {f"p{seat + 1}": seat for seat in range(10)}
_KEY = r"""[ \t]*(?:[\w-]+|"[^"\\\n]*"|'[^'\n]*')[ \t]*"""
_HEADER = re.compile(rf"^[ \t]*\[{_KEY}\][ \t]*(?:#[^\n]*)?\r?$", re.MULTILINE | re.ASCII)
"""A header of a table that may be a hand, unless a string or list is open before it."""
_OPEN = "(at end of document))"
_POKERSTARS = re.compile(r"^\ufeff?PokerStars (?:\w+ )*#(\d+)", re.MULTILINE)
_ACPC = re.compile(r"^STATE:\d+:", re.MULTILINE)
ACPC_BLINDS, ACPC_STACK = (50, 100), 20_000
"""Those of the Annual Computer Poker Competition: its lines state no stakes."""
_SITES = re.compile(
    r"(?:\s|#[^\n]*\n)*(?:PokerStars (?:\w+ )*#|Full ?Tilt ?Poker |\*{5} |Stage #|<|STATE:|Hand #)"
)
Amount = int | Decimal
_AMOUNTS = ("antes", "blinds_or_straddles", "starting_stacks")
ENDS = ("finishing_stacks", "winnings", "payoffs")
"""The fields that state the end of a hand, one amount a seat; payoffs are not of the format."""
_FIELDS = frozenset(
    "variant actions min_bet players table hand ante_trimming_status author event url venue "
    "address city region postal_code country time time_zone time_zone_abbreviation day month year "
    "level seats seat_count currency currency_symbol time_limit time_banks".split()
).union(_AMOUNTS, ENDS)
_VARIANTS = {
    "NT": "no-limit Texas hold'em",
    "FT": "fixed-limit Texas hold'em; game=limit_holdem plays it for two or three, without stacks",
    "NS": "no-limit short-deck hold'em",
    "PO": "pot-limit Omaha hold'em",
    "FO/8": "fixed-limit Omaha hold'em high/low",
    "F7S": "fixed-limit seven-card stud",
    "F7S/8": "fixed-limit seven-card stud high/low",
    "FR": "fixed-limit razz",
    "N2L1D": "no-limit deuce-to-seven single draw",
    "F2L3D": "fixed-limit deuce-to-seven triple draw",
    "FB": "fixed-limit badugi",
}


class BadHandError(InputError):
    """A hand, or a file, that cannot be used.

    Attributes:
        file: Path.
        number: The header of the hand in its file; "" if the error is about the file itself.
        reason: What was found and what is expected.
    """

    def __init__(self, file: str, number: str, reason: str) -> None:
        self.file, self.number, self.reason = file, number, reason
        super().__init__(f"{file}{f', hand {number}' if number else ''}: {reason}")


class Hand(NamedTuple):
    """One hand. S is the number of players; amounts are chips, ``scale`` of them to the file's
    unit.

    Attributes:
        file: The file it was read from.
        number: Its header there.
        blinds: S blinds, straddles and posts by seat; a negative one is the post of a player who
            just sat down.
        antes: S antes by seat.
        stacks: S stacks before the hand.
        min_bet: The minimum bet; 0 if the file does not give it.
        hole: S pairs of cards (``games.poker.hands``), ``UNSEEN`` if never shown.
        board: The cards dealt to the board, at most five.
        seats: The seat of each move.
        moves: FOLD, CALL, or the amount bet or raised to.
        boards: Number of cards on the board at each move.
        players: S names; empty if the file has none.
        finishing_stacks: S stacks after the hand; None if the file has none.
        table: Name of the session: the file's ``table``, or "".
        scale: Chips per unit of money in the file: 1, or 100 and more if amounts are not integers.
        winnings: S amounts taken from the pots; None if the file has none.
        payoffs: S net results; None if the file has none.
        trims_antes: Whether a seat with less than the ante can win only as much of each.
        unread: Names of fields that are not of the format and not the file's own.
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
    winnings: tuple[int, ...] | None = None
    payoffs: tuple[int, ...] | None = None
    trims_antes: bool = False
    unread: tuple[str, ...] = ()

    def amounts(self, chips: Iterable[int]) -> list[int | float]:
        """Returns chips in the file's unit."""
        return [n / self.scale if n % self.scale else n // self.scale for n in chips]


def find_files(paths: Iterable[str | Path]) -> list[Path]:
    """Returns the files of hands among paths and in folders, those of a folder in numeric order.

    Raises:
        BadHandError: A path is missing, or a folder has no hands.
    """
    found: list[Path] = []
    for given in map(Path, paths):
        if given.is_dir():
            inside = sorted(
                (p for p in given.rglob("*") if p.name.lower().endswith(SUFFIXES) and p.is_file()),
                key=_natural,
            )
            if not inside:
                raise BadHandError(
                    str(given), "", f"no hands in this folder; expected files {', '.join(SUFFIXES)}"
                )
            found += inside
        elif given.is_file():
            found.append(given)
        else:
            raise BadHandError(str(given), "", "no such file or folder")
    return found


def _natural(path: Path) -> list[tuple[int, str]]:
    """Returns a key that sorts 2.phh before 10.phh."""
    parts = re.split(r"(\d+)", str(path))
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]


def read(paths: Iterable[str | Path], problems: list[BadHandError] | None = None) -> Iterator[Hand]:
    """Yields the hands of files and folders in order.

    Args:
        paths: Files and folders.
        problems: Receives hands that cannot be read, which are then left out.

    Raises:
        BadHandError: A path is missing, or, without ``problems``, a hand cannot be read.
    """
    for path in find_files(paths):
        for found in _hands(path):
            if isinstance(found, Hand):
                yield found
            elif problems is None:
                raise found
            else:
                problems.append(found)


def _hands(path: Path) -> Iterator[Hand | BadHandError]:
    """Yields the hands of a file, and an error for each that cannot be read."""
    number = ""
    try:
        text = _text(path)
        found = tables(text)
        if find_spec("pokerkit") is not None:
            for pattern, convert in ((_ACPC, _acpc), (_POKERSTARS, _pokerstars)):
                found = convert(text) if pattern.search(text) else found
        for number, fields in found:
            try:
                yield _parsed(fields, str(path), number)
            except BadHandError as error:
                yield error
    except BadHandError as error:  # of the file
        yield error
    else:
        if not number:
            yield BadHandError(str(path), "", "no hand in this file")


def _pokerstars(text: str) -> Iterator[tuple[str, dict[str, Any] | str]]:
    """Yields the number and the fields of each hand of a text of PokerStars, by PokerKit, or that
    it cannot read it. Amounts won are left out: PokerKit reads them as 0.
    """
    from pokerkit.notation import HandHistory

    starts = [found.start() for found in _POKERSTARS.finditer(text)]
    if text[: starts[0]].strip():
        yield "before the first", "is not a hand of PokerStars"
    for start, end in pairwise([*starts, len(text)]):
        head = text[start:end].partition("\n")[0].strip("\ufeff\r")
        number = head.partition("#")[2].partition(":")[0]
        if "Hold'em No Limit" not in head:
            yield number, f"is {head[:80]!r}; expected Hold'em No Limit"
            continue
        yield number, _converted(HandHistory.from_pokerstars, text[start:end])


def _acpc(text: str) -> Iterator[tuple[str, dict[str, Any] | str]]:
    """Yields the number and the fields of each hand of an ACPC log, by PokerKit, or why there are
    none.
    """
    from pokerkit import NoLimitTexasHoldem
    from pokerkit.notation import HandHistory

    game = NoLimitTexasHoldem((), False, 0, ACPC_BLINDS, ACPC_BLINDS[1])
    for line in text.splitlines():
        if not line.strip() or line.startswith(("#", "SCORE:")):
            continue
        _, number, actions = [*line.split(":"), "", ""][:3]
        if re.search(r"r(?!\d)", actions):
            yield number, "is of limit hold'em; expected no-limit, in which raises have amounts"
        else:
            yield number, _converted(HandHistory.from_acpc_protocol, game, ACPC_STACK, line)


def _converted(convert: Callable[..., Any], *given: object) -> dict[str, Any] | str:
    """Returns the fields of the one hand that PokerKit converts, or that it cannot read it."""
    try:
        with warnings.catch_warnings(), redirect_stderr(StringIO()):
            warnings.simplefilter("ignore")  # of fields that are not of the format
            (hand,) = convert(*given, error_status=True)
            fields = tomllib.loads(hand.dumps(), parse_float=Decimal)
    except Exception as error:  # noqa: BLE001 (of another program, of any kind)
        return f"PokerKit cannot read this hand ({error.__cause__ or error})"
    if "_results" in fields:
        fields["payoffs"] = fields["_results"]
    return {key: fields[key] for key in (fields.keys() & _FIELDS) - {"winnings"}}


def _text(path: Path) -> str:
    """Returns the text of a file. Raises BadHandError if it cannot be read."""
    is_packed = path.name.lower().endswith(".xz")
    try:
        with lzma.open(path) if is_packed else path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise BadHandError(
                str(path),
                "",
                f"more than {MOST_BYTES:,} bytes of text; split it into smaller files",
            )
        return data.decode("utf-8-sig", "surrogateescape")  # a hand with other bytes is refused
    except OSError as error:
        raise BadHandError(str(path), "", f"cannot be read ({error.strerror})") from error
    except (lzma.LZMAError, EOFError) as error:
        raise BadHandError(str(path), "", "is no whole xz file") from error


def tables(text: str) -> Iterator[tuple[str, dict[str, Any] | str]]:
    """Yields the number and the fields of each hand of a file, or why there are none.

    The text is cut at its headers, so that what is not TOML is refused alone. A part that ends
    within a string or a list is read with the next: what looked like a header belongs to it.
    """
    starts = sorted({0, *(header.start() for header in _HEADER.finditer(text))})
    ends, k = [*starts[1:], len(text)], 0
    while k < len(starts):
        header, first, found = _HEADER.match(text, starts[k]), k, _toml(text[starts[k] : ends[k]])
        joined = found
        while isinstance(joined, str) and joined.endswith(_OPEN) and k + 1 < len(starts):
            k += 1
            joined = _toml(text[starts[first] : ends[k]])
        found, k = (found, first + 1) if isinstance(joined, str) else (joined, k + 1)
        if isinstance(found, str):
            yield header[0].partition("]")[0].strip(" \t[\"'") if header else "1", found
        elif "variant" in found or "actions" in found:
            yield "1" if k - first == len(starts) else "before the first header", found
        else:
            for name, fields in found.items():
                if not name.startswith("_"):
                    is_hand = isinstance(fields, dict)
                    yield name, fields if is_hand else "is no table; expected a header such as [1]"


def _toml(text: str) -> dict[str, Any] | str:
    """Returns the fields and tables of a text, or why there are none."""
    if _SITES.match(text):
        return (
            "is the text of a poker site or an ACPC log; expected PHH, into which PokerKit "
            "converts it: HandHistory.from_pokerstars, from_acpc_protocol, …, then dump_all"
        )
    if len(text) > MOST_TEXT:
        return f"{len(text):,} characters; expected at most {MOST_TEXT:,} for a hand"
    try:
        text.encode()
        return tomllib.loads(text, parse_float=Decimal)
    except UnicodeEncodeError:
        return "is not UTF-8 text"
    except (ValueError, InvalidOperation, RecursionError) as error:
        return f"is not TOML ({error})"


def parse(text: str, file: str = "", number: str = "1") -> Hand:
    """Returns the hand of a TOML table without its header.

    Raises:
        BadHandError: It is not a hand of no-limit Texas Hold'em, or contradicts itself.
    """
    return _parsed(_toml(text), file, number)


def _parsed(fields: dict[str, Any] | str, file: str, number: str) -> Hand:
    """Returns the hand of a table, or of the reason why there is none. Raises BadHandError."""
    try:
        if isinstance(fields, str):
            raise ValueError(fields)
        return _hand(fields, file, number)
    except (ValueError, InvalidOperation) as error:
        raise BadHandError(file, number, str(error)) from None


def _hand(fields: dict[str, Any], file: str, number: str) -> Hand:
    """Returns the hand that fields describe. Raises ValueError."""
    if "variant" not in fields:
        own = "; a table that is no hand has a name that begins with _" if number else ""
        raise ValueError(f"variant is missing{own}")
    if (variant := fields["variant"]) != "NT":
        name = f" ({_VARIANTS[str(variant)]})" if str(variant) in _VARIANTS else ""
        raise ValueError(f"variant = {_quoted(variant)}{name}: expected 'NT', {_VARIANTS['NT']}")
    for key in (*_AMOUNTS, "actions"):
        if key not in fields:
            raise ValueError(f"{key} is missing")
    stacks = fields["starting_stacks"]
    if not isinstance(stacks, list) or not 2 <= len(stacks) <= 10:
        raise ValueError(f"starting_stacks = {_quoted(stacks)}: expected 2 to 10 stacks")
    seats = len(stacks)
    for key in (*_AMOUNTS, *ENDS, "players"):
        if key in fields and (not isinstance(fields[key], list) or len(fields[key]) != seats):
            raise ValueError(
                f"{key} = {_quoted(fields[key])}: expected one for each of the {seats} players"
            )
    if not isinstance(fields["actions"], list):
        raise ValueError(f"actions = {_quoted(fields['actions'])}: expected a list")
    actions = _Actions(fields["actions"], seats)
    ended, minimum = {key: fields[key] for key in ENDS if key in fields}, fields.get("min_bet", 0)
    posts, antes = fields["blinds_or_straddles"], fields["antes"]
    stated = chain.from_iterable(ended.values())
    scale = _scale([*stacks, *posts, *antes, *stated, minimum, *actions.moves])

    def chips(amounts: Iterable[Amount]) -> tuple[int, ...]:
        return tuple([int(amount * scale) for amount in amounts])

    if min(stacks) <= 0:
        raise ValueError(f"starting_stacks = {_quoted(stacks)}: expected more than 0 chips each")
    if min(antes) < 0:
        raise ValueError(f"antes = {_quoted(antes)}: expected none below 0")
    if not any((*antes, *posts)):
        raise ValueError("antes and blinds_or_straddles are all 0; expected a post")
    if (minimum or max(posts)) <= 0:
        raise ValueError(f"min_bet = {minimum}: expected more than 0 chips, or a blind")
    trims = fields.get("ante_trimming_status", False)
    if not isinstance(trims, bool):
        raise ValueError(f"ante_trimming_status = {_quoted(trims)}: expected true or false")
    if trims and len(set(antes)) > 1:
        raise ValueError(
            f"ante_trimming_status = true with antes = {_quoted(antes)}: expected equal antes"
        )
    order = -1 if seats == 2 else 1
    return Hand(
        file=file,
        number=number,
        blinds=chips(posts[::order]),
        antes=chips(antes[::order]),
        stacks=chips(stacks),
        min_bet=int(minimum * scale),
        hole=tuple(actions.hole),
        board=tuple(actions.board),
        seats=tuple(actions.seats),
        moves=tuple([int(move if move <= CALL else move * scale) for move in actions.moves]),
        boards=tuple(actions.boards),
        players=tuple(map(str, fields.get("players", ()))),
        table=str(fields.get("table", "")),
        scale=scale,
        trims_antes=trims,
        unread=tuple(key for key in fields if key not in _FIELDS and not key.startswith("_")),
        **{key: chips(amounts) for key, amounts in ended.items()},
    )


class _Actions:
    """The actions of a hand, parsed into the fields of ``Hand`` with the same names. Raises
    ValueError.
    """

    def __init__(self, actions: Iterable[object], seats: int) -> None:
        self.hole = [(UNSEEN, UNSEEN)] * seats
        self.board: list[int] = []
        self.seats: list[int] = []
        self.moves: list[Amount] = []
        self.boards: list[int] = []
        for number, action in enumerate(actions, 1):
            try:
                self._take(str(action).partition("#")[0].split())
            except ValueError as error:
                raise ValueError(f"action {number}, {_quoted(action)}: {error}") from None
        seen = [
            card
            for card in (*self.board, *(card for pair in self.hole for card in pair))
            if card != UNSEEN
        ]
        if len(set(seen)) < len(seen):
            raise ValueError("a card is dealt twice")

    def _take(self, words: list[str]) -> None:
        match words:
            case []:
                pass
            case ["d", "dh", who, cards] | [who, "sm", cards] if cards != "-":
                self._see(self._seat(who), _cards(cards, 2))
            case ["d", "db", cards] if len(self.board) < 5:
                self.board += _cards(cards, 1 if self.board else 3)
            case [who, "sm"] | [who, "sm", "-"]:  # mucks
                self._seat(who)
            case [who, ("f" | "cc") as what]:
                self._move(who, FOLD if what == "f" else CALL)
            case [who, "cbr", amount]:
                self._move(who, _amount(amount))
            case _:
                raise ValueError(
                    "expected d dh pN CARDS, d db CARDS, or of a player f, cc, cbr AMOUNT or sm"
                )

    def _seat(self, who: str) -> int:
        if (seat := _SEAT.get(who, MOST)) >= len(self.hole):
            raise ValueError(f"no player {_quoted(who)}; expected p1 to p{len(self.hole)}")
        return seat

    def _see(self, seat: int, cards: tuple[int, ...]) -> None:
        """Records the cards of a seat; known cards are not overwritten by unseen ones."""
        if UNSEEN in cards:
            return
        if UNSEEN not in self.hole[seat] and set(self.hole[seat]) != set(cards):
            raise ValueError(f"p{seat + 1} shows other cards than were dealt")
        self.hole[seat] = (max(cards), min(cards))

    def _move(self, who: str, move: Amount) -> None:
        self.seats.append(self._seat(who))
        self.moves.append(move)
        self.boards.append(len(self.board))


@lru_cache(maxsize=65536)
def _cards(text: str, count: int) -> tuple[int, ...]:
    """Returns cards from a text."""
    cards = tuple([CARDS.get(text[k : k + 2]) for k in range(0, len(text), 2)])
    if None in cards or len(cards) != count:
        raise ValueError(f"expected {count} card{'s' if count > 1 else ''} such as Ah or ??")
    return cards  # type: ignore[return-value]


def _amount(text: str) -> Amount:
    """Returns an amount above 0."""
    try:
        amount = int(text) if text.isdecimal() else Decimal(text)
        if 0 < amount < MOST:
            return amount
    except (ValueError, InvalidOperation):
        pass
    raise ValueError(f"{_quoted(text)} is not an amount; expected chips above 0")


def _scale(amounts: list[Amount]) -> int:
    """Returns the number of chips per unit for which every amount is an integer."""
    for amount in amounts:
        is_number = isinstance(amount, (int, Decimal)) and not isinstance(amount, bool)
        if not is_number or not Decimal(amount).is_finite() or not -MOST < amount < MOST:
            raise ValueError(
                f"{_quoted(amount)} is not an amount; expected a number below {MOST:,}"
            )
    for scale in (1, 100, 10_000):
        if all(amount * scale == int(amount * scale) for amount in amounts):
            break
    else:
        raise ValueError("amounts with more than four decimal places; expected at most four")
    if (most := max(amounts)) * scale >= MOST:
        raise ValueError(
            f"{most} is too much in chips of 1/{scale:,}; expected fewer than {MOST:,}"
        )
    return scale


def _quoted(value: object) -> str:
    """Returns a value as the file has it, cut if it is long."""
    try:
        text = repr(value) if isinstance(value, str) else str(value)
    except ValueError:  # Python does not print integers of thousands of digits
        return "a number that is too long"
    return text if len(text) <= 60 else text[:57] + "..."
