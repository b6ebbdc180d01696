"""The Python face of Phantom Tic-Tac-Toe."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType

import numpy as np

from games.base.settings import setting
from games.kernels import streams
from games.kernels.generic import register_all
from games.kernels.rows import zeros
from games.phantom_tictactoe import observe, state, worlds
from games.phantom_tictactoe.observe import NUM_PLANES
from games.phantom_tictactoe.state import LINES, SQUARES, Rules, States, start_row
from games.play.interface import Game, GameSpec, Json

register_all(Rules, state, observe, worlds)


def make_rules(is_small: bool, reveal: bool) -> Rules:
    """Returns the rules of a game."""
    sets = np.arange(1 << SQUARES)[:, None] >> np.arange(SQUARES) & 1
    keys = streams(18, 2 + 1 + 2 * SQUARES, 1)  # any random numbers do
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
        self.rules = make_rules(options.variant == "small", options.reveal)
        self.spec = GameSpec.of(
            name="phantom_tictactoe",
            seat_names=("X", "O"),
            num_actions=SQUARES,
            max_moves=17,
            max_return=1.0,
            observation_shape=(NUM_PLANES, SQUARES),
            has_private_moves=True,
        )

    def empty(self, count: int) -> States:
        """Returns ``count`` rows of zeros."""
        return States(*zeros(count, "i1", "2i2", "2i2", "2u8", "2u8"))

    def starts(self) -> tuple[States, np.ndarray]:
        """Returns the one start and its probability, 1."""
        start = self.empty(1)
        start_row(self.rules, start, 0)
        return start, np.ones(1)

    def view_fields(
        self, views: States, row: int, seat: int, moves: np.ndarray, is_over: bool
    ) -> Json:
        """Returns a seat's view as fields for JSON.

        ``board`` is three rows of text as the seat knows it: X, O, "." an untried square, "?"
        (``reveal=false``) a tried one; ``attempts`` are the squares it tried, in order, and
        ``taken`` those of them that were taken. At the end ``board`` and ``hands``, the squares of
        each seat, are open.
        """
        marks, tried = views.marks[row].tolist(), int(views.tried[row, seat])
        taken, known = tried & ~marks[seat], marks
        if not is_over:
            own, taken = (marks[seat], taken) if self.options.reveal else (0, 0)
            known = [own, taken] if seat == 0 else [taken, own]
        board = np.full(SQUARES, ".")
        for mark, squares in (("?", tried), ("X", known[0]), ("O", known[1])):
            board[squares >> np.arange(SQUARES) & 1 == 1] = mark
        attempts = int(views.attempts[row, seat])
        fields: Json = {
            "board": [" ".join(line) for line in board.reshape(3, 3)],
            "attempts": [str(attempts >> 4 * k & 15) for k in range(tried.bit_count())],
            "taken": self._texts(taken),
        }
        if is_over:
            fields["hands"] = [self._texts(own) for own in marks]
        return fields

    def _texts(self, squares: int) -> list[str]:
        """Returns the names of a set of squares."""
        return [self.action_text(k) for k in range(SQUARES) if squares >> k & 1]

    def deal_fields(self, deal: States) -> Json:
        """Returns the options, which distinguish the game from others of its kind; nothing is
        dealt.
        """
        return {"deal": asdict(self.options)}

    def parse_deal(self, fields: Mapping[str, object]) -> States:
        if (deal := fields.get("deal")) != (expected := asdict(self.options)):
            raise ValueError(f"deal {deal}: expected {expected}, the options of this game"[:400])
        return self.deal(np.zeros(1, np.uint64))


GAME = PhantomTicTacToe
