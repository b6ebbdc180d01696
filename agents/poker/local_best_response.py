"""A local best response: a player of two-player poker that may read its opponent's policy, to find out how weak that is.

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

Source: Lisy & Bowling, "Equilibrium approximation quality of current no-limit poker bots", 2017, algorithm 1; in no-limit Hold'em
a raise is of the pot, or all-in ("fcpa": fold, call, pot, all-in).
Before the last round w is exact where there are few ways to complete the board, and otherwise estimated from random boards: the
choice may then be worse, and the bound holds as before.
"""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar, NamedTuple

import numpy as np

from agents.agent import Agent, OpenPolicy
from agents.poker.showdown_equity import equities
from agents.registry import Host, PlayerOptions, player
from games import make
from games.batches import Rules, States, take
from games.generic import current_seat, legal, nearest_listed, start_view, step
from games.interface import Records, seats_to_move
from games.kernels import kernel, streams
from games.no_limit_holdem.betting import pot, raise_bounds, to_call
from games.no_limit_holdem.game import NoLimitHoldem
from games.no_limit_holdem.state import CALL, FIRST_AMOUNT, FOLD, NUM_BOARD
from games.poker.betting import Action
from games.poker.game import NUM_ACTIONS
from games.poker.state import HIDDEN
from games.poker.state import States as LimitStates
from runtime.settings import setting

IN_POTS = (1.0, np.inf)
"""The raises that are considered in no-limit Hold'em, in pots after a call."""


class Stakes(NamedTuple):
    """What is at stake at n decisions.

    Attributes:
        cards: int8 ``[n, K]``, what the mover sees, as ``equities`` wants it.
        seats: int ``[n]``, the movers.
        pots: Chips that can be won ``[n]``. asked: What a call costs. may_fold: bool.
    """

    cards: np.ndarray
    seats: np.ndarray
    pots: np.ndarray
    asked: np.ndarray
    may_fold: np.ndarray


@player("lbr", games=["poker", "no_limit_holdem"], slow=True)
@dataclass
class LocalBestResponseOptions(PlayerOptions):
    """A local best response to a player whose policy it may read, in poker for two (``agents/poker/local_best_response.py``).

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
        kind = NoLimitBestResponse if isinstance(host.game, NoLimitHoldem) else LimitBestResponse
        return kind(host.game, against, self.boards)


class LocalBestResponse(Agent):
    """Plays a local best response to a policy that it may read.

    Args:
        game: A poker game of two players.
        against: The opponent, who has to play by this policy: its own random choices are not seen, its cards neither.
        boards: Boards at which hands are compared: all ways to complete the board where there are no more, else that many
            random ones.
        name: For reports.

    Raises:
        ValueError: The game has more than two players, or ``boards`` is below 1.

    Attributes:
        hands: int8 ``[H, private cards]``.
        rules: Those of limit betting by which hands are compared.
        num_choices: Fold, call, and the raises that are considered.
    """

    hands: np.ndarray
    rules: Rules
    num_choices: ClassVar[int]

    def __init__(
        self, game: Any, against: OpenPolicy, boards: int = 100, name: str = "lbr"
    ) -> None:
        if game.spec.num_seats != 2:
            raise ValueError(
                f"{game.spec.name} with {game.spec.num_seats} players: a local best response plays against one"
            )
        if boards < 1:
            raise ValueError(f"got boards={boards}; expected at least 1")
        self.game, self.against, self.boards, self.name = game, against, boards, name
        self.prepare()
        self.start(0, 0)

    def start(self, num_games: int, seed: int) -> None:
        """Prepares for games 0 .. num_games - 1: every hand is as likely as any other, and no move has been seen."""
        self._ranges = np.ones((num_games, len(self.hands)))
        self._rng = streams(seed, num_games)

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns a legal move (int16 ``[n]``) for each view; row k belongs to game ``games[k]``. Raises what ``ranges`` does."""
        gains, moves = self.gains(self.ranges(games, views, records), games, views)
        return moves[np.arange(len(games)), np.argmax(gains, axis=1)].astype(np.int16)

    def ranges(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns how likely each hand of the opponent is at each view: float64 ``[n, H]``, each row with the sum 1.

        Moves that are new since the last call for a game are taken into account.

        Raises:
            ValueError: The opponent made a move that its policy never makes.
        """
        ranges = self._ranges[games]
        self.explain(ranges, games, views, records)
        total = ranges.sum(axis=1, keepdims=True)
        if not (total > 0).all():
            game = int(games[np.argmin(total[:, 0])])
            raise ValueError(
                f"{self.name}: in game {game} the opponent made a move that the policy it was told of never makes"
            )
        self._ranges[games] = ranges / total
        return self._ranges[games]

    def gains(
        self, ranges: np.ndarray, games: np.ndarray, views: States
    ) -> tuple[np.ndarray, np.ndarray]:
        """Returns the chips that each choice promises, compared with folding, and its action: two arrays ``[n, choices]``.

        The choices are fold, call, and raises; -inf where one is not legal.

        Args:
            ranges: float64 ``[n, H]``, as from ``ranges``.
            games: int64 ``[n]``, whose random numbers draw boards.
            views: n rows.
        """
        cards, seats, pots, asked, may_fold = self.stakes(views)
        equity = np.empty(ranges.shape)
        equities(
            self.rules, cards, seats, self.hands, ranges, self.boards, self._rng, games, equity
        )
        chance = (ranges * equity).sum(axis=1)
        gains, moves = np.full((2, len(games), self.num_choices), -np.inf)
        gains[may_fold, 0], moves[:, 0] = 0.0, FOLD
        gains[:, 1], moves[:, 1] = chance * pots - (1.0 - chance) * asked, CALL
        for choice, (able, actions, after, size) in enumerate(self.raises(views, seats), 2):
            if not able.size:
                continue
            rows, held = np.nonzero(ranges[able] > 0.0)
            stays = np.zeros((len(able), len(self.hands)))
            told = self.told(after, 1 - seats[able], views, able, rows, held)
            stays[rows, held] = ranges[able[rows], held] * (
                1.0 - told[:, 0]
            )  # to fold is the first move of who faces a bet
            called = stays.sum(axis=1)
            won = (stays * equity[able]).sum(
                axis=1
            )  # the chance that the raise is called and the showdown won
            gains[able, choice] = (
                (1.0 - called) * pots[able]
                + won * (pots[able] + size)
                - (called - won) * (asked[able] + size)
            )
            moves[able, choice] = actions
        return gains, moves

    @abstractmethod
    def prepare(self) -> None:
        """Sets ``hands`` and ``rules``."""

    @abstractmethod
    def explain(
        self, ranges: np.ndarray, games: np.ndarray, views: States, records: Records
    ) -> None:
        """Multiplies ranges (float64 ``[n, H]``) with the probabilities of what was seen since the last call, in place."""

    @abstractmethod
    def stakes(self, views: States) -> Stakes:
        """Returns what is at stake at each view."""

    @abstractmethod
    def raises(
        self, views: States, seats: np.ndarray
    ) -> Iterator[tuple[np.ndarray, Any, Any, np.ndarray]]:
        """Yields for each raise: the rows where it is legal, its actions, the positions after it, and the chips above a call."""

    @abstractmethod
    def told(
        self,
        at: Any,
        seats: np.ndarray,
        views: States,
        of: np.ndarray,
        rows: np.ndarray,
        held: np.ndarray,
    ) -> np.ndarray:
        """Returns what the opponent does with some hands: float64 ``[k, A]``.

        Args:
            at: m positions, in which it is to move. seats: int ``[m]``, the opponent's.
            views: The own ones, from which the board is taken, as far as it was shown. of: int ``[m]``, their rows.
            rows: int ``[k]``, in ``at``. held: int ``[k]``, the hand.
        """


class LimitBestResponse(LocalBestResponse):
    """In limit betting. Positions are nodes of the betting tree, which say all that was played."""

    num_choices = 3

    def prepare(self) -> None:
        """Lists the hands."""
        rules = self.rules = self.game.rules
        self.hands = np.array(
            list(combinations(range(rules.num_cards), rules.num_private)), np.int8
        )
        # The slot of the action that led to a node; unused at the start.
        self._slot = (
            rules.feature % NUM_ACTIONS - rules.betting.actions[np.maximum(rules.parent, 0), 0]
        )

    def start(self, num_games: int, seed: int) -> None:
        """Prepares for games 0 .. num_games - 1."""
        super().start(num_games, seed)
        self._nodes = np.zeros(num_games, np.int32)

    def explain(
        self, ranges: np.ndarray, games: np.ndarray, views: States, records: Records | None
    ) -> None:
        """See ``LocalBestResponse``; records are not read."""
        betting = self.game.rules.betting
        others = 1 - betting.player[views.node]
        for k in range(self.hands.shape[1]):  # hands with a card that the view shows are impossible
            ranges[(views.cards[:, :, None] == self.hands[:, k]).any(axis=1)] = 0.0
        at = views.node.copy()
        while (moved := at != self._nodes[games]).any():
            parents = np.where(moved, self.game.rules.parent[at], 0)
            asked = np.flatnonzero(moved & (betting.player[parents] == others))
            rows, held = np.nonzero(ranges[asked] > 0.0)
            if rows.size:
                told = self.told(parents[asked], others[asked], views, asked, rows, held)
                ranges[asked[rows], held] *= told[np.arange(rows.size), self._slot[at][asked[rows]]]
            at = np.where(moved, parents, at)
        self._nodes[games] = views.node

    def told(
        self,
        at: np.ndarray,
        seats: np.ndarray,
        views: States,
        of: np.ndarray,
        rows: np.ndarray,
        held: np.ndarray,
    ) -> np.ndarray:
        """See ``LocalBestResponse``."""
        rules, size = self.game.rules, self.hands.shape[1]
        cards = np.full((len(rows), views.cards.shape[1]), HIDDEN, np.int8)
        for k in range(size):
            cards[np.arange(len(rows)), seats[rows] * size + k] = self.hands[held, k]
        for k in range(2 * size, cards.shape[1]):  # as many public cards as there were at the time
            shown = k - 2 * size < rules.public[rules.betting.round[at[rows]]]
            cards[:, k] = np.where(shown, views.cards[of[rows], k], HIDDEN)
        return self.against.probabilities(LimitStates(cards, at[rows].astype(np.int32)))

    def stakes(self, views: States) -> Stakes:
        """See ``LocalBestResponse``."""
        betting, every = self.game.rules.betting, np.arange(len(views.node))
        seats, paid = betting.player[views.node], betting.paid[betting.position[views.node]]
        asked = paid[every, 1 - seats] - paid[every, seats]
        return Stakes(
            views.cards,
            seats,
            paid.sum(axis=1),
            asked,
            betting.actions[views.node, 0] == Action.FOLD,
        )

    def raises(
        self, views: States, seats: np.ndarray
    ) -> Iterator[tuple[np.ndarray, Any, Any, np.ndarray]]:
        """Yields the one raise."""
        betting, last = self.game.rules.betting, self.game.rules.betting.num_actions[views.node] - 1
        able = np.flatnonzero(betting.actions[views.node, last] == Action.RAISE)
        after = betting.child[views.node, last][able]
        paid = betting.paid[betting.position[views.node]][able, 1 - seats[able]]
        yield able, Action.RAISE, after, betting.paid[betting.position[after], seats[able]] - paid


@kernel
def _slots(rules: Rules, states: States, actions: np.ndarray, out: np.ndarray) -> None:
    """Writes where in the list of legal moves the one stands that an action counts as, for each row: int64 ``[m]``."""
    listed = np.empty(64, np.int16)
    for i in range(out.size):
        count = legal(rules, states, i, listed)
        out[i] = np.searchsorted(listed[:count], nearest_listed(rules, states, i, actions[i]))


@kernel
def _choices(
    rules: Rules, views: States, sizes: np.ndarray, chips: np.ndarray, raises: np.ndarray
) -> None:
    """Writes what is at stake in each view.

    Args:
        sizes: In pots after a call.
        chips: float64 ``[n, 3]``: the pot that can be won, what a call costs, whether folding is legal.
        raises: int64 ``[n, sizes]``: raise-to of each size, 0 where it is not legal or the same as one before.
    """
    for i in range(chips.shape[0]):
        seat = current_seat(rules, views, i)
        asked = to_call(rules, views, i)
        unanswered = max(
            0, views.paid[i, 1 - seat] - views.paid[i, seat] - asked
        )  # goes back: nobody calls it
        chips[i, 0], chips[i, 1], chips[i, 2] = (
            pot(rules, views, i) - unanswered,
            asked,
            1.0 if asked > 0 else 0.0,
        )
        least, most = raise_bounds(rules, views, i)
        raises[i] = 0
        if most == 0:
            continue
        highest = views.street_paid[i, 1 - seat]
        before = np.int64(0)
        for k in range(sizes.size):
            amount = (
                most
                if sizes[k] == np.inf
                else min(
                    max(highest + np.int64(sizes[k] * (chips[i, 0] + asked) + 0.5), least), most
                )
            )
            if amount != before:
                raises[i, k] = amount
            before = amount


class NoLimitBestResponse(LocalBestResponse):
    """In no-limit Hold'em. Positions are states without hole cards, to which the moves are played that were seen."""

    num_choices = 2 + len(IN_POTS)
    hands = np.array(
        [(high, low) for low, high in combinations(range(52), 2)], np.int8
    )  # as states have them

    def prepare(self) -> None:
        """Takes the rules of limit Hold'em, in which hands compare alike."""
        self.rules = make("limit_holdem", abstraction="made_hands").rules

    def start(self, num_games: int, seed: int) -> None:
        """Prepares for games 0 .. num_games - 1."""
        super().start(num_games, seed)
        self._histories = self.game.empty(num_games)
        self._played = np.full(num_games, -1)

    def explain(
        self, ranges: np.ndarray, games: np.ndarray, views: States, records: Records
    ) -> None:
        """See ``LocalBestResponse``."""
        rules, n, seats = self.game.rules, len(games), seats_to_move(self.game, views)
        for k in np.flatnonzero(self._played[games] < 0):
            start_view(rules, views, int(k), int(seats[k]), self._histories, int(games[k]))
            self._played[games[k]] = 0
        seen = np.concatenate([views.board, views.hole[np.arange(n), seats]], axis=1)
        for column in range(2):
            ranges[(seen[:, :, None] == self.hands[:, column]).any(axis=1)] = 0.0
        left = records.lengths[games] - self._played[games]
        while (left > 0).any():
            ahead = np.flatnonzero(left > 0)
            moves, at = (
                records.moves[games[ahead], self._played[games[ahead]]],
                take(self._histories, games[ahead]),
            )
            theirs = np.flatnonzero(seats_to_move(self.game, at) != seats[ahead])
            asked = ahead[theirs]
            if asked.size:
                rows, held = np.nonzero(ranges[asked] > 0.0)
                told = self.told(take(at, theirs), 1 - seats[asked], views, asked, rows, held)
                slots = np.empty(len(rows), np.int64)
                _slots(rules, take(at, theirs[rows]), moves[theirs[rows]].astype(np.int64), slots)
                ranges[asked[rows], held] *= told[np.arange(len(rows)), slots]
            for game, move in zip(games[ahead], moves, strict=True):
                step(rules, self._histories, int(game), int(move))
            self._played[games[ahead]] += 1
            left = records.lengths[games] - self._played[games]

    def told(
        self,
        at: States,
        seats: np.ndarray,
        views: States,
        of: np.ndarray,
        rows: np.ndarray,
        held: np.ndarray,
    ) -> np.ndarray:
        """See ``LocalBestResponse``."""
        made = take(at, rows)
        made.hole[...] = HIDDEN
        made.hole[np.arange(len(rows)), seats[rows]] = self.hands[held]
        shown = np.arange(NUM_BOARD)[None, :] < made.shown[:, None]
        made.board[...] = np.where(shown, views.board[of[rows]], HIDDEN)
        return self.against.probabilities(made)

    def stakes(self, views: States) -> Stakes:
        """See ``LocalBestResponse``."""
        seats, every = seats_to_move(self.game, views), np.arange(len(views.seat))
        chips, self._raises = (
            np.empty((len(every), 3)),
            np.zeros((len(every), len(IN_POTS)), np.int64),
        )
        _choices(self.game.rules, views, np.array(IN_POTS), chips, self._raises)
        cards = np.full((len(every), 4 + NUM_BOARD), HIDDEN, np.int8)
        for k in range(2):
            cards[every, 2 * seats + k] = views.hole[every, seats, k]
        cards[:, 4:] = views.board
        return Stakes(cards, seats, chips[:, 0], chips[:, 1], chips[:, 2] > 0)

    def raises(
        self, views: States, seats: np.ndarray
    ) -> Iterator[tuple[np.ndarray, Any, Any, np.ndarray]]:
        """Yields a raise for each of IN_POTS."""
        for amounts in self._raises.T:
            able = np.flatnonzero(amounts > 0)
            actions, after = FIRST_AMOUNT + amounts[able], take(views, able)
            for row, action in enumerate(actions):
                step(self.game.rules, after, row, int(action))
            own, other = (
                after.paid[np.arange(len(able)), seats[able]],
                views.paid[able, 1 - seats[able]],
            )
            yield (
                able,
                actions,
                after,
                np.minimum(own, other + views.stacks[able, 1 - seats[able]]) - other,
            )
