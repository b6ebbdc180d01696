"""Games in plain Python (``games/tree.py``)."""

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import pytest

from fpmcts import nash_conv
from games import make
from games.tree import TreeGame

ENDS = {"bb": 2, "pp": 1, "bp": 1, "pbb": 2, "pbp": 1}


class Kuhn(TreeGame):
    """Kuhn poker: pass or bet, by the moves so far."""

    action_names = ("pass", "bet")

    def deals(self) -> Iterator[tuple[Any, float]]:
        for cards in permutations("JQK", 2):
            yield (cards, ""), 1 / 6

    def mover(self, state: Any) -> int:
        return -1 if state[1] in ENDS else len(state[1]) % 2

    def legal(self, state: Any) -> list[int]:
        return [0, 1]

    def step(self, state: Any, action: int) -> Any:
        return state[0], state[1] + "pb"[action]

    def returns(self, state: Any) -> list[float]:
        (first, second), moves = state
        wins = ("JQK".index(first) > "JQK".index(second)) if moves[-2:] != "bp" else moves == "bp"
        return [ENDS[moves], -ENDS[moves]] if wins else [-ENDS[moves], ENDS[moves]]

    def seen(self, state: Any, seat: int) -> Any:
        return state[0][seat], *state[1]


def test_kuhn_in_plain_python_is_kuhn() -> None:
    plain, own = Kuhn(), make("kuhn")
    assert nash_conv(plain, "random") == pytest.approx(nash_conv(own, "random"))
    assert len(plain.rules.shown) == 3 * 2 * (1 + 2 + 1) and not plain.spec.has_private_moves
    # A plane for each card, for each first move, and for the bet after a pass.
    assert plain.spec.observation_shape == (3 + 2 + 1, 1)


def test_the_example_has_the_value_of_open_spiel_s_game() -> None:
    pytest.importorskip("pyspiel")
    theirs = make("fpmcts.adapters.open_spiel_tree", load="liars_dice(dice_sides=3)")
    ours = make("examples.liars_dice", faces=3)
    assert nash_conv(ours, "random") == pytest.approx(nash_conv(theirs, "random"))
    assert len(ours.rules.seat) == len(theirs.rules.seat)


@pytest.mark.parametrize(
    ("name", "method", "message"),
    [
        ("returns", lambda self, state: [1.0, 1.0], r"returns \[1.0, 1.0\]: expected a sum of 0"),
        ("legal", lambda self, state: [], r"with the moves \[\]: expected some"),
        ("seen", lambda self, state, seat: state[0][seat], "cannot tell whose turn it is: 'J'"),
        (
            "legal",
            lambda self, state: [0] if state[0][1] == "J" else [0, 1],
            "the same wherever it sees that",
        ),
    ],
)
def test_what_is_no_game_is_refused(name: str, method: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        type("Broken", (Kuhn,), {name: method})()


def test_a_seat_that_sees_a_move_only_as_made() -> None:
    """The second seat of a simultaneous game: its world holds the move that it did not see."""

    class Matching(Kuhn):
        def deals(self) -> Iterator[tuple[Any, float]]:
            yield (("J", "Q"), ""), 1.0

        def mover(self, state: Any) -> int:
            return len(state[1]) if len(state[1]) < 2 else -1

        def returns(self, state: Any) -> list[float]:
            return [1.0, -1.0] if state[1][0] == state[1][1] else [-1.0, 1.0]

        def seen(self, state: Any, seat: int) -> Any:
            return seat, len(state[1]), state[1][seat : seat + 1]

    game = Matching()
    assert game.spec.has_private_moves and nash_conv(game, "random") == 0.0
    after_pass, after_bet = game.rules.child[0]
    assert game.rules.info[after_pass, 1] == game.rules.info[after_bet, 1]
    assert game.rules.info[after_pass, 0] != game.rules.info[after_bet, 0]
