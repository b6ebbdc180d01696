"""Hands of rule players as PHH, to learn an opponent model from: ``python -m examples.rule_hands
FILE.phhs [COUNT]``.

The text's model was learned from a million hands of a casino, of players of all kinds. Where only
good players' hands are at hand, a model has not seen a player that calls every bet before the flop.
These are hands of ``hand_only``, ``best_hand``, a maniac and a caller at tables of two, three and
six, with 100 and 200 big blinds; a table lasts ``TABLE`` hands, so that statistics can show how
each player plays. They go beside real hands: ``hands=[FILE.phhs,REAL.phhs]``.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from fpmcts.evaluation.match import play_games
from fpmcts.players import load_player
from games import make
from games.kernels import Stream, deal_seeds
from games.no_limit_holdem.phh import Hand
from games.no_limit_holdem.phh_games import hand_of
from games.no_limit_holdem.phh_write import write

PLAYERS = ("hand_only", "best_hand", "best_hand", "hand_only", "maniac", "always_call")
TABLE = 60
"""Hands of the same players."""
SHARES = ((2, 20_000, 1 / 6), (3, 20_000, 1 / 2), (3, 10_000, 1 / 6), (6, 10_000, 1 / 6))
"""Seats, stacks, and the share of all hands."""
SEED = 5


def rule_hands(count: int) -> Iterator[Hand]:
    """Yields about ``count`` hands."""
    rng, number = np.random.default_rng(SEED), 0
    for players, stacks, share in SHARES:
        game = make("no_limit_holdem", players=players, stacks=stacks)
        agents = [load_player(kind, game) for kind in PLAYERS]
        tables = [
            rng.choice(len(PLAYERS), players, replace=False)
            for _ in range(max(1, int(count * share) // TABLE))
        ]
        seating = np.array([np.roll(table, hand) for table in tables for hand in range(TABLE)])
        deals = game.deal(deal_seeds(SEED, len(seating), Stream.TRAINING, players, stacks))
        games = play_games(game, agents, seating, deals, SEED)
        for i, row in enumerate(seating):
            table = f"{players}-{stacks}-{i // TABLE}"
            moves = games.records.moves[i, : games.records.lengths[i]]
            hand = hand_of(game, deals, i, moves, [f"{table}-{PLAYERS[k]}{k}" for k in row], table)
            number += 1
            yield hand._replace(number=str(number), finishing_stacks=None)


def main() -> None:
    """Writes a file."""
    parser = argparse.ArgumentParser(prog="python -m examples.rule_hands")
    parser.add_argument("file", type=Path, metavar="FILE.phhs")
    parser.add_argument("count", type=int, nargs="?", default=24_000, help="of hands")
    options = parser.parse_args()
    if options.count < 1:
        parser.error(f"COUNT {options.count}: expected at least 1")
    if not options.file.parent.is_dir():
        parser.error(f"{options.file}: the folder {options.file.parent} does not exist")
    try:
        write(options.file, rule_hands(options.count))
    except (OSError, ValueError) as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
