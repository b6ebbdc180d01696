"""What moves and cards are worth in poker that is too large for exact values, by play-outs of a
stored policy.

The hidden hand of the one opponent is weighed by the policy: the probability of each hand is that
of the moves it made with it (``LocalBestResponse.ranges``). Worlds are drawn from these weights,
and each move is tried in the same worlds with the same random numbers, so that moves are compared
in pairs. From there on the policy plays in every seat, the mover's own included.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from fpmcts.players.luck import Luck, Mean, luck_of, play_out, repeated
from games.agent import Agent, OpenPolicy
from games.decision import HiddenCards, Question
from games.poker.game import LimitPoker
from games.poker.players.local_best_response import LocalBestResponse
from games.poker.state import States
from games.table import Table

FLOOR = 0.02
"""Share of uniform play in the policy that explains the opponent's moves: none of them is
impossible.
"""


class Floored(OpenPolicy):
    """A policy of which every legal move has some probability."""

    def __init__(self, game: LimitPoker, policy: OpenPolicy) -> None:
        self._counts, self._policy = game.rules.betting.num_actions, policy

    def probabilities(self, views: States) -> np.ndarray:
        """Returns the probability of each legal action at each view, see
        ``games.agent.OpenPolicy``.
        """
        told = self._policy.probabilities(views)
        count = self._counts[views.node][:, None]
        return (1.0 - FLOOR) * told + FLOOR * (np.arange(told.shape[1]) < count) / count


class Simulated(NamedTuple):
    """What play-outs say of a decision. Attributes: returns: float64 ``[W, n]``, of each world and
    move asked about; hidden.
    """

    returns: np.ndarray
    hidden: HiddenCards


def simulate(
    agent: Any, question: Question, num: int, cancel: Callable[[], bool] | None = None
) -> Simulated:
    """Returns what the moves asked about win for the mover in ``num`` worlds.

    Args:
        agent: A player that states its policy.
        question: A decision in a game of two players.
        num: Worlds, at least 2.
        cancel: Whether to stop.

    Raises:
        Cancelled: ``cancel`` said so.
    """
    game: Any = question.game
    rng = np.random.default_rng(question.seed)
    reader = LocalBestResponse(game, Floored(game, agent))
    reader.start(1, 0)
    chances = reader.ranges(np.zeros(1, np.int64), question.view, question.records)[0]
    other, size = 1 - question.seat, game.rules.num_private
    cards = repeated(question.view, num).cards
    cards[:, other * size : (other + 1) * size] = reader.hands[
        rng.choice(len(chances), num, p=chances)
    ]
    board = game.spec.num_seats * size
    shown = int(game.rules.public[game.betting.round[question.view.node[0]]])
    with_board(cards, board + shown, game.rules.num_cards, rng)
    betting, node = game.betting, int(question.view.node[0])
    returns = np.empty((num, len(question.asked)))
    for k, action in enumerate(question.asked):
        after = np.full(
            num, betting.child[node, int(action) - int(betting.actions[node, 0])], np.int32
        )
        returns[:, k] = play_out(game, agent, States(cards.copy(), after), question.seed, cancel)[
            :, question.seat
        ]
    return Simulated(returns, _hidden(game, question.seat, reader.hands, chances))


def with_board(cards: np.ndarray, first: int, deck: int, rng: np.random.Generator) -> None:
    """Deals the cards from column ``first`` on anew in each row of ``cards`` (int8 ``[n, K]``), in
    place, from those left.
    """
    order = rng.random((len(cards), deck))
    np.put_along_axis(order, cards[:, :first].astype(np.int64), 2.0, axis=1)
    cards[:, first:] = np.argsort(order, axis=1)[:, : cards.shape[1] - first]


def _hidden(game: LimitPoker, seat: int, hands: np.ndarray, chances: np.ndarray) -> HiddenCards:
    """Returns the weights of the opponent's hands in the order of the game's names."""
    order = sorted(range(len(hands)), key=lambda k: tuple(hands[k][::-1]))
    found = [[1.0 - p, p] for p in chances[order].tolist()]
    return HiddenCards(
        (1 - seat,), game.spec.hidden_kinds, [found], None, listed=True, prior_only=False
    )


def poker_luck(
    game: LimitPoker,
    agent: Agent,
    table: Table,
    start: Mean,
    num: int,
    seed: int,
    cancel: Callable[[], bool] | None = None,
) -> Luck:
    """Returns what the cards brought in a hand, by ``num`` play-outs of each position; see
    ``fpmcts.players.luck.luck_of``.
    """
    rng, deal, betting = np.random.default_rng(seed), table.deal.cards, game.betting
    board = game.spec.num_seats * game.rules.num_private

    def at(node: int, shown: int) -> States:
        cards = repeated(table.deal, num).cards
        with_board(cards, board + shown, game.rules.num_cards, rng)
        return States(cards, np.full(num, node, np.int32))

    assert len(deal) == 1
    later, node = [], 0
    for action in _actions(table):
        after = int(betting.child[node, action - int(betting.actions[node, 0])])
        if after >= 0 and betting.round[after] > betting.round[node]:
            shown = game.rules.public[betting.round[[node, after]]].tolist()
            # Before: the cards that came here are dealt at random like those still to come.
            later.append((at(after, shown[0]), at(after, shown[1])))
        node = after
    return luck_of(game, agent, table, start, at(0, 0), later, seed, win_only=False, cancel=cancel)


def _actions(table: Table) -> Sequence[int]:
    """Returns the actions of a game."""
    return [move.action for move in table.moves]
