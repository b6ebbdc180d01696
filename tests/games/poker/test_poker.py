"""Kuhn and Leduc: sizes and payoffs against an oracle, equation 3, bad input."""

import numpy as np
import pytest

from games import make
from games.kuhn.game import equilibrium, squared_error
from games.limit_holdem.game import RULES
from games.poker import betting
from games.poker.betting import BettingRules


def test_numbers_of_information_states() -> None:
    """Known values (OpenSpiel's tests; counted by hand in games/poker/README.md)."""
    kuhn = make("kuhn").tables
    small, full = make("leduc").tables, make("leduc", suits=True).tables
    for tables, infosets in ((kuhn, 6), (small, 144), (full, 468)):
        assert np.bincount(tables.infoset_player).tolist() == [infosets, infosets]
    texts, fine = small.infoset_texts(), full.infoset_texts()
    for infoset, row in enumerate(small.table_infoset):
        cards, _, bets = fine[infoset].partition(" ")
        assert texts[row] == f"{cards[::2]} {bets}".strip()


def test_outcomes_of_three_players() -> None:
    """13 weak orders (the ordered Bell number)."""
    assert len(betting.outcomes(3)) == 13
    assert betting.outcomes(3)[betting.outcome_of((5, 9, 9))] == (0, 1, 1)
    assert len(betting.outcomes(2)) == 3


@pytest.mark.parametrize("alpha", [0.0, 0.2, 1 / 3])
def test_squared_error_to_the_closest_equilibrium(alpha: float) -> None:
    assert squared_error(equilibrium(alpha)) == pytest.approx(0, abs=1e-20)
    # The closest equilibrium among many, by search.
    policy = make("kuhn").tables.uniform_policy() * 0.3 + equilibrium(alpha) * 0.7
    errors = [np.mean((policy - equilibrium(a)) ** 2) for a in np.linspace(0, 1 / 3, 1001)]
    assert squared_error(policy) == pytest.approx(min(errors), abs=1e-7)


def test_bad_arguments() -> None:
    with pytest.raises(ValueError, match="at least two players"):
        BettingRules(forced=(1,), raises=(1,), max_raises=(1,), first=(0,))
    with pytest.raises(ValueError, match="game.colour=True: unknown key; expected one of"):
        make("leduc", colour=True)
    with pytest.raises(ValueError, match="one for each round"):
        betting.with_buckets(betting.build(RULES[2]), (1, 1))
    kuhn = make("kuhn").tables
    with pytest.raises(ValueError, match=r"expects \(12, 2\)"):
        kuhn.check_policy(np.ones((3, 2)))
    wrong = kuhn.uniform_policy()
    wrong[4] = [0.9, 0.2]
    with pytest.raises(ValueError, match=r"policy\[4\].*'Q cr'"):
        kuhn.check_policy(wrong)
