"""The Python face of the card play, in which seat 0 is the landlord."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from games.base.settings import setting
from games.doudizhu import deck_files, marginal, notations, observe, state, without_moves, worlds
from games.doudizhu.action_decoder import POLICY_SIZE, decoder
from games.doudizhu.auction import BIDDINGS, DOUBLINGS
from games.doudizhu.botzone import logs
from games.doudizhu.cards import (
    COPIES,
    DECK,
    HAND_SIZES,
    NUM_RANKS,
    NUM_SEATS,
    RANK_NAMES,
    Seat,
    cards_text,
    pack,
    parse_cards,
    unpack,
)
from games.doudizhu.moves import MAX_LEGAL, PASS, RULE_SETS, Rules, move_text, parse_move, rule_set
from games.doudizhu.solver import forced_win, sure_win
from games.doudizhu.solver.endgame import MOST_CARDS, MOST_CARDS_SEARCHED, Endgame
from games.doudizhu.state import States
from games.doudizhu.themes import theme
from games.kernels.generic import register_all
from games.play.interface import Game, GameSpec, Json, ScoreUnit

MAX_MOVES = 154
"""At most 52 moves with cards (a card stays in each losing hand), and two passes between any two of
them.
"""

MAX_BOMBS = 13
"""Five in the landlord's hand, four in each peasant's; the rocket takes the place of one."""


ROLES = ("landlord", "peasant after the landlord", "peasant before the landlord")
"""What the seats are called."""

register_all(Rules, state, observe, sure_win, forced_win, worlds, marginal)


class CardPlay(Game):
    """Doudizhu with given rules and observations; a peasant's return is the team's (see
    ``games.play.interface.Game``).

    Attributes:
        spec: Sizes and conventions.
        rules: The tables that every kernel takes.
        decoder: int16 ``[num_actions, 6]``, the policy outputs whose sum is the logit of each move;
            -1 = none.
    """

    @dataclass(frozen=True)
    class Options:
        """Rules and observations."""

        rules: str = setting(
            "standard",
            choices=RULE_SETS,
            help="Rule set; in douzero both jokers may be kickers of one move, in botzone too, but "
            "solo kickers are of distinct ranks.",
        )
        encoding: str = setting(
            "default",
            choices=("default", "paper"),
            help="Of the observations; paper: the seven planes of DeltaDou.",
        )
        bidding: str = setting(
            "none",
            choices=BIDDINGS,
            help="How the landlord is found; none: the cards are dealt to the landlord, seat 0.",
        )
        doubling: bool | str = setting(
            False,
            choices=DOUBLINGS,
            help="Whether the points of all may be doubled before the first lead; each: every "
            "peasant doubles its own points, the landlord those of both; needs an auction.",
        )
        forced: bool = setting(
            False,
            help="Whether seat 0 takes the landlord at 1 point when nobody calls, instead of the "
            "game being thrown in; needs an auction.",
        )

    options: Options
    variants = MappingProxyType(
        {
            "no auction": {},
            "calls and doubling": {"bidding": "call", "doubling": True},
            "robs and doubling": {"bidding": "rob", "doubling": True},
            "robs and doubling by each": {"bidding": "rob", "doubling": "each"},
        }
    )

    def __init__(self, options: Options = Options()) -> None:  # noqa: B008 (frozen)
        """Builds the tables."""
        super().__init__(options)
        encoding = observe.Encoding[options.encoding.upper()]
        self.rules_name = options.rules
        self.rules = rule_set(options.rules, int(encoding))
        self.decoder = decoder(options.rules)
        self.spec = GameSpec(
            name="doudizhu",
            num_seats=NUM_SEATS,
            teams=(0, 1, 1),
            num_actions=len(self.rules.cards),
            observation_shape=(len(observe.scales(encoding)), NUM_RANKS),
            observation_scale=observe.scales(encoding),
            policy_size=POLICY_SIZE,
            max_legal=MAX_LEGAL,
            max_moves=MAX_MOVES,
            max_return=2.0**MAX_BOMBS,
            team_names=("landlord", "peasants"),
            seat_names=("C", "D", "E"),
            score=ScoreUnit(name="ADP", key="adp", per_return=1.0, digits=2, reports_wins=True),
            # Further bombs and rockets: none, one, two, three or more.
            stake_factors=(1.0, 2.0, 4.0, 8.0),
            hidden_counts=5,  # none to four cards of a rank
            hidden_kinds=tuple(RANK_NAMES),
            hidden_most=int(COPIES.max()),
        )

    def learned_options(self) -> Json:
        """Returns the rules; networks bring their own encoding."""
        return {"rules": self.rules_name}

    def adopted(self, trained: Game) -> Game:
        """Returns the game for networks: the moves of all rule sets are sums of the same outputs,
        so the networks of one play the others.
        """
        if type(trained) is not type(self) or trained.options.rules == self.rules_name:
            return trained
        return type(self)(replace(trained.options, rules=self.rules_name))

    @property
    def weights(self) -> str:
        """Returns the name of the networks in ``models/``: those of the rule set ``standard``
        (``adopted``).
        """
        usual = replace(self.options, rules="standard")
        return super().weights if self.options == usual else type(self)(usual).weights

    def endgame(self, points: bool, searched: bool) -> Endgame:
        """Returns what corrects choices where few cards are left (``endgame.py``)."""
        most_cards = MOST_CARDS_SEARCHED if searched else MOST_CARDS
        return Endgame(self.rules, self.empty(1), points, most_cards)

    def theme(self, seen: Mapping[str, Any], move: str) -> str:
        """Returns what a decision is about (``themes.py``)."""
        return theme(seen, move)

    def deal(self, seeds: np.ndarray) -> States:
        """Returns random deals; row i depends on ``seeds[i]`` (uint64 ``[B]``) alone."""
        seeds = np.ascontiguousarray(seeds, dtype=np.uint64)
        hands = np.empty((len(seeds), NUM_SEATS), dtype=np.uint64)
        bottom = np.empty(len(seeds), dtype=np.uint64)
        state.deal_hands(seeds, hands, bottom)
        return self._begun(state.start(hands, bottom))

    def _begun(self, deals: state.States) -> Any:
        """Returns the states before the first move of this game for deals to the landlord."""
        return deals

    def possible_deals(self, known: dict[str, Any], moves: Sequence[str]) -> Iterator[States]:
        """Yields the one deal in which the unseen cards are dealt in the order of their ranks, to
        the landlord first.
        """
        yield self._filled_in(known, moves, len(moves) % NUM_SEATS)

    def _filled_in(self, known: dict[str, Any], moves: Sequence[str], seat: int) -> state.States:
        """Returns a deal to the landlord that fits what the seat to move knows after some moves
        with cards. Raises ValueError if there is none.
        """
        played = np.zeros((NUM_SEATS, NUM_RANKS), np.int64)
        for number, text in enumerate(moves):
            move = parse_move(self.rules_name, text)  # not a bid
            played[number % NUM_SEATS] += unpack(self.rules.cards[move])
        hand, bottom = (unpack(parse_cards(str(known.get(k, "")))) for k in ("hand", "bottom"))
        left = HAND_SIZES[seat] - int(played[seat].sum())
        for key, cards, size in (("hand", hand, left), ("bottom", bottom, 3)):
            if cards.sum() != size:
                holder = f"that the {ROLES[seat]} holds now" if key == "hand" else "of the landlord"
                raise ValueError(f"{key}: {cards.sum()} cards; expected the {size} {holder}")
            known[key] = cards_text(pack(cards))
        hands = played.copy()
        hands[seat] += hand
        if seat == Seat.LANDLORD and (hands[seat] < bottom).any():
            raise ValueError("bottom: the landlord neither holds nor played all of these cards")
        hands[Seat.LANDLORD] = np.maximum(hands[Seat.LANDLORD], bottom)
        unseen = COPIES - hands.sum(axis=0)
        if (unseen < 0).any():
            cards = "".join(RANK_NAMES[rank] for rank in np.flatnonzero(unseen < 0))
            raise ValueError(f"hand, bottom and moves have more cards {cards} than the deck")
        rest = np.repeat(np.arange(NUM_RANKS), unseen)
        for other in range(NUM_SEATS):
            missing = HAND_SIZES[other] - int(hands[other].sum())
            if missing < 0:
                raise ValueError(
                    f"bottom and moves: {hands[other].sum()} cards of the {ROLES[other]}; expected "
                    f"at most {HAND_SIZES[other]}"
                )
            hands[other] += np.bincount(rest[:missing], minlength=NUM_RANKS)
            rest = rest[missing:]
        return state.start(pack(hands)[None], pack(bottom)[None])

    def standing(self, known: dict[str, Any]) -> States | None:
        """Returns the state of a position without its moves (``without_moves.standing``); None if
        nothing shows that there were any.
        """
        if not without_moves.has_begun(known):
            return None
        return without_moves.standing(self.rules, self.rules_name, ROLES, known)

    def empty(self, count: int) -> States:
        """Returns ``count`` rows of zeros."""
        return state.empty(count)

    def action_text(self, action: int) -> str:
        """Returns the text of a move, such as ``4443``, ``34567``, ``LB`` or ``pass``."""
        return move_text(self.rules_name, int(action))

    def parse_action(self, text: str) -> int:
        """Returns the move of a text, its cards in any order. Raises ValueError."""
        return parse_move(self.rules_name, text)

    def view_fields(
        self, views: States, row: int, seat: int, moves: np.ndarray, is_over: bool
    ) -> Json:
        """Returns what a seat knows, for JSON.

        Cards are texts such as ``3345TJLB``, low cards first; T is the ten, L and B are the jokers.
        Seats are numbers in the order of play, 0 being the landlord. Only the seat's own hand and
        public fields are read; ``hands``, which are open once the game is over, are None where the
        row does not show.

        Returns:
            ``rules``, the name of the rule set; ``role`` of the seat in words; ``hand``, its cards;
            ``cards_left``, how many cards each seat holds; ``bottom``, the three face-up cards as
            dealt, the landlord's from the start; ``played``, the cards that each seat has played;
            ``to_beat`` and ``to_beat_seat``, the move that must be beaten and whose it is, None
            when the seat to move leads; ``bombs`` and rockets played, each of which doubles the
            stake.
        """
        leads = is_over or views.target[row] == PASS
        sizes = [int(state.hand_size(views, row, other)) for other in range(NUM_SEATS)]
        fields = {
            "rules": self.rules_name,
            "role": ROLES[seat],
            "hand": cards_text(views.hands[row, seat]),
            "cards_left": sizes,
            "bottom": cards_text(views.bottom[row]),
            "played": [cards_text(cards) for cards in views.played[row]],
            "to_beat": None if leads else self.action_text(views.target[row]),
            "to_beat_seat": None if leads else int(state.target_seat(views, row)),
            "bombs": int(views.bombs[row]),
        }
        if is_over:
            fields["hands"] = [
                cards_text(hand) if hand or size == 0 else None
                for hand, size in zip(views.hands[row], sizes, strict=True)
            ]
        return fields

    def record_head(self) -> Json:
        """Returns ``rules``, which identifies a record of Doudizhu."""
        return {"rules": self.rules_name}

    def deal_fields(self, deal: States) -> Json:
        """Returns ``hands``, 17 cards of each seat in the order of play, the landlord first, and
        the three ``bottom`` cards.
        """
        bottom = deal.bottom[0]
        hands = (deal.hands[0, 0] - bottom, *deal.hands[0, 1:])
        return {"hands": [cards_text(cards) for cards in hands], "bottom": cards_text(bottom)}

    def parse_deal(self, fields: Mapping[str, object]) -> States:
        """Returns the deal in the fields of a record. Raises ValueError where it is not one."""
        return self._begun(deck_files.parse_deal(fields.get("hands"), fields.get("bottom")))

    def result_fields(self, final: States, is_over: bool) -> Json:
        """Returns ``winner``, the seat that played its last card, and ``points`` by seat; -1 and
        zeros if not over.
        """
        won = int(state.team_return(self.rules, final, 0, 0)) if is_over else 0
        return {"winner": int(final.winner[0]), "points": [won, -won, -won]}

    def translated(self, position: Mapping[str, Any], notation: str) -> dict[str, Any]:
        """Returns the fields of a position in the notation of DouZero or RLCard
        (``notations.py``).
        """
        return {
            key: notations.ours(value, notation) if key in notations.FIELDS else value
            for key, value in position.items()
        }

    def native(self, fields: Any) -> Any:
        """Returns a match log of Botzone as the fields of a record (``botzone/logs.py``)."""
        return fields if logs.entries_of(fields) is None else logs.fields_of(fields, self)

    def read_decks(self, path: Path | str) -> States:
        """Returns the decks of a file of JSON lines, or of DouZero (``deck_files``); recognised by
        the content, not by the name.
        """
        with open(path, "rb") as file:
            data = file.read(deck_files.MOST_BYTES + 1)
        first = data[:1000].lstrip()[:1]
        if first in (b"{", b"["):
            return super().read_decks(path)
        try:
            if first not in (b"\x80", b"]", b"("):  # protocols 2 and later, 1, and 0, of a list
                raise ValueError(
                    f"begins with {data[:20]!r}: expected decks as JSON lines, "
                    'such as {"hands": [...], "bottom": "38A"}, or a pickled list of DouZero\'s '
                    "evaluation deals"
                )
            return self._begun(deck_files.read_douzero(data))
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error

    def cards_left(self, states: States) -> np.ndarray:
        """Returns the number of cards (int64 ``[B]``) of the seat to move."""
        return unpack(states.hands[np.arange(len(states.seat)), states.seat]).sum(
            axis=1, dtype=np.int64
        )

    def final_curves(self, finals: States) -> dict[str, float]:
        """Returns the share of the games that each seat ended by its last card, and the bombs of a
        game.
        """
        won = {f"{x.name.lower()}_win_share": float(np.mean(finals.winner == x)) for x in Seat}
        return won | {"bombs_per_game": float(np.mean(finals.bombs))}

    def hidden_targets(
        self, states: States, seats: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Returns what is known and what is true about the hand of the seat after ``seats[i]`` (int
        ``[B]``) in row i.

        The states must hold all the hands; bounds are right in views, too.

        Returns:
            unseen: int8 ``[B, 15]``, the unseen cards of each rank.
            fewest: int8 ``[B, 15]``, the least that the next seat may hold.
            most: int8 ``[B, 15]``, the most that it may hold.
            truth: int8 ``[B, 15]``, what it holds.
            sizes: int16 ``[B]``, how many cards it holds.
        """
        rows, seats = np.arange(len(seats)), np.asarray(seats)
        played = states.played.sum(axis=1, dtype=np.uint64)
        unseen = unpack(DECK - states.hands[rows, seats] - played)
        truth = unpack(states.hands[rows, (seats + 1) % NUM_SEATS])
        known = np.maximum(unpack(states.bottom) - unpack(states.played[:, 0]), 0)
        fewest = known * (seats == Seat.UP)[:, None]
        most = unseen - known * (seats == Seat.DOWN)[:, None]
        return unseen, fewest, most, truth, truth.sum(axis=1, dtype=np.int16)
