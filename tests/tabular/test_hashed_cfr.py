"""CFR+ on any game: against the dense one of poker, on games without tables, resuming, bad
input.
"""

import numpy as np
import pytest

from fpmcts.tabular import best_response
from fpmcts.tabular.algorithms import knowing, make
from fpmcts.tabular.cfr_plus import CFRPlusOptions, HashedCFRPlus
from fpmcts.tabular.listed_game import best_response_values
from games import make as make_game
from games.settings import ConfigError


@pytest.mark.parametrize(("name", "iterations"), [("kuhn", (1, 2, 50)), ("leduc", (1, 6))])
def test_it_is_the_dense_one_of_poker(name: str, iterations: tuple[int, ...]) -> None:
    dense, hashed = (
        make("cfr_plus", name),
        HashedCFRPlus("cfr_plus", make_game(name), 0, CFRPlusOptions()),
    )
    assert hashed.listed is not None
    for count in iterations:
        dense.run(count)
        hashed.run(count)
        expected = best_response.best_response_values(dense.game, dense.average_policy())
        np.testing.assert_allclose(
            best_response_values(hashed.listed, hashed.policy()), expected, atol=1e-9
        )
    assert hashed.episodes == sum(iterations)


def test_it_finds_equilibria_of_games_without_tables() -> None:
    learner = make("cfr_plus", make_game("goofspiel", cards=4))
    learner.run(1)
    first = learner.measures()["nash_conv/average_policy"]
    learner.run(299)
    measures = learner.measures()
    assert measures["nash_conv/average_policy"] < 0.005 < first
    state = learner.get_state()
    whole, resumed = (
        make("cfr_plus", make_game("goofspiel", cards=4)),
        make("cfr_plus", make_game("goofspiel", cards=4)),
    )
    whole.run(303)
    resumed.set_state(state)
    resumed.run(3)
    np.testing.assert_array_equal(whole.get_state()["rows"], resumed.get_state()["rows"])


def test_every_information_set_has_a_row() -> None:
    hashed = HashedCFRPlus("cfr_plus", make_game("leduc"), 0, CFRPlusOptions())
    hashed.run(1)
    assert hashed.table.num_rows == 2 * 468  # games/poker/README.md, suits told apart


def test_a_table_that_is_full_is_one_line() -> None:
    learner = make("cfr_plus", make_game("goofspiel", cards=5))
    learner.table.memory = 0
    with pytest.raises(
        ConfigError, match="algorithm cfr_plus on goofspiel: memory=0: .* expected at least"
    ):
        learner.run(1)


def test_games_that_are_too_large() -> None:
    assert "cfr_plus" not in knowing(make_game("doudizhu"))
    with pytest.raises(
        ValueError,
        match=r"cfr_plus: goofspiel has about .* decisions .*; expected at most 1e\+09",
    ):
        make("cfr_plus", make_game("goofspiel", cards=13))
    with pytest.raises(
        ValueError,
        match=(
            "cfr_plus does not know doudizhu: it needs a game of two players whose deals can be "
            "listed"
        ),
    ):
        make("cfr_plus", make_game("doudizhu"))
