"""Single-observer IS-MCTS against a plain implementation with dictionaries, its invariances, and
its place among the players.
"""

import math
from typing import Any

import numpy as np
import pytest

from fpmcts.players import load_player, single_observer
from fpmcts.players.single_observer import CHUNK, PLACES
from fpmcts.players.tree_search import SearchClock
from games import make
from games.kernels import random_below, random_float, streams
from games.kernels.rows import take
from games.play.question import ask
from games.play.table import Table
from inference.prior import prior_worlds
from tests.games import driver

TOTAL = 1500


def naive(
    game: Any,
    worlds: Any,
    count: int,
    seat: int,
    wins_only: bool,
    edges: dict[Any, list[float]],
    span: list[float],
    rng: np.ndarray,
) -> None:
    """Adds an iteration in each world to {(information set, action): [visits, available, total]}.

    Args: span: The least and the largest result so far, changed in place.
    """
    for world in range(count):
        state = take(worlds, np.array([world]))
        path, in_tree = [], True
        while (mover := driver.current_seat(game.rules, state, 0)) >= 0:
            legal = driver.legal_actions(game, state, 0).tolist()
            if not in_tree:
                driver.step(game.rules, state, 0, legal[random_below(rng, 0, len(legal))])
                continue
            key = int(driver.infoset_key(game.rules, state, 0, seat))
            chosen, untried = -1, 0
            for action in legal:
                if (key, action) not in edges:
                    untried += 1
                    if random_below(rng, 0, untried) == 0:
                        chosen = action
            if untried:
                in_tree = False
            else:
                best, ties = -math.inf, 0
                for action in legal:
                    visits, available, total = edges[key, action]
                    bound = total / visits + 0.7 * max(span[1] - span[0], 1e-9) * math.sqrt(
                        math.log(available) / visits
                    )
                    ties = ties + 1 if bound == best else 1 if bound > best else ties
                    if bound > best or (bound == best and random_float(rng, 0) * ties < 1.0):
                        best, chosen = bound, action
            for action in legal:
                if (key, action) in edges:
                    edges[key, action][1] += 1
            if untried:
                edges[key, chosen] = [0, 1, 0.0]
            path.append((key, chosen, mover))
            driver.step(game.rules, state, 0, chosen)
        for key, action, mover in path:
            result = driver.team_return(game.rules, state, 0, mover)
            result = float(np.sign(result)) if wins_only else result
            span[:] = min(span[0], result, -result), max(span[1], result, -result)
            edges[key, action][0] += 1
            edges[key, action][2] += result


@pytest.mark.parametrize("name", ["kuhn", "leduc", "examples.sealed_bids"])
def test_against_dictionaries(name: str) -> None:
    """In Leduc the table of edges grows meanwhile."""
    game: Any = make(name)
    agent: Any = load_player("ismcts", game, iterations=TOTAL)
    ours, theirs = streams(9, 1), streams(9, 1)
    place = agent.place(ask(Table(game, seed=5), 0), ours, streams(0, 1), agent.new_tree())
    assert agent.search(place, SearchClock(TOTAL)) == TOTAL
    worlds, expected, span = game.empty(CHUNK), dict[Any, list[float]](), [math.inf, -math.inf]
    for done in range(0, TOTAL, CHUNK):
        count = min(CHUNK, TOTAL - done)
        prior_worlds(game.rules, place.positions, theirs, count, game.spec.hidden_words, worlds)
        seat = place.question.seat
        naive(game, worlds, count, seat, agent.wins_only, expected, span, theirs)
    edges = place.tree
    assert int(edges.used[0]) == len(expected) == (edges.keys != 0).sum()
    assert (len(edges.keys) > PLACES) == (name == "leduc")
    for (key, action), sums in expected.items():
        at = single_observer.find(
            edges, np.uint64(single_observer.edge_key(np.uint64(key), action))
        )
        assert at >= 0 and edges.sums[at, :3] == pytest.approx(sums)
    assert ours[0] == theirs[0]


def test_it_plays_what_it_finds() -> None:
    """A king calls a raise, the second of two moves; a jack folds."""
    game: Any = make("kuhn")
    for hand, found in (("K", "call"), ("J", "fold")):
        table = Table(game, record={**Table(game, seed=0).record(), "hands": [["Q"], [hand]]})
        table.play("raise")
        view, records = table.view(1), table.seen(1)
        agent = load_player("ismcts", game, iterations=2000)
        agent.start(1, seed=3)
        move = int(agent.act(np.zeros(1, np.int64), view, records)[0])
        assert {m.action: m.text for m in table.legal()}[move] == found
