"""The exploitability of Mac Manus 2019, 3.2, for comparison with its figures 4.3 and 4.4. It is not
NashConv: the response sees the other's card while it chooses, and only the showdowns, averaged over
the other's cards without the probabilities that lead there, hide it.
"""

import numpy as np

from games.play.tables import Tables


def _averaged(values: np.ndarray, *seen: np.ndarray) -> np.ndarray:
    """Returns values ``[E]`` of deals, each averaged over the deals in which the same is seen."""
    _, group = np.unique(np.stack(seen, axis=1), axis=0, return_inverse=True)
    group = group.reshape(-1)
    return (np.bincount(group, values) / np.bincount(group))[group]


def thesis_measures(game: Tables, policy: np.ndarray) -> dict[str, float]:
    """Returns what the thesis's best response wins from a deterministic policy in each seat, and
    from both, in chips per hand.

    Args:
        game: Leduc.
        policy: float64 ``[game.num_infosets, game.max_actions]``.
    """
    full, policy = game.full, game.full_policy(policy)
    betting, deals = full.betting, full.deals
    rows = betting.base[:, None] + deals.buckets.T[betting.hand].astype(np.int64)
    # Buckets: of each player in round 0 and, with the public card, in round 1.
    private, known = deals.buckets[:, [0, 2]].T, deals.buckets[:, [1, 3]].T
    found = []
    for responder in (1, 0):
        value = np.zeros(rows.shape)
        for node in range(len(value) - 1, -1, -1):
            worth = np.empty((betting.num_actions[node], len(deals.cards)))
            for slot, after in enumerate(betting.child[node, : len(worth)]):
                if after >= 0:
                    worth[slot] = value[after]
                    if betting.round[after] > betting.round[node]:
                        worth[slot] = _averaged(value[after], *private)
                    continue
                payoffs = betting.payoffs[~after, :, responder]
                worth[slot] = payoffs[deals.outcome]
                if np.ptp(payoffs) > 0:  # a showdown
                    worth[slot] = _averaged(worth[slot], known[responder])
            played = policy[rows[node], : len(worth)].argmax(axis=1)
            own = betting.player[node] == responder
            value[node] = worth.max(axis=0) if own else worth[played, np.arange(len(played))]
        found.append(float(value[0].mean()))
    names = ("thesis_first_player", "thesis_second_player", "thesis_both")
    return dict(zip(names, (*found, sum(found)), strict=True))
