"""Searches on the toy game, by ``Search`` and by the oracle, and the tree of a search as
dictionaries.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from fpmcts.search.result import SearchResult
from fpmcts.search.search import Search, SearchSettings
from games.kernels import streams
from games.kernels.rows import concatenate
from tests.search.oracle import Edge, Node, Oracle, Stream, Verdict
from tests.search.toy_game import States, Tables, ToyGame, key_of

Position = tuple[int, int]
"""A node and the card of the seat to move there."""


def settings(
    target: str = "visits", playouts: int = 40, worlds: int = 6, **others: object
) -> SearchSettings:
    """Returns settings for the four-card deck, where a seat cannot tell six worlds apart: one
    simulation after the other, as the oracle does it. With the target of the paper the root has its
    priors, too.
    """
    given = {"slots": 1, "uniform": 0.25 * (target == "advantages")} | others
    return SearchSettings(target=target, playouts=playouts, worlds=worlds, **given)


def make_search(
    game: ToyGame,
    tables: Tables,
    settings: SearchSettings,
    max_positions: int = 1,
    win_only: bool = False,
    edges_per_node: int = 24,
) -> Search:
    return Search(game, tables.evaluate, settings, max_positions, win_only, edges_per_node)


def worlds(game: ToyGame, positions: Sequence[Position]) -> States:
    """Returns every world of each position."""
    return concatenate([game.worlds(node, card) for node, card in positions])


def as_pairs(states: States) -> list[tuple[int, tuple[int, ...]]]:
    """Returns the node and the cards of each row, for the oracle."""
    return [
        (int(node), tuple(cards.tolist()))
        for node, cards in zip(states.node, states.cards, strict=True)
    ]


def search(
    game: ToyGame,
    tables: Tables,
    settings: SearchSettings,
    positions: Sequence[Position],
    seed: int = 0,
    **options: object,
) -> tuple[SearchResult, Search]:
    """Returns the result of one search of all positions; position k draws from stream k of the
    seed.
    """
    searcher = make_search(game, tables, settings, len(positions), **options)
    return searcher.run(
        worlds(game, positions), streams(seed, len(positions)), np.arange(len(positions))
    ), searcher


def run(
    searcher: Search, game: ToyGame, positions: Sequence[Position], **options: Any
) -> SearchResult:
    """Returns the result of a search that is there already; position k draws from stream k."""
    n = len(positions)
    return searcher.run(worlds(game, positions), streams(0, n), np.arange(n), **options)


def oracle_search(
    game: ToyGame,
    tables: Tables,
    settings: SearchSettings,
    positions: Sequence[Position],
    seed: int = 0,
    **options: object,
) -> list[tuple[Verdict, Oracle]]:
    """Returns the verdict of the oracle on each position."""
    answers = []
    for position, state in zip(positions, streams(seed, len(positions)), strict=True):
        oracle = Oracle(game, tables, settings, **options)
        answers.append(
            (oracle.search(as_pairs(game.worlds(*position)), Stream(int(state))), oracle)
        )
    return answers


def tree_of(searcher: Search, t: int, game: ToyGame) -> dict[int, Node]:
    """Returns tree ``t`` of the last search: the oracle's nodes by the node of the game, as the
    searcher sees it; the mean stands for each return."""
    tree = searcher._forest.tree
    of_key = {
        key_of(node, card): node
        for node in range(len(game.rules.seat))
        for card in range(game.num_cards)
    }
    nodes = {}
    for place in np.flatnonzero(tree.index_node[t] >= 0):
        u, node = int(tree.index_node[t, place]), of_key[int(tree.index_key[t, place])]
        first = int(tree.first_edge[t, u])
        edges = {}
        for e in range(first, first + int(tree.degree[t, u])):
            visits, returned = int(tree.visits[t, e]), int(tree.returns[t, e])
            mean = float(tree.total[t, e]) / returned if returned else None
            edges[int(tree.action[t, e])] = Edge(
                float(tree.prior[t, e]), visits, [] if mean is None else [mean] * returned
            )
        nodes[node] = Node(float(tree.node_value[t, u]), edges, int(tree.node_visits[t, u]))
    return nodes
