"""Writes hand histories in the PHH format, one hand per file (``.phh``) or many (``.phhs``)."""

import json
import lzma
from collections.abc import Iterable
from pathlib import Path

from games.base import files
from games.no_limit_holdem.phh import CALL, CARDS, ENDS, FOLD, UNSEEN, Hand

_CARD = {card: text for text, card in CARDS.items()}


def _cards(cards: Iterable[int]) -> str:
    return "".join(_CARD[card] for card in cards)


def phh_text(hand: Hand) -> str:
    """Returns a hand as a TOML table without header."""
    order = -1 if len(hand.stacks) == 2 else 1
    actions = [f"d dh p{seat + 1} {_cards(pair)}" for seat, pair in enumerate(hand.hole)]
    shown = 0
    for seat, move, board in zip(hand.seats, hand.moves, hand.boards, strict=True):
        shown = _deal(actions, hand.board, shown, board)
        done = {FOLD: "f", CALL: "cc"}.get(move) or f"cbr {hand.amounts([move])[0]}"
        actions.append(f"p{seat + 1} {done}")
    actions += _showdown(hand)
    _deal(actions, hand.board, shown, len(hand.board))
    fields = {
        "variant": "NT",
        "ante_trimming_status": hand.trims_antes or None,
        "antes": hand.amounts(hand.antes[::order]),
        "blinds_or_straddles": hand.amounts(hand.blinds[::order]),
        "min_bet": hand.amounts([hand.min_bet or max(hand.blinds)])[0],
        "starting_stacks": hand.amounts(hand.stacks),
        "actions": actions,
        "hand": int(hand.number) if hand.number.isdecimal() else None,
        "table": hand.table or None,
        "players": hand.players or None,
        **{key: hand.amounts(getattr(hand, key) or ()) or None for key in ENDS},
    }
    # JSON is valid TOML here, except for one control character that JSON leaves unescaped.
    lines = (
        f"{key} = {json.dumps(value, ensure_ascii=False)}\n"
        for key, value in fields.items()
        if value is not None
    )
    return "".join(lines).replace("\x7f", "\\u007f")


def _showdown(hand: Hand) -> list[str]:
    """Returns the actions that show the hands, if several seats did not fold: they come before the
    cards dealt after an all-in.
    """
    folded = {seat for seat, move in zip(hand.seats, hand.moves, strict=True) if move == FOLD}
    left = [seat for seat in range(len(hand.stacks)) if seat not in folded]
    known = [seat for seat in left if UNSEEN not in hand.hole[seat]]
    return [f"p{seat + 1} sm {_cards(hand.hole[seat])}" for seat in known] if len(left) > 1 else []


def _deal(actions: list[str], board: tuple[int, ...], shown: int, needed: int) -> int:
    """Adds the deals, round by round, until ``needed`` cards are on the board; returns their
    number.
    """
    while shown < needed:
        following = 3 if shown == 0 else shown + 1
        actions.append(f"d db {_cards(board[shown:following])}")
        shown = following
    return shown


def write(path: str | Path, hands: Iterable[Hand]) -> int:
    """Writes hands to a file, compressed if its name ends in .xz; returns their number.

    Hands are numbered from 1; one alone in a ``.phh`` file has no number.

    Raises:
        ValueError: The suffix is unknown.
        OSError: The file cannot be written.
    """
    path = Path(path)
    plain = path.name.removesuffix(".xz")
    if not plain.endswith((".phh", ".phhs")):
        raise ValueError(
            f"{path}: expected a name that ends in .phh or .phhs, or one of these and .xz"
        )
    texts = [phh_text(hand) for hand in hands]
    is_alone = plain.endswith(".phh") and len(texts) == 1
    whole = (
        texts[0] if is_alone else "\n".join(f"[{k + 1}]\n{text}" for k, text in enumerate(texts))
    )
    data = whole.encode(errors="replace")
    files.write(path, lzma.compress(data) if path.name.endswith(".xz") else data)
    return len(texts)
