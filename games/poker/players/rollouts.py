"""Positions of limit poker from which rollouts estimate the value of moves and cards.

The opponent's hidden hand is weighted by a policy: each hand has the probability of the moves that
were made with it (``LocalBestResponse.ranges``). Worlds are drawn from these weights, and all moves
are tried in the same worlds, so that their comparison is paired.
"""

import sys

import numpy as np

from games.kernels.rows import take
from games.play.agent import OpenPolicy
from games.play.decision import HiddenCards
from games.play.question import Question
from games.play.table import Table
from games.poker.game import LimitPoker
from games.poker.players.local_best_response import LocalBestResponse
from games.poker.state import States

FLOOR = 0.02
"""Share of uniform play in the policy that explains the opponent's moves, so that none is
impossible.
"""


class Floored(OpenPolicy):
    """A policy that gives every legal move a positive probability."""

    def __init__(self, game: LimitPoker, policy: OpenPolicy) -> None:
        self._counts, self._policy = game.rules.betting.num_actions, policy

    def probabilities(self, views: States) -> np.ndarray:
        """Returns the probability of each legal action at each view, see
        ``games.play.agent.OpenPolicy``.
        """
        policy = self._policy.probabilities(views)
        count = self._counts[views.node][:, None]
        return (1.0 - FLOOR) * policy + FLOOR * (np.arange(policy.shape[1]) < count) / count


def after_moves(
    policy: OpenPolicy, question: Question, num: int, rng: np.random.Generator
) -> tuple[list[States], HiddenCards]:
    """Returns the positions after each move in ``num`` common worlds, drawn by the likelihood of
    the opponent's moves under ``policy``; and the probabilities of its hands.
    """
    game = question.game
    assert isinstance(game, LimitPoker)
    betting, node, size = game.betting, int(question.view.node[0]), game.rules.num_private
    reader = LocalBestResponse(game, Floored(game, policy))
    reader.start(1, 0)
    chances = reader.ranges(np.zeros(1, np.int64), question.view, question.records)[0]
    other = (1 - question.seat) * size
    cards = take(question.view, np.zeros(num, np.int64)).cards
    cards[:, other : other + size] = reader.hands[rng.choice(len(chances), num, p=chances)]
    shown = int(game.rules.public[betting.round[node]])
    with_board(cards, game.spec.num_seats * size + shown, game.rules.num_cards, rng)
    slots = np.asarray(question.asked, np.int64) - int(betting.actions[node, 0])
    after = [
        States(cards.copy(), np.full(num, child, np.int32)) for child in betting.child[node, slots]
    ]
    order = sorted(range(len(chances)), key=lambda k: tuple(reader.hands[k][::-1]))
    found = [[1.0 - p, p] for p in chances[order].tolist()]
    kinds = game.spec.hidden_kinds
    seats = (1 - question.seat,)
    return after, HiddenCards(seats, kinds, [found], None, listed=True, prior_only=False)


def of_table(
    table: Table, num: int, rng: np.random.Generator
) -> tuple[States, list[tuple[States, States]], list[tuple[int, int, States, States]]]:
    """Returns the arguments of ``fpmcts.players.luck.luck_of``, ``num`` positions each: after the
    deal, before and after each time that public cards are dealt, and the moves.
    """
    game = table.game
    assert isinstance(game, LimitPoker)
    betting, board = game.betting, game.spec.num_seats * game.rules.num_private

    def at(node: int, shown: int) -> States:
        cards = take(table.deal, np.zeros(num, np.int64)).cards
        with_board(cards, board + shown, game.rules.num_cards, rng)
        return States(cards, np.full(num, node, np.int32))

    later, moves, node = list[tuple[States, States]](), list[tuple[int, int, States, States]](), 0
    for move in table.moves:
        after = int(betting.child[node, move.action - int(betting.actions[node, 0])])
        before = at(node, int(game.rules.public[betting.round[node]]))
        moved = before._replace(node=np.full(num, after, np.int32))
        moves.append((move.seat, move.action, before, moved))
        if after >= 0 and betting.round[after] > betting.round[node]:
            # Before: the cards dealt here are random, like those still to come.
            old, new = game.rules.public[betting.round[[node, after]]].tolist()
            later.append((at(after, old), at(after, new)))
        node = after
    return at(0, 0), later, moves


def with_board(cards: np.ndarray, first: int, deck: int, rng: np.random.Generator) -> None:
    """Redeals the cards from column ``first`` on in each row of ``cards`` (int8 ``[n, K]``), in
    place, from the remaining deck.
    """
    order = rng.random((len(cards), deck))
    np.put_along_axis(order, cards[:, :first].astype(np.int64), 2.0, axis=1)
    cards[:, first:] = np.argsort(order, axis=1)[:, : cards.shape[1] - first]


LimitPoker.rollouts = sys.modules[__name__]
