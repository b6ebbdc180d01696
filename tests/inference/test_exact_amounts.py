"""No-limit Hold'em, bets of amounts that no size lists: the evidence is that of the nearest listed
size, and players continue.
"""

from functools import cache

import numpy as np
import pytest

from fpmcts.players.policy import PolicyAgent
from fpmcts.players.random_agent import Random
from games import make
from games.play.interface import Game
from games.play.table import Table
from inference.determinizer import Determinizer, InferenceSettings
from tests.inference.bayes import by_kind, posterior
from tests.inference.card_policies import CardPolicies

HANDS = 1225
SIZES = ("least", 0.5, 1.0, "all-in")


@cache
def game() -> Game:
    return make("no_limit_holdem", bet_sizes=SIZES)


def believed(moves: list[str], particles: int) -> tuple[np.ndarray, Determinizer, Table]:
    """Returns the probability of each hand of the other player as the player to move sees it."""
    table = Table(game(), seed=3)
    settings = InferenceSettings(phase1="none", particles=particles, active_below=0, epsilon=0.0)
    determinizer = Determinizer(game(), CardPolicies(game().spec), settings, 1)
    rng = np.array([7], np.uint64)
    for move in [*moves, ""]:
        if table.seat == 0 or not move:
            records = table.seen(table.seat)
            determinizer.worlds(
                np.array([0]), table.view(table.seat), records, rng, 16, table.states
            )
        if move:
            table.play(move)
    beliefs = determinizer.marginals(
        np.array([0]), table.view(table.seat), table.seen(table.seat), rng
    )
    return beliefs.probability[0, 0, :, 1], determinizer, table


LINE = ["r290", "r811", "r1700"]
"""The button raises to 290 (0.95 pots: counts as the pot), the big blind to 811, the button to
1,700 (0.54 pots: half a pot).
"""


@pytest.mark.slow
def test_worlds_of_a_history_with_unlisted_amounts_follow_the_posterior() -> None:
    found, determinizer, table = believed(LINE, HANDS)
    assert [move.text for move in table.moves] == LINE
    policies, view, listed = CardPolicies(game().spec), table.view(0), ("1 pot", "1 pot", "0.5 pot")
    stands_for = [game().parse_action(text) for text in listed]
    moves = [move.action for move in table.moves]
    worlds = posterior(game(), policies.evaluate, view, 0, moves, stands_for)
    exact = by_kind(game(), view, 0, worlds)
    np.testing.assert_allclose(found, exact, atol=1e-6)
    assert (exact > 0).sum() == HANDS and exact.max() > 2 * np.median(
        exact[exact > 0]
    )  # the bets say something
    assert np.isfinite(determinizer._particles.posterior[0, :HANDS]).all()


@pytest.mark.parametrize("moves", [["r290"], LINE, ["r290", "call", "r133", "r400"]])
def test_players_decide_after_unlisted_amounts(moves: list[str]) -> None:
    policies = CardPolicies(game().spec)
    table = Table(game(), seed=3)
    for move in moves:
        table.play(move)
    legal = [move.text for move in table.legal()]
    agent = PolicyAgent(game(), policies.evaluate, 1.0)
    decision = agent.decide(table)
    told = agent.probabilities(table.view(table.seat))[0]
    assert decision.move in legal and decision.policy is not None and list(decision.policy) == legal
    np.testing.assert_allclose(told[: len(legal)], list(decision.policy.values()), atol=1e-6)
    assert told.sum() == pytest.approx(1.0) and Random().at(game()).decide(table).move in legal
