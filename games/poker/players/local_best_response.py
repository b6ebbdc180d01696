"""A local best response: a player of two-player poker that reads its opponent's policy, to measure
its weakness.

At each decision it knows the opponent's exact range, the probability of each hand given the
opponent's moves, and looks only one move ahead: it assumes that the opponent then folds or calls by
its policy, and that both check or call to the end. In chips relative to folding, with w the
probability to win at showdown (a tie counts half):

    call     w pot - (1 - w) asked
    raise    f pot + (1 - f) (w' (pot + raise) - (1 - w') (asked + raise))

where the pot is the chips that both have paid, ``asked`` the chips to call, f the probability that
the opponent folds to the raise, and w' the probability to win against the hands that do not. It
plays the better move if that is above 0, and folds otherwise.

As a player like any other, it wins in expectation at most as much as a best response. Over both
seats the policy's own value cancels: the mean score of a duplicate match is a lower bound on the
exploitability, which is half of NashConv (``fpmcts.tabular.best_response``). It can be below 0, and
is then uninformative.

n games in a batch; H hands; at most A actions.

Source: Lisy & Bowling, "Equilibrium approximation quality of current no-limit poker bots", 2017,
algorithm 1; in no-limit Hold'em a raise is of the pot, or all-in ("fcpa": fold, call, pot, all-in).
Before the last round w is exact if there are few ways to complete the board, and otherwise
estimated from random boards: the choice may then be worse, but the bound still holds.
"""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from games import make
from games.base.settings import setting
from games.kernels import kernel
from games.kernels.dispatch import GenericKernel, register
from games.kernels.generic import (
    current_seat,
    legal,
    nearest_listed,
    public_cards,
    start_view,
    step,
)
from games.kernels.rows import Rules, States, take
from games.no_limit_holdem import state as no_limit
from games.no_limit_holdem.state import CALL, FIRST_AMOUNT, FOLD
from games.play.agent import Agent, OpenPolicy
from games.play.interface import Game, Records, seats_to_move
from games.play.registry import Host, PlayerOptions, player
from games.poker import state as limit
from games.poker.cards import HIDDEN, card, put_card
from games.poker.game import NUM_ACTIONS
from games.poker.players.showdown_equity import equities

IN_POTS = (1.0, np.inf)
"""The raises that are considered in no-limit Hold'em, in pots after a call."""


@GenericKernel
def _chips(rules: Rules, states: States, i: int, seat: int) -> tuple[float, float]:  # type: ignore[empty-body]
    """Returns the chips that a seat has put in during the hand, and its chips behind."""


@kernel
def _limit_chips(rules: limit.Rules, states: States, i: int, seat: int) -> tuple[float, float]:
    return rules.betting.paid[rules.betting.position[states.node[i]], seat], np.inf


@kernel
def _no_limit_chips(
    rules: no_limit.Rules, states: States, i: int, seat: int
) -> tuple[float, float]:
    return np.float64(states.paid[i, seat]), np.float64(states.stacks[i, seat])


register(_chips, limit.Rules, _limit_chips)
register(_chips, no_limit.Rules, _no_limit_chips)


@kernel
def _begin(
    rules: Rules, views: States, rows: np.ndarray, starts: States, lanes: np.ndarray
) -> None:
    """Writes the views before the first move of some rows to lanes of ``starts``."""
    for k in range(len(rows)):
        start_view(rules, views, rows[k], current_seat(rules, views, rows[k]), starts, lanes[k])


@kernel
def _advance(rules: Rules, states: States, lanes: np.ndarray, moves: np.ndarray) -> None:
    """Plays ``moves[k]`` in each lane ``lanes[k]``."""
    for k in range(len(lanes)):
        step(rules, states, lanes[k], moves[k])


@kernel
def _cards(rules: Rules, views: States, out: np.ndarray) -> None:
    """Writes the cards that views show, the others ``HIDDEN``: int8 ``[n, K]``."""
    for i in range(len(out)):
        for k in range(out.shape[1]):
            out[i, k] = card(rules, views, i, k)


@kernel
def _deal_in(
    rules: Rules, states: States, seats: np.ndarray, hands: np.ndarray, seen: np.ndarray
) -> None:
    """Writes the cards that a seat sees in each row: its hand, and the public cards at that time.

    Args:
        hands: int8 ``[k, num_private]``.
        seen: int8 ``[k, K]``, the cards of a later view.
    """
    size = rules.num_private
    for i in range(len(hands)):
        shown = 2 * size + public_cards(rules, states, i)
        for k in range(seen.shape[1]):
            own, public = k // size == seats[i], 2 * size <= k < shown
            put_card(
                rules, states, i, k, hands[i, k % size] if own else seen[i, k] if public else HIDDEN
            )


@kernel
def _slots(rules: Rules, states: States, actions: np.ndarray, out: np.ndarray) -> None:
    """Writes, for each row, the index in the list of legal moves of the one that represents an
    action: int64 ``[m]``.
    """
    listed = np.empty(64, np.int16)
    for i in range(out.size):
        count = legal(rules, states, i, listed)
        out[i] = np.searchsorted(listed[:count], nearest_listed(rules, states, i, actions[i]))


@kernel
def _stakes(rules: Rules, views: States, pots: np.ndarray, choices: np.ndarray) -> None:
    """Writes the stakes at each of n views.

    Args:
        pots: float64 ``[n, 2]``: the pot that can be won, and the cost of a call.
        choices: bool ``[n, C]``, the legal actions.
    """
    actions = np.empty(choices.shape[1], np.int16)
    choices[:] = False
    for i in range(len(pots)):
        seat = current_seat(rules, views, i)
        (own, behind), (other, _) = (
            _chips(rules, views, i, seat),
            _chips(rules, views, i, 1 - seat),
        )
        asked = min(max(other - own, 0.0), behind)
        pots[i, 0], pots[i, 1] = own + min(other, own + asked), asked  # the rest stays uncalled
        for k in range(legal(rules, views, i, actions)):
            choices[i, actions[k]] = True


@kernel
def _raised(
    rules: Rules, views: States, rows: np.ndarray, after: States, sizes: np.ndarray
) -> None:
    """Writes each raise's chips beyond a call, as far as the other seat can match them."""
    for k in range(len(rows)):
        seat = current_seat(rules, views, rows[k])
        other, behind = _chips(rules, views, rows[k], 1 - seat)
        sizes[k] = min(_chips(rules, after, k, seat)[0], other + behind) - other


@player("lbr", games=["poker", "no_limit_holdem"], slow=True)
@dataclass
class LocalBestResponseOptions(PlayerOptions):
    """A local best response to a player whose policy it may read, in two-player poker.

    See ``games/poker/players/local_best_response.py``. Its score over all games is a lower bound on
    the opponent's loss to a best response: the exploitability, half of NashConv.

    Attributes:
        against: Label of the opponent, which must be able to state its policy; None: the other
            player of the match.
        boards: Maximum boards on which hands are compared before the last round; sampled at random
            if there are more.
    """

    against: str | None = None
    boards: int = setting(100, least=1, most=1_000_000)

    def needs(self) -> list[str]:
        """Returns the player whose policy it reads."""
        return [] if self.against is None else [self.against]

    def make(self, host: Host) -> Agent:
        """Returns the player."""
        if self.against is None:  # the configuration of a match fills it in
            raise ValueError("set against=LABEL, the player whose policy lbr may read")
        against: Any = host.make(self.against)
        if not host.entrants[self.against].options.states_policy:
            raise ValueError(f"against={self.against}: it cannot state its policy")
        return LocalBestResponse(host.game, against, self.boards)


class LocalBestResponse(Agent):
    """Plays a local best response to a policy that it reads.

    Args:
        game: A poker game of two players.
        against: The opponent, which must play by this policy; neither its random choices nor its
            cards are seen.
        boards: Boards on which hands are compared: all ways to complete the board if there are no
            more, else that many random ones.

    Raises:
        ValueError: The game has more than two players.

    Attributes:
        hands: int8 ``[H, private cards]``, ascending.
    """

    name = "lbr"

    def __init__(self, game: Game, against: OpenPolicy, boards: int = 100) -> None:
        if game.spec.num_seats != 2:
            raise ValueError(
                f"{game.spec.name} with {game.spec.num_seats} players: a local best response "
                "plays against one"
            )
        self.game, self.against, self.boards = game, against, boards
        # No-limit Hold'em has other raise sizes; hands compare as in limit Hold'em.
        self._bets, self._showdown, self._choices = game.rules, game.rules, NUM_ACTIONS
        if isinstance(game.rules, no_limit.Rules):
            self._bets = game.rules._replace(sizes=np.array(IN_POTS))
            self._showdown = make("limit_holdem", abstraction="made_hands").rules
            self._choices = 2 + len(IN_POTS)
        rules = self._showdown
        self.hands = np.array(
            list(combinations(range(rules.num_cards), rules.num_private)), np.int8
        )
        self.start(0, 0)

    def start(self, num_games: int, seed: int) -> None:
        """Prepares for games 0 .. num_games - 1: all hands are equally likely, and no move has been
        seen.
        """
        self._ranges = np.ones((num_games, len(self.hands)))
        super().start(num_games, seed)
        self._positions = self.game.empty(num_games)
        self._played = np.full(num_games, -1)

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns a legal move (int16 ``[n]``) for each view; row k belongs to game ``games[k]``.
        Raises as ``ranges``.
        """
        gains, moves = self.gains(self.ranges(games, views, records), games, views)
        return moves[np.arange(len(games)), np.argmax(gains, axis=1)].astype(np.int16)

    def ranges(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns the probability of each hand of the opponent at each view: float64 ``[n, H]``,
        rows sum to 1.

        Moves made since the last call for a game are taken into account.

        Raises:
            ValueError: The opponent made a move that its policy never makes.
        """
        ranges = self._ranges[games]
        self._explain(ranges, games, views, records)
        total = ranges.sum(axis=1, keepdims=True)
        if not (total > 0).all():
            game = int(games[np.argmin(total[:, 0])])
            raise ValueError(
                f"{self.name}: in game {game} the opponent made a move that the policy it states "
                "never makes"
            )
        self._ranges[games] = ranges / total
        return self._ranges[games]

    def gains(
        self, ranges: np.ndarray, games: np.ndarray, views: States
    ) -> tuple[np.ndarray, np.ndarray]:
        """Returns the expected chips of each choice relative to folding, and its action: two arrays
        ``[n, choices]``.

        The choices are fold, call, and raises; -inf if illegal.

        Args:
            ranges: float64 ``[n, H]``, as from ``ranges``.
            games: int64 ``[n]``, the games whose random streams draw boards.
            views: n rows.
        """
        n, rules, seats = len(games), self._bets, seats_to_move(self.game, views)
        equity, chips = np.empty(ranges.shape), np.empty((n, 2))
        choices = np.empty((n, self._choices), np.bool_)
        equities(
            self._showdown,
            self._seen(views),
            seats,
            self.hands,
            ranges,
            self.boards,
            self.rng,
            games,
            equity,
        )
        _stakes(rules, views, chips, choices)
        (pots, asked), chance = chips.T, (ranges * equity).sum(axis=1)
        gains, moves = np.full((2, n, self._choices), -np.inf)
        gains[choices[:, FOLD], FOLD], moves[:, FOLD] = 0.0, FOLD
        gains[:, CALL], moves[:, CALL] = chance * pots - (1.0 - chance) * asked, CALL
        for action in range(CALL + 1, self._choices):
            able = np.flatnonzero(choices[:, action])
            if not able.size:
                continue
            after, size = take(views, able), np.empty(len(able))
            _advance(rules, after, np.arange(len(able)), np.full(len(able), action))
            _raised(rules, views, able, after, size)
            rows, held = np.nonzero(ranges[able] > 0.0)
            policy = self._policy(after, 1 - seats[able], self._seen(views)[able], rows, held)
            stays = np.zeros((len(able), len(self.hands)))
            # Facing a bet, folding is the first legal move.
            stays[rows, held] = ranges[able[rows], held] * (1.0 - policy[:, 0])
            called = stays.sum(axis=1)
            # The probability that the raise is called and the showdown won.
            won = (stays * equity[able]).sum(axis=1)
            gains[able, action] = (
                (1.0 - called) * pots[able]
                + won * (pots[able] + size)
                - (called - won) * (asked[able] + size)
            )
            moves[able, action] = (
                FIRST_AMOUNT + after.street_paid[np.arange(len(able)), seats[able]]
                if isinstance(rules, no_limit.Rules)
                else action
            )
        return gains, moves

    def _seen(self, views: States) -> np.ndarray:
        """Returns the cards that views show: int8 ``[n, K]``."""
        rules = self._showdown
        out = np.empty((len(views[0]), 2 * rules.num_private + rules.num_public), np.int8)
        _cards(self.game.rules, views, out)
        return out

    def _moves(self, views: States, row: int, records: Records, game: int) -> list[int]:
        """Returns the moves since the deal; in limit poker the node determines them."""
        rules, moves = self.game.rules, []
        if isinstance(rules, no_limit.Rules):
            return records.moves[game, : records.lengths[game]].tolist()  # type: ignore[no-any-return]
        node = int(views.node[row])
        while node > 0:
            moves.append(int(rules.feature[node]) % NUM_ACTIONS)
            node = int(rules.parent[node])
        return moves[::-1]

    def _explain(
        self, ranges: np.ndarray, games: np.ndarray, views: States, records: Records
    ) -> None:
        """Multiplies ranges (float64 ``[n, H]``) by the probabilities of the moves seen since the
        last call, in place.
        """
        rules, seats, seen = self.game.rules, seats_to_move(self.game, views), self._seen(views)
        new = np.flatnonzero(self._played[games] < 0)
        _begin(rules, views, new, self._positions, games[new])
        self._played[games[new]] = 0
        for cards in self.hands.T:  # hands with a card that the view shows are impossible
            ranges[(seen[:, :, None] == cards).any(axis=1)] = 0.0
        paths = [self._moves(views, k, records, int(game)) for k, game in enumerate(games)]
        lengths = np.array([len(path) for path in paths])
        while (ahead := np.flatnonzero(lengths > self._played[games])).size:
            lanes = games[ahead]
            moves = np.array([paths[k][self._played[games[k]]] for k in ahead])
            theirs = seats_to_move(self.game, take(self._positions, lanes)) != seats[ahead]
            asked, at = ahead[theirs], take(self._positions, lanes[theirs])
            rows, held = np.nonzero(ranges[asked] > 0.0)
            if rows.size:
                policy = self._policy(at, 1 - seats[asked], seen[asked], rows, held)
                slots = np.empty(len(rows), np.int64)
                _slots(rules, take(at, rows), moves[theirs][rows], slots)
                ranges[asked[rows], held] *= policy[np.arange(len(rows)), slots]
            _advance(rules, self._positions, lanes, moves)
            self._played[lanes] += 1

    def _policy(
        self, at: States, seats: np.ndarray, seen: np.ndarray, rows: np.ndarray, held: np.ndarray
    ) -> np.ndarray:
        """Returns the opponent's policy with given hands: float64 ``[k, A]``.

        Args:
            at: m positions with the opponent to move.
            seats: int ``[m]``, the opponent's seat.
            seen: int8 ``[m, K]``, the cards of this player's views.
            rows: int ``[k]``, rows of ``at``.
            held: int ``[k]``, hands.
        """
        made = take(at, rows)
        _deal_in(self.game.rules, made, seats[rows], self.hands[held], seen[rows])
        return self.against.probabilities(made)
