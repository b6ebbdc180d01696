"""Rules for the auction, beside any player of cards; and how players of cards play the whole game.

A rule turns the 17 cards of a seat into a wish of 0 to 3. With ``bidding=call`` the wish is called
if it is higher than the last call; with ``rob`` a wish of 2 opens and a wish of 3 robs.

- ``fitted``: 3 where RHCP's score of the hand (sum - 7 * rounds) is at least -42, else 0. Over
  20,000 games of RHCP whose landlord was drawn (springs doubled), landlords with such hands
  won points, others lost: -0.06 +- 0.06 from -45 to -43, +0.06 +- 0.07 from -43 to -41. It doubles
  from a score of -20 on, a twentieth of the hands.
- ``thumb``: the rule of thumb of Chinese pages on programming Doudizhu (叫牌原则): a rocket is 8
  points, a bomb 6, the jokers 4 and 3, a 2 is 2; 3 from 7 points on, 2 from 5, 1 from 3.
- ``three``: always 3. ``never``: always 0.
- ``value``: 3 where the value network of card play expects points as landlord, in the mean over 32
  draws of the bottom cards. As landlord it doubles where it still does once they are shown.

The others never double.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from games.base.settings import setting
from games.doudizhu import state
from games.doudizhu.auction import BY_ROBS, Phase, highest_claim, share
from games.doudizhu.cards import (
    BIG_JOKER,
    DECK,
    HAND_SIZES,
    JOKERS,
    LITTLE_JOKER,
    NUM_SEATS,
    TWO,
    count,
)
from games.doudizhu.players.rhcp import RHCP
from games.doudizhu.players.rhcp_kernels import ROUND, Memo, hand_value, new_memo
from games.doudizhu.worlds import draw_prior
from games.kernels import kernel, mix64
from games.kernels.rows import States, take
from games.play.agent import Agent, keepers
from games.play.decision import RETURN, Decision
from games.play.interface import Game, Records, empty_records
from games.play.question import Limits, Question
from games.play.registry import MAKERS, PLAYERS, Host, PlayerError, PlayerOptions, Values, player

RULES = ("fitted", "thumb", "three", "never", "value")
FITTED, THUMB, THREE, NEVER, VALUE = range(len(RULES))
CALLS = -42
DOUBLES = -20
DRAWS = 32
"""Bottom cards that ``value`` draws for a hand."""
_BOTTOM = HAND_SIZES[0] - HAND_SIZES[1]


@kernel
def thumb(hand: np.uint64) -> int:
    """Returns the points of the rule of thumb; twos of a bomb count as the bomb."""
    points = np.int64(8) if hand & JOKERS == JOKERS else np.int64(0)
    if points == 0:
        points = 4 * count(hand, np.int64(BIG_JOKER)) + 3 * count(hand, np.int64(LITTLE_JOKER))
    for rank in range(TWO + 1):
        if count(hand, rank) == 4:
            points += 6
        elif rank == TWO:
            points += 2 * count(hand, rank)
    return points


@kernel
def _as_landlord(views: Any, seen: state.States) -> None:
    """Gives the landlord of ``seen`` the hand of the seat to move, in ``DRAWS`` rows for each view:
    with the bottom cards, drawn in a way that depends on the hand alone while they are hidden.
    """
    rng = np.empty(1, np.uint64)
    for row in range(len(seen.seat)):
        i = row // DRAWS
        hand = views.hands[i, views.seat[i]]
        if row % DRAWS == 0:
            rng[0] = hand
        bottom = views.bottom[i]
        if views.phase[i] == Phase.CALLING:
            bottom = draw_prior(DECK - hand, _BOTTOM, rng, 0)
            hand += bottom
        seen.hands[row, 0], seen.bottom[row] = hand, bottom


@kernel
def _bid(
    rules: Any, memo: Memo, views: Any, rule: int, worth: np.ndarray, actions: np.ndarray
) -> None:
    """Writes the bid of the seat to move in each row (int16 ``[n]``).

    Args:
        worth: float64 ``[n]``, the points that it expects as landlord; read by ``VALUE``.
    """
    for i in range(actions.size):
        hand, claim, calls = views.hands[i, views.seat[i]], highest_claim(views, i), np.int64(0)
        wish, doubles = np.int64(3 if rule == THREE else 0), False
        if rule == FITTED:
            total, rounds = hand_value(memo, hand, 0)
            wish = np.int64(3 if total - ROUND * rounds >= CALLS else 0)
            doubles = total - ROUND * rounds >= DOUBLES
        elif rule == THUMB:
            points = thumb(hand)
            wish = np.int64(points >= 3) + np.int64(points >= 5) + np.int64(points >= 7)
        elif rule == VALUE:
            wish = np.int64(3 if worth[i] > 0 else 0)
            doubles = views.seat[i] == 0 and worth[i] > 0
        if views.phase[i] == Phase.DOUBLING:
            calls = np.int64(5 if doubles else 4)
        elif rules.bidding == BY_ROBS:
            calls = np.int64(2 if claim > 0 else 0) + np.int64(wish >= (3 if claim > 0 else 2))
        else:
            calls = wish if wish > claim else np.int64(0)
        actions[i] = rules.cards.size + calls


@kernel
def _cards_only(
    games: np.ndarray, whole: Records, num_moves: int, cards: Records, keys: np.ndarray
) -> None:
    """Writes the moves with cards of some games (int64 ``[n]``) to other records, and the hashes of
    these moves (``state.States.key``).
    """
    for k in range(games.size):
        game, length = games[k], 0
        keys[k] = 0
        for j in range(whole.lengths[game]):
            move = whole.moves[game, j]
            if move < num_moves:
                cards.moves[game, length] = move
                keys[k] = mix64(keys[k] + np.uint64(move + 1))
                length += 1
        cards.lengths[game] = length
        cards.moves[game, length:] = -1


class BiddingAgent(Agent):
    """Bids by a rule, and has another player play the cards.

    Args:
        game: A game with an auction.
        cards: A player of its card play, which sees the game without an auction; or of the game.
        rule: One of ``RULES``.
        values: Returns the expected points of the seat to move in card play, for the rule
            ``value``.
        whole: Whether ``cards`` plays the game with its auction.
    """

    def __init__(
        self, game: Game, cards: Agent, rule: str, values: Values | None = None, whole: bool = False
    ) -> None:
        self.game, self.cards, self.rule, self.name = game, cards, RULES.index(rule), cards.name
        self._values, self._whole = values, whole
        self._memo = new_memo()
        self._card_play: Game = game.card_play  # type: ignore[attr-defined]
        self._keepers = keepers([cards])
        self.most_games = min((agent.most_games for agent in self._keepers), default=2**31)
        self._records = empty_records(0, 0)

    def start(self, num_games: int, seed: int) -> None:
        """Prepares the player of cards."""
        self.cards.start(num_games, seed)
        self._records = empty_records(num_games, self._card_play.spec.max_moves)

    def end(self, games: Sequence[int]) -> None:
        """Has the player of cards forget games that are over."""
        for agent in self._keepers:
            agent.end(games)

    def close(self) -> None:
        """Ends the program of an external player."""
        getattr(self.cards, "close", lambda: None)()

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns a legal move (int16 ``[n]``) for each view."""
        actions, plays = np.empty(len(games), np.int16), views.phase == Phase.PLAYING
        bids, rows = np.flatnonzero(~plays), np.flatnonzero(plays)
        if bids.size:
            actions[bids] = self._bids(take(views, bids))
        if rows.size:
            seen, known = take(views, rows), records
            if not self._whole:
                seen, known = self._seen(games[rows], seen, records, self._records), self._records
            actions[rows] = self.cards.act(games[rows], seen, known)
        return actions

    def answer(self, question: Question, limits: Limits) -> Decision:
        """Returns the bid, or what the player of cards says."""
        view = question.view
        if view.phase[0] != Phase.PLAYING:
            return self._moved(question, None)
        if self._whole:
            return self.cards.answer(question, limits)
        records = empty_records(1, self._card_play.spec.max_moves)
        seen = self._seen(np.zeros(1, np.int64), view, question.records, records)
        asked = question._replace(
            game=self._card_play, seat=int(view.seat[0]), view=seen, records=records
        )
        report = limits.report

        def tell(found: Decision, done: int, planned: int) -> None:
            assert report is not None
            report(self._at_table(found, view), done, planned)

        decision = self.cards.answer(asked, limits._replace(report=report and tell))
        return self._at_table(decision, view)

    def _at_table(self, decision: Decision, view: States) -> Decision:
        """Returns a decision of the player of cards with the seats of the whole game, and values in
        points at the present stake.
        """
        hidden, landlord = decision.hidden, int(view.landlord[0])
        if hidden is not None:
            seats = tuple((role + landlord) % NUM_SEATS for role in hidden.seats)
            decision = replace(decision, hidden=replace(hidden, seats=seats))
        if decision.unit != RETURN or decision.value is None:
            return decision
        scale = float(view.factor[0]) * share(self.game.rules, view, 0, int(view.seat[0]))

        def scaled(value: float | None) -> float | None:
            return None if value is None else scale * value

        return replace(
            decision,
            value=scaled(decision.value),
            value_error=scaled(decision.value_error),
            root=decision.root
            and tuple(
                replace(one, mean=scaled(one.mean), standard_error=scaled(one.standard_error))
                for one in decision.root
            ),
        )

    def _bids(self, views: States) -> np.ndarray:
        """Returns the bids (int16 ``[n]``)."""
        actions, worth = np.empty(len(views.seat), np.int16), np.zeros(len(views.seat))
        if self._values is not None:
            asked = np.flatnonzero((views.phase == Phase.CALLING) | (views.seat == 0))
            seen = state.start(np.zeros((DRAWS * len(asked), NUM_SEATS), np.uint64), np.uint64(0))
            _as_landlord(take(views, asked), seen)
            worth[asked] = self._values(seen).reshape(-1, DRAWS).mean(axis=1)
        _bid(self.game.rules, self._memo, views, self.rule, worth, actions)
        return actions

    def _seen(
        self, games: np.ndarray, views: States, whole: Records, cards: Records
    ) -> state.States:
        """Returns the views of the card play, and writes the moves with cards to its records."""
        keys = np.empty(len(games), np.uint64)
        _cards_only(games, whole, self._card_play.spec.num_actions, cards, keys)
        return views._replace(
            key=keys, length=cards.lengths[games], landlord=np.zeros_like(views.landlord)
        )


@player("bidder", games=["doudizhu"])
@dataclass
class Bidder(PlayerOptions):
    """Bids and doubles by a rule where there is an auction, and plays cards like another player.

    Attributes:
        cards: The label of the player of the cards; its own bids, if it knows the auction, are not
            asked for. "" = RHCP.
        rule: How it bids.
        valued_by: The label of the player whose value network of card play the rule "value" asks;
            "" = policy.
    """

    bids: ClassVar[bool] = True
    """Whether its players bid by themselves."""
    cards: str = ""
    rule: str = setting("fitted", choices=RULES)
    valued_by: str = ""

    def needs(self) -> list[str]:
        """Returns the players that it names."""
        return [label for label in (self.cards, self.valued_by) if label]

    def file(self, game: Game) -> Path | None:
        """Returns the file of the networks that come with the project, if the rule asks them."""
        asks = self.rule == "value" and not self.valued_by
        return PLAYERS["policy"]().file(card_play_of(game)) if asks else None

    def make(self, host: Host) -> Agent:
        """Returns the player."""
        at_cards, whole = cards_host(host), False
        if not self.cards:
            cards: Agent = RHCP().at(at_cards.game)
        else:
            try:
                cards, whole = host.make(self.cards), True
            except PlayerError:  # networks that have not learned the auction
                cards = at_cards.make(self.cards)
        if at_cards is host:
            return cards
        values = None
        if self.rule == "value":
            named = self.valued_by and host.entrants[self.valued_by].options
            values = (named or PLAYERS["policy"]()).values(at_cards)
        return BiddingAgent(host.game, cards, self.rule, values, whole)


def card_play_of(game: Game) -> Game:
    """Returns the game without its auction: the game itself where there is none."""
    return getattr(game, "card_play", game)


def cards_host(host: Host) -> Host:
    """Returns a host of the card play: the host itself where there is no auction."""
    game = card_play_of(host.game)
    return host if game is host.game else Host(game, host.entrants, host.device, host.lanes)


def _make(options: PlayerOptions, host: Host) -> Agent:
    """Returns a player of Doudizhu: one of cards bids by the fitted rule where there is an
    auction.
    """
    at_cards = cards_host(host)
    if at_cards is host or getattr(options, "bids", False):
        return options.make(host)
    return BiddingAgent(host.game, options.make(at_cards), "fitted")


MAKERS["doudizhu"] = _make
