"""Deals that fit what a seat knows: the unseen cards are dealt in the order of their ranks."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from games.doudizhu.cards import (
    COPIES,
    HAND_SIZES,
    NUM_RANKS,
    NUM_SEATS,
    RANK_NAMES,
    ROLES,
    Seat,
    cards_text,
    pack,
    parse_cards,
    unpack,
)
from games.doudizhu.state import States, start, start_auction

_HAND = HAND_SIZES[1]


def to_landlord(known: dict[str, Any], moves: Sequence[np.ndarray], role: int) -> States:
    """Returns a deal to the landlord, who gets the first of the unseen cards.

    Args:
        known: ``hand`` and ``bottom``, which are replaced by the form in which a view gives them.
        moves: The cards of each move (int8 ``[15]``) so far.
        role: The role to move.

    Raises:
        ValueError: There is none.
    """
    played = np.zeros((NUM_SEATS, NUM_RANKS), np.int64)
    for number, cards in enumerate(moves):
        played[number % NUM_SEATS] += cards
    hand, bottom = (unpack(parse_cards(str(known.get(k, "")))) for k in ("hand", "bottom"))
    left = HAND_SIZES[role] - int(played[role].sum())
    for key, cards, size in (("hand", hand, left), ("bottom", bottom, 3)):
        if cards.sum() != size:
            holder = f"that the {ROLES[role]} holds now" if key == "hand" else "of the landlord"
            raise ValueError(f"{key}: {cards.sum()} cards; expected the {size} {holder}")
        known[key] = cards_text(pack(cards))
    hands = played.copy()
    hands[role] += hand
    if role == Seat.LANDLORD and (hands[role] < bottom).any():
        raise ValueError("bottom: the landlord neither holds nor played all of these cards")
    hands[Seat.LANDLORD] = np.maximum(hands[Seat.LANDLORD], bottom)
    unseen = COPIES - hands.sum(axis=0)
    if (unseen < 0).any():
        ranks = "".join(RANK_NAMES[rank] for rank in np.flatnonzero(unseen < 0))
        raise ValueError(f"hand, bottom and moves have more cards {ranks} than the deck")
    rest = np.repeat(np.arange(NUM_RANKS), unseen)
    for other in range(NUM_SEATS):
        missing = HAND_SIZES[other] - int(hands[other].sum())
        if missing < 0:
            raise ValueError(
                f"bottom and moves: {hands[other].sum()} cards of the {ROLES[other]}; expected "
                f"at most {HAND_SIZES[other]}"
            )
        hands[other] += np.bincount(rest[:missing], minlength=NUM_RANKS)
        rest = rest[missing:]
    return start(pack(hands)[None], pack(bottom)[None])


def at_call(known: dict[str, Any], seat: int) -> States:
    """Returns a deal with the hand of the seat to call, the first of the unseen cards being the
    bottom cards. Raises ValueError if there is none.
    """
    own = unpack(parse_cards(str(known.get("hand", ""))))
    if own.sum() != _HAND:
        raise ValueError(f"hand: {own.sum()} cards; expected the {_HAND} of seat {seat}")
    known["hand"] = cards_text(pack(own))
    rest = np.repeat(np.arange(NUM_RANKS), COPIES - own)
    bottom, *others = np.split(rest, [len(rest) - 2 * _HAND, len(rest) - _HAND])
    hands = [pack(np.bincount(cards, minlength=NUM_RANKS)) for cards in others]
    hands.insert(seat, pack(own))
    talon = pack(np.bincount(bottom, minlength=NUM_RANKS))
    return start_auction(np.array([hands]), talon[None])
