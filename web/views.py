"""What is told of a table: the description of the game, sorted into fields that every game has (``docs/web-protocol.md``).

Nothing here knows a game. A game that calls its fields by the names below gets them shown as what they are; every other field is
shown as a fact under its own name.
"""

from collections.abc import Sequence
from typing import Any

from web.rulebook import Table

PER_SEAT = ("cards_left", "played", "paid", "bets", "stacks", "folded")
"""Fields of a description with one entry for each seat."""
OPEN_CARDS = ("public", "bottom")
"""Fields of a description that are cards which lie open."""
CARDS_OF_SEATS = ("played",)
"""Those of PER_SEAT whose entries are cards."""
LIFTED = ("game", "seat", "hand", "hands", "moves", "legal", "to_move", "returns")
"""Fields that have a place of their own."""


def card_names(cards: Any) -> list[str]:
    """Returns the names of cards, which a game gives as a list of names or as a text of one letter each."""
    return [str(card) for card in cards] if isinstance(cards, (list, tuple, str)) else []


def view_of(
    table: Table,
    viewer: int | None,
    *,
    everything: bool,
    movers: Sequence[int],
    players: Sequence[str],
    names: Sequence[tuple[str, int]],
    with_legal: bool = True,
) -> dict[str, Any]:
    """Returns the view of a table.

    Args:
        table: The table; only ``describe`` is asked, for the viewer, and for every seat where everything may be seen.
        viewer: A seat; None where nobody sits: then everything must be seen.
        everything: Whether all hands are shown.
        movers: The seat of each move so far.
        players: Who sits in each seat.
        names: Name and team of each seat.
        with_legal: Whether legal moves are told.
    """
    if viewer is None and not everything:
        raise ValueError("a view without a seat shows everything")
    to_move = None if table.is_over else table.seat
    own = table.describe(viewer if viewer is not None else max(table.seat, 0))
    hands: list[Any] = [None] * len(players)
    if everything:
        hands = [table.describe(seat).get("hand") for seat in range(len(players))]
    else:
        assert viewer is not None
        hands[viewer] = own.get("hand")
    counts = own.get("cards_left")
    seats = []
    for seat, (name, team) in enumerate(names):
        facts = {field: own[field][seat] for field in PER_SEAT if field in own and field != "cards_left"}
        facts = {field: card_names(value) if field in CARDS_OF_SEATS else value for field, value in facts.items()}
        cards = None if hands[seat] is None else card_names(hands[seat])
        count = counts[seat] if counts is not None else None if cards is None else len(cards)
        seats.append(
            {"seat": seat, "name": name, "team": team, "player": players[seat], "cards": cards, "count": count, "facts": facts}
        )
    seen = own.get("moves", [])
    whose: Sequence[int | None] = movers if len(seen) == len(movers) else [None] * len(seen)
    mine = viewer if viewer is not None else to_move
    legal = list(own["legal"]) if with_legal and to_move is not None and to_move == mine else []
    apart = (*LIFTED, *PER_SEAT, *OPEN_CARDS)
    return {
        "game": own["game"],
        "you": viewer,
        "to_move": to_move,
        "over": table.is_over,
        "ply": len(movers),
        "seats": seats,
        "public": {field: card_names(own[field]) for field in OPEN_CARDS if field in own},
        "facts": {field: value for field, value in own.items() if field not in apart},
        "moves": [{"seat": seat, "move": move} for seat, move in zip(whose, seen, strict=True)],
        "legal": legal,
        "returns": None if table.returns is None else list(table.returns),
    }
