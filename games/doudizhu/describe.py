"""Views in words: what a seat knows, as a dictionary that needs none of our code to be understood.

This is what external players are sent (``docs/external-players.md``), what messages about them
show, and what a table tells of itself (``games/table.py``). It reads the seat's own hand and public
fields only, so cards that the seat cannot see change nothing in it; after the end, when cards are
laid open, also the hands that are left.
"""

from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np

from games.doudizhu import state
from games.doudizhu.cards import NUM_SEATS, Seat, cards_text
from games.doudizhu.moves import MAX_LEGAL, PASS, Rules, move_text, rule_set
from games.doudizhu.state import States

ROLES = {
    Seat.LANDLORD: "landlord",
    Seat.DOWN: "peasant after the landlord",
    Seat.UP: "peasant before the landlord",
}
"""What the seats are called."""


@cache
def text_of(rules_name: str, move: int) -> str:
    """Returns ``move_text``, which takes its time, from memory."""
    return move_text(rule_set(rules_name), move)


def describe_view(
    rules_name: str,
    rules: Rules,
    views: States,
    row: int,
    moves: Iterable[int],
    seat: int | None = None,
) -> dict[str, Any]:
    """Returns what a seat knows, for JSON.

    Cards are texts such as ``3345TJLB``, low cards first; T is the ten, L and B are the jokers.
    Moves are the texts of ``moves.move_text``. Seats are numbers in the order of play, 0 being the
    landlord.

    Args:
        rules_name: Name of the rule set.
        rules: Its tables.
        views: A batch; the hands of the others may be erased.
        row: The row to describe.
        moves: The moves since the deal, from the first.
        seat: Whose view it is; None: that of the seat to move.

    Returns:
        The fields

        - ``game``, ``rules``: ``doudizhu`` and the name of the rule set.
        - ``seat``, ``role``: whose view it is, as a number and in words.
        - ``hand``: the seat's cards.
        - ``cards_left``: how many cards each seat holds.
        - ``bottom``: the three face-up cards, as dealt; the landlord's from the start.
        - ``played``: the cards that each seat has played.
        - ``moves``: all moves since the deal, passes included, the landlord's first one first.
        - ``to_beat``, ``to_beat_seat``: the move that must be beaten and whose it is; None when the
        seat to move leads, and
          at the end.
        - ``bombs``: bombs and rockets played; each doubles the stake.
        - ``legal``: every legal move; none where another seat is to move.
        - ``hands``: once the game is over, what each seat has left; None where the row does not
        tell.
    """
    mover = int(state.current_seat(rules, views, row))
    seat = max(mover, 0) if seat is None else seat
    over = mover < 0
    leads = over or views.target[row] == PASS
    actions = np.empty(MAX_LEGAL, dtype=np.int16)
    count = state.legal(rules, views, row, actions) if seat == mover else 0
    sizes = [int(state.hand_size(views, row, other)) for other in range(NUM_SEATS)]
    hands = [
        cards_text(hand) if hand or size == 0 else None
        for hand, size in zip(views.hands[row], sizes, strict=True)
    ]
    return {
        "game": "doudizhu",
        "rules": rules_name,
        "seat": seat,
        "role": ROLES[Seat(seat)],
        "hand": cards_text(views.hands[row, seat]),
        "cards_left": sizes,
        "bottom": cards_text(views.bottom[row]),
        "played": [cards_text(cards) for cards in views.played[row]],
        "moves": [text_of(rules_name, int(move)) for move in moves],
        "to_beat": None if leads else text_of(rules_name, int(views.target[row])),
        "to_beat_seat": None if leads else int(state.target_seat(views, row)),
        "bombs": int(views.bombs[row]),
        "legal": [text_of(rules_name, int(move)) for move in actions[:count]],
        **({"hands": hands} if over else {}),
    }
