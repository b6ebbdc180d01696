import pytest

from games.doudizhu.themes import theme

HAND = "3344AA2222LB"


@pytest.mark.parametrize(
    ("move", "to_beat", "seat", "phase", "found"),
    [
        ("call 3", None, 0, "bidding", "auction"),
        ("pass", "K", 0, "playing", "hold"),
        ("2222", "K", 0, "playing", "bomb"),
        ("LB", None, 0, "playing", "bomb"),
        ("A", "K", 0, "playing", "split"),
        ("33", None, 1, "playing", "lead"),
        ("44", "33", 2, "playing", "block"),
        ("44", "33", 1, "playing", "take"),
        ("44", "33", 0, "playing", "take"),
    ],
)
def test_a_decision_has_a_theme(
    move: str, to_beat: str | None, seat: int, phase: str, found: str
) -> None:
    """The peasant before the landlord blocks, seat 2 if the landlord is seat 0."""
    seen = {"hand": HAND, "seat": seat, "landlord": 0, "to_beat": to_beat, "phase": phase}
    assert theme(seen, move) == found
