"""A position of the card play of which the moves are not known: what a person sees on a screen.

The state after unknown moves has no history but what the table shows: the move to beat and the
passes since. The hands that the seat does not see are filled in, in any way that fits.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from games.doudizhu import state
from games.doudizhu.cards import (
    COPIES,
    HAND_SIZES,
    NUM_RANKS,
    NUM_SEATS,
    ROLES,
    Seat,
    cards_text,
    pack,
    parse_cards,
    unpack,
)
from games.doudizhu.moves import PASS, Category, Rules, move_text, parse_move


def has_begun(known: Mapping[str, Any]) -> bool:
    """Returns whether the fields show that cards were played."""
    played = known.get("played")
    if played is None:
        keys = ("cards_left", "to_beat", "to_beat_seat")
        return any(known.get(key) is not None for key in keys)
    return any(map(str.isalnum, str(played)))


def standing(rules: Rules, name: str, known: dict[str, Any]) -> state.States:
    """Returns the state (one row) that the fields of ``Doudizhu.view_fields`` describe.

    Args:
        rules: The rules.
        name: Their name.
        known: ``hand`` and ``played`` (a list, or a text with commas); whose turn it is, ``role``
            or ``seat``, unless the number of cards says it; ``to_beat`` with ``to_beat_seat``,
            absent or None where the seat leads; ``bombs``, if absent as few as possible;
            ``bottom``, if absent unknown. What is read is replaced by the form in which a view
            would give it.

    Raises:
        ValueError: A field is missing or contradicts the deck or another one.
    """
    for key in ("hand", "played"):
        if known.get(key) is None:
            what = "the cards that each seat has played" if key == "played" else "its cards now"
            raise ValueError(f"{key} is missing: without moves, {what} are needed")
    given = known["played"]
    given = given if isinstance(given, list | tuple) else str(given).strip("[]").split(",")
    if len(given) != NUM_SEATS:
        raise ValueError(f"played: {len(given)} seats; expected {NUM_SEATS}, the landlord first")
    played = np.array([unpack(parse_cards(str(cards or ""))) for cards in given], np.int64)
    hand = unpack(parse_cards(str(known["hand"]))).astype(np.int64)
    known["hand"] = cards_text(pack(hand))
    known["played"] = [cards_text(pack(cards)) for cards in played]
    left = np.array(HAND_SIZES) - played.sum(axis=1)
    if (left <= 0).any():
        raise ValueError(f"played: nobody may have played all; the seats hold {left.tolist()}")
    if isinstance(counts := known.get("cards_left"), str):
        known["cards_left"] = [_number("cards_left", n) for n in counts.strip("[]").split(",")]
    seat = _seat(known, left, int(hand.sum()))
    if hand.sum() != left[seat]:
        raise ValueError(
            f"hand: {hand.sum()} cards; expected the {left[seat]} that the {ROLES[seat]} holds now"
        )
    hands = _hands(known, played, hand, left, seat)
    found = state.start(pack(hands)[None], pack(unpack(parse_cards(known["bottom"])))[None])
    found.played[0] = pack(played)
    found.seat[0] = seat
    _put_target(rules, name, known, found, played, seat)
    return found


def _number(key: str, value: object) -> int:
    """Returns a number of a field. Raises ValueError."""
    if not str(value).strip().isdigit():
        raise ValueError(f"{key}={value}: expected whole numbers")
    return int(str(value))


def _seat(known: dict[str, Any], left: np.ndarray, held: int) -> int:
    """Returns the seat to move. Raises ValueError if the fields do not say it."""
    seats = {seat for seat in range(NUM_SEATS) if left[seat] == held}
    if (role := known.get("role")) is not None:
        seats = {seat for seat in range(NUM_SEATS) if ROLES[seat] == role}
    if (seat := known.get("seat")) is not None:
        seats = {number for number in range(NUM_SEATS) if str(number) == str(seat)}
    if known.get("to_beat") is not None:
        seats -= {number for number in seats if str(number) == str(known.get("to_beat_seat"))}
    if len(seats) != 1:
        raise ValueError(
            f"role: the position does not say whose turn it is; expected one of {', '.join(ROLES)} "
            f"(or seat, 0 to {NUM_SEATS - 1}) with {held} cards left, of {left.tolist()}"
        )
    return seats.pop()


def _hands(
    known: dict[str, Any], played: np.ndarray, hand: np.ndarray, left: np.ndarray, seat: int
) -> np.ndarray:
    """Returns hands that fit (int64 ``[3, 15]``), the bottom cards with the landlord. Raises
    ValueError if there are none.
    """
    bottom = unpack(parse_cards(str(known.get("bottom") or ""))).astype(np.int64)
    if bottom.sum() not in (0, 3):
        raise ValueError(f"bottom: {bottom.sum()} cards; expected the 3 of the landlord, or none")
    known["bottom"] = cards_text(pack(bottom))
    hands = np.zeros((NUM_SEATS, NUM_RANKS), np.int64)
    hands[seat] = hand
    fixed = np.maximum(bottom - played[Seat.LANDLORD], 0)
    if seat == Seat.LANDLORD:
        if (hand < fixed).any():
            raise ValueError("bottom: the landlord neither holds nor played all of these cards")
    else:
        hands[Seat.LANDLORD] += fixed
    unseen = COPIES - hands.sum(axis=0) - played.sum(axis=0)
    if (unseen < 0).any():
        cards = cards_text(pack((unseen < 0).astype(np.int64)))
        raise ValueError(f"hand, played and bottom have more cards {cards} than the deck")
    rest = np.repeat(np.arange(NUM_RANKS), unseen)
    for other in range(NUM_SEATS):
        missing = int(left[other] - hands[other].sum())
        if missing < 0:
            raise ValueError(
                f"bottom and played: the landlord holds {left[other]} cards; expected at least "
                f"the {hands[other].sum()} bottom cards that it has not played"
            )
        hands[other] += np.bincount(rest[:missing], minlength=NUM_RANKS)
        rest = rest[missing:]
    return hands


def _put_target(
    rules: Rules,
    name: str,
    known: dict[str, Any],
    found: state.States,
    played: np.ndarray,
    seat: int,
) -> None:
    """Writes the move to beat, the passes, what the history is known to be, and the bombs. Raises
    ValueError if they contradict what was played.
    """
    text, target, owner = known.get("to_beat"), PASS, known.get("to_beat_seat")
    if text is not None:
        target = parse_move(name, str(text))
        if target == PASS:
            raise ValueError(
                "to_beat: pass is beaten by nothing; leave it out where the seat leads"
            )
        known["to_beat"] = move_text(name, target)
        cards = unpack(rules.cards[target])
        owners = [
            other
            for other in range(NUM_SEATS)
            if other != seat
            and (played[other] >= cards).all()
            and str(owner) in (str(other), "None")
        ]
        if len(owners) != 1:
            raise ValueError(
                f"to_beat_seat={owner}: {len(owners)} other seats may have played {text}; expected "
                "the one whose played cards have it"
            )
        passes = (seat - owners[0] - 1) % NUM_SEATS
        found.target[0], found.passes[0] = target, passes
        found.history[0, passes] = target
    elif owner is not None:
        raise ValueError(f"to_beat_seat={owner}: to_beat is missing")
    else:
        passes = 2 if played.any() else 0
    found.history[0, :passes] = PASS
    is_bomb = bool(rules.category[target] in (Category.BOMB, Category.ROCKET))
    bombs = int(is_bomb)
    if known.get("bombs") is not None:
        bombs = _number("bombs", known["bombs"])
    bounds = (int(is_bomb), int((played == 4).sum() + (played[:, -2:] == 1).all(axis=1).sum()))
    if not bounds[0] <= bombs <= bounds[1]:
        raise ValueError(f"bombs={bombs}: played allows {bounds[0]} to {bounds[1]}")
    found.bombs[0] = bombs
