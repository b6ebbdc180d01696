"""Doudizhu: its options, and its states as texts, fields, decks and figures."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from games.base.settings import ConfigError, setting, typed
from games.doudizhu import (
    auction,
    deck_files,
    filled_in,
    marginal,
    notations,
    observe,
    state,
    without_moves,
    worlds,
)
from games.doudizhu.action_decoder import POLICY_SIZE, decoder
from games.doudizhu.auction import (
    BIDDINGS,
    DOUBLINGS,
    MAX_BIDS,
    MAX_DOUBLES,
    MAX_FACTOR,
    NOBODY,
    TEXTS,
    UNSAID,
    Phase,
)
from games.doudizhu.botzone import logs
from games.doudizhu.cards import (
    COPIES,
    DECK,
    HAND_SIZES,
    NUM_RANKS,
    NUM_SEATS,
    RANK_NAMES,
    ROLES,
    Seat,
    cards_text,
    unpack,
)
from games.doudizhu.moves import MAX_LEGAL, PASS, RULE_SETS, Rules, move_text, parse_move, rule_set
from games.doudizhu.solver import forced_win, sure_win
from games.doudizhu.solver.endgame import MOST_CARDS, MOST_CARDS_SEARCHED, Endgame
from games.doudizhu.state import BIDDER, States
from games.doudizhu.themes import theme
from games.kernels.generic import register_all
from games.kernels.rows import copied, take
from games.play.interface import POINTS, Game, GameSpec, Json, Records, ScoreUnit

MAX_MOVES = 154
"""At most 52 moves with cards (a card stays in each losing hand), and two passes between any two of
them.
"""

MAX_BOMBS = 13
"""Five in the landlord's hand, four in each peasant's; the rocket takes the place of one."""

_FACTORS = (0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 48.0)
"""Classes of what a bidder may win or lose: nothing where the game is thrown in, else 1 to 3
points, twice as many as landlord, and doubled. Others, such as 32 or 128, count as the nearest.
"""

register_all(Rules, state, observe, sure_win, forced_win, worlds, marginal)


class Doudizhu(Game):
    """Doudizhu (see ``games.play.interface.Game``).

    Without an auction seat 0 is the landlord, and a peasant's return is the team's. With one every
    seat is for itself, since any may become the landlord; seats are numbered in the order in which
    they speak. A deal is the same in both, but with an auction seat 0 does not hold the bottom
    cards.

    Attributes:
        spec: Sizes and conventions.
        rules: The tables that every kernel takes.
        decoder: int16 ``[num_actions, 6]``, the policy outputs whose sum is the logit of each move;
            -1 = none.
        has_auction: Whether the landlord is found by bids.
        texts: The bids, in the order of their ids; none without an auction.
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
        """Builds the tables. Raises ConfigError for rules of an auction without one."""
        super().__init__(options)
        self.has_auction = options.bidding != "none"
        for key in ("doubling", "forced"):
            if (value := getattr(options, key)) and not self.has_auction:
                raise ConfigError(
                    f"game.{key}={typed(value)}: needs an auction; set game.bidding=call or rob"
                )
        encoding = observe.Encoding[options.encoding.upper()]
        scales = observe.scales(encoding, self.has_auction)
        self.rules_name = options.rules
        self.rules = rule_set(options.rules, int(encoding))._replace(
            bidding=BIDDINGS.index(options.bidding),
            doubling=DOUBLINGS.index(options.doubling),
            forced=options.forced,
        )
        self.decoder = decoder(options.rules)
        self.num_moves = len(self.decoder)  # with cards, or pass
        self.texts: tuple[str, ...] = ()
        self.spec = GameSpec(
            name="doudizhu",
            num_seats=NUM_SEATS,
            teams=(0, 1, 1),
            num_actions=self.num_moves,
            observation_shape=(len(scales), NUM_RANKS),
            observation_scale=scales,
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
        if self.has_auction:
            self._add_auction()

    def _add_auction(self) -> None:
        """Adds the bids to the moves, and what an auction changes to the specification."""
        self.begins_from = ({"doubling": False}, {"doubling": False, "bidding": "none"})
        self.texts = TEXTS[self.options.bidding]
        bids = np.full((len(self.texts), self.decoder.shape[1]), -1, np.int16)
        bids[:, 0] = POLICY_SIZE + np.arange(len(bids))
        self.decoder = np.concatenate([self.decoder, bids])
        names = ("X", "Y", "Z")
        self.spec = self.spec._replace(
            teams=(0, 1, 2),
            num_actions=len(self.decoder),
            policy_size=POLICY_SIZE + len(bids),
            max_moves=MAX_MOVES + MAX_BIDS + MAX_DOUBLES,
            max_return=2.0 * MAX_FACTOR * 2**MAX_DOUBLES * 2**MAX_BOMBS * 2,  # after a spring
            team_names=names,
            seat_names=names,
            score=POINTS._replace(reports_wins=False),
            hidden_words=2,
            roles=BIDDER + 1,
            factors_of_roles={BIDDER: _FACTORS},
        )

    @cached_property
    def card_play(self) -> "Doudizhu":
        """Returns the game without its auction: this one where there is none."""
        if not self.has_auction:
            return self
        return Doudizhu(replace(self.options, bidding="none", doubling=False, forced=False))

    def learned_options(self) -> Json:
        """Returns the rules; networks bring their own encoding."""
        keys = ("rules", "bidding", "doubling", "forced") if self.has_auction else ("rules",)
        return {key: getattr(self.options, key) for key in keys}

    @property
    def weights(self) -> str:
        """Returns the name of the networks in ``models/``: those of the rule set ``standard``, and
        those that learned to double, which play without doubling, too (``adopted``).
        """
        doubling = self.has_auction and (self.options.doubling or True)
        usual = replace(self.options, rules="standard", doubling=doubling, forced=False)
        return super().weights if self.options == usual else Doudizhu(usual).weights

    def adopted(self, trained: Game) -> Game:
        """Returns the game for networks. The moves of all rule sets are sums of the same outputs,
        so the networks of one play the others. With doubling they learned all decisions of the game
        without; what happens when nobody calls concerns only how they value the calls.
        """
        options, own = trained.options, self.options
        if not isinstance(trained, Doudizhu) or self.has_auction != trained.has_auction:
            return trained
        if own.doubling not in (False, options.doubling):
            return trained
        changed = {"rules": own.rules, "doubling": own.doubling, "forced": own.forced}
        return Doudizhu(replace(options, **changed))

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

    def _begun(self, deals: States) -> States:
        """Returns the states before the first move of this game for deals in which seat 0 holds the
        bottom cards; in an auction nobody holds them yet.
        """
        if not self.has_auction:
            return deals
        hands = deals.hands.copy()
        hands[:, 0] -= deals.bottom
        return state.start_auction(hands, deals.bottom)

    def possible_deals(self, known: dict[str, Any], moves: Sequence[str]) -> Iterator[States]:
        """Yields the one deal in which the unseen cards are dealt in the order of their ranks, the
        bottom cards first while they are hidden, then to the landlord.
        """
        begun: States = self.deal(np.zeros(1, np.uint64))  # bids do not depend on the cards
        bids = 0
        while bids < len(moves) and begun.phase[0] != Phase.PLAYING and begun.winner[0] < 0:
            bids += 1
            begun = self._played(begun, moves[bids - 1 : bids])
        if begun.phase[0] == Phase.CALLING:
            yield filled_in.at_call(known, int(begun.seat[0]))
            return
        cards = [unpack(self.rules.cards[parse_move(self.rules_name, x)]) for x in moves[bids:]]
        role = len(cards) % NUM_SEATS if begun.phase[0] == Phase.PLAYING else int(begun.seat[0])
        by_role = filled_in.to_landlord(known, cards, role)
        deal = self._begun(by_role)
        if self.has_auction:
            deal.hands[:] = np.roll(deal.hands, int(begun.landlord[0]), axis=1)
        yield deal

    def standing(self, known: dict[str, Any]) -> States | None:
        """Returns the state of a position without its moves (``without_moves.standing``); None if
        nothing shows that there were any. Raises ValueError where cards were played after an
        auction.
        """
        if not without_moves.has_begun(known):
            return None
        if self.has_auction:
            raise ValueError(
                "moves are missing; a position of the card play can be given without them in the "
                "game with bidding=none"
            )
        return without_moves.standing(self.rules, self.rules_name, known)

    def action_text(self, action: int) -> str:
        """Returns the text of a move, such as ``4443``, ``34567``, ``LB`` or ``pass``; of a bid,
        such as ``call 2``, ``no call`` or ``double``. Raises ValueError if there is no such action.
        """
        place = int(action) - self.num_moves
        if place < 0 or not self.texts:
            return move_text(self.rules_name, int(action))
        if place >= len(self.texts):
            last = self.num_moves + len(self.texts) - 1
            raise ValueError(f"action {action}: expected 0 to {last}")
        return self.texts[place]

    def parse_action(self, text: str) -> int:
        """Returns the move of a text, its cards in any order, or a bid. Raises ValueError."""
        words = " ".join(text.lower().split())
        if words in self.texts:
            return self.num_moves + self.texts.index(words)
        try:
            return parse_move(self.rules_name, text)
        except ValueError as error:
            if not self.texts:
                raise
            raise ValueError(f"{error}, or a bid: {', '.join(self.texts)}") from error

    def view_fields(
        self, views: States, row: int, seat: int, moves: np.ndarray, is_over: bool
    ) -> Json:
        """Returns what a seat knows, for JSON.

        Cards are texts such as ``3345TJLB``, low cards first; T is the ten, L and B are the jokers.
        Seats are numbers in the order of play; without an auction 0 is the landlord. Only the
        seat's own hand and public fields are read; ``hands``, which are open once the game is over,
        are None where the row does not show.

        Returns:
            ``rules``, the name of the rule set; ``role`` of the seat in words, None until there is
            a landlord; ``hand``, its cards; ``cards_left``, how many cards each seat holds;
            ``bottom``, the three face-up cards as dealt, the landlord's from the start, "" while
            they are hidden; ``played``, the cards that each seat has played; ``to_beat`` and
            ``to_beat_seat``, the move that must be beaten and whose it is, None when the seat to
            move leads; ``bombs`` and rockets played, each of which doubles the stake; and the
            fields of the auction where there is one (``_auction_fields``).
        """
        landlord, calls = int(views.landlord[row]), views.phase[row] == Phase.CALLING
        roles = [(other - landlord) % NUM_SEATS for other in range(NUM_SEATS)]
        leads = is_over or views.target[row] == PASS
        sizes = [int(state.hand_size(views, row, role)) for role in roles]
        target = (int(state.target_seat(views, row)) + landlord) % NUM_SEATS
        fields = {
            "rules": self.rules_name,
            "role": None if calls else ROLES[roles[seat]],
            "hand": cards_text(views.hands[row, roles[seat]]),
            "cards_left": NUM_SEATS * [HAND_SIZES[1]] if calls else sizes,
            "bottom": cards_text(views.bottom[row]),
            "played": [cards_text(views.played[row, role]) for role in roles],
            "to_beat": None if leads else self.action_text(views.target[row]),
            "to_beat_seat": None if leads else target,
            "bombs": int(views.bombs[row]),
        }
        if is_over:
            hands = [views.hands[row, role] for role in roles]
            fields["hands"] = [
                cards_text(hand) if hand or size == 0 else None
                for hand, size in zip(hands, sizes, strict=True)
            ]
        return fields | (self._auction_fields(views, row, moves, is_over) if self.texts else {})

    def _auction_fields(self, views: States, row: int, moves: np.ndarray, is_over: bool) -> Json:
        """Returns ``bidding`` and ``doubling``, the options (and ``forced`` where it is set);
        ``phase``: calling, doubling or playing; ``landlord``, a seat, None until there is one;
        ``bids``, what each seat said last in the auction, None where it has said nothing;
        ``doubled`` by seat, None where it has not been decided; ``factor``, what bids and doublings
        multiply the points of all by; ``spring``, whether the game was one.
        """
        phase, thrown_in = Phase(int(views.phase[row])), bool(views.winner[row] == NOBODY)
        return {
            **self._auction_options(),
            "phase": phase.name.lower(),
            "landlord": None if phase == Phase.CALLING else int(views.landlord[row]),
            "bids": self._last_bids(moves),
            "doubled": [None if said == UNSAID else bool(said) for said in views.doubled[row]],
            "factor": int(views.factor[row]),
            "spring": is_over and not thrown_in and bool(auction.is_spring(views, row)),
        }

    def _auction_options(self) -> Json:
        """Returns the options of the auction, if there is one; ``forced`` only where it is set."""
        keys = ("bidding", "doubling", *(["forced"] if self.options.forced else []))
        return {key: getattr(self.options, key) for key in keys if self.has_auction}

    def _last_bids(self, moves: np.ndarray) -> list[str | None]:
        """Returns what each seat said last before there was a landlord."""
        bids: list[str | None] = NUM_SEATS * [None]
        row = copied(self._some_deal)
        for move in moves:
            if row.phase[0] != Phase.CALLING:
                break
            bids[int(row.seat[0])] = self.action_text(int(move))
            auction.bid(self.rules, row, 0, int(move))
        return bids

    def record_head(self) -> Json:
        """Returns the options, by which a record of Doudizhu is known."""
        return {"rules": self.rules_name, **self._auction_options()}

    def deal_fields(self, deal: States) -> Json:
        """Returns ``hands``, 17 cards of each seat in the order of play (without an auction the
        landlord's first), and the three ``bottom`` cards.
        """
        first = deal.hands[0, 0] - deal.bottom[0]
        hands, bottom = (first, *deal.hands[0, 1:]), deal.bottom[0] + deal.talon[0]
        return {"hands": [cards_text(cards) for cards in hands], "bottom": cards_text(bottom)}

    def parse_deal(self, fields: Mapping[str, object]) -> States:
        """Returns the deal in the fields of a record. Raises ValueError where it is not one."""
        return self._begun(deck_files.parse_deal(fields.get("hands"), fields.get("bottom")))

    def result_fields(self, final: States, is_over: bool) -> Json:
        """Returns ``winner``, the seat that played its last card, and ``points`` by seat; -1 and
        zeros if not over or thrown in.
        """
        if not is_over or final.winner[0] == NOBODY:
            return {"winner": -1, "points": NUM_SEATS * [0]}
        seats = range(NUM_SEATS)
        return {
            "winner": int(final.winner[0] + final.landlord[0]) % NUM_SEATS,
            "points": [int(state.team_return(self.rules, final, 0, seat)) for seat in seats],
        }

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
        """Returns the share of the games that each role ended by its last card, and the bombs of a
        game; where there is an auction also the share of the games thrown in, and of the others the
        share of springs, and the factor of bids and doublings.
        """
        thrown_in = finals.winner == NOBODY
        if thrown_in.all():
            return {"thrown_in_share": 1.0}
        played = take(finals, np.flatnonzero(~thrown_in))
        curves = {f"{x.name.lower()}_win_share": float(np.mean(played.winner == x)) for x in Seat}
        curves["bombs_per_game"] = float(np.mean(played.bombs))
        if self.has_auction:
            springs = [auction.is_spring(played, row) for row in range(len(played.seat))]
            curves["thrown_in_share"] = float(thrown_in.mean())
            curves["spring_share"] = float(np.mean(springs))
            curves["factor_per_game"] = float(np.mean(played.factor))
        return curves

    def habits(self, records: Records) -> dict[str, np.ndarray]:
        """Returns which seats made each call, robbed and doubled, of those that were asked; which
        became the landlord; and which games were thrown in.
        """
        if not self.has_auction:
            return {}
        count = len(records.moves)
        states = state.start_auction(np.zeros((count, NUM_SEATS), np.uint64), np.uint64(0))
        said = np.zeros((count, NUM_SEATS, len(self.texts)), np.bool_)
        auction.play_auctions(self.rules, states, np.ascontiguousarray(records.moves), said)
        refusals = [place for place, text in enumerate(self.texts) if text.startswith("no ")]
        found: dict[str, np.ndarray] = {}
        for first, end in pairwise([*refusals, len(self.texts)]):
            asked = said[:, :, first:end].any(axis=2)
            for place in range(first + 1, end):
                found[self.texts[place]] = np.where(asked, said[:, :, place], np.nan)
        thrown_in = np.repeat((states.winner == NOBODY)[:, None], NUM_SEATS, axis=1)
        landlord = states.landlord[:, None] == np.arange(NUM_SEATS)
        found["landlord"] = np.where(thrown_in, np.nan, landlord)
        return found | {"thrown in": thrown_in.astype(np.float64)}

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
        rows, roles = np.arange(len(seats)), (np.asarray(seats) - states.landlord) % NUM_SEATS
        played = states.played.sum(axis=1, dtype=np.uint64)
        unseen = unpack(DECK - states.hands[rows, roles] - played)
        truth = unpack(states.hands[rows, (roles + 1) % NUM_SEATS])
        known = np.maximum(unpack(states.bottom) - unpack(states.played[:, 0]), 0)
        fewest = known * (roles == Seat.UP)[:, None]
        most = unseen - known * (roles == Seat.DOWN)[:, None]
        return unseen, fewest, most, truth, truth.sum(axis=1, dtype=np.int16)


GAME = Doudizhu
