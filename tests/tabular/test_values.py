"""Values of moves against a policy: brute force on Kuhn from its rules, best responses and a known
equilibrium.
"""

from collections.abc import Iterator
from itertools import permutations, product

import numpy as np
import pytest

from fpmcts.tabular.best_response import best_response_values
from fpmcts.tabular.values import PolicyValues
from games import make
from games.play.tables import Tables, sequences
from tests.games.poker import poker_oracle as oracle
from tests.tabular.test_best_response import random_policy

Plan = dict[tuple[int, str], np.ndarray]
"""By card and bets so far: the probabilities of the two moves."""


def plan_of(tables: Tables, policy: np.ndarray) -> Plan:
    """Returns the plan of both players."""
    rows = (text.partition(" ")[::2] for text in tables.infoset_texts())
    return {("JQK".index(card), bets): p for (card, bets), p in zip(rows, policy, strict=True)}


def kuhn_value(cards: tuple[int, int], bets: str, plans: tuple[Plan, Plan], player: int) -> float:
    """Returns what a player wins on the mean after some bets, by the oracle's rules."""
    position = oracle.replay("kuhn", bets)
    mover = position.player
    if mover is None:
        won = oracle.wins("kuhn", position, tuple("JQK"[card] for card in cards))
        return float(won if player == 0 else -won)
    chances = plans[mover][cards[mover], bets]
    return sum(
        p * kuhn_value(cards, bets + m, plans, player)
        for p, m in zip(chances, position.legal, strict=True)
        if p
    )


def pure_plans(player: int) -> Iterator[Plan]:
    places = [
        (card, bets) for card in range(3) for bets in (("", "cr") if player == 0 else ("c", "r"))
    ]
    for choice in product(range(2), repeat=len(places)):
        yield dict(zip(places, np.eye(2)[list(choice)], strict=True))


@pytest.mark.parametrize("seed", range(3))
def test_kuhn_by_brute_force(seed: int) -> None:
    """Enumerates the opponent's hands, and takes the best of all continuations after the move."""
    game = make("kuhn")
    tables = game.tables
    policy = random_policy(tables, seed, sparse=seed == 2)
    found = PolicyValues(tables, policy)
    told = plan_of(tables, policy)
    for node, bets in enumerate(sequences(tables.betting)[0]):
        mover = len(bets) % 2
        for card in range(3):
            chances = np.zeros(3)
            for other in {0, 1, 2} - {card}:
                chances[other] = np.prod(
                    [
                        told[other, bets[:k]]["cr".index(bets[k])]
                        for k in range(len(bets))
                        if k % 2 != mover
                    ],
                    initial=1.0,
                )
            view = np.array([card if seat == mover else -1 for seat in range(2)], np.int8)
            moves = found.at(view, node)
            if not chances.sum():  # the other never plays like this
                assert np.isfinite(moves.values).all() and moves.cards[
                    1 - mover
                ].sum() == pytest.approx(1.0)
                continue
            chances /= chances.sum()
            best = np.full(2, -np.inf)
            for plan in pure_plans(mover):
                plans = (plan, told) if mover == 0 else (told, plan)
                for slot, move in enumerate("fc" if bets.endswith("r") else "cr"):
                    value = sum(
                        chances[other]
                        * kuhn_value(
                            (card, other) if mover == 0 else (other, card),
                            bets + move,
                            plans,
                            mover,
                        )
                        for other in np.flatnonzero(chances).tolist()
                    )
                    best[slot] = max(best[slot], value)
            np.testing.assert_allclose(moves.values, best, atol=1e-9)
            np.testing.assert_allclose(moves.regrets, best.max() - best, atol=1e-9)
            np.testing.assert_allclose(moves.cards[1 - mover], chances, atol=1e-9)
            np.testing.assert_allclose(moves.cards[mover], np.eye(3)[card], atol=1e-9)
            np.testing.assert_array_equal(moves.policy, told[card, bets])


@pytest.mark.parametrize("suits", [False, True])
def test_the_best_first_moves_are_worth_a_best_response(suits: bool) -> None:
    tables = make("leduc", suits=suits).tables
    policy = random_policy(tables, seed=3, sparse=True)
    found = PolicyValues(tables, policy)
    first = [found.at(np.array([card, -1, -1], np.int8), 0).values.max() for card in range(6)]
    assert np.mean(first) == pytest.approx(best_response_values(tables, policy)[0], abs=1e-9)


@pytest.mark.parametrize("seed", range(2))
def test_an_account_of_kuhn_by_hand(seed: int) -> None:
    """Every deal and every sequence of bets: the deal and each move by the rules in words, and all
    of it sums to the result.
    """
    game = make("kuhn")
    tables = game.tables
    policy = random_policy(tables, seed)
    values = PolicyValues(tables, policy)
    told = plan_of(tables, policy)
    plans = (told, told)
    deals = list(permutations(range(3), 2))
    start = np.mean([kuhn_value(cards, "", plans, 0) for cards in deals])
    for cards, bets in product(deals, sequences(tables.betting)[1]):
        slots = [
            ("fc" if bets[:k].endswith("r") else "cr").index(bet) for k, bet in enumerate(bets)
        ]
        account = values.account(np.array(cards, np.int8), slots)
        path = [kuhn_value(cards, bets[:k], plans, 0) for k in range(len(bets) + 1)]
        assert account.start[0] == pytest.approx(start) and account.deal[0] == pytest.approx(
            path[0] - start
        )
        np.testing.assert_allclose(account.moves[:, 0], np.diff(path), atol=1e-12)
        np.testing.assert_array_equal(account.later, 0.0)
        np.testing.assert_allclose(account.moves[:, 1], -account.moves[:, 0], atol=1e-12)
        assert account.start[0] + account.deal[0] + account.moves[:, 0].sum() == pytest.approx(
            path[-1]
        )
    with pytest.raises(ValueError, match="played to its end"):
        values.account(np.array([0, 1], np.int8), [0])
    with pytest.raises(ValueError, match="after which the hand is over"):
        values.account(np.array([0, 1], np.int8), [0, 0, 0])


def test_parts_of_leduc_sum_to_the_result_and_luck_is_zero_on_the_mean() -> None:
    """Over all 120 deals, weighed evenly, with bets that do not depend on the cards."""
    game = make("leduc")
    tables = game.tables
    policy = random_policy(tables, seed=1)
    values, betting = PolicyValues(tables, policy), game.betting
    for slots in ([0, 0, 0, 0], [1, 1, 1, 2, 1], [0, 1, 2, 1, 0, 1, 0], [1, 0]):
        node = 0
        for slot in slots:
            node = int(betting.child[node, slot])
        accounts = []
        for deal in permutations(range(6), 3):
            cards = np.array(deal, np.int8)
            account = values.account(cards, slots)
            accounts.append(account)
            row = int(np.flatnonzero((tables.finest.deals.cards == cards).all(axis=1))[0])
            result = betting.payoffs[~node, tables.finest.deals.outcome[row]]
            total = account.start + account.deal + account.later + account.moves.sum(axis=0)
            np.testing.assert_allclose(total, result, atol=1e-9)
            assert (account.regrets >= -1e-12).all() and len(account.regrets) == len(slots)
        np.testing.assert_allclose(np.mean([one.deal for one in accounts], axis=0), 0.0, atol=1e-9)
        np.testing.assert_allclose(np.mean([one.later for one in accounts], axis=0), 0.0, atol=1e-9)
