"""Best responses and NashConv: known values, an independent recursion."""

import numpy as np
import pytest

from fpmcts.tabular.best_response import (
    best_response_values,
    nash_conv,
    profile_values,
)
from games import make
from games.kuhn.game import GAME_VALUE, equilibrium
from games.play.tables import Tables
from tests.games.poker import poker_oracle as oracle

MEASURES = ("thesis_first_player", "thesis_second_player", "thesis_both")


def random_policy(game: Tables, seed: int, sparse: bool = False) -> np.ndarray:
    weights = np.random.default_rng(seed).random((game.num_infosets, game.max_actions)) * game.legal
    if sparse:  # some actions never, so some information sets are never reached
        weights *= np.random.default_rng(seed + 1).random(weights.shape) < 0.6
        weights[weights.sum(axis=1) == 0, 0] = 1
    return weights / weights.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("alpha", [0.0, 0.1, 0.25, 1 / 3])
def test_the_equilibria_of_kuhn(alpha: float) -> None:
    game = make("kuhn").tables
    assert nash_conv(game, equilibrium(alpha)) == pytest.approx(0, abs=1e-15)
    assert profile_values(game, equilibrium(alpha)) == pytest.approx([GAME_VALUE, -GAME_VALUE])


@pytest.mark.parametrize(
    ("name", "options"), [("kuhn", {}), ("leduc", {"suits": True}), ("leduc", {"suits": False})]
)
@pytest.mark.parametrize("seed", range(2))
def test_against_the_recursion(name: str, options: dict[str, bool], seed: int) -> None:
    game = make(name, **options).tables
    policy = random_policy(game, seed, sparse=seed == 1)
    full = game.full
    rows = {text: row for row, text in enumerate(full.infoset_texts())}
    full_policy = game.full_policy(policy)
    actions = full._by_infoset(
        np.array(["".join("fcr"[a] for a in row if a >= 0) for row in full.betting.actions])
    )

    def probabilities(text: str) -> dict[str, float]:
        return dict(zip(str(actions[rows[text]]), full_policy[rows[text]], strict=False))

    values = best_response_values(game, policy)
    if name == "leduc":
        theirs = [oracle.thesis_value(probabilities, player) for player in (1, 0)]
        expected = dict(zip(MEASURES, (*theirs, sum(theirs)), strict=True))
        assert game.greedy_measures(policy) == pytest.approx(expected)
    for player in range(2):
        assert values[player] == pytest.approx(
            oracle.best_response_value(name, probabilities, player), abs=1e-12
        )


def test_a_policy_of_another_game_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"policy of shape \(12, 2\): leduc expects"):
        nash_conv(make("leduc").tables, make("kuhn").tables.uniform_policy())
