"""A local best response in no-limit Hold'em for two: it is told its opponent's policy, to find out how weak that is.

What it reckons is said in ``agents.poker.local_best_response``, which is for limit betting; here a raise is of the pot, or
all-in. Its mean score over both seats is a lower bound on the exploitability of the opponent's policy.

n games are asked about at once; H = 1,326 hands.

Source: Lisy & Bowling, "Equilibrium approximation quality of current no-limit poker bots", 2017, algorithm 1 ("fcpa": fold, call,
pot, all-in).
"""

from functools import cached_property
from itertools import combinations

import numpy as np

from agents.agent import Agent, OpenPolicy
from agents.poker.showdown_equity import equities
from games import make
from games.batches import Rules, States, take
from games.generic import current_seat, legal, nearest_listed, start_view, step
from games.interface import Records
from games.kernels import kernel, streams
from games.no_limit_holdem.betting import pot, raise_bounds, to_call
from games.no_limit_holdem.game import NoLimitHoldem
from games.no_limit_holdem.state import CALL, FIRST_AMOUNT, FOLD, HIDDEN, NUM_BOARD

HANDS = np.array([(high, low) for low, high in combinations(range(52), 2)], np.int8)
"""int8 ``[H, 2]``: every hand, the higher card first, as states have them."""
IN_POTS = (1.0, np.inf)
"""The raises that are considered, in pots after a call."""


@kernel
def _begin(rules: Rules, views: States, k: int, seat: int, histories: States, game: int) -> None:
    start_view(rules, views, k, seat, histories, game)


@kernel
def _play(rules: Rules, histories: States, game: int, action: int) -> None:
    step(rules, histories, game, action)


@kernel
def _seat(rules: Rules, states: States, i: int) -> int:
    return current_seat(rules, states, i)


@kernel
def _slots(rules: Rules, states: States, actions: np.ndarray, out: np.ndarray) -> None:
    """Writes where in the list of legal moves the one stands that an action counts as, for each row: int64 ``[m]``."""
    listed = np.empty(64, np.int16)
    for i in range(out.size):
        count = legal(rules, states, i, listed)
        out[i] = np.searchsorted(listed[:count], nearest_listed(rules, states, i, actions[i]))


@kernel
def _choices(rules: Rules, views: States, sizes: np.ndarray, chips: np.ndarray, raises: np.ndarray) -> None:
    """Writes what is at stake in each view.

    Args:
        sizes: In pots after a call.
        chips: float64 ``[n, 3]``: the pot that can be won, what a call costs, whether folding is legal.
        raises: int64 ``[n, sizes]``: raise-to of each size, 0 where it is not legal or the same as one before.
    """
    for i in range(chips.shape[0]):
        seat = current_seat(rules, views, i)
        asked = to_call(rules, views, i)
        unanswered = max(0, views.paid[i, 1 - seat] - views.paid[i, seat] - asked)  # goes back: nobody calls it
        chips[i, 0], chips[i, 1], chips[i, 2] = pot(rules, views, i) - unanswered, asked, 1.0 if asked > 0 else 0.0
        least, most = raise_bounds(rules, views, i)
        raises[i] = 0
        if most == 0:
            continue
        highest = views.street_paid[i, 1 - seat]
        before = np.int64(0)
        for k in range(sizes.size):
            amount = (
                most if sizes[k] == np.inf else min(max(highest + np.int64(sizes[k] * (chips[i, 0] + asked) + 0.5), least), most)
            )
            if amount != before:
                raises[i, k] = amount
            before = amount


class NoLimitBestResponseAgent(Agent):
    """Plays a local best response to a policy that it is told.

    Args:
        game: No-limit Hold'em of two players.
        against: The opponent, who has to play by this policy: its own random choices are not seen, its cards neither.
        boards: Boards at which hands are compared: all ways to complete the board where there are no more, else that many
            random ones.
        name: For reports.

    Raises:
        ValueError: The game has more than two players, or ``boards`` is below 1.
    """

    def __init__(self, game: NoLimitHoldem, against: OpenPolicy, boards: int = 100, name: str = "lbr") -> None:
        if game.spec.num_seats != 2:
            raise ValueError(f"{game.spec.name} with {game.spec.num_seats} players: a local best response plays against one")
        if boards < 1:
            raise ValueError(f"got boards={boards}; expected at least 1")
        self.game, self.against, self.boards, self.name = game, against, boards, name
        self._ranges = np.zeros((0, len(HANDS)))
        self._histories = game.empty(0)
        self._played = np.zeros(0, np.int64)
        self._rng = np.zeros(0, np.uint64)

    @cached_property
    def _limit(self) -> Rules:
        """The rules of limit Hold'em, whose hands compare alike."""
        return make("limit_holdem", abstraction="made_hands").rules

    def start(self, num_games: int, seed: int) -> None:
        """Prepares for games 0 .. num_games - 1: every hand is as likely as any other, and no move has been seen."""
        self._ranges = np.ones((num_games, len(HANDS)))
        self._histories = self.game.empty(num_games)
        self._played = np.full(num_games, -1)
        self._rng = streams(seed, num_games)

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns a legal move (int16 ``[n]``) for each view; row k belongs to game ``games[k]``.

        Raises:
            ValueError: The opponent made a move that its policy never makes.
        """
        ranges = self.ranges(games, views, records)
        gains, moves = self.gains(ranges, games, views)
        best = np.argmax(gains, axis=1)
        return moves[np.arange(len(games)), best].astype(np.int16)

    def ranges(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns how likely each hand of the opponent is at each view: float64 ``[n, H]``, each row with the sum 1.

        Moves that are new since the last call for a game are taken into account.

        Raises:
            ValueError: The opponent made a move that its policy never makes.
        """
        rules, n = self.game.rules, len(games)
        ranges, seats = self._ranges[games], np.array([_seat(rules, views, k) for k in range(n)])
        for k in range(n):
            if self._played[games[k]] < 0:
                _begin(rules, views, k, int(seats[k]), self._histories, int(games[k]))
                self._played[games[k]] = 0
        seen = np.concatenate([views.board, views.hole[np.arange(n), seats]], axis=1)
        for column in range(2):
            ranges[(seen[:, :, None] == HANDS[:, column]).any(axis=1)] = 0.0
        left = records.lengths[games] - self._played[games]
        while (left > 0).any():
            ahead = np.flatnonzero(left > 0)
            moves = records.moves[games[ahead], self._played[games[ahead]]]
            theirs = np.array([_seat(rules, self._histories, int(game)) for game in games[ahead]]) != seats[ahead]
            asked, made = ahead[theirs], moves[theirs]
            if asked.size:
                rows, held = np.nonzero(ranges[asked] > 0.0)
                states = self._holding(take(self._histories, games[asked]), 1 - seats[asked], views, asked, rows, held)
                told, slots = self.against.probabilities(states), np.empty(len(rows), np.int64)
                _slots(rules, states, made[rows].astype(np.int64), slots)
                ranges[asked[rows], held] *= told[np.arange(len(rows)), slots]
            for game, move in zip(games[ahead], moves, strict=True):
                _play(rules, self._histories, int(game), int(move))
            self._played[games[ahead]] += 1
            left = records.lengths[games] - self._played[games]
        total = ranges.sum(axis=1, keepdims=True)
        if not (total > 0).all():
            where = int(games[np.argmin(total[:, 0])])
            raise ValueError(f"{self.name}: in game {where} the opponent made a move that the policy it was told of never makes")
        self._ranges[games] = ranges / total
        return self._ranges[games]

    def _holding(
        self, states: States, seats: np.ndarray, views: States, of: np.ndarray, rows: np.ndarray, held: np.ndarray
    ) -> States:
        """Returns views of the opponent with some hands.

        Args:
            states: ``[m]``, without hole cards. seats: int ``[m]``, the opponent's.
            views: The own ones, from which the board is taken, as far as it was shown. of: int ``[m]``, their rows.
            rows: int ``[k]``, in ``states``. held: int ``[k]``, the hand.
        """
        made = take(states, rows)
        made.hole[...] = HIDDEN
        made.hole[np.arange(len(rows)), seats[rows]] = HANDS[held]
        shown = np.arange(NUM_BOARD)[None, :] < made.shown[:, None]
        made.board[...] = np.where(shown, views.board[of[rows]], HIDDEN)
        return made

    def gains(self, ranges: np.ndarray, games: np.ndarray, views: States) -> tuple[np.ndarray, np.ndarray]:
        """Returns the chips that each choice promises, compared with folding, and its action: ``[n, 4]`` each.

        The choices are fold, call, a raise of the pot, all-in; -inf where one is not legal.

        Args:
            ranges: float64 ``[n, H]``, as from ``ranges``.
            games: int64 ``[n]``, whose random numbers draw boards.
            views: n rows.
        """
        rules, n = self.game.rules, len(games)
        seats, every = np.array([_seat(rules, views, k) for k in range(n)]), np.arange(n)
        chips, raises = np.empty((n, 3)), np.zeros((n, len(IN_POTS)), np.int64)
        _choices(rules, views, np.array(IN_POTS), chips, raises)
        cards = np.full((n, 4 + NUM_BOARD), HIDDEN, np.int8)
        for k in range(2):
            cards[every, 2 * seats + k] = views.hole[every, seats, k]
        cards[:, 4:] = views.board
        equity = np.empty(ranges.shape)
        equities(self._limit, cards, seats, HANDS, ranges, self.boards, self._rng, games, equity)
        pots, asked, chance = chips[:, 0], chips[:, 1], (ranges * equity).sum(axis=1)
        gains, moves = np.full((n, 2 + len(IN_POTS)), -np.inf), np.zeros((n, 2 + len(IN_POTS)), np.int64)
        gains[chips[:, 2] > 0, 0], moves[:, 0] = 0.0, FOLD
        gains[:, 1], moves[:, 1] = chance * pots - (1.0 - chance) * asked, CALL
        for k in range(len(IN_POTS)):
            able = np.flatnonzero(raises[:, k] > 0)
            if not able.size:
                continue
            moves[able, 2 + k] = FIRST_AMOUNT + raises[able, k]
            after = take(views, able)
            for row, move in enumerate(moves[able, 2 + k]):
                _play(rules, after, row, int(move))
            rows, held = np.nonzero(ranges[able] > 0.0)
            told = self.against.probabilities(self._holding(after, 1 - seats[able], views, able, rows, held))
            stays = np.zeros((len(able), len(HANDS)))
            stays[rows, held] = ranges[able[rows], held] * (1.0 - told[:, 0])  # who faces a bet may fold: the first of its moves
            called, won = stays.sum(axis=1), (stays * equity[able]).sum(axis=1)
            own, other = after.paid[np.arange(len(able)), seats[able]], views.paid[able, 1 - seats[able]]
            size = np.minimum(own, other + views.stacks[able, 1 - seats[able]]) - other
            gains[able, 2 + k] = (1.0 - called) * pots[able] + won * (pots[able] + size) - (called - won) * (asked[able] + size)
        return gains, moves
