"""RLCard's rule player against the answers of the original, ``doudizhu-rule-v1`` of RLCard 1.2.0.

A row of the file is [seat, hand, move to beat ("" = lead), passes since, answers]: one, or all from
which the original draws at random. Commit 4256efb has the program that asked it.
"""

import json
from pathlib import Path

import numpy as np

from games import make
from games.doudizhu.moves import parse_move
from games.doudizhu.players.rlcard_rule import RLCardRule
from games.kernels.rows import take
from games.play.interface import Records
from tests.games.doudizhu.players.positions import positions

ROWS = json.loads((Path(__file__).parent / "data" / "rlcard_positions.json").read_text())
REPEATS = 100


def test_answers_of_the_original() -> None:
    """One answer must be given; of several, which the original draws at random, each must come up
    and nothing else.

    An answer of probability 1/n, n at most 6, is missed in 100 games with probability (1 - 1/n)^100
    < 2e-8.
    """
    agent = RLCardRule().at(make("doudizhu"))
    agent.start(REPEATS * len(ROWS), seed=1)
    asked = positions([(seat, hand, target) for seat, hand, target, _, _ in ROWS])
    games = np.arange(REPEATS * len(ROWS))
    records = Records(np.zeros((1, 1)), np.zeros(1))
    moves = agent.act(games, take(asked, games // REPEATS), records)
    for row, found in zip(ROWS, moves.reshape(-1, REPEATS), strict=True):
        answers = {parse_move("standard", text) for text in row[-1]}
        assert len(answers) <= 6
        assert set(found.tolist()) == answers, row
    assert sum(len(row[-1]) > 1 for row in ROWS) >= 10
