"""A local best response: a player of two-player poker that is told its opponent's policy, to find out how weak that is.

At each decision it holds the exact range of the opponent, the probability of each hand given the opponent's moves, and looks no
further than its own next move: after it, so it supposes, the opponent folds or calls as its policy says, and both check or call
to the end. In chips, compared with folding, with the chance w to win at a showdown (a tie counts half):

    call     w pot - (1 - w) asked
    raise    f pot + (1 - f) (w' (pot + raise) - (1 - w') (asked + raise))

where the pot is what both have paid, ``asked`` what there is to call, f the probability that the opponent folds to the raise and
w' the chance to win against the hands that do not. It plays the better one if that is above 0, and folds otherwise.

It is a player like any other, so in expectation it wins at most what a best response wins. Over both seats the policy's own value
cancels: the mean score of a duplicate match is a lower bound on the exploitability, which is half of NashConv
(``tabular.best_response``). It can be below 0, and says nothing then.

n games are asked about at once; H hands; A actions at most.

Source: Lisy & Bowling, "Equilibrium approximation quality of current no-limit poker bots", 2017, algorithm 1, for limit betting.
Before the last round w is exact where there are few ways to complete the board, and otherwise estimated from random boards: the
choice may then be worse, and the bound holds as before.
"""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from agents.agent import Agent, OpenPolicy
from agents.poker.no_limit_best_response import NoLimitBestResponseAgent
from agents.poker.showdown_equity import equities
from agents.registry import Host, PlayerOptions, player
from games.interface import Records
from games.kernels import streams
from games.no_limit_holdem.game import NoLimitHoldem
from games.poker.betting import Action
from games.poker.game import NUM_ACTIONS, LimitPoker
from games.poker.state import HIDDEN, States
from runtime.settings import setting


@player("lbr", games=["poker", "no_limit_holdem"], slow=True)
@dataclass
class LocalBestResponseOptions(PlayerOptions):
    """A local best response to a player whose policy it is told, in poker for two (``agents/poker/local_best_response.py``).

    Its score over all games is a lower bound on what the other can lose to a best response: the exploitability, half of
    NashConv.

    Attributes:
        against: Label of the other player of the match, which must be one that can state its policy; None: that of the match.
        boards: Boards at which hands are compared before the last round: all there are if that is no more, else so many random
            ones.
    """

    against: str | None = None
    boards: int = setting(100, least=1, most=1_000_000)

    def needs(self) -> list[str]:
        """Returns the player whose policy it reads."""
        return [] if self.against is None else [self.against]

    def make(self, host: Host) -> Agent:
        """Returns the player."""
        if self.against is None:  # in matches the configuration fills it in
            raise ValueError("set against=LABEL, the player whose policy lbr may read")
        against: Any = host.make(self.against)
        if not host.entrants[self.against].options.states_policy:
            raise ValueError(f"against={self.against}: it cannot state its policy")
        if isinstance(host.game, NoLimitHoldem):
            return NoLimitBestResponseAgent(host.game, against, self.boards)
        assert isinstance(host.game, LimitPoker)
        return LocalBestResponseAgent(host.game, against, self.boards)


class LocalBestResponseAgent(Agent):
    """Plays a local best response to a policy that it is told.

    Args:
        game: A poker game of two players.
        against: The opponent, who has to play by this policy: its own random choices are not seen, its cards neither.
        boards: Boards at which hands are compared: all ways to complete the board where there are no more, else that many
            random ones.
        name: For reports.

    Raises:
        ValueError: The game has more than two players, or ``boards`` is below 1.
    """

    def __init__(self, game: LimitPoker, against: OpenPolicy, boards: int = 100, name: str = "lbr") -> None:
        if game.spec.num_seats != 2:
            raise ValueError(f"{game.spec.name} with {game.spec.num_seats} players: a local best response plays against one")
        if boards < 1:
            raise ValueError(f"got boards={boards}; expected at least 1")
        self.game, self.against, self.boards, self.name = game, against, boards, name
        rules = game.rules
        self.hands = np.array(list(combinations(range(rules.num_cards), rules.num_private)), np.int8)
        # The slot of the action that led to a node; unused at the start.
        self._slot = rules.feature % NUM_ACTIONS - rules.betting.actions[np.maximum(rules.parent, 0), 0]
        self._ranges = np.zeros((0, len(self.hands)))
        self._nodes = np.zeros(0, np.int32)
        self._rng = np.zeros(0, np.uint64)

    def start(self, num_games: int, seed: int) -> None:
        """Prepares for games 0 .. num_games - 1: every hand is as likely as any other, and no move has been seen."""
        self._ranges = np.ones((num_games, len(self.hands)))
        self._nodes = np.zeros(num_games, np.int32)
        self._rng = streams(seed, num_games)

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns a legal move (int16 ``[n]``) for each view; row k belongs to game ``games[k]``.

        Raises:
            ValueError: The opponent made a move that its policy never makes.
        """
        gains = self.gains(self.ranges(games, views), games, views)
        best = np.where(gains[:, Action.RAISE] > gains[:, Action.CALL], Action.RAISE, Action.CALL)
        folds = gains[:, Action.FOLD] >= gains[:, Action.CALL :].max(axis=1)
        return np.where(folds, Action.FOLD, best).astype(np.int16)

    def ranges(self, games: np.ndarray, views: States) -> np.ndarray:
        """Returns how likely each hand of the opponent is at each view: float64 ``[n, H]``, each row with the sum 1.

        Moves that are new since the last call for a game are taken into account.

        Raises:
            ValueError: The opponent made a move that its policy never makes.
        """
        betting = self.game.rules.betting
        ranges, others = self._ranges[games], 1 - betting.player[views.node]
        for k in range(self.hands.shape[1]):  # hands with a card that the view shows are impossible
            ranges[(views.cards[:, :, None] == self.hands[:, k]).any(axis=1)] = 0.0
        at = views.node.copy()
        while (moved := at != self._nodes[games]).any():
            parents = np.where(moved, self.game.rules.parent[at], 0)
            theirs = moved & (betting.player[parents] == others)
            self._weigh(ranges, views, np.where(theirs, parents, -1), self._slot[at])
            at = np.where(moved, parents, at)
        total = ranges.sum(axis=1, keepdims=True)
        if not (total > 0).all():
            game = int(games[np.argmin(total[:, 0])])
            raise ValueError(f"{self.name}: in game {game} the opponent made a move that the policy it was told of never makes")
        self._ranges[games], self._nodes[games] = ranges / total, views.node
        return self._ranges[games]

    def _weigh(self, ranges: np.ndarray, views: States, nodes: np.ndarray, slots: np.ndarray) -> None:
        """Multiplies ranges with the probability that the opponent takes an action at a node (-1: of none), in place."""
        rows, held = np.nonzero((ranges > 0.0) & (nodes >= 0)[:, None])
        if rows.size:
            ranges[rows, held] *= self._told(views, rows, held, nodes)[np.arange(rows.size), slots[rows]]

    def _told(self, views: States, rows: np.ndarray, held: np.ndarray, nodes: np.ndarray) -> np.ndarray:
        """Returns what the opponent does with some hands: float64 ``[m, A]``.

        Args:
            views: The own ones.
            rows: int ``[m]``, in ``views``.
            held: int ``[m]``, the opponent's hand.
            nodes: int32 ``[n]``, where each row's opponent is to move.
        """
        rules, size = self.game.rules, self.hands.shape[1]
        node = nodes[rows]
        cards = np.full((len(rows), views.cards.shape[1]), HIDDEN, np.int8)
        first = rules.betting.player[node] * size
        for k in range(size):
            cards[np.arange(len(rows)), first + k] = self.hands[held, k]
        for k in range(2 * size, cards.shape[1]):  # as many public cards as there were at the time
            cards[:, k] = np.where(k - 2 * size < rules.public[rules.betting.round[node]], views.cards[rows, k], HIDDEN)
        return self.against.probabilities(States(cards, node.astype(np.int32)))

    def gains(self, ranges: np.ndarray, games: np.ndarray, views: States) -> np.ndarray:
        """Returns the chips that each action promises, compared with folding: float64 ``[n, 3]``, -inf where it is illegal.

        Args:
            ranges: float64 ``[n, H]``, as from ``ranges``.
            games: int64 ``[n]``, whose random numbers draw boards.
            views: n rows.
        """
        rules, betting, n = self.game.rules, self.game.rules.betting, len(games)
        seats, node, every = betting.player[views.node], views.node, np.arange(n)
        equity = np.empty(ranges.shape)
        equities(rules, views.cards, seats, self.hands, ranges, self.boards, self._rng, games, equity)
        paid = betting.paid[betting.position[node]]
        pot, asked = paid.sum(axis=1), paid[every, 1 - seats] - paid[every, seats]
        chance = (ranges * equity).sum(axis=1)
        gains = np.full((n, 3), -np.inf)
        gains[betting.actions[node, 0] == Action.FOLD, Action.FOLD] = 0.0
        gains[:, Action.CALL] = chance * pot - (1.0 - chance) * asked

        last = betting.num_actions[node] - 1
        raises = betting.actions[node, last] == Action.RAISE
        after = np.where(raises, betting.child[node, last], -1)
        rows, held = np.nonzero((ranges > 0.0) & raises[:, None])
        if rows.size:
            stays = np.zeros(ranges.shape)
            stays[rows, held] = ranges[rows, held] * (1.0 - self._told(views, rows, held, after)[:, Action.FOLD])
            called = stays.sum(axis=1)
            won = (stays * equity).sum(axis=1)  # the chance that the raise is called and the showdown won
            size = betting.paid[betting.position[after], seats] - paid[every, 1 - seats]
            value = (1.0 - called) * pot + won * (pot + size) - (called - won) * (asked + size)
            gains[:, Action.RAISE] = np.where(raises, value, -np.inf)
        return gains
