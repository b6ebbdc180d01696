"""The Python face of imperfect-information Goofspiel."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import permutations
from math import factorial
from types import MappingProxyType

import numpy as np

from games.base.settings import setting
from games.goofspiel import observe, state, worlds
from games.goofspiel.observe import NUM_PLANES
from games.goofspiel.state import DRAW, MOST_CARDS, Rules, States, start_row
from games.goofspiel.worlds import shuffle_from
from games.kernels import kernel, streams
from games.kernels.generic import register_all
from games.kernels.rows import zeros
from games.play.interface import POINTS, Game, GameSpec, Json

register_all(Rules, state, observe, worlds)
MOST_ORDERS = 8
"""Maximum cards for which ``starts`` lists all orders of random prizes: 40,320."""
DIFFERENCE = POINTS._replace(reports_wins=False)


def make_rules(cards: int, lowest: int, wins_only: bool, is_random: bool) -> Rules:
    """Returns the rules of a game."""
    sets = np.arange(1 << cards)[:, None] >> np.arange(cards) & 1
    turns = 2 * cards - 2
    sizes = (2, 1, turns * cards, turns * 3, (turns + 1) * cards)
    # Any random numbers will do.
    start, made, bids, results, shown = np.split(streams(18, sum(sizes)), np.cumsum(sizes)[:-1])
    # After a round, and at the start of the game.
    brings = (np.arange(turns + 1) % 2 == 0).astype(np.uint64)[:, None]
    return Rules(
        cards=cards,
        lowest=lowest,
        wins_only=wins_only,
        is_random=is_random,
        lists=np.argsort(1 - sets, axis=1, kind="stable").astype(np.int16),
        counts=sets.sum(axis=1).astype(np.int8),
        start_keys=start,
        made_key=made[0],
        bid_keys=bids.reshape(turns, cards),
        result_keys=results.reshape(turns, 3) * brings[1:],
        prize_keys=shown.reshape(turns + 1, cards) * brings * np.uint64(is_random),
    )


@kernel
def _start_all(rules: Rules, prizes: np.ndarray, states: States) -> None:
    for i in range(prizes.size):
        start_row(rules, prizes[i], states, i)


@kernel
def _shuffle_all(rules: Rules, rng: np.ndarray, prizes: np.ndarray) -> None:
    for i in range(prizes.size):
        prizes[i] = shuffle_from(rules, np.uint64(0), 0, rng, i)


def _pack(order: Iterable[int]) -> int:
    return sum(int(prize) << 4 * number for number, prize in enumerate(order))


def _unpack(packed: int, count: int) -> list[int]:
    return [int(packed) >> 4 * number & 15 for number in range(count)]


class Goofspiel(Game):
    """Imperfect-information Goofspiel."""

    growing = ("rounds",)
    variants = MappingProxyType({"4 cards": {"cards": 4}, "6 cards": {}, "13 cards": {"cards": 13}})

    @dataclass(frozen=True)
    class Options:
        """How it is played."""

        cards: int = setting(6, least=2, most=MOST_CARDS, help="Cards of each seat, and prizes.")
        prizes: str = setting(
            "descending",
            choices=("descending", "ascending", "random"),
            help="Their order; random: dealt, and shown one by one.",
        )
        scoring: str = setting(
            "win_lose",
            choices=("win_lose", "points"),
            help="What is won: the game, or the difference of points.",
        )
        lowest_prize: int = setting(0, choices=(0, 1), help="Value of the lowest card and prize.")

    options: Options

    def __init__(self, options: Options = Options()) -> None:  # noqa: B008 (frozen)
        """Makes the game."""
        super().__init__(options)
        cards, self.prizes, self.lowest = options.cards, options.prizes, options.lowest_prize
        self.cards, wins_only = cards, options.scoring == "win_lose"
        self.rules = make_rules(cards, self.lowest, wins_only, self.prizes == "random")
        self.action_names = tuple(str(card + self.lowest) for card in range(cards))
        total = float(sum(range(self.lowest, cards + self.lowest)))
        scale = np.ones(NUM_PLANES + cards, np.float32)
        scale[7], scale[8] = 1 / cards, 1 / total
        self.spec = GameSpec.of(
            name="goofspiel",
            seat_names=("first", "second"),
            num_actions=cards,
            max_moves=2 * (cards - 1),
            max_return=1.0 if wins_only else total,
            observation_shape=(NUM_PLANES + cards, cards),
            observation_scale=scale,
            has_private_moves=True,
            score=POINTS if wins_only else DIFFERENCE,
        )

    def empty(self, count: int) -> States:
        """Returns ``count`` rows of zeros."""
        return States(*zeros(count, "i1", "2i2", "2u8", "u8", "u8", "i2", "2u8"))

    def _start(self, prizes: np.ndarray) -> States:
        """Returns the starts of games with the given orders of prizes (uint64 ``[B]``, packed)."""
        states = self.empty(len(prizes))
        _start_all(self.rules, prizes, states)
        return states

    def _known_order(self) -> int:
        ascending = range(self.cards)
        return _pack(ascending if self.prizes == "ascending" else reversed(ascending))

    def deal(self, seeds: np.ndarray) -> States:
        """Returns random deals; row i depends only on ``seeds[i]`` (uint64 ``[B]``)."""
        prizes = np.full(len(seeds), self._known_order(), np.uint64)
        if self.prizes == "random":
            _shuffle_all(self.rules, np.array(seeds, np.uint64), prizes)
        return self._start(prizes)

    def starts(self) -> tuple[States, np.ndarray]:
        """Returns all deals, one row each, and their probabilities: one, or all orders of random
        prizes.

        Raises:
            ValueError: There are too many orders.
        """
        if self.prizes != "random":
            return self._start(np.array([self._known_order()], np.uint64)), np.ones(1)
        if self.cards > MOST_ORDERS:
            raise ValueError(
                f"game.cards={self.cards} game.prizes=random: {factorial(self.cards):,} deals "
                "cannot be listed; expected "
                f"game.cards of at most {MOST_ORDERS}, or another order of prizes"
            )
        orders = np.array([_pack(order) for order in permutations(range(self.cards))], np.uint64)
        return self._start(orders), np.full(len(orders), 1 / len(orders))

    def view_fields(
        self, views: States, row: int, seat: int, moves: np.ndarray, is_over: bool
    ) -> Json:
        """Returns a seat's view as fields for JSON.

        ``hand``, ``prize`` (now), ``prizes_left`` (after it; in order if that is known), ``bid``
        (the seat's own, waiting for the opponent's), ``rounds`` (finished ones, in words),
        ``points`` by seat; at the end ``hands`` and the ``bids`` of both.
        """
        turn = int(views.turn[row])
        number = turn // 2
        words = (views.prizes[row], views.results[row], *views.bids[row])
        prizes, results, *bids = (_unpack(word, self.cards) for word in words)
        hands = [self.rules.lists[hand, : self.rules.counts[hand]] for hand in views.hands[row]]
        left = prizes[number + 1 :]
        if self.prizes == "random":
            left = sorted(set(range(self.cards)) - set(prizes[: number + 1]))
        points, rounds = [0, 0], []
        for k in range(self.cards if is_over else number):
            own = bids[seat][k] if k < number else hands[seat][0]
            if results[k] != DRAW:
                points[results[k] - 1] += prizes[k] + self.lowest
            how = "draw" if results[k] == DRAW else "won" if results[k] == seat + 1 else "lost"
            rounds.append(
                f"prize {self.action_text(prizes[k])}: bid {self.action_text(own)}, {how}"
            )
        fields: Json = {
            "hand": self._texts(hands[seat]),
            "prize": None if is_over else self.action_text(prizes[number]),
            "prizes_left": [] if is_over else self._texts(left),
            "bid": self.action_text(bids[0][number]) if seat == 0 and turn % 2 else None,
            "rounds": rounds,
            "points": points,
        }
        if is_over:
            fields["hands"] = [self._texts(hand) for hand in hands]
            fields["bids"] = [self._texts(cards[:number]) for cards in bids]
        return fields

    def _texts(self, cards: Iterable[int]) -> list[str]:
        return [self.action_text(card) for card in cards]

    def deal_fields(self, deal: States) -> Json:
        """Returns ``prizes``, their values in order."""
        return {
            "deal": {
                "prizes": [prize + self.lowest for prize in _unpack(deal.prizes[0], self.cards)]
            }
        }

    def parse_deal(self, fields: Mapping[str, object]) -> States:
        fields = fields.get("deal")  # type: ignore[assignment]
        known, lowest, most = self._known_order(), self.lowest, self.lowest + self.cards - 1
        given = fields.get("prizes") if isinstance(fields, Mapping) else fields
        if not isinstance(given, list) or sorted(map(str, given)) != sorted(self.action_names):
            raise ValueError(
                f"deal {fields}: expected {{'prizes': [...]}} with {lowest} to {most}, each once"[
                    :400
                ]
            )
        packed = _pack(int(value) - lowest for value in given)
        if self.prizes != "random" and packed != known:
            raise ValueError(
                f"deal {fields}: expected the prizes in {self.prizes} order (game.prizes)"
            )
        return self._start(np.array([packed], np.uint64))


GAME = Goofspiel
