"""Hands played by this program as hand histories, and hand histories as records of games and as
decks.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import gcd
from typing import Any
from zlib import crc32

import numpy as np

from games.kernels import kernel
from games.kernels.rows import take
from games.no_limit_holdem.betting import amount_of, step
from games.no_limit_holdem.deals import returns_of
from games.no_limit_holdem.phh import CALL as PHH_CALL
from games.no_limit_holdem.phh import FOLD as PHH_FOLD
from games.no_limit_holdem.phh import UNSEEN, BadHandError, Hand
from games.no_limit_holdem.state import CALL, FOLD, MOST_CHIPS, NUM_BOARD, Rules, States
from games.play.interface import Game
from games.poker.hands import NUM_CARDS, card_texts


@kernel
def _play(
    rules: Rules, states: States, moves: np.ndarray, actions: np.ndarray, won: np.ndarray
) -> None:
    """Plays a hand in row 0; writes seat, raise-to and number of public cards of each move, and the
    winnings of each seat.
    """
    for k in range(moves.size):
        action = np.int64(moves[k])
        actions[k, 0], actions[k, 2] = states.seat[0], states.shown[0]
        actions[k, 1] = PHH_FOLD if action == FOLD else PHH_CALL
        if action > CALL:
            actions[k, 1] = amount_of(rules, states, 0, action)
        step(rules, states, 0, action)
    returns_of(rules, states, 0, np.zeros(won.size, np.int32), won)


def hand_of(
    game: Game,
    deals: States,
    row: int,
    moves: np.ndarray,
    players: Sequence[str] = (),
    table: str = "",
) -> Hand:
    """Returns a finished hand with the cards of all seats.

    Args:
        game: No-limit Hold'em.
        deals: Deals.
        row: The row of the hand.
        moves: All its actions.
        players: Names by seat.
        table: Name of the session.
    """
    states = take(deals, np.array([row]))
    stacks = states.stacks[0] + states.paid[0]
    actions, won = np.zeros((len(moves), 3), np.int64), np.zeros(len(stacks))
    blinds, antes = states.blind[0].tolist(), states.ante[0].tolist()
    _play(game.rules, states, np.asarray(moves, np.int64), actions, won)
    seats, chips, boards = (tuple(column.tolist()) for column in actions.T)
    return Hand(
        file="",
        number="",
        blinds=tuple(blinds),
        antes=tuple(antes),
        stacks=tuple(stacks.tolist()),
        min_bet=int(states.big_blind[0]),
        hole=tuple(map(tuple, states.hole[0].tolist())),
        board=tuple(states.board[0, : states.shown[0]].tolist()),
        seats=seats,
        moves=chips,
        boards=boards,
        players=tuple(players),
        finishing_stacks=tuple((stacks + won.astype(np.int64)).tolist()),
        table=table,
    )


def record_of(hand: Hand) -> dict[str, Any]:
    """Returns the record of a hand (``Game.parse_record``), with the ``players`` and, of stacks
    above ``MOST_CHIPS``, ``chip``, the amount in the file that a chip stands for.

    Cards that were never shown are drawn at random, the same for the same hand: a pot that was won
    by them may go to another seat.

    Raises:
        BadHandError: The stacks have no large enough common divisor, or antes are trimmed.
    """
    amounts, unit = [*hand.stacks, *hand.antes, *hand.blinds, hand.min_bet], 1
    if (most := max(hand.stacks)) > MOST_CHIPS:
        unit = gcd(*amounts, *(move for move in hand.moves if move > PHH_CALL))
    if most > MOST_CHIPS * unit:
        raise BadHandError(
            hand.file,
            hand.number,
            f"a stack of {most:,} chips: a table has at most {MOST_CHIPS:,}, or multiples of what "
            "divides all amounts of the hand",
        )
    if hand.trims_antes and min(hand.stacks) < max(hand.antes):
        raise BadHandError(
            hand.file, hand.number, "ante_trimming_status with a short ante: a table does not trim"
        )
    words = {PHH_FOLD: "fold", PHH_CALL: "call"}
    return {
        "game": "no_limit_holdem",
        "deal": deal_of(hand, Fraction(1, unit)),
        "moves": [words.get(move) or f"r{move // unit}" for move in hand.moves],
        **({"players": list(hand.players)} if hand.players else {}),
        **({"chip": hand.amounts([unit])[0]} if unit > 1 else {}),
    }


def deal_of(hand: Hand, scale: Fraction) -> dict[str, Any]:
    """Returns the deal of a hand as in a record, its amounts multiplied and rounded."""
    shown = [card for card in (*hand.board, *sum(hand.hole, ())) if card != UNSEEN]
    left = np.setdiff1d(np.arange(NUM_CARDS), shown)
    drawn = iter(np.random.default_rng(crc32(repr(hand[2:]).encode())).permutation(left).tolist())

    def texts(cards: Sequence[int]) -> list[str]:
        return card_texts(next(drawn) if card == UNSEEN else card for card in cards)

    amounts = {"stacks": hand.stacks, "antes": hand.antes, "blinds": hand.blinds}
    return {
        "hands": [texts(cards) for cards in hand.hole],
        "public": texts([*hand.board, *[UNSEEN] * (NUM_BOARD - len(hand.board))]),
        **{key: [round(scale * count) for count in own] for key, own in amounts.items()},
        "big_blind": round(scale * (hand.min_bet or max(hand.blinds))),
    }
