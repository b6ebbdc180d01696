"""A local best response in no-limit Hold'em: its range by hand, its choices where they are plain,
what it wins.
"""

from functools import cache
from itertools import combinations

import numpy as np
import pytest

from fpmcts.players.policy import PolicyAgent
from games import make
from games.kernels.rows import States, num_rows
from games.play.agent import Agent
from games.play.interface import Game
from games.play.question import ask
from games.play.table import Table
from games.poker.hands import parse_cards
from games.poker.players.local_best_response import LocalBestResponse
from tests.games.no_limit_holdem.positions import at_table
from tests.inference.bayes import by_kind, posterior
from tests.inference.card_policies import CardPolicies

HANDS = np.array(list(combinations(range(52), 2)), np.int8)


@cache
def game() -> Game:
    return make("no_limit_holdem")


class OnlyPairs(Agent):
    """Raises pairs, calls with the rest before the flop; later folds what is no pair in hand, and
    calls else.
    """

    name = "only pairs"

    def probabilities(self, views: States) -> np.ndarray:
        result = np.zeros((num_rows(views), game().spec.max_legal))
        for k in range(num_rows(views)):
            seat = views.seat[k]
            pair = views.hole[k, seat, 0] // 4 == views.hole[k, seat, 1] // 4
            assert (views.hole[k, seat] >= 0).all()
            assert (views.hole[k, 1 - seat] < 0).all()
            assert (views.board[k, views.shown[k] :] < 0).all()
            faces = views.street_paid[k, 1 - seat] > views.street_paid[k, seat]
            if views.shown[k] == 0:
                called = 1 if faces else 0
                result[k, called + 1 if pair else called : None if pair else called + 1] = (
                    0.2 if pair else 1.0
                )
            else:
                result[k, 0 if not pair or not faces else 1] = 1.0
        return result


def asked(table: Table) -> tuple[LocalBestResponse, np.ndarray, np.ndarray]:
    """Returns the player with its range and what each choice promises, as the seat to move."""
    agent = LocalBestResponse(game(), OnlyPairs(), boards=2000)
    agent.start(1, 0)
    games, view, records = np.zeros(1, np.int64), table.view(table.seat), table.seen(table.seat)
    ranges = agent.ranges(games, view, records)
    return agent, ranges[0], agent.gains(ranges, games, view)[0][0]


def test_it_bets_at_who_folds_and_folds_to_who_is_ahead() -> None:
    _, likely, gains = asked(at_table(["Ks Qd", "8c 7d"], "2h3h4dTcJs", "call", "check"))
    assert (
        likely[HANDS[:, 0] // 4 == HANDS[:, 1] // 4].sum() == 0.0
    )  # it called before the flop: no pair
    assert gains[0] == -np.inf
    assert gains[2] == pytest.approx(200.0)  # a hand without a pair folds: the whole pot
    assert gains[3] == pytest.approx(200.0)
    assert gains[1] < 200.0
    _, _, gains = asked(at_table(["4c 2d", "8c 8d"], "AhAdAcTsJs", "r10000"))
    assert gains[0] == 0.0 > gains[1]
    assert gains[2] == gains[3] == -np.inf  # the other is all-in


def test_its_range_is_exact_for_networks() -> None:
    """By Bayes' rule, after moves of listed and of other amounts."""
    moves = ["call", "r400", "call", "0.5 pot", "call", "check", "check", "check", "1 pot"]
    policies, table = CardPolicies(game().spec), at_table(["Ks Qd", "7c 6d"], "2c3c4c5cTh", *moves)
    agent = LocalBestResponse(game(), PolicyAgent(game(), policies.evaluate, 1.0), boards=1)
    agent.start(1, 0)
    view = table.view(0)
    likely = agent.ranges(np.zeros(1, np.int64), view, table.seen(0))[0]
    made, stands_for = Table(game(), deal=table.deal), []
    for move in table.moves:
        stands_for.append(int(ask(made, 0, [move.action]).stands_for[0]))
        made.play(move.action)
    actions = [move.action for move in table.moves]
    worlds = posterior(game(), policies.evaluate, view, 0, actions, stands_for)
    kinds = [
        HANDS.tolist().index(sorted(map(int, parse_cards(k)))) for k in game().spec.hidden_kinds
    ]
    expected = np.zeros(len(HANDS))
    expected[kinds] = by_kind(game(), view, 0, worlds)
    assert table.seat == 0 and np.ptp(expected) > 0.0
    np.testing.assert_allclose(likely / likely.sum(), expected, rtol=1e-5, atol=1e-12)
