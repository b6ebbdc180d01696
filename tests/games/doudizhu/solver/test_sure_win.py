"""Sure wins: an adversary who sees everything cannot stop one, and a slow search over partitions
finds no other."""

from collections.abc import Callable
from functools import cache
from itertools import product

import numpy as np
import pytest

from games.doudizhu.cards import pack, parse_cards, unpack
from games.doudizhu.moves import PASS, parse_move
from games.doudizhu.solver.sure_win import sure_win_of
from games.doudizhu.state import States
from tests.games import driver
from tests.games.doudizhu.oracle import Reading, answers, readings, subsets
from tests.games.doudizhu.positions import GAME, random_endgame
from tests.tables import rows

Cards = tuple[int, ...]
TEAMS = (0, 1, 1)


def worlds(unseen: np.ndarray, size: int) -> list[np.ndarray]:
    """Every hand of ``size`` of the unseen cards."""
    return [
        np.array(hand)
        for hand in product(*(range(count + 1) for count in unseen))
        if sum(hand) == size
    ]


def is_won(states: States, mover: int, find: Callable[..., int]) -> bool:
    """Whether the mover's team wins against any play of both others, the mover playing what
    ``find`` finds."""
    seat = driver.current_seat(GAME.rules, states, 0)
    if seat == -1:
        return TEAMS[states.winner[0]] == TEAMS[mover]
    if seat == mover:
        actions = [find(GAME.rules, states, 0)]
        assert actions[0] != -1, "a win must continue to the end"
    else:
        actions = driver.legal_actions(GAME, states, 0).tolist()
    for action in actions:
        after = GAME.empty(1)
        driver.copy_row(GAME.rules, states, 0, after, 0)
        driver.step(GAME.rules, after, 0, action)
        if not is_won(after, mover, find):
            return False
    return True


def test_an_adversary_cannot_stop_a_sure_win() -> None:
    rng = np.random.default_rng(1)
    num_wins = 0
    for _ in range(300):
        states = random_endgame(rng, 0, most=9, most_others=4)
        if driver.sure_win(GAME.rules, states, 0) == -1:
            continue
        num_wins += 1
        hands = unpack(states.hands[0]).astype(int)
        unseen = hands[1] + hands[2]
        for down in worlds(unseen, hands[1].sum()):
            world = States(*(field.copy() for field in states))
            world.hands[0, 1:] = pack(np.array([down, unseen - down]))
            assert is_won(world, 0, driver.sure_win)
    assert num_wins > 50


@cache
def moves_in(cards: Cards) -> list[tuple[Cards, Reading]]:
    return [(move, next(iter(found))) for move in subsets(cards) if (found := readings(move))]


def to_beat(states: States) -> Reading | None:
    """The move to beat, None where the mover leads."""
    target = int(states.target[0])
    cards = tuple(unpack(GAME.rules.cards[target]).tolist())
    return None if target == PASS else readings(cards).pop()


def has_partition(hand: Cards, unseen: Cards, limit: int, target: Reading | None) -> bool:
    """Whether an order of moves exists in which only the last can be beaten, by trying all of
    them."""

    def beatable(reading: Reading) -> bool:
        return any(
            answers(other, reading) and sum(cards) <= limit for cards, other in moves_in(unseen)
        )

    @cache
    def search(rest: Cards, to_beat: Reading | None) -> bool:
        for cards, reading in moves_in(rest):
            if to_beat is not None and not answers(reading, to_beat):
                continue
            if cards == rest:
                return True
            if not beatable(reading) and search(
                tuple(a - b for a, b in zip(rest, cards, strict=True)), None
            ):
                return True
        return False

    return search(hand, target)


def test_every_partition_is_found() -> None:
    rng = np.random.default_rng(2)
    outcomes = []
    for _ in range(80):
        states = random_endgame(rng, 0, most=9, most_others=4)
        hands = unpack(states.hands[0])
        limit = int(max(hands[1].sum(), hands[2].sum()))
        unseen = tuple((hands[1] + hands[2]).tolist())
        outcomes.append(has_partition(tuple(hands[0].tolist()), unseen, limit, to_beat(states)))
        assert (driver.sure_win(GAME.rules, states, 0) != -1) == outcomes[-1]
    assert 8 < sum(outcomes) < 72


@pytest.mark.parametrize(
    ("position", "limit", "expected", "why"),
    rows(
        """
34567 pass LB22AA  | 6 | 34567  | one move
3B pass 2L         | 2 | B      | nothing beats the joker, then the three
3B pass 2222       | 4 |        | a bomb does
3B pass 2222       | 3 | B      | which no hand of three cards holds
34B pass 2L        | 2 |        |
34B2 A LKK         | 3 |        |
33B 2 LKK          | 3 | B      |
33B 22 LKK         | 3 |        | the reply must be of the kind
KKKK3 QQ AAA       | 3 | KKKK   |
KKKK34 pass AAA22  | 5 | KKKK34 |
AAA34 pass KKK5    | 4 | AAA3   |
AAA33445 pass KKK5 | 4 |        | two of 33, 44 and 5 remain
AAA3344 pass KKK5  | 4 | AAA33  |
"""
    ),
)
def test_by_hand(position: str, limit: str, expected: str, why: str) -> None:
    hand, target, unseen = position.split()
    arguments = (parse_cards(hand), parse_move("standard", target), parse_cards(unseen), int(limit))
    move = sure_win_of(GAME.rules, *arguments)
    assert move == (parse_move("standard", expected) if expected else -1), why
