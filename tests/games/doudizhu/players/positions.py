"""Positions for the tests of the agents."""

from collections.abc import Sequence

from games.doudizhu.cards import parse_cards
from games.doudizhu.moves import PASS, parse_move
from games.doudizhu.state import States, empty


def positions(rows: Sequence[tuple[int, str, str]]) -> States:
    """Returns a view for each (seat, its hand, move to beat or "" for a lead); the other hands are
    erased.
    """
    views = empty(len(rows))
    views.winner[:] = -1
    for i, (seat, hand, target) in enumerate(rows):
        views.hands[i, seat] = parse_cards(hand)
        views.seat[i] = seat
        views.target[i] = parse_move("standard", target) if target else PASS
    return views
