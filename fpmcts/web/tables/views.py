"""The view of a table: the game's description, sorted into fields that every game has
(``docs/web-protocol.md``).

Nothing here knows a game. Fields with the names below are shown in their own way; every other field
is shown as a fact under its name. If a game has no description, the arrays that a seat sees are
shown, seat by seat.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fpmcts.web.errors import Json
from fpmcts.web.tables.rulebook import GameInfo, plies_seen

if TYPE_CHECKING:
    from games.play.table import Table

PER_SEAT = ("cards_left", "played", "paid", "bets", "stacks", "folded", "points", "bids", "doubled")
"""Fields of a description with one entry per seat; raw arrays of that length are treated
likewise.
"""
OPEN_CARDS = ("public", "bottom")
"""Fields of a description that hold open cards."""
CARDS_OF_SEATS = ("played",)
"""Fields of ``PER_SEAT`` whose entries are cards."""
LIFTED = ("game", "seat", "hand", "hands", "moves", "legal", "to_move", "returns")
"""Fields with their own place in the view."""
RAW = "view"
"""Field with the arrays that a seat sees, by name, for games without a description."""
UNKNOWN = -1
"""Value in those arrays for nothing or unseen."""


def card_names(cards: Any) -> list[str]:
    """Returns the names of cards, given as a list of names or as a text with one letter each."""
    return [str(card) for card in cards] if isinstance(cards, (list, tuple, str)) else []


def merged(views: Sequence[Any], unknown: int | None = UNKNOWN) -> Any:
    """Returns raw arrays merged over the views of several seats, None where unknown; a single
    number is unchanged.
    """
    first = views[0]
    if isinstance(first, Mapping):
        return {name: merged([view[name] for view in views]) for name in first}
    if isinstance(first, list):
        return [merged(parts, None) for parts in zip(*views, strict=True)]
    return next((value for value in views if value != UNKNOWN), unknown)


def view_of(
    table: "Table",
    info: GameInfo,
    players: Sequence[str],
    viewer: int | None,
    *,
    everything: bool = False,
) -> Json:
    """Returns the view of a table.

    Args:
        table: The table; only ``describe`` is called, for the viewer, and for every seat if
            everything may be seen.
        info: Its game.
        players: The player in each seat.
        viewer: A seat; None without one: then everything must be visible.
        everything: Whether all hands are shown.
    """
    if viewer is None and not everything:
        raise ValueError("a view without a seat shows everything")
    to_move = None if table.is_over else table.seat
    who = max(table.seat, 0) if viewer is None else viewer
    shown = range(len(players)) if everything else (who,)
    described = {seat: table.describe(seat) for seat in shown}
    own = described[who]
    facts = {field: own[field] for field in own if field not in (*LIFTED, *OPEN_CARDS)}
    known: Json = {}
    if isinstance(own.get(RAW), Mapping):
        del facts[RAW]
        known = merged([each[RAW] for each in described.values()])
        facts |= known
    of_seats = {
        field: facts.pop(field)
        for field, value in list(facts.items())
        if field in PER_SEAT
        or (field in known and isinstance(value, list) and len(value) == len(players))
    }
    counts = of_seats.pop("cards_left", None)
    seats = []
    for seat, (name, team) in enumerate(info.seats):
        hand = described.get(seat, {}).get("hand")
        cards = None if hand is None else card_names(hand)
        count = None if cards is None else len(cards)
        seats.append(
            {
                "seat": seat,
                "name": name,
                "team": team,
                "player": players[seat],
                "cards": cards,
                "count": count if counts is None else counts[seat],
                "facts": {
                    field: card_names(value[seat]) if field in CARDS_OF_SEATS else value[seat]
                    for field, value in of_seats.items()
                },
            }
        )
    seen = [move.text for move in table.moves] if everything else own.get("moves", [])
    plies = range(len(seen)) if len(seen) == len(table.moves) else plies_seen(table, who)
    mine = to_move is not None and viewer in (None, to_move)
    return {
        "game": info.name,
        "you": viewer,
        "to_move": to_move,
        "over": table.is_over,
        "ply": len(seen),  # the number of moves may be hidden as well
        "seats": seats,
        "public": {field: card_names(own[field]) for field in OPEN_CARDS if field in own},
        "facts": facts,
        "moves": [
            {"seat": table.moves[ply].seat, "move": move}
            for ply, move in zip(plies, seen, strict=True)
        ],
        "legal": list(own["legal"]) if mine else [],
        "returns": None if table.returns is None else list(table.returns),
    }
