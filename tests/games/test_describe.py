"""Views in words: what every game must say, and a view of Doudizhu written out by hand."""

import numpy as np

from games.doudizhu.cards import parse_cards
from games.doudizhu.state import start
from tests.games.positions import GAME, play


def test_a_view_of_doudizhu_by_hand() -> None:
    """The landlord led 3334 and the next peasant passed; then the other one bombs and leads."""
    hands = ["3334556779TJQK2222LB", "4566679TJJQQKKAAA", "34457888899TTJQKA"]
    states = start(
        np.array([[parse_cards(text) for text in hands]], np.uint64),
        np.array([parse_cards("22B")], np.uint64),
    )
    play(states, "4333", "pass")
    moves = np.array([GAME.parse_action(text) for text in ("3334", "pass")])
    assert GAME.describe_view(GAME.view(states, states.seat), 0, moves) == {
        "game": "doudizhu",
        "rules": "standard",
        "seat": 2,
        "role": "peasant before the landlord",
        "hand": "34457888899TTJQKA",
        "cards_left": [16, 17, 17],
        "bottom": "22B",
        "played": ["3334", "", ""],
        "moves": ["3334", "pass"],
        "to_beat": "3334",
        "to_beat_seat": 0,
        "bombs": 0,
        "legal": ["pass", *(f"888{kicker}" for kicker in "34579TJQKA"), "8888"],
    }
    play(states, "8888", "pass", "pass")
    view = GAME.describe_view(states, 0, np.zeros(0, np.int16))
    assert (view["to_beat"], view["to_beat_seat"], view["bombs"]) == (None, None, 1)
    assert (view["hand"], view["cards_left"], view["played"]) == (
        "3445799TTJQKA",
        [16, 17, 13],
        ["3334", "", "8888"],
    )
    assert "pass" not in view["legal"] and "44" in view["legal"]
