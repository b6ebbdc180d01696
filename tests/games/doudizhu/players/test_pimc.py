"""The PIMC player: legal, blind to hidden cards, the same in any batch, and right where the answer
is known.
"""

import numpy as np
import pytest

from examples.double_dummy import DoubleDummySolver
from games import make
from games.doudizhu.cards import COPIES, RANK_NAMES
from games.doudizhu.players.pimc import PIMC
from games.doudizhu.players.rhcp import RHCP
from games.doudizhu.players.rhcp_kernels import choose, new_memo
from games.doudizhu.players.teamplay import choose_for_team
from games.doudizhu.state import step
from tests.games.doudizhu.positions import texts
from tests.games.doudizhu.solver.test_double_dummy import position
from tests.players.test_agents import NO_RECORDS, moves_of
from tests.tables import rows

GAME = make("doudizhu")


def test_perfect_where_nothing_is_hidden() -> None:
    """If all unseen cards have one rank, the only world is the truth: the move keeps the
    double-dummy value.
    """
    rng, solver, agent = np.random.default_rng(6), DoubleDummySolver(GAME), PIMC(candidates=64)
    agent = agent.at(GAME)
    agent.settings = agent.settings._replace(solver_cards=20)
    unlike_rhcp = 0
    for _ in range(60):
        rank, seat = int(rng.integers(2, 13)), int(rng.integers(3))
        own = rng.choice(
            np.delete(np.repeat(np.arange(15), COPIES), slice(4 * rank, 4 * rank + 4)),
            5,
            replace=False,
        )
        left = int(rng.integers(1, 4))
        hands = [RANK_NAMES[rank] * left, RANK_NAMES[rank] * (4 - left)]
        hands.insert(seat, "".join(RANK_NAMES[card] for card in own))
        states = position((hands[0], hands[1], hands[2]), seat)
        value = solver.values(states)[0]
        move = int(moves_of(agent, np.zeros(1, np.int64), states, 1)[0])
        rhcp = int(RHCP().at(GAME).act(np.zeros(1, np.int64), states, NO_RECORDS)[0])
        unlike_rhcp += move != rhcp
        step(GAME.rules, states, 0, move)
        reached = (1 if seat == 0 else -1) if states.winner[0] >= 0 else solver.values(states)[0]
        assert reached == value, (hands, seat, texts([move]))
    assert unlike_rhcp > 5


@pytest.mark.parametrize(
    ("hands", "seat", "target", "rhcp", "team", "why"),
    rows(
        """
88T 334 5         | 1 |   | 33   | 3    | a partner with one card: the lowest solo
9 44K 567         | 2 |   | 5    | 7    | the landlord has one card: the highest solo
9 4JK 566         | 2 |   | 5    | 66   | the landlord has one card: no solo
99 4JK 6677TJ     | 2 |   | 66   | T    | the landlord has two cards: no pair
9TJ 44K55 3682    | 2 | A | 2    | pass | no 2 on the partner's ace
9TJ 44K55 67773   | 2 | 5 | 6    | 6    | low solos go over the partner's
9TJ 44K55 777736T | 2 | K | 7777 | pass | no bomb on the partner's move
K 5JQ4 667        | 1 | 4 | 5    | Q    | the landlord has one card: the highest solo
"""
    ),
)
def test_team_play_by_hand(
    hands: str, seat: str, target: str, rhcp: str, team: str, why: str
) -> None:
    states = position((*hands.split(),), int(seat), target)
    memo = new_memo()
    assert texts([choose(GAME.rules, memo, states, 0)]) == [rhcp]
    assert texts([choose_for_team(GAME.rules, memo, states, 0)]) == [team], why
