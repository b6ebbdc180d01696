"""A local best response in no-limit Hold'em: its range by hand, its choices where they are plain,
what it wins.
"""

from functools import cache
from itertools import combinations

import numpy as np
import pytest

from fpmcts.evaluation.duplicate import duplicate_match
from fpmcts.players.policy import PolicyAgent
from games import make
from games.kernels.rows import States, num_rows
from games.play.agent import Agent
from games.play.interface import Game
from games.play.question import ask
from games.play.table import Table
from games.poker.hands import parse_cards
from games.poker.players.always_call import AlwaysCall
from games.poker.players.local_best_response import LocalBestResponse
from networks.evaluator import Outputs
from tests.games.no_limit_holdem.positions import at_table

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


def test_it_wins_from_a_simple_player() -> None:
    other = AlwaysCall().at(game())
    result = duplicate_match(game(), LocalBestResponse(game(), other, boards=10), other, 20, 3)
    assert result.total.adp.mean > 2 * result.total.adp.error


def networks_of(seed: int) -> PolicyAgent:
    """Returns a player whose networks are random projections of what they observe."""
    weights = np.random.default_rng(seed).normal(
        size=(int(np.prod(game().spec.observation_shape)), game().spec.policy_size)
    )

    def evaluate(observations: np.ndarray, seats: np.ndarray) -> Outputs:
        policy = 0.003 * observations.reshape(len(seats), -1) @ weights + 0.1 * seats[:, None]
        return Outputs(
            policy=policy.astype(np.float32),
            value=np.zeros(len(seats), np.float32),
            hidden=np.zeros((0, 0, 0), np.float32),
        )

    return PolicyAgent(game(), evaluate, temperature=1.0)


def test_its_range_is_exact_for_networks() -> None:
    """Hand by hand: the opponent is dealt it at a table of its own, the moves are made again, and
    its probabilities multiply.
    """
    moves = ["call", "r400", "call", "0.5 pot", "call", "check", "check", "check", "1 pot"]
    against, table = networks_of(1), at_table(["Ks Qd", "7c 6d"], "2c3c4c5cTh", *moves)
    assert table.seat == 0
    agent = LocalBestResponse(game(), against, boards=1)
    agent.start(1, 0)
    likely = agent.ranges(np.zeros(1, np.int64), table.view(table.seat), table.seen(table.seat))[0]
    own, board = set(table.deal.hole[0, 0].tolist()), set(table.describe()["public"])
    seen = own | set(parse_cards(" ".join(board)))
    chosen = np.flatnonzero([not set(hand.tolist()) & seen for hand in HANDS])[::17]
    expected = []
    for hand in chosen:
        deal = table.deal
        deal.hole[0, 1] = HANDS[hand][::-1]
        spare = [c for c in range(52) if c not in own and c not in HANDS[hand] and c not in seen]
        for k in range(5):  # what lies on the table stays; of the rest nothing may be read
            if k >= len(board):
                deal.board[0, k] = spare[k]
        again, chance = Table(game(), deal=deal), 1.0
        for move in table.moves:
            if again.seat == 1:
                listed = [one.action for one in again.legal()]
                question = ask(again, 0, [move.action])
                told = against.probabilities(again.view(1))[0]
                chance *= told[listed.index(int(question.stands_for[0]))]
            again.play(move.action)
        expected.append(chance)
    assert np.ptp(expected) > 0.0
    np.testing.assert_allclose(
        likely[chosen] / likely[chosen].sum(), np.array(expected) / np.sum(expected), rtol=1e-5
    )
