"""The listed move that represents a bet of any amount, for policies that know only listed moves.

Between two listed sizes A < B, in pots, a bet of x pots maps to A up to ``(A + B + 2AB) / (A + B +
2)``, and to B above. This is the deterministic form of the pseudo-harmonic mapping, which draws A
with probability ``(B - x)(1 + A) / ((B - A)(1 + x))``; the threshold is where that is 1/2. Source:
Ganzfried & Sandholm, "Action translation in extensive-form games with large action spaces: axioms,
paradoxes, and the pseudo-harmonic mapping", IJCAI 2013.
"""

import numpy as np

from games.kernels import kernel
from games.no_limit_holdem.betting import list_actions, situation, size_amount
from games.no_limit_holdem.state import FIRST_AMOUNT, FIRST_SIZE, Rules, States


@kernel
def nearest_listed(rules: Rules, states: States, i: int, action: int) -> int:
    """Returns the action among those ``legal`` lists that represents any legal action; a raise
    stays a raise.
    """
    if action < FIRST_AMOUNT:
        return np.int64(action)
    here = situation(rules, states, i)
    amount = np.int64(action - FIRST_AMOUNT)
    below, above = np.int64(-1), np.int64(-1)
    lower, upper = np.int64(0), np.int64(0)
    actions = np.empty(FIRST_AMOUNT, np.int16)
    for k in range(list_actions(rules, here, actions)):
        if actions[k] < FIRST_SIZE:
            continue
        listed = size_amount(here, rules.sizes[actions[k] - FIRST_SIZE])
        if listed <= amount:
            below, lower = np.int64(actions[k]), listed
        elif above < 0:
            above, upper = np.int64(actions[k]), listed
    if below < 0 or above < 0:
        return max(below, above)
    pots = np.float64(here.after_call)
    a, b, x = (
        (lower - here.highest) / pots,
        (upper - here.highest) / pots,
        (amount - here.highest) / pots,
    )
    return below if x <= (a + b + 2.0 * a * b) / (a + b + 2.0) else above
