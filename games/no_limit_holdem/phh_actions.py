"""The actions of a hand in the PHH format: who was dealt what, who moved how, and what was shown."""

from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any

from games.poker.hands import RANKS, SUITS

FOLD, CALL = -1, 0
"""Moves in ``phh.Hand.moves``; a positive number is a bet or raise to so many chips of the round."""
UNSEEN = -1
"""A card that is not told."""
_CARD = {f"{r}{s}": 4 * k + j for k, r in enumerate(RANKS) for j, s in enumerate(SUITS)} | {"??": UNSEEN}
_SEAT = {f"p{seat + 1}": seat for seat in range(10)}
Played = tuple[list[tuple[int, int]], list[int], list[int], list[Any], list[int]]
"""Hole cards, board, who moved, moves, and how many cards lay on the board at each."""


def shown(value: Any) -> str:
    """Returns a value as a file shows it, cut where it is long."""
    text = str(list(value) if isinstance(value, tuple) else value)
    return text if len(text) <= 60 else text[:57] + "..."


def played(actions: Any, seats: int) -> Played:
    """Returns hole cards, board, who moved, moves and how many cards lay on the board at each; raises ValueError."""
    if not isinstance(actions, (list, tuple)):
        raise ValueError(f"actions = {shown(actions)}: expected a list")
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
