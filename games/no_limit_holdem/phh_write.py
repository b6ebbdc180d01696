"""Writes hand histories in the PHH format, one hand a file (``.phh``) or many (``.phhs``)."""

import lzma
import os
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

from games.no_limit_holdem.phh import CALL, FOLD, UNSEEN, Hand
from games.poker.hands import RANKS, SUITS


def _card(card: int) -> str:
    return "??" if card == UNSEEN else RANKS[card // 4] + SUITS[card % 4]


def _cards(cards: Iterable[int]) -> str:
    return "".join(_card(card) for card in cards)


def _amount(chips: int, scale: int) -> str:
    """Returns chips in the file's unit: an integer, or a decimal number."""
    value = Fraction(chips, scale)
    return str(value.numerator) if value.denominator == 1 else f"{float(value):.4f}".rstrip("0")


def _text(text: str) -> str:
    """Returns a text as TOML has it; control characters as escapes."""
    if "'" not in text and "\\" not in text and text.isprintable():
        return f"'{text}'"
    escaped = "".join(
        c if c.isprintable() else f"\\u{ord(c):04X}"
        for c in text.replace("\\", "\\\\").replace('"', '\\"')
    )
    return f'"{escaped}"'


def phh_text(hand: Hand) -> str:
    """Returns a hand as a TOML table without header."""

    def amounts(chips: Iterable[int]) -> str:
        return f"[{', '.join(_amount(c, hand.scale) for c in chips)}]"

    actions = [f"d dh p{seat + 1} {_cards(pair)}" for seat, pair in enumerate(hand.hole)]
    shown = 0
    for seat, move, board in zip(hand.seats, hand.moves, hand.boards, strict=True):
        shown = _deal(actions, hand.board, shown, board)
        told = "f" if move == FOLD else "cc" if move == CALL else f"cbr {_amount(move, hand.scale)}"
        actions.append(f"p{seat + 1} {told}")
    actions += _showdown(hand)
    _deal(actions, hand.board, shown, len(hand.board))
    heads_up = len(hand.stacks) == 2
    lines = [
        "variant = 'NT'",
        f"antes = {amounts(hand.antes[::-1] if heads_up else hand.antes)}",
        f"blinds_or_straddles = {amounts(hand.blinds[::-1] if heads_up else hand.blinds)}",
        f"min_bet = {_amount(hand.min_bet or max(hand.blinds), hand.scale)}",
        f"starting_stacks = {amounts(hand.stacks)}",
        f"actions = [{', '.join(_text(action) for action in actions)}]",
    ]
    if hand.number.isdigit():
        lines.append(f"hand = {int(hand.number)}")
    if hand.table:
        lines.append(f"table = {_text(hand.table)}")
    if hand.players:
        lines.append(f"players = [{', '.join(_text(name) for name in hand.players)}]")
    if hand.finishing_stacks is not None:
        lines.append(f"finishing_stacks = {amounts(hand.finishing_stacks)}")
    return "\n".join(lines) + "\n"


def _showdown(hand: Hand) -> list[str]:
    """Returns how those who did not fold show their hands, where several did not: before the cards
    that come after an all-in.
    """
    folded = {seat for seat, move in zip(hand.seats, hand.moves, strict=True) if move == FOLD}
    left = [seat for seat in range(len(hand.stacks)) if seat not in folded]
    known = [seat for seat in left if UNSEEN not in hand.hole[seat]]
    return [f"p{seat + 1} sm {_cards(hand.hole[seat])}" for seat in known] if len(left) > 1 else []


def _deal(actions: list[str], board: tuple[int, ...], shown: int, needed: int) -> int:
    """Adds what is dealt until so many cards are on the board, round by round; returns how many
    are.
    """
    while shown < needed:
        following = 3 if shown == 0 else shown + 1
        actions.append(f"d db {_cards(board[shown:following])}")
        shown = following
    return shown


def write(path: str | Path, hands: Iterable[Hand], several: bool = False) -> int:
    """Writes hands to a file, compressed where its name ends in .xz; returns how many.

    The file is written beside the old one and renamed. Hands are numbered from 1. A ``.phh`` file
    holds one hand.

    Args:
        path: The file.
        hands: The hands.
        several: Whether a ``.phh`` file may be written as ``.phhs`` are, with any number of hands;
            ``phh.read`` reads both.

    Raises:
        ValueError: Several hands for a ``.phh`` file, or another suffix.
        OSError: It cannot be written.
    """
    path = Path(path)
    plain = path.name.removesuffix(".xz")
    if not plain.endswith((".phh", ".phhs")):
        raise ValueError(
            f"{path}: expected a name that ends in .phh or .phhs, or one of these and .xz"
        )
    texts = [phh_text(hand) for hand in hands]
    single = plain.endswith(".phh") and not several
    if single and len(texts) != 1:
        raise ValueError(
            f"{path}: a .phh file holds one hand, not {len(texts):,}; give a name that ends in "
            ".phhs"
        )
    whole = texts[0] if single else "\n".join(f"[{k + 1}]\n{text}" for k, text in enumerate(texts))
    data = whole.encode()
    temporary = path.with_name(f".{path.name}.partial")
    temporary.write_bytes(lzma.compress(data) if path.name.endswith(".xz") else data)
    os.replace(temporary, path)
    return len(texts)
