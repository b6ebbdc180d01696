"""The Python face of no-limit Hold'em (``games.play.interface.Game``)."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from games.kernels.generic import current_seat, public_cards, register_all
from games.kernels.rows import concatenate
from games.no_limit_holdem import betting, deals, observe, state, translation, worlds
from games.no_limit_holdem.deals import draw_stacks, look, set_cards, start_rows
from games.no_limit_holdem.options import Options as Amounts
from games.no_limit_holdem.options import size_text
from games.no_limit_holdem.phh import BadHandError, read
from games.no_limit_holdem.phh_games import deal_of, hand_of
from games.no_limit_holdem.phh_write import write
from games.no_limit_holdem.pots import pots
from games.no_limit_holdem.state import (
    CALL,
    FIRST_AMOUNT,
    FIRST_SIZE,
    FOLD,
    HIDDEN,
    MOST_CHIPS,
    NUM_BOARD,
    Rules,
    States,
)
from games.play.interface import Game, GameSpec, PlayedGame
from games.poker.cards import completed, deal_cards
from games.poker.game import milli_big_blinds
from games.poker.hands import NUM_CARDS, card_texts, parse_cards, tables
from games.poker.worlds import WORLDS, hand_names, num_words

register_all(Rules, betting, deals, observe, translation, worlds, *WORLDS)


def seat_names(players: int) -> tuple[str, ...]:
    """Returns the names of the seats: ``SB``, ``BB``, ``UTG``, …, ``CO``, ``BTN``; heads-up ``BB``
    and ``BTN``.
    """
    if players == 2:
        return ("BB", "BTN")
    between = players - 3
    middle = (
        ["UTG", *(f"UTG+{k}" for k in range(1, between - 1)), "CO"]
        if between > 1
        else ["UTG"] * between
    )
    return ("SB", "BB", *middle, "BTN")


def _whole_chips(fields: Mapping[str, Any], key: str, own: np.ndarray, least: int) -> np.ndarray:
    """Returns the amounts of a field, or the game's if it is missing. Raises ValueError."""
    given = np.array(fields.get(key, own.tolist()))
    fits = given.shape == own.shape and given.dtype.kind == "i"
    if not fits or given.min() < least or given.max() > MOST_CHIPS:
        raise ValueError(f"{key} {fields[key]}")
    return given.astype(np.int32)


class NoLimitHoldem(Game):
    """No-limit Hold'em. Every player is a team of its own; returns are chips."""

    passive = CALL
    has_histories = True
    variants = MappingProxyType(
        {"heads-up": {}, "three players": {"players": 3}, "six players": {"players": 6}}
    )

    Options = Amounts
    options: Amounts

    def __init__(self, options: Amounts = Amounts()) -> None:  # noqa: B008 (frozen)
        """Makes the game."""
        super().__init__(options)
        players, big_blind = options.players, options.big_blind
        chips, sizes, self.least_stack = options.chips(), options.sizes(), options.least_stack
        self.sizes = tuple(size_text(size) for size in sizes)
        blinds = np.zeros(players, np.int32)
        small = options.small_blind
        blinds[:2] = (big_blind, small) if players == 2 else (small, big_blind)
        antes = np.full(players, options.ante, np.int32)
        self.rules = Rules(
            np.array(sizes), np.array(chips, np.int32), antes, blinds, big_blind, tables()
        )
        outputs = FIRST_SIZE + len(sizes)
        most_raises = max(chips) // big_blind + players
        card_names = tuple(card_texts(range(NUM_CARDS)))
        scale = observe.scales(players)
        self.spec = GameSpec.of(
            name="no_limit_holdem",
            num_seats=players,
            seat_names=seat_names(players),
            num_actions=FIRST_AMOUNT + MOST_CHIPS + 1,
            policy_size=outputs,
            max_legal=outputs,
            max_moves=(most_raises + state.NUM_ROUNDS) * players,
            max_return=float(sum(chips) - max(chips)),
            observation_shape=(len(scale), max(observe.RANKS, outputs + 1)),
            observation_scale=scale,
            scalar_planes=len(scale) - observe.FIRST_SCALAR,
            score=milli_big_blinds(big_blind),
            hidden_words=num_words(players, 2),
            hidden_kinds=hand_names(card_names, 2),
        )
        self.decoder = np.full((self.spec.num_actions, 1), -1, np.int16)  # type: ignore[misc]
        self.decoder[:outputs, 0] = np.arange(outputs)

    def learned_options(self) -> dict[str, object]:
        """Returns the number of players and the sizes of bets; the rest is in units of the
        stake.
        """
        return {"players": self.options.players, "bet_sizes": list(self.sizes)}

    def empty(self, count: int) -> States:
        """Returns ``count`` rows of zeros."""
        return state.empty(count, self.spec.num_seats)

    def deal(self, seeds: np.ndarray) -> States:
        """Returns random deals; row i depends only on ``seeds[i]`` (uint64 ``[B]``)."""
        states, rng = self.empty(len(seeds)), np.array(seeds, np.uint64)
        cards = np.empty((len(seeds), 2 * self.spec.num_seats + NUM_BOARD), np.int8)
        deal_cards(NUM_CARDS, rng, cards)
        set_cards(states, cards)
        states.stacks[:] = self.rules.stacks
        if self.least_stack is not None:
            draw_stacks(rng, states, self.least_stack)
        self._start(states)
        return states

    def possible_deals(self, known: dict[str, Any], moves: Sequence[str]) -> Iterator[States]:
        """Yields the one deal with ``hand`` and ``public`` in their places; the stacks are the
        game's, or ``stacks`` plus the chips ``paid``.
        """
        amounts = {}
        if "stacks" in known:
            if "paid" not in known:
                raise ValueError("stacks without paid: expected the chips that each seat paid, too")
            try:
                amounts["stacks"] = np.add(known["stacks"], known["paid"]).tolist()
            except (TypeError, ValueError) as error:
                raise ValueError(
                    f"stacks {known['stacks']}, paid {known['paid']}: expected a list of the chips "
                    "of each seat"
                ) from error
        cards = {key: self._given_cards(known, key) for key in ("hand", "public")}
        board = 2 * self.spec.num_seats

        def dealt(seat: int) -> States:
            places = dict(enumerate(cards["hand"], 2 * seat)) | dict(
                enumerate(cards["public"], board)
            )
            texts = card_texts(completed(NUM_CARDS, places, board + NUM_BOARD).tolist())
            hands = [texts[k : k + 2] for k in range(0, board, 2)]
            return self.parse_deal({"deal": amounts | {"hands": hands, "public": texts[board:]}})

        played = self._played(dealt(0), moves)
        for key, count in (("hand", 2), ("public", int(public_cards(self.rules, played, 0)))):
            if len(cards[key]) != count:
                text = " ".join(card_texts(cards[key])) or "nothing"
                raise ValueError(f"{key}: {text}; expected {count} cards")
        seat = int(current_seat(self.rules, played, 0))
        deal = dealt(seat)
        known["hand"] = self._hand(deal, 0, seat)
        known["public"] = card_texts(deal.board[0, : len(cards["public"])].tolist())
        yield deal

    def _given_cards(self, known: Mapping[str, Any], key: str) -> list[int]:
        """Returns the cards of a field, given as a list or in one text. Raises ValueError."""
        given = known.get(key) or []
        try:
            return parse_cards(
                " ".join(map(str, given)) if isinstance(given, list | tuple) else str(given)
            )
        except ValueError as error:
            raise ValueError(f"{key}: {error}") from error

    def _start(self, states: States) -> None:
        """Writes the betting before the first move; cards and stacks must already be set."""
        rules, shape = self.rules, states.stacks.shape
        start_rows(
            rules,
            states,
            states.stacks.copy(),
            np.broadcast_to(rules.antes, shape).copy(),
            np.broadcast_to(rules.blinds, shape).copy(),
            np.full(shape[0], rules.big_blind, np.int32),
        )

    def view(self, states: States, seats: np.ndarray) -> States:
        """Returns a copy in which the cards that ``seats[i]`` (int ``[B]``) cannot see in row i are
        ``HIDDEN``.
        """
        views = States(*(field.copy() for field in states))
        own = np.arange(self.spec.num_seats) == np.asarray(seats)[:, None]
        views.hole[~own] = HIDDEN
        views.board[np.arange(NUM_BOARD) >= views.shown[:, None]] = HIDDEN
        return views

    def action_text(self, action: int) -> str:
        """Returns ``fold``, ``call`` (or check), a size such as ``0.5 pot`` or ``all-in``, or
        ``r250``: a raise to 250. Raises ValueError if there is no such action.
        """
        listed = ("fold", "call", *self.sizes)
        if 0 <= action < len(listed):
            return listed[action]
        if FIRST_AMOUNT < action < self.spec.num_actions:
            return f"r{action - FIRST_AMOUNT}"
        expected = f"0 to {len(listed) - 1}, or {FIRST_AMOUNT} plus an amount"
        raise ValueError(f"action {action}: expected {expected}")

    def parse_action(self, text: str) -> int:
        """Returns the action of a text: that of ``action_text``, ``check``, or ``bet``/``raise``
        and chips. Raises ValueError.
        """
        word = " ".join(text.lower().split())
        if word in ("fold", "f"):
            return FOLD
        if word in ("call", "check", "c", "k"):
            return CALL
        if word in self.sizes:
            return FIRST_SIZE + self.sizes.index(word)
        for start in ("raise to", "raise", "bet", "r", "b"):
            digits = word.removeprefix(start).strip()
            if word.startswith(start) and digits.isascii() and digits.isdecimal():
                if len(digits) > 9 or int(digits) > MOST_CHIPS:
                    raise ValueError(
                        f"action {text!r}: expected a raise to at most {MOST_CHIPS} chips, the "
                        "largest stack there is"
                    )
                return FIRST_AMOUNT + int(digits)
        known = ", ".join(("fold", "call", "check", *self.sizes))
        is_line = re.fullmatch(r"(?:[fck/]|[rb]\d+)+", word)  # of ACPC or Slumbot
        raise ValueError(
            f"action {text!r}: expected one of {known}, or r and the chips of this round to "
            "raise to, as in r250" + "; give each move of the line by itself" * bool(is_line)
        )

    def _look(self, views: States, row: int) -> tuple[dict[int, int], int, int, int]:
        """Returns the raise-to of each listed action (0 for fold and call), the chips to call, and
        the bounds of a raise.
        """
        most = self.spec.max_legal
        listed, amounts = np.empty(most, np.int16), np.empty(most, np.int64)
        found = look(self.rules, views, row, listed, amounts)
        count, call, low, high = map(int, found)  # numbers of numpy where nothing is compiled
        return (
            dict(zip(listed[:count].tolist(), amounts[:count].tolist(), strict=True)),
            call,
            low,
            high,
        )

    def legal_besides(self, views: States, row: int) -> str:
        """Returns the legal bets, in words."""
        least, most = self._look(views, row)[2:]
        if not most:
            return "no raise is allowed"
        return (
            f"any raise to {least} … {most} chips, as r{least}"
            if most > least
            else f"a raise to {most} chips, as r{most}"
        )

    def write_histories(self, path: Path, games: Iterable[PlayedGame]) -> None:
        """Writes hands in the PHH format, any number of them to ``.phh`` as to ``.phhs``."""
        write(path, (hand_of(self, *game) for game in games))

    def view_fields(
        self, views: States, row: int, seat: int, moves: np.ndarray, is_over: bool
    ) -> dict[str, object]:
        """Returns a seat's view as fields for JSON.

        ``hand``, ``public`` cards, ``round``, and by seat the ``stacks`` behind, the chips ``paid``
        in this hand, the ``bets`` of this round, and which seats ``folded``; ``pot``, and ``pots``,
        main and side pots with the seats that can win them; for the seat to move ``to_call``,
        ``raise`` (the minimum and maximum to raise to, None if not allowed) and ``amounts``, the
        raise-to of each legal move, None for fold and call. Once the hand is over also ``hands``,
        those shown down.
        """
        fields = {}
        shown = views.board[row, : views.shown[row]]
        if is_over:
            called = len(shown) == NUM_BOARD and (views.folded[row] == 0).sum() > 1
            fields["hands"] = [
                self._hand(views, row, other) if called and not views.folded[row, other] else None
                for other in range(self.spec.num_seats)
            ]
        is_asked = seat == views.seat[row]
        actions, call, least, most = self._look(views, row) if is_asked else ({}, 0, 0, 0)
        return {
            "hand": self._hand(views, row, seat),
            "public": card_texts(card for card in shown.tolist() if card != HIDDEN),
            "round": ("preflop", "flop", "turn", "river", "over")[views.round[row]],
            "stacks": views.stacks[row].tolist(),
            "paid": views.paid[row].tolist(),
            "bets": views.street_paid[row].tolist(),
            "folded": (views.folded[row] == 1).tolist(),
            "pot": int(views.paid[row].sum()),
            "pots": pots(views, row),
            "to_call": call,
            "raise": [least, most] if most else None,
            "amounts": [amount or None for amount in actions.values()],
            **fields,
        }

    def _hand(self, views: States, row: int, seat: int) -> list[str] | None:
        """Returns the cards of a seat, or None if they are hidden."""
        cards = views.hole[row, seat].tolist()
        return None if HIDDEN in cards else card_texts(cards)

    def deal_fields(self, deal: States) -> dict[str, object]:
        """Returns ``hands``, ``public`` cards, ``stacks``, ``antes`` and ``blinds`` by seat, and
        ``big_blind``.
        """
        fields = {
            "hands": [card_texts(hand) for hand in deal.hole[0].tolist()],
            "public": card_texts(deal.board[0].tolist()),
            "stacks": (deal.stacks[0] + deal.paid[0]).tolist(),
            "antes": deal.ante[0].tolist(),
            "blinds": deal.blind[0].tolist(),
            "big_blind": int(deal.big_blind[0]),
        }
        return {"deal": fields}

    def parse_deal(self, fields: Mapping[str, Any]) -> States:
        """Returns the deal of a record; missing posts are the game's. Raises ValueError."""
        fields, players = fields.get("deal"), self.spec.num_seats  # type: ignore[assignment]
        expected = (
            f'expected {{"hands": [...], "public": [...], "stacks": [...]}} with {players} hands '
            f"of 2 and {NUM_BOARD} public "
            f'cards, all different, such as "As", and {players} stacks of at most {MOST_CHIPS} '
            "chips"
        )
        if not isinstance(fields, Mapping):
            raise ValueError(f"deal: {str(fields)[:40]}; {expected}")
        try:
            hands, public = [list(hand) for hand in fields["hands"]], list(fields["public"])
            texts = [text for part in (*hands, public) for text in part]
            cards = parse_cards(" ".join(texts))
            sizes = [len(part) for part in (*hands, public)]
            if sizes != [2] * players + [NUM_BOARD] or card_texts(cards) != texts:
                raise ValueError(f"hands {hands}, public {public}")
            chips = [
                _whole_chips(fields, key, own, least)
                for key, own, least in (
                    ("stacks", self.rules.stacks, 1),
                    ("antes", self.rules.antes, 0),
                    ("blinds", self.rules.blinds, -MOST_CHIPS),
                    ("big_blind", np.array(self.rules.big_blind), 1),
                )
            ]
            if not (chips[1].any() or chips[2].any()):
                raise ValueError("antes and blinds are all 0")
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ValueError(f"deal: {error}; {expected}"[:500]) from error
        states = self.empty(1)
        set_cards(states, np.array([cards]))
        start_rows(self.rules, states, *(amounts[None] for amounts in chips))
        return states

    def read_decks(self, path: Path | str) -> States:
        """See ``Game.read_decks``; decks with another big blind or with deeper stacks than the
        game's do not fit its unit and its limit of moves. Of hand histories (``phh``) every hand is
        a deck, in the game's big blinds; cards that were never shown are drawn at random.
        """
        rules = self.rules
        with Path(path).open("rb") as file:
            is_json = file.read(1) in (b"{", b"", b"\n")
        decks = super().read_decks(path) if is_json else concatenate([*self._hands(path)])
        stacks = (decks.stacks + decks.paid).max(axis=1)
        most = int(rules.stacks.max())
        for number, (blind, stack) in enumerate(zip(decks.big_blind, stacks, strict=True), 1):
            if blind != rules.big_blind or stack > most:
                raise ValueError(
                    f"{path}, deck {number}: big blind {blind}, largest stack {stack}: expected "
                    f"big blind {rules.big_blind} and stacks of at most {most}, the game's; set "
                    "game.big_blind and game.stacks"
                )
        return decks

    def _hands(self, path: Path | str) -> Iterator[States]:
        """Yields the deals of hand histories. Raises ValueError."""
        for hand in read([path]):
            scale = Fraction(self.rules.big_blind, hand.min_bet or max(hand.blinds))
            try:
                yield self.parse_deal({"deal": deal_of(hand, scale)})
            except ValueError as error:
                raise BadHandError(hand.file, hand.number, str(error)) from error

    def final_curves(self, finals: States) -> dict[str, float]:
        """Returns the share of showdowns, and the mean pot in big blinds."""
        called = finals.folded.sum(axis=1) < finals.folded.shape[1] - 1
        pots = finals.paid.sum(axis=1) / finals.big_blind
        return {"showdown_share": float(called.mean()), "pot_in_big_blinds": float(pots.mean())}


GAME = NoLimitHoldem
