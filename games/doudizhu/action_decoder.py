"""Policy outputs: how the logit of each move is a sum of network outputs.

The outputs are 42 planes of 15 ranks, then pass and rocket. There is a *main* plane for every
category and length, with one output for each lowest main rank, and a *kicker* plane for every
category with kickers, with one output for each rank. The logit of a move is its main output plus
the outputs of its kickers; a repeated solo kicker counts again, a pair counts once.
"""

from functools import cache

import numpy as np

from games.doudizhu.cards import NUM_RANKS, unpack
from games.doudizhu.legal import HAS_KICKERS, LONGEST, SHORTEST
from games.doudizhu.moves import PASS, Category, main_cards, rule_set

DEPARTS = (
    (
        "4.2",
        "Kickers, which the paper leaves to a second network and to rules that it does not state, "
        "are planes of the one policy head: the logit of a move is its main output plus those of "
        "its kickers. So one evaluation gives every move its exact probability, which search and "
        "inference need; a second network would double their cost.",
    ),
)
_SEGMENTS = [
    (c, length) for c in list(Category)[1:-1] for length in range(SHORTEST[c], LONGEST[c] + 1)
]
"""The category and length of each main plane."""
_KICKER_CATEGORIES = [c for c in Category if HAS_KICKERS[c]]
_NUM_PLANES = len(_SEGMENTS) + len(_KICKER_CATEGORIES)
_PAIR_KICKERS = (Category.TRIO_PAIR, Category.PLANE_PAIRS, Category.FOUR_PAIRS)
_MOST_TERMS = 6

PASS_OUTPUT = _NUM_PLANES * NUM_RANKS
ROCKET_OUTPUT = PASS_OUTPUT + 1
POLICY_SIZE = ROCKET_OUTPUT + 1
"""Number of policy outputs: 632."""


@cache
def decoder(rules_name: str) -> np.ndarray:
    """Returns the policy outputs whose sum is the logit of each move of a rule set (int16 ``[M,
    6]``), filled up with -1.
    """
    rules = rule_set(rules_name)
    outputs = np.full((len(rules.cards), _MOST_TERMS), -1, dtype=np.int16)
    outputs[PASS, 0] = PASS_OUTPUT
    planes = {segment: plane for plane, segment in enumerate(_SEGMENTS)}
    for move in range(1, len(rules.cards)):
        category, length = Category(rules.category[move]), int(rules.length[move])
        if category == Category.ROCKET:
            outputs[move, 0] = ROCKET_OUTPUT
            continue
        outputs[move, 0] = planes[category, length] * NUM_RANKS + int(rules.top[move]) - length + 1
        if HAS_KICKERS[category]:
            plane = len(_SEGMENTS) + _KICKER_CATEGORIES.index(category)
            kicked = unpack(rules.cards[move] - main_cards(rules, move))
            kickers = np.repeat(np.arange(NUM_RANKS), kicked)
            kickers = kickers[::2] if category in _PAIR_KICKERS else kickers
            outputs[move, 1 : 1 + len(kickers)] = plane * NUM_RANKS + kickers
    return outputs
