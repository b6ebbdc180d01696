"""Exact best responses on any game: known values, and an oracle in Python; poker's
full trees are in ``tests/evaluation/test_exact_measure.py``.
"""

from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from fpmcts.tabular import listed_game
from fpmcts.tabular.algorithms import make
from fpmcts.tabular.hash_table import HEADER, Rows, find, seat_key
from fpmcts.tabular.listed_game import best_response_values, listing, nash_conv, uniform
from games import make as make_game
from games.kernels import kernel
from games.kernels.generic import current_seat, legal, step, team_return
from games.kernels.rows import take
from games.play.interface import Game


@pytest.mark.parametrize(
    ("cards", "lowest", "expected"),
    [
        (4, 0, 1.75),
        (6, 0, 1.791667),
        (6, 1, 1.622222),
    ],
)
def test_the_uniform_policy_of_goofspiel(cards: int, lowest: int, expected: float) -> None:
    """Source: OpenSpiel's values for prizes 1 to n."""
    listed = listing(make_game("goofspiel", cards=cards, lowest_prize=lowest))
    assert nash_conv(listed, uniform()) == pytest.approx(expected, abs=1e-6)


@kernel
def _place(rules: Any, states: Any, seat: int, policy: Rows) -> tuple[np.uint64, int]:
    key = seat_key(rules, states, 0, seat)
    return key, find(policy, key, seat)


def oracle(game: Game, policy: Rows, responder: int) -> float:
    """Returns what a best response wins: all histories, then information sets from the latest own
    decision to the first.
    """
    rules, sets, ends = game.rules, defaultdict(list), []

    def visit(states: Any, weight: float, own: tuple[tuple[int, int], ...]) -> None:
        seat = current_seat(rules, states, 0)
        if seat < 0:
            ends.append((own, weight * team_return(rules, states, 0, responder)))
            return
        actions = np.empty(game.spec.max_legal, np.int16)
        count = legal(rules, states, 0, actions)
        key, place = _place(rules, states, seat, policy)
        for k in range(count):
            after = take(states, np.array([0]))
            step(rules, after, 0, int(actions[k]))
            if seat == responder:
                sets[int(key)] = own
                visit(after, weight, (*own, (int(key), k)))
            else:
                visit(
                    after,
                    weight
                    * (policy.words[place + HEADER + k] if place >= 0 and count > 1 else 1 / count),
                    own,
                )

    starts, chances = game.starts()
    for row, chance in enumerate(chances):
        visit(take(starts, np.array([row])), float(chance), ())
    worth: dict[tuple[tuple[int, int], ...], float] = defaultdict(float)
    for own, value in ends:
        worth[own] += value
    for key in sorted(sets, key=lambda key: -len(sets[key])):
        own = sets[key]
        worth[own] += max(
            value
            for after, value in worth.items()
            if len(after) == len(own) + 1 and after[-1][0] == key
        )
    return worth[()]


@pytest.mark.parametrize(
    ("name", "options", "selection"),
    [("goofspiel", {"cards": 4}, "uct"), ("goofspiel", {"cards": 3, "prizes": "random"}, "exp3")],
)
def test_the_oracle_agrees(
    name: str, options: dict[str, Any], selection: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = make_game(name, **options)
    learner = make("ismcts", game, 1, selection=selection)
    learner.run(200)
    policy = learner.policy()
    monkeypatch.setattr(listed_game, "_FIRST_ROOM", 4)  # lists that have to grow
    values = best_response_values(listing(game), policy)
    assert values == pytest.approx([oracle(game, policy, seat) for seat in range(2)], abs=1e-12)


def test_a_game_that_does_not_fit_is_refused_with_numbers() -> None:
    listed = listing(make_game("goofspiel", cards=13))
    with pytest.raises(
        ValueError,
        match=(
            r"goofspiel: an exact best response would visit about \d.\de\+\d\d decisions; "
            r"expected at most 1e\+09"
        ),
    ):
        nash_conv(listed, uniform())
    with pytest.raises(ValueError, match="cannot be listed"):
        listing(make_game("doudizhu"))


@pytest.mark.slow
def test_small_phantom_tictactoe() -> None:
    """Histories of one information set lie at different depths. Source: a separate program in C++
    gave the same.
    """
    values = best_response_values(
        listing(make_game("phantom_tictactoe", variant="small")), uniform()
    )
    assert values == pytest.approx([0.94270833, 0.4952381], abs=1e-8)
