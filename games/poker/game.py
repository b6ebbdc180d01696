"""A limit poker game (``games.play.interface.Game``): the shared base of Kuhn, Leduc and limit
Hold'em, with their tables.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from games.kernels.generic import current_seat, public_cards
from games.play.interface import Game, GameSpec, ScoreUnit
from games.play.tables import PublicTree
from games.poker import betting, state, worlds
from games.poker.betting import Action, BettingRules
from games.poker.cards import HIDDEN, completed, deal_cards
from games.poker.showdown import outcome_table
from games.poker.state import Rules, States

ACTION_TEXTS = ("fold", "call", "raise")
"""Texts by ``Action``: call is also check, raise is also bet."""
NUM_ACTIONS = len(ACTION_TEXTS)


def _history(tree: PublicTree) -> tuple[np.ndarray, np.ndarray, int]:
    """Returns ``parent``, ``feature`` and ``num_features`` of ``Rules``."""
    count, width = tree.child.shape
    parent, action = np.full(count, -1, dtype=np.int32), np.zeros(count, dtype=np.int64)
    for slot in range(width):
        led = np.flatnonzero((tree.child[:, slot] >= 0) & (slot < tree.num_actions))
        parent[tree.child[led, slot]] = led
        action[tree.child[led, slot]] = tree.actions[led, slot]
    # Actions in the node's round; children follow their parents.
    depth = np.zeros(count, dtype=np.int64)
    level = np.zeros(1, dtype=np.int64)
    while len(level):
        following = tree.child[level][np.arange(width) < tree.num_actions[level, None]]
        level = following[following >= 0]
        same = tree.round[level] == tree.round[parent[level]]
        depth[level] = np.where(same, depth[parent[level]] + 1, 0)
    before = depth[parent]
    longest = int(before[1:].max(initial=0)) + 1
    feature = (tree.round[parent] * longest + before) * NUM_ACTIONS + action
    feature[0] = -1
    return parent, feature.astype(np.int16), int(tree.round.max() + 1) * longest * NUM_ACTIONS


def milli_big_blinds(big_blind: float) -> ScoreUnit:
    """Returns the unit of poker: thousandths of a big blind per hand."""
    return ScoreUnit("mbb/h", "mbb_per_hand", 1000.0 / big_blind, digits=0, reports_wins=False)


class LimitPoker(Game):
    """A limit poker game (see ``games.play.interface.Game``). Every player is a team of its own;
    returns are chips.

    A subclass passes the arguments of ``__init__`` and defines ``tables``, the betting tree times
    the buckets of the cards. Expensive parts are made on first use: a tabular learner needs no
    observations, a player that reads cards no buckets.

    Attributes:
        name: As in ``game=NAME``.
        bets: Forced bets, bet sizes and the limit on raises.
        card_names: A text for each card.
        decoder: int16 ``[3, 1]``, the policy output of each action.
    """

    has_tables = True
    action_names = ACTION_TEXTS
    result_name = "chips"
    passive = int(Action.CALL)

    def __init__(
        self,
        name: str,
        bets: BettingRules,
        showdown: object,
        card_names: tuple[str, ...],
        *,
        options: object = None,
        num_private: int = 1,
        public: tuple[int, ...] = (0,),
        num_suits: int = 1,
        suits_matter: bool = False,
    ) -> None:
        """Stores the parts of the game.

        Args:
            name: Name of the game.
            bets: The bets.
            showdown: Comparison of hands, see ``state.Rules``.
            card_names: A text for each card of the deck; card c is of rank ``c // num_suits``.
            options: See ``Game``.
            num_private: Private cards of a player.
            public: Public cards that can be seen in each round.
            num_suits: Suits of the deck.
            suits_matter: Whether hands can differ by suits.
        """
        super().__init__(options)
        self.name, self.bets, self.card_names = name, bets, card_names
        self._showdown, self._num_private, self._public = showdown, num_private, public
        self._num_suits, self._suits_matter = num_suits, suits_matter

    def learned_options(self) -> dict[str, object]:
        """Returns nothing: options are for tables, or change the number of seats."""
        return {}

    @property
    def betting(self) -> PublicTree:
        """Returns the betting tree, with one bucket per round."""
        return betting.build(self.bets)

    @cached_property
    def rules(self) -> Rules:
        """Returns the tables that every kernel takes."""
        tree, suits = self.betting, self._num_suits
        parent, feature, num_features = _history(tree)
        return Rules(
            betting=tree,
            showdown=self._showdown,
            public=np.array(self._public, dtype=np.int32),
            parent=parent,
            feature=feature,
            num_features=num_features,
            outcome=outcome_table(self.bets.num_players),
            num_private=self._num_private,
            num_public=self._public[-1],
            num_cards=len(self.card_names),
            num_suits=suits,
            suit_planes=suits if self._suits_matter else 1,
            largest_pot=float((tree.pot + tree.potential).max()),
        )

    @cached_property
    def spec(self) -> GameSpec:  # type: ignore[override]
        """Returns sizes and conventions."""
        rules, num_seats = self.rules, self.bets.num_players
        paid = 2 * rules.suit_planes + rules.num_features
        num_planes = paid + 2 * num_seats
        scale = np.ones(num_planes, np.float32)
        scale[paid : paid + num_seats] = num_seats / (2 * rules.largest_pot)
        return GameSpec.of(
            name=self.name,
            num_seats=num_seats,
            num_actions=NUM_ACTIONS,
            observation_shape=(
                num_planes,
                max(rules.num_cards // rules.num_suits, NUM_ACTIONS + 1),
            ),
            observation_scale=scale,
            scalar_planes=num_planes - 2 * rules.suit_planes,
            max_moves=self.bets.max_moves,
            max_return=float(abs(self.betting.payoffs).max()),
            seat_names=tuple(f"P{seat}" for seat in range(num_seats)),
            score=milli_big_blinds(self.bets.unit),
            hidden_words=worlds.num_words(num_seats, rules.num_private),
            hidden_kinds=worlds.hand_names(self.card_names, rules.num_private),
        )

    @property
    def _board(self) -> int:
        """Returns the index of the first public card."""
        return self.spec.num_seats * self.rules.num_private

    def deal(self, seeds: np.ndarray) -> States:
        """Returns random deals; row i depends only on ``seeds[i]`` (uint64 ``[B]``). Cards dealt
        together are sorted, higher first: their order has no meaning.
        """
        cards = self.empty(len(seeds)).cards
        deal_cards(len(self.card_names), np.array(seeds, dtype=np.uint64), cards)
        return self._sorted(cards)

    def _sorted(self, cards: np.ndarray) -> States:
        """Returns the states before the first bet, with cards dealt together sorted."""
        ends = range(0, self._board, self._num_private)
        for first, last in pairwise([*ends, *(self._board + count for count in self._public)]):
            cards[:, first:last] = -np.sort(-cards[:, first:last])
        return self.start(cards)

    def start(self, cards: np.ndarray) -> States:
        """Returns the states before the first bet for given cards, int ``[B, K]`` as in
        ``States``.
        """
        return States(np.array(cards, dtype=np.int8), np.zeros(len(cards), dtype=np.int32))

    def starts(self) -> tuple[States, np.ndarray]:
        """Returns all deals, one row each, and their probabilities. Raises ValueError if they
        cannot be listed (``has_tree``).
        """
        if not self.has_tree:
            return super().starts()
        cards = self.tables.deals.cards
        return self.start(cards), np.full(len(cards), 1 / len(cards))

    def possible_deals(self, known: dict[str, Any], moves: Sequence[str]) -> Iterator[States]:
        """Yields the one deal with ``hand`` and ``public`` in their places."""
        played, size = self._played(self._some_deal, moves), self._num_private
        seat = int(current_seat(self.rules, played, 0))
        hand = self._parsed(known, "hand", size)
        public = self._parsed(known, "public", int(public_cards(self.rules, played, 0)))
        places = dict(enumerate(hand, seat * size)) | dict(enumerate(public, self._board))
        count = self._board + self.rules.num_public
        deal = self._sorted(completed(len(self.card_names), places, count)[None])
        known["hand"] = self._hand(deal, 0, seat)
        known["public"] = self._cards(deal.cards[0, self._board :][: len(public)])
        yield deal

    def _parsed(self, known: Mapping[str, Any], key: str, count: int) -> list[int]:
        """Returns the cards of a field, given as a list or in one text. Raises ValueError."""
        given = known.get(key) or []
        if not isinstance(given, list | tuple):
            text, size = "".join(str(given).split()), len(self.card_names[0])
            given = [text[k : k + size] for k in range(0, len(text), size)]
        names = {name: card for card, name in enumerate(self.card_names)}
        if len(given) != count or not all(name in names for name in given):
            text = ",".join(map(str, given)) or "nothing"
            raise ValueError(f"{key}: {text}; expected {count} of {', '.join(names)}")
        return [names[name] for name in given]

    def empty(self, count: int) -> States:
        """Returns ``count`` rows of zeros."""
        return self.start(np.zeros((count, self._board + self.rules.num_public), dtype=np.int8))

    def _seen(self, states: States, seats: np.ndarray) -> np.ndarray:
        """Returns a mask of the cards that ``seats[i]`` sees in row i: bool ``[B, K]``."""
        k = np.arange(states.cards.shape[1])
        own = k // self.rules.num_private == np.asarray(seats)[:, None]
        public = np.where(states.node >= 0, self.rules.public[self.betting.round[states.node]], 0)
        return np.where(k < self._board, own, k - self._board < public[:, None])

    def view(self, states: States, seats: np.ndarray) -> States:
        """Returns a copy in which the cards that ``seats[i]`` (int ``[B]``) cannot see in row i are
        ``HIDDEN``.
        """
        cards = np.where(self._seen(states, seats), states.cards, HIDDEN).astype(np.int8)
        return States(cards, states.node.copy())

    def parse_action(self, text: str) -> int:
        """Returns the action of a text: that of ``action_text``, ``check``, ``bet``, or a first
        letter. Raises ValueError.
        """
        word = text.strip().lower()
        word = {"check": "call", "bet": "raise", "k": "call", "b": "raise"}.get(word, word)
        for action, name in enumerate(ACTION_TEXTS):
            if word in (name, name[0]):
                return action
        raise ValueError(
            f"action {text!r}: expected one of {', '.join(ACTION_TEXTS)}, check or bet"
        )

    def _cards(self, cards: np.ndarray) -> list[str]:
        """Returns the names of cards."""
        return [self.card_names[card] for card in cards]

    def view_fields(
        self, views: States, row: int, seat: int, moves: np.ndarray, is_over: bool
    ) -> dict[str, object]:
        """Returns a seat's view as fields for JSON.

        Returns:
            ``hand``, its cards; ``public``, the cards on the table; ``paid``, the chips of each
            seat in the pot; once the hand is over also ``hands``, those shown down.
        """
        tree = self.betting
        path = self._path(moves) if is_over else []
        node, action = path[-1] if is_over else (int(views.node[row]), 0)
        shown, paid = (
            int(self.rules.public[tree.round[node]]),
            tree.paid[tree.position[node]].copy(),
        )
        described: dict[str, object] = {}
        if is_over:
            if action == Action.CALL:
                paid[tree.player[node]] = paid.max()
            folded = {int(tree.player[at]) for at, taken in path if taken == Action.FOLD}
            called = bool(tree.showdown[~views.node[row]])
            shown = self.rules.num_public if called else shown
            hands = [self._hand(views, row, other) for other in range(self.spec.num_seats)]
            described["hands"] = [
                hand if called and other not in folded else None for other, hand in enumerate(hands)
            ]
        return {
            "hand": self._hand(views, row, seat),
            "public": self._cards(views.cards[row, self._board : self._board + shown]),
            "paid": paid.tolist(),
            **described,
        }

    def _hand(self, views: States, row: int, seat: int) -> list[str] | None:
        """Returns the private cards of a seat, or None if they are hidden."""
        cards = views.cards[
            row, seat * self.rules.num_private : (seat + 1) * self.rules.num_private
        ]
        return None if HIDDEN in cards else self._cards(cards)

    def _path(self, moves: Iterable[int]) -> list[tuple[int, int]]:
        """Returns the decision nodes from the deal on, each with the action taken there."""
        tree, node, path = self.betting, 0, []
        for move in moves:
            path.append((node, int(move)))
            node = int(tree.child[node, int(move) - int(tree.actions[node, 0])])
        return path

    def deal_fields(self, deal: States) -> dict[str, object]:
        """Returns ``hands`` of the players and ``public`` cards."""
        cards = deal.cards[0]
        hands = cards[: self._board].reshape(self.spec.num_seats, -1)
        return {
            "hands": [self._cards(hand) for hand in hands],
            "public": self._cards(cards[self._board :]),
        }

    def parse_deal(self, fields: Mapping[str, Any]) -> States:
        names = {name: card for card, name in enumerate(self.card_names)}
        hands: Any = fields.get("hands")
        public: Any = fields.get("public")
        try:
            texts = [[*hand] for hand in (*hands, public)]
            cards = [names[text] for some in texts for text in some]
        except (KeyError, TypeError):
            texts, cards = [], []
        sizes = [self.rules.num_private] * self.spec.num_seats + [self.rules.num_public]
        if [*map(len, texts)] != sizes or len({*cards}) != len(cards):
            raise ValueError(
                f"hands {str(hands)[:100]}, public {str(public)[:100]}: expected "
                f"{self.spec.num_seats} hands of {sizes[0]} and {sizes[-1]} public cards, all "
                f"different, of {', '.join(self.card_names)}"
            )
        return self._sorted(np.array([cards]))

    def final_curves(self, finals: States) -> dict[str, float]:
        """Returns the share of showdowns, and the chips that the first player won, per hand."""
        showdown, won = self.betting.showdown[~finals.node], np.empty(len(finals.node))
        state.returns_of(self.rules, finals, 0, won)
        return {
            "showdown_share": float(showdown.mean()),
            "chips_won_by_the_first_player": float(won.mean()),
        }

    def information_states(self) -> States:
        """Returns a state for each information set of ``tables``, in their order: views of the
        seats to move.

        Raises:
            ValueError: The deals of this game cannot be listed.
        """
        if not self.has_tree:
            return super().information_states()
        tables = self.tables
        tree, deals = tables.betting, tables.deals
        states = self.empty(tables.num_infosets)
        for node in range(len(tree.player)):
            rows = tree.base[node] + deals.buckets[:, tree.hand[node]]
            states.cards[rows] = deals.cards
            states.node[rows] = node
        return self.view(states, tree.player[states.node])
