"""Hands of rule players as PHH, to learn an opponent model from: ``python -m reproduce.rule_hands FILE.phhs [COUNT]``.

The text's model was learned from a million hands of a casino, of players of all kinds. Where only good players' hands are at
hand, a model has not seen anybody who calls all before the flop. These are hands of ``hand_only``, ``best_hand``, a maniac and a
caller at tables of two, three and six, with 100 and 200 big blinds; a table lasts ``TABLE`` hands, so that statistics can tell
who plays how. They go beside real hands: ``hands=[FILE.phhs,REAL.phhs]``.
"""

import sys

import numpy as np

from agents import load_player
from evaluation.match import play_games
from games import make
from games.batches import take
from games.kernels import Stream, deal_seeds, kernel
from games.no_limit_holdem import phh
from games.no_limit_holdem.betting import amount_of, step
from games.no_limit_holdem.phh_write import write
from games.no_limit_holdem.state import CALL, Rules, States

PLAYERS = ("hand_only", "best_hand", "best_hand", "hand_only", "maniac", "always_call")
TABLE = 60
"""Hands of the same players."""
SHARES = ((2, 20_000, 1 / 6), (3, 20_000, 1 / 2), (3, 10_000, 1 / 6), (6, 10_000, 1 / 6))
"""Seats, stacks, and the share of all hands."""
SEED = 5


@kernel
def _amount(rules: Rules, states: States, action: int) -> int:
    return amount_of(rules, states, 0, action)


@kernel
def _step(rules: Rules, states: States, action: int) -> None:
    step(rules, states, 0, action)


def hand_of(rules: Rules, deal: States, moves: list[int], names: tuple[str, ...], number: int, table: str) -> phh.Hand:
    """Returns a game as a hand: its deal (one row, left as it is), its moves and the names of the players by seat."""
    state = take(deal, np.zeros(1, np.int64))
    seats, told, boards = [], [], []
    for move in moves:
        seats.append(int(state.seat[0]))
        boards.append(int(state.shown[0]))
        told.append((phh.FOLD, phh.CALL)[move] if move <= CALL else int(_amount(rules, state, move)))
        _step(rules, state, move)

    def whole(numbers: np.ndarray) -> tuple[int, ...]:
        return tuple(int(x) for x in numbers)

    hole = tuple((int(pair[0]), int(pair[1])) for pair in deal.hole[0])
    return phh.Hand(
        "", str(number), whole(rules.blinds), whole(rules.antes), whole(rules.stacks), int(rules.big_blind), hole,
        whole(deal.board[0, : state.shown[0]]), tuple(seats), tuple(told), tuple(boards), names, None, table,
    )  # fmt: skip


def rule_hands(count: int) -> list[phh.Hand]:
    """Returns about ``count`` hands."""
    hands: list[phh.Hand] = []
    rng = np.random.default_rng(SEED)
    for players, stacks, share in SHARES:
        game = make("no_limit_holdem", players=players, stacks=stacks)
        agents = [load_player(kind, game) for kind in PLAYERS]
        tables = [rng.choice(len(PLAYERS), players, replace=False) for _ in range(max(1, int(count * share) // TABLE))]
        seating = np.array([np.roll(table, hand) for table in tables for hand in range(TABLE)])
        deals = game.deal(deal_seeds(SEED, len(seating), Stream.TRAINING, players, stacks))
        games = play_games(game, agents, seating, deals, SEED)
        for i, row in enumerate(seating):
            table = f"{players}-{stacks}-{i // TABLE}"
            names = tuple(f"{table}-{PLAYERS[k]}{k}" for k in row)
            moves = [int(move) for move in games.records.moves[i, : games.records.lengths[i]]]
            hands.append(hand_of(game.rules, take(deals, np.array([i])), moves, names, len(hands) + 1, table))
    return hands


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or not (len(sys.argv) == 2 or sys.argv[2].isdecimal()):
        sys.exit("expected: python -m reproduce.rule_hands FILE.phhs [COUNT]")
    write(sys.argv[1], rule_hands(int(sys.argv[2]) if len(sys.argv) == 3 else 24_000))
