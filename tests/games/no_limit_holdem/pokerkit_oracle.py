"""Random hands of no-limit Hold'em that PokerKit and the kernels play side by side, with an oracle
of our own for who may raise again: PokerKit does not follow the rule there."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from pokerkit import Automation, Mode, NoLimitTexasHoldem, StandardHighHand, State

from games.kernels import kernel
from games.no_limit_holdem import betting, deals, state
from games.no_limit_holdem.state import CALL, FIRST_AMOUNT, FIRST_SIZE, FOLD, Rules, States
from games.poker.hands import card_texts, tables

BY_HAND = (Automation.BOARD_DEALING, Automation.HOLE_DEALING, Automation.CARD_BURNING)
AUTOMATIONS = tuple(kind for kind in Automation if kind not in BY_HAND)
SIZES = np.array([0.0, 0.5, 1.0, 2.0, np.inf])


class Hand(NamedTuple):
    """What a hand starts from. Attributes: by seat, as posted; the deck is hole cards in the order
    of seats, then the board."""

    stacks: np.ndarray
    antes: np.ndarray
    blinds: np.ndarray
    big_blind: int
    deck: np.ndarray


def random_hand(rng: np.random.Generator, *, short: bool) -> Hand:
    """Returns a hand of two to ten players with unequal stacks, at times equal.

    Args:
        short: Whether stacks may be too small for the posts, and antes and blinds anything.
    """
    seats = int(rng.integers(2, 11))
    big = int(rng.choice([2, 10, 100]))
    small = int(rng.integers(1, big + 1)) if short else big // 2
    ante = int(rng.integers(0, big // 2 + 1)) * int(rng.integers(0, 2))
    antes = np.full(seats, ante)
    blinds = np.zeros(seats, np.int64)
    blinds[:2] = (big, small) if seats == 2 else (small, big)
    if short and rng.random() < 0.3:
        antes = np.zeros(seats, np.int64)
        antes[int(rng.integers(seats))] = big
    if short and seats > 3 and rng.random() < 0.3:
        blinds[2] = 2 * big
    least = 1 if short else big + ante
    most = big * int(rng.choice([3, 12, 60]))
    stacks = rng.integers(least, max(most, least + 1), size=seats)
    if rng.random() < 0.2:
        stacks[:] = stacks.max()
    return Hand(stacks, antes, blinds, big, rng.permutation(52)[: 2 * seats + 5])


def start_pokerkit(hand: Hand) -> State:
    """Returns PokerKit's state of a hand, with all hole cards dealt. Heads-up it wants posts in the
    other order."""
    heads_up = len(hand.stacks) == 2
    order = slice(None, None, -1) if heads_up else slice(None)
    made = NoLimitTexasHoldem.create_state(
        AUTOMATIONS,
        False,
        tuple(hand.antes[order].tolist()),
        tuple(hand.blinds[order].tolist()),
        hand.big_blind,
        tuple(hand.stacks.tolist()),
        len(hand.stacks),
        mode=Mode.TOURNAMENT,
    )
    for seat in range(len(hand.stacks)):
        made.deal_hole("".join(card_texts(hand.deck[2 * seat : 2 * seat + 2])))
    return made


@contextmanager
def quick_pokerkit() -> Iterator[None]:
    """Has PokerKit remember what each seven cards are worth: it asks some ten times, and that is
    most of its time."""
    usual = StandardHighHand.from_game

    @lru_cache(maxsize=256)
    def worth(hole: Any, board: Any) -> Any:
        return usual(hole, board)

    StandardHighHand.from_game = lambda hole, board=(): worth(tuple(hole), tuple(board))  # type: ignore[method-assign, assignment]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a muck, a card that might be elsewhere
            yield
    finally:
        StandardHighHand.from_game = usual  # type: ignore[method-assign]


@kernel
def _start(
    rules: Rules,
    states: States,
    stacks: np.ndarray,
    antes: np.ndarray,
    blinds: np.ndarray,
    big_blind: int,
) -> None:
    betting.start_row(rules, states, 0, stacks, antes, blinds, big_blind)


@kernel
def _look(
    rules: Rules, states: States, actions: np.ndarray, amounts: np.ndarray, may: np.ndarray
) -> tuple[int, ...]:
    """Returns the number of legal actions, the chips to call, the bounds of a raise, and the pot.

    Args:
        actions: int16, the listed actions, written. amounts: int64, their amounts, 0 for fold and
            call.
        may: bool ``[2 + sizes + 3]``: whether fold, call, each size, the least amount less one, the
            least and the most one more may be played, written.
    """
    count = betting.legal(rules, states, 0, actions)
    for k in range(count):
        amounts[k] = (
            betting.amount_of(rules, states, 0, actions[k]) if actions[k] >= FIRST_SIZE else 0
        )
    least, most = betting.raise_bounds(rules, states, 0)
    sizes = rules.sizes.size + FIRST_SIZE
    for action in range(sizes):
        may[action] = betting.is_legal(rules, states, 0, action)
    may[sizes] = betting.is_legal(rules, states, 0, FIRST_AMOUNT + least - 1)
    may[sizes + 1] = betting.is_legal(rules, states, 0, FIRST_AMOUNT + least)
    may[sizes + 2] = betting.is_legal(rules, states, 0, FIRST_AMOUNT + most + 1)
    return count, betting.to_call(rules, states, 0), least, most, betting.pot(rules, states, 0)


@kernel
def _step(rules: Rules, states: States, action: int) -> None:
    betting.step(rules, states, 0, action)


@kernel
def _returns(rules: Rules, states: States, out: np.ndarray) -> None:
    deals.returns_of(rules, states, 0, np.zeros(out.size, np.int32), out)


def start_kernels(hand: Hand) -> tuple[Rules, States]:
    """Returns the rules and one row."""
    seats = len(hand.stacks)
    rules = Rules(
        SIZES,
        *(np.asarray(x, np.int32) for x in (hand.stacks, hand.antes, hand.blinds)),
        hand.big_blind,
        tables(),
    )
    states = state.empty(1, seats)
    deals.set_cards(states, hand.deck[None])
    _start(rules, states, rules.stacks, rules.antes, rules.blinds, rules.big_blind)
    return rules, states


def _deal_board(made: State, hand: Hand) -> None:
    """Deals all of the board that PokerKit waits for."""
    seats = len(hand.stacks)
    while made.status and (made.card_burning_status or made.board_dealing_count):
        if made.card_burning_status:
            made.burn_card("??")
            continue
        count = made.board_dealing_count or 0
        there = len(made.board_cards)
        made.deal_board(
            "".join(card_texts(hand.deck[2 * seats + there : 2 * seats + there + count]))
        )


class Reopening:
    """Who may raise again after all-ins that are no full raise, by rule 47A of the Tournament
    Directors Association (2022), from a list of the wagers of a round."""

    def __init__(self, big_blind: int) -> None:
        self.big_blind = big_blind
        self.street = -1
        self.wagers: list[tuple[int, int]] = []  # (seat, chips added to the highest bet)

    def begin(self, street: int) -> None:
        if street != self.street:
            self.street, self.wagers, self.full = street, [], self.big_blind

    def is_open(self, seat: int) -> bool:
        """Returns whether a seat has not acted or faces a full bet or raise since it did."""
        acted = [k for k, (other, _) in enumerate(self.wagers) if other == seat]
        return not acted or sum(added for _, added in self.wagers[acted[-1] :][1:]) >= self.full

    def add(self, seat: int, added: int) -> None:
        """Records an action; ``added`` is 0 for a fold, check or call."""
        self.wagers.append((seat, added))
        self.full = max(self.full, added)


def _choose(
    rng: np.random.Generator,
    rules: Rules,
    states: States,
    listed: np.ndarray,
    least: int,
    most: int,
) -> int:
    """Returns a random action: few folds, many calls, listed sizes, and exact amounts of which many
    are at the bounds."""
    kind = rng.random()
    if most and kind < 0.25:
        return FIRST_AMOUNT + int(
            rng.choice(
                [least, most, rng.integers(least, most + 1), min(most, least + 1)],
                p=[0.4, 0.1, 0.3, 0.2],
            )
        )
    if kind < 0.8:
        return CALL
    return int(rng.choice(listed))


def play(hand: Hand, rng: np.random.Generator) -> tuple[int, int]:
    """Plays random moves in both; returns the number of moves, and of those where one alone
    reopens the betting. Raises AssertionError where the two differ in anything else."""
    made = start_pokerkit(hand)
    rules, states = start_kernels(hand)
    actions, amounts, moves = np.empty(FIRST_AMOUNT, np.int16), np.empty(FIRST_AMOUNT, np.int64), 0
    reopening, others = Reopening(hand.big_blind), 0
    may = np.empty(FIRST_SIZE + len(SIZES) + 3, np.bool_)
    while True:
        _deal_board(made, hand)
        if made.actor_index is None:
            break
        count, call, least, most, pot = _look(rules, states, actions, amounts, may)
        assert states.seat[0] == made.actor_index
        assert states.street_paid[0].tolist() == made.bets
        assert states.stacks[0].tolist() == made.stacks
        assert pot == made.total_pot_amount
        assert states.shown[0] == len(made.board_cards)
        assert call == made.checking_or_calling_amount
        seat, highest = made.actor_index, max(made.bets)
        reopening.begin(len(made.board_cards))
        theirs = (
            made.min_completion_betting_or_raising_to_amount or 0,
            made.max_completion_betting_or_raising_to_amount or 0,
        )
        if reopening.is_open(seat) == (theirs[1] > 0):
            assert (least, most) == theirs
            differs = False
        else:  # a seat that has acted; or nobody could answer a raise
            reach = [
                made.stacks[k] + made.bets[k]
                for k in made.player_indices
                if made.statuses[k] and k != seat
            ]
            own = made.stacks[seat] + made.bets[seat]
            can = reopening.is_open(seat) and own > highest and max(reach) > highest
            assert most == (own if can else 0)
            assert least == (min(own, highest + reopening.full) if can else 0)
            differs = (most > 0) != (theirs[1] > 0)
            assert not differs or any(other == seat for other, _ in reopening.wagers)
            others += differs
        listed = actions[:count]
        assert (listed[0] == FOLD) == made.can_fold()
        assert (np.diff(listed) > 0).all() and CALL in listed[:2]
        assert np.flatnonzero(may[: FIRST_SIZE + len(SIZES)]).tolist() == listed.tolist()
        assert may[FIRST_SIZE + len(SIZES) :].tolist() == [False, most > 0, False]
        raises = amounts[:count][listed >= FIRST_SIZE]
        assert (np.diff(raises) > 0).all() and (raises >= least).all() and (raises <= most).all()
        action = CALL if differs else _choose(rng, rules, states, listed, least, most)
        if action == FOLD:
            made.fold()
        elif action == CALL:
            made.check_or_call()
        else:
            exact = action - FIRST_AMOUNT
            made.complete_bet_or_raise_to(
                exact if exact >= 0 else int(amounts[:count][listed == action][0])
            )
        reopening.add(seat, max(0, max(made.bets) - highest) if action > CALL else 0)
        _step(rules, states, action)
        moves += 1
    assert not made.status
    assert states.seat[0] == -1
    assert states.round[0] == state.OVER
    returns = np.empty(len(hand.stacks))
    _returns(rules, states, returns)
    assert returns.tolist() == made.payoffs
    assert (states.stacks[0] + states.paid[0]).tolist() == hand.stacks.tolist()
    return moves, others
