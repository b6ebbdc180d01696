"""A root rule and a baseline of your own, in matches against the search.

The root rule decides which root move the next simulation tries, here by UCB1. Its name is that of
its module: ``root="examples.own_root"`` of a player, ``search.root=examples.own_root`` of a run.
The type of the NamedTuple selects the kernels (``fpmcts/search/roots/__init__.py``). A baseline is
a function from what the seat to move sees to a move.
"""

import sys
from typing import Any, NamedTuple

import numpy as np

from fpmcts import Run, match
from fpmcts.search import roots
from fpmcts.search.search import SearchSettings
from fpmcts.search.tree import Tree
from games.kernels import kernel
from games.kernels.dispatch import register


class UCB1(NamedTuple):
    """UCB1 at the root: no prior, every move is tried first once (Auer et al. 2002).

    Attributes:
        c: Half the spread of the returns.
    """

    c: float


def make(settings: SearchSettings) -> UCB1:
    """Returns the rule."""
    return UCB1(settings.unit)


@kernel
def select(rule: UCB1, tree: Tree, t: int, started: int) -> int:
    """Returns the edge of the root with the highest upper bound."""
    best, highest = 0, -np.inf
    first, degree = tree.first_edge[t, 0], tree.degree[t, 0]
    for edge in range(first, first + degree):
        n = tree.visits[t, edge]
        if n == 0:
            return edge
        bound = tree.total[t, edge] / n + rule.c * np.sqrt(2.0 * np.log(started + 1.0) / n)
        if bound > highest:
            best, highest = edge, bound
    return best


@kernel
def improved_policy(rule: UCB1, tree: Tree, t: int, out: np.ndarray) -> float:
    """Writes the shares of the visits to ``out``; returns the value of the root."""
    first, degree = tree.first_edge[t, 0], tree.degree[t, 0]
    for k in range(degree):
        out[k] = tree.returns[t, first + k]
    out[:degree] /= max(1.0, out[:degree].sum())
    return float(tree.node_value[t, 0])


@kernel
def preference(rule: UCB1, returned: int, prior: float, target: float) -> float:
    """Returns the visits: the move tried most often is played."""
    return float(returned)


register(roots.select, UCB1, select)
register(roots.improved_policy, UCB1, improved_policy)
register(roots.preference, UCB1, preference)


def cautious(view: dict[str, Any]) -> str:
    """Returns a move of Leduc: raises with a king or a pair, else folds to a raise."""
    strong = view["hand"][0][0] in {"K", *(card[0] for card in view["public"])}
    wanted = "raise" if strong else "fold"
    return wanted if wanted in view["legal"] else "call"


def main(minutes: float) -> None:
    """Trains for some minutes, then plays the matches."""
    run = Run("runs/leduc-own-root", game="leduc", budget={"minutes": minutes})
    for report in run:
        print(report)
    theirs = run.player("fpmcts", playouts=64)
    ours = run.player("fpmcts", playouts=64, root="examples.own_root")
    ours.name = "ucb1"
    decks = max(2, int(100 * minutes))
    print(match(run.game, ours, theirs, decks=decks))
    print(match(run.game, ours, cautious, decks=decks))


if __name__ == "__main__":
    main(float(sys.argv[1]) if sys.argv[1:] else 2.0)
