"""The Python face of the game with an auction."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from games.doudizhu import auction, auction_worlds, observe, without_moves
from games.doudizhu.auction import (
    BIDDER,
    MAX_BIDS,
    MAX_DOUBLES,
    MAX_FACTOR,
    NOBODY,
    TEXTS,
    UNSAID,
    Phase,
    WholeRules,
)
from games.doudizhu.card_play import MAX_BOMBS, MAX_MOVES, CardPlay
from games.doudizhu.cards import (
    COPIES,
    HAND_SIZES,
    NUM_RANKS,
    NUM_SEATS,
    cards_text,
    pack,
    parse_cards,
    unpack,
)
from games.kernels.generic import register_all
from games.kernels.rows import States, copied, take
from games.play.interface import POINTS, Game, Json, Records

register_all(WholeRules, auction, auction_worlds)

_HAND = HAND_SIZES[1]
_MAX_RETURN = 2.0 * MAX_FACTOR * 2**MAX_DOUBLES * 2**MAX_BOMBS * 2
"""The landlord's, after a spring."""
_FACTORS = (0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 48.0)
"""Classes of what a bidder may win or lose: nothing where the game is thrown in, else 1 to 3
points, twice as many as landlord, and doubled. Others, such as 32 or 128, count as the nearest.
"""


class WholeGame(CardPlay):
    """Doudizhu with an auction: every seat is for itself, since any may become the landlord.

    Seats are numbered in the order in which they speak. A deal is the same as in the game without
    an auction, but seat 0 does not hold the bottom cards.
    """

    begins_from = ({"doubling": False}, {"doubling": False, "bidding": "none"})

    def __init__(self, options: CardPlay.Options) -> None:
        """Builds the tables."""
        super().__init__(options)
        self.texts = TEXTS[options.bidding]
        self.num_moves = self.spec.num_actions  # with cards, or pass
        cards_only, outputs = self.decoder, self.spec.policy_size
        bids = np.full((len(self.texts), cards_only.shape[1]), -1, np.int16)
        bids[:, 0] = outputs + np.arange(len(bids))
        self.decoder = np.concatenate([cards_only, bids])
        self.rules = auction.whole_rules(
            self.rules, options.bidding, options.doubling, options.forced
        )
        scales = observe.scales(observe.Encoding(self.rules.encoding), auction=True)
        names = ("X", "Y", "Z")
        self.spec = self.spec._replace(
            teams=(0, 1, 2),
            num_actions=len(self.decoder),
            observation_shape=(len(scales), NUM_RANKS),
            observation_scale=scales,
            policy_size=outputs + len(bids),
            max_moves=MAX_MOVES + MAX_BIDS + MAX_DOUBLES,
            max_return=_MAX_RETURN,
            team_names=names,
            seat_names=names,
            score=POINTS._replace(reports_wins=False),
            hidden_words=2,
            roles=BIDDER + 1,
            factors_of_roles={BIDDER: _FACTORS},
        )

    @cached_property
    def card_play(self) -> CardPlay:
        """Returns the game without the auction."""
        return CardPlay(replace(self.options, bidding="none", doubling=False, forced=False))

    def learned_options(self) -> Json:
        """Returns the rules; networks bring their own encoding."""
        options = self.options
        return {
            **super().learned_options(),
            "bidding": options.bidding,
            "doubling": options.doubling,
            "forced": options.forced,
        }

    @property
    def weights(self) -> str:
        """Returns the name of the networks in ``models/``: those that learned to double play
        without doubling, too (``adopted``).
        """
        doubling = self.options.doubling or True
        usual = replace(self.options, rules="standard", doubling=doubling, forced=False)
        return super().weights if self.options == usual else WholeGame(usual).weights

    def adopted(self, trained: Game) -> Game:
        """Returns the game for networks: with doubling they learned all decisions of the game
        without; what happens when nobody calls concerns only how they value the calls.
        """
        options, own = trained.options, self.options
        if not isinstance(trained, WholeGame) or own.doubling not in (False, options.doubling):
            return trained
        changed = {"rules": own.rules, "doubling": own.doubling, "forced": own.forced}
        return WholeGame(replace(options, **changed))

    def _begun(self, deals: States) -> States:
        """Returns the states before the first call: the landlord's hand of a deal is that of seat
        0, without the bottom cards.
        """
        hands = deals.hands.copy()
        hands[:, 0] -= deals.bottom
        return auction.start(hands, deals.bottom)

    def empty(self, count: int) -> States:
        """Returns ``count`` rows of zeros."""
        return auction.empty(count)

    def action_text(self, action: int) -> str:
        """Returns the text of a bid, such as ``call 2``, ``no call`` or ``double``, or of a move
        with cards. Raises ValueError if there is no such action.
        """
        place = int(action) - self.num_moves
        if place < 0:
            return super().action_text(action)
        if place >= len(self.texts):
            last = self.num_moves + len(self.texts) - 1
            raise ValueError(f"action {action}: expected 0 to {last}")
        return self.texts[place]

    def parse_action(self, text: str) -> int:
        """Returns the action of a text. Raises ValueError."""
        words = " ".join(text.lower().split())
        if words in self.texts:
            return self.num_moves + self.texts.index(words)
        try:
            return super().parse_action(text)
        except ValueError as error:
            raise ValueError(f"{error}, or a bid: {', '.join(self.texts)}") from error

    def possible_deals(self, known: dict[str, Any], moves: Sequence[str]) -> Iterator[States]:
        """Yields the one deal in which the unseen cards are dealt in the order of their ranks, the
        bottom cards first while they are hidden.
        """
        state: States = self.deal(np.zeros(1, np.uint64))  # bids do not depend on the cards
        bids = 0
        while bids < len(moves) and state.phase[0] != Phase.PLAYING and state.winner[0] < 0:
            bids += 1
            state = self._played(state, moves[bids - 1 : bids])
        if state.phase[0] == Phase.CALLING:
            yield self._filled_in_at_call(known, int(state.seat[0]))
            return
        cards = moves[bids:]
        role = len(cards) % NUM_SEATS if state.phase[0] == Phase.PLAYING else int(state.seat[0])
        by_role: States = self._filled_in(known, cards, role)
        hands = by_role.hands.copy()
        hands[:, 0] -= by_role.bottom
        yield auction.start(np.roll(hands, int(state.landlord[0]), axis=1), by_role.bottom)

    def standing(self, known: dict[str, Any]) -> States | None:
        """Raises ValueError where cards were played: without moves, only the game without an
        auction can be described.
        """
        if not without_moves.has_begun(known):
            return None
        raise ValueError(
            "moves are missing; a position of the card play can be given without them in the game "
            "with bidding=none"
        )

    def _filled_in_at_call(self, known: dict[str, Any], seat: int) -> States:
        """Returns a deal with the hand of the seat to call. Raises ValueError if there is none."""
        own = unpack(parse_cards(str(known.get("hand", ""))))
        if own.sum() != _HAND:
            raise ValueError(f"hand: {own.sum()} cards; expected the {_HAND} of seat {seat}")
        known["hand"] = cards_text(pack(own))
        rest = np.repeat(np.arange(NUM_RANKS), COPIES - own)
        bottom, *others = np.split(rest, [len(rest) - 2 * _HAND, len(rest) - _HAND])
        hands = [pack(np.bincount(cards, minlength=NUM_RANKS)) for cards in others]
        hands.insert(seat, pack(own))
        return auction.start(
            np.array([hands]), pack(np.bincount(bottom, minlength=NUM_RANKS))[None]
        )

    def view_fields(
        self, views: States, row: int, seat: int, moves: np.ndarray, is_over: bool
    ) -> Json:
        """Returns what a seat knows, for JSON: the fields of the game without an auction, ``role``
        being None and ``bottom`` "" until there is a landlord, and those of the auction.

        Returns:
            ``bidding`` and ``doubling``, the options (and ``forced`` where it is set); ``phase``:
            calling, doubling or playing; ``landlord``, a seat, None until there is one; ``bids``,
            what each seat said last in the auction, None where it has said nothing; ``doubled`` by
            seat, None where it has not been decided; ``factor``, what bids and doublings multiply
            the points of all by; ``spring``, whether the game was one.
        """
        phase, landlord = Phase(int(views.phase[row])), int(views.landlord[row])
        role = (seat - landlord) % NUM_SEATS
        one = take(views, slice(row, row + 1))
        fields = super().view_fields(one, 0, role, moves, is_over)
        for key in ("cards_left", "played", *(["hands"] if is_over else [])):
            fields[key] = [
                fields[key][(other - landlord) % NUM_SEATS] for other in range(NUM_SEATS)
            ]
        if fields["to_beat_seat"] is not None:
            fields["to_beat_seat"] = (fields["to_beat_seat"] + landlord) % NUM_SEATS
        calls = phase == Phase.CALLING
        if calls:
            fields["role"] = None
            fields["cards_left"] = NUM_SEATS * [_HAND]
        thrown_in = bool(views.winner[row] == NOBODY)
        return {
            **fields,
            "bidding": self.options.bidding,
            "doubling": self.options.doubling,
            **self._forced(),
            "phase": phase.name.lower(),
            "landlord": None if calls else landlord,
            "bids": self._last_bids(moves),
            "doubled": [None if said == UNSAID else bool(said) for said in views.doubled[row]],
            "factor": int(views.factor[row]),
            "spring": is_over and not thrown_in and bool(auction.is_spring(views, row)),
        }

    def _last_bids(self, moves: np.ndarray) -> list[str | None]:
        """Returns what each seat said last before there was a landlord."""
        bids: list[str | None] = NUM_SEATS * [None]
        state = copied(self._some_deal)
        for move in moves:
            if state.phase[0] != Phase.CALLING:
                break
            bids[int(state.seat[0])] = self.action_text(int(move))
            auction.step(self.rules, state, 0, int(move))
        return bids

    def record_head(self) -> Json:
        """Returns the options, by which a record is known."""
        return {
            **super().record_head(),
            "bidding": self.options.bidding,
            "doubling": self.options.doubling,
            **self._forced(),
        }

    def _forced(self) -> Json:
        """Returns the option that is left out where it is not set."""
        return {"forced": True} if self.options.forced else {}

    def deal_fields(self, deal: States) -> Json:
        """Returns ``hands``, 17 cards of each seat in the order in which they speak, and the three
        ``bottom`` cards.
        """
        return {
            "hands": [cards_text(cards) for cards in deal.hands[0]],
            "bottom": cards_text(deal.talon[0]),
        }

    def result_fields(self, final: States, is_over: bool) -> Json:
        """Returns ``winner``, the seat that played its last card, and ``points`` by seat; -1 and
        zeros if not over or thrown in.
        """
        winner = int(final.winner[0])
        played = is_over and winner != NOBODY
        points = [
            int(auction.team_return(self.rules, final, 0, seat)) if played else 0
            for seat in range(NUM_SEATS)
        ]
        return {
            "winner": (winner + int(final.landlord[0])) % NUM_SEATS if played else -1,
            "points": points,
        }

    def final_curves(self, finals: States) -> dict[str, float]:
        """Returns the share of the games thrown in; of the others, what the card play returns, by
        role, the share of springs, and the factor of bids and doublings.
        """
        thrown_in = finals.winner == NOBODY
        if thrown_in.all():
            return {"thrown_in_share": 1.0}
        played = take(finals, np.flatnonzero(~thrown_in))
        springs = [auction.is_spring(played, row) for row in range(len(played.seat))]
        return {
            **super().final_curves(played),
            "thrown_in_share": float(thrown_in.mean()),
            "spring_share": float(np.mean(springs)),
            "factor_per_game": float(np.mean(played.factor)),
        }

    def habits(self, records: Records) -> dict[str, np.ndarray]:
        """Returns which seats made each call, robbed and doubled, of those that were asked; which
        became the landlord; and which games were thrown in.
        """
        count = len(records.moves)
        states = auction.start(np.zeros((count, NUM_SEATS), np.uint64), np.zeros(count, np.uint64))
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
        ``[B]``) in row i, as without an auction.
        """
        return super().hidden_targets(states, (np.asarray(seats) - states.landlord) % NUM_SEATS)
