"""The Python face of Phantom Tic-Tac-Toe."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType

import numpy as np

from games.batches import take
from games.generic import register_all
from games.interface import Game, GameSpec, Json
from games.kernels import streams
from games.phantom_tictactoe.observe import NUM_PLANES, observe
from games.phantom_tictactoe.state import (
    LINES,
    SQUARES,
    Rules,
    States,
    current_seat,
    erase,
    infoset_key,
    is_legal,
    legal,
    seen_move,
    start_row,
    start_view,
    step,
    team_return,
)
from games.phantom_tictactoe.worlds import (
    draw_hidden,
    fill_world,
    hidden_of,
    list_hidden,
    log_prior_hidden,
    played_move,
)
from games.settings import setting

register_all(
    Rules,
    current_seat,
    legal,
    is_legal,
    step,
    team_return,
    seen_move,
    observe,
    infoset_key,
    erase,
    hidden_of,
    list_hidden,
    draw_hidden,
    log_prior_hidden,
    fill_world,
    start_view,
    played_move,
)


def make_rules(is_small: bool, reveal: bool) -> Rules:
    """Returns the tables of a game."""
    sets = np.arange(1 << SQUARES)[:, None] >> np.arange(SQUARES) & 1
    keys = streams(18, 2 + 1 + 2 * SQUARES, 1)  # any random numbers will do
    square_keys = keys[3:].reshape(2, SQUARES)
    return Rules(
        reveal=int(reveal),
        is_small=is_small,
        lists=np.argsort(sets, axis=1, kind="stable").astype(np.int16),
        counts=sets.sum(axis=1).astype(np.int8),
        wins=np.array(
            [any(board & line == line for line in LINES) for board in range(1 << SQUARES)], np.int8
        ),
        square_keys=square_keys if reveal else square_keys[[0, 0]],
        start_keys=keys[:2],
        turn_key=keys[2],
    )


class PhantomTicTacToe(Game):
    """Phantom Tic-Tac-Toe."""

    action_names = tuple("123456789")
    variants = MappingProxyType({"full": {}, "small": {"variant": "small"}})

    @dataclass(frozen=True)
    class Options:
        """How it is played."""

        variant: str = setting(
            "full",
            choices=("full", "small"),
            help="small: both try the centre first, so X is there and O knows it.",
        )
        reveal: bool = setting(
            True,
            help="Whether a player that tries a taken square learns it and tries again; else it "
            "loses the turn.",
        )

    options: Options

    def __init__(self, options: Options = Options()) -> None:  # noqa: B008 (frozen)
        """Makes the game."""
        super().__init__(options)
        self.variant, self.reveal = options.variant, options.reveal
        self.rules = make_rules(self.variant == "small", self.reveal)
        self.spec = GameSpec(
            name="phantom_tictactoe",
            num_seats=2,
            teams=(0, 1),
            team_names=("X", "O"),
            seat_names=("X", "O"),
            num_actions=SQUARES,
            policy_size=SQUARES,
            max_legal=SQUARES,
            max_moves=17,
            max_return=1.0,
            observation_shape=(NUM_PLANES, SQUARES),
            observation_scale=np.ones(NUM_PLANES, np.float32),
            has_private_moves=True,
            mixes=True,
        )

    def empty(self, count: int) -> States:
        """Returns ``count`` rows of zeros."""
        return States(*(np.zeros(count, kind) for kind in ("i1", "2i2", "2i2", "2u8", "2u8")))

    def deal(self, seeds: np.ndarray) -> States:
        """Returns starts of the game, which are all the same."""
        start = self.empty(1)
        start_row(self.rules, start, 0)
        return take(start, np.zeros(len(seeds), np.int64))

    def starts(self) -> tuple[States, np.ndarray]:
        """Returns the one start and its probability, 1."""
        return self.deal(np.zeros(1, np.uint64)), np.ones(1)

    def view_fields(self, views: States, row: int, seat: int, is_over: bool) -> Json:
        """Returns what a seat knows, for JSON.

        ``board`` is three rows of text as the seat knows it: X, O, "." a square that it has not
        tried, "?" (``reveal=false``) one that it has tried; ``attempts`` are its squares in their
        order, ``taken`` those of them that were taken. At the end ``board`` and ``hands``, the
        squares of each seat, are open.
        """
        marks, tried = (
            [int(part[row, s]) for s in range(2)] for part in (views.marks, views.tried)
        )
        taken = tried[seat] & ~marks[seat]
        known = [0, 0]
        known[seat], known[1 - seat] = marks[seat], marks[1 - seat] if is_over else taken
        if not self.reveal and not is_over:
            known, taken = [0, 0], 0
        unsure = tried[seat] & ~(known[0] | known[1])
        squares = "".join(
            "X"
            if known[0] >> k & 1
            else "O"
            if known[1] >> k & 1
            else "?"
            if unsure >> k & 1
            else "."
            for k in range(SQUARES)
        )
        attempts = [
            int(views.attempts[row, seat]) >> 4 * k & 15 for k in range(tried[seat].bit_count())
        ]
        fields: Json = {
            "board": [" ".join(squares[k : k + 3]) for k in range(0, SQUARES, 3)],
            "attempts": [str(square) for square in attempts],
            "taken": self._texts(taken),
        }
        if is_over:
            fields["hands"] = [self._texts(own) for own in marks]
        return fields

    def _texts(self, squares: int) -> list[str]:
        """Returns the names of a set of squares."""
        return [self.action_text(k) for k in range(SQUARES) if squares >> k & 1]

    def deal_fields(self, deal: States) -> Json:
        """Returns the options, which tell the game from others of its kind; nothing is dealt."""
        return {"deal": asdict(self.options)}

    def parse_deal(self, fields: Mapping[str, object]) -> States:
        if (deal := fields.get("deal")) != (expected := asdict(self.options)):
            raise ValueError(f"deal {deal}: expected {expected}, the options of this game"[:400])
        return self.deal(np.zeros(1, np.uint64))
