"""Worlds for poker: the posterior over the others' hands against Bayes' rule by hand."""

from collections import Counter

import numpy as np
import pytest

from games import make
from games.kernels import streams
from games.play.interface import Records
from games.poker.betting import Action
from games.poker.game import LimitPoker
from games.poker.state import HIDDEN, States
from inference.determinizer import Determinizer, InferenceSettings
from networks.resnet import Outputs
from tests.games import driver
from tests.inference.bayes import posterior

SETTINGS = InferenceSettings(phase1="none", particles=8, epsilon=0.0)
WORLDS = 2_000
ONE = np.array([0])
"""The only lane."""
LINES = [
    [Action.RAISE],
    [Action.CALL, Action.RAISE, Action.RAISE],
    [Action.RAISE, Action.RAISE, Action.CALL],
    [Action.CALL, Action.RAISE, Action.CALL, Action.RAISE, Action.RAISE],
]


def leduc() -> LimitPoker:
    game = make("leduc")
    assert isinstance(game, LimitPoker)
    return game


GAME = leduc()


class RandomPolicies:
    """Networks whose outputs are random functions of the observation."""

    def evaluate(
        self, observations: np.ndarray, seats: np.ndarray, want_hidden: bool = False
    ) -> Outputs:
        seen = [
            [seat, *row.astype(np.uint8).ravel()]
            for row, seat in zip(observations, seats, strict=True)
        ]
        policy = np.array(
            [np.random.default_rng(row).normal(size=3) * 2 for row in seen], np.float32
        ).reshape(-1, 3)
        return Outputs(policy, np.zeros(len(seen), np.float32), np.zeros((0, 5, 3), np.float32))


def play(cards: list[int], moves: list[Action]) -> tuple[States, Records]:
    """Returns the state after moves, and the record."""
    states = GAME.start(np.array([cards]))
    for move in moves:
        driver.step(GAME.rules, states, 0, move)
    record = np.full((1, GAME.spec.max_moves), -1, np.int16)
    record[0, : len(moves)] = moves
    return states, Records(record, np.array([len(moves)], np.int16))


def asked(cards: list[int], moves: list[Action]) -> tuple[States, Records, int, States]:
    """Returns the state after moves, the record, the seat to move and what it sees."""
    states, records = play(cards, moves)
    seat = driver.current_seat(GAME.rules, states, 0)
    return states, records, seat, GAME.view(states, np.array([seat]))


def determiner(settings: InferenceSettings = SETTINGS) -> Determinizer:
    return Determinizer(GAME, RandomPolicies(), settings, 1)


@pytest.mark.parametrize("moves", LINES)
@pytest.mark.parametrize("cards", [[0, 1, 2], [4, 1, 5], [3, 0, 2]])
def test_worlds_and_marginals_follow_the_posterior(cards: list[int], moves: list[Action]) -> None:
    """Whether the moves are weighed one by one, as they are made, or at once."""
    weighed = determiner()
    for k in range(len(moves)):
        states, records, _, views = asked(cards, moves[:k])
        weighed.worlds(ONE, views, records, streams(k, 1), 500, states)
    states, records, seat, views = asked(cards, moves)
    worlds, diagnostics = weighed.worlds(ONE, views, records, streams(1, 1), WORLDS, states)
    found = posterior(GAME, RandomPolicies().evaluate, views, seat, moves)
    exact = {card: share for (card,), share in found.items()}
    counts = Counter(worlds.cards[:, 1 - seat].tolist())
    for card, share in exact.items():  # systematic resampling: rounded up or down
        assert abs(counts[card] - WORLDS * share) <= 1 + 1e-6
    assert sum(counts.values()) == WORLDS and set(counts) <= set(exact)
    truth = exact[cards[1 - seat]]
    assert diagnostics.gain[0] == pytest.approx(np.log(truth * len(exact)), abs=1e-5)
    heavier = sum(1.0 if w > truth + 1e-9 else 0.5 * (w > truth - 1e-9) for w in exact.values())
    assert diagnostics.rank[0] == pytest.approx(heavier / len(exact))
    # What the seat sees is as it is; no card is dealt twice; the card to come is any of those left,
    # equally often.
    assert (worlds.cards[:, seat] == cards[seat]).all() and (worlds.node == states.node[0]).all()
    assert all(len(set(row)) == 3 for row in worlds.cards.tolist())
    if GAME.betting.round[states.node[0]]:
        assert (worlds.cards[:, 2] == cards[2]).all()
    else:
        for card, share in exact.items():
            table = Counter(worlds.cards[worlds.cards[:, 1 - seat] == card, 2].tolist())
            expected = WORLDS * share / 4
            assert len(table) == 4 or expected < 3
            assert all(
                abs(count - expected) < 5 * np.sqrt(expected) + 3 for count in table.values()
            )
    beliefs = determiner().marginals(ONE, views, records, streams(1, 1))
    assert beliefs.probability.shape == (1, 1, 6, 2)
    assert beliefs.listed[0] and not beliefs.prior_only[0]
    chances = [exact.get(card, 0.0) for card in range(6)]
    np.testing.assert_allclose(beliefs.probability[0, 0, :, 1], chances, atol=1e-6)
    np.testing.assert_allclose(beliefs.probability[0, 0].sum(axis=1), 1.0)


def test_hidden_cards_change_nothing() -> None:
    drawn = []
    for cards in ([3, 4, 2], [5, 4, 1]):
        _, records, _, views = asked(cards, LINES[0])
        assert views.cards[0].tolist() == [HIDDEN, 4, HIDDEN]
        worlds, _ = determiner().worlds(ONE, views, records, streams(1, 1), 50)
        drawn.append(worlds.cards.tolist())
    assert drawn[0] == drawn[1]


def test_fewer_particles_than_hands() -> None:
    """With two particles the drawn hands are sometimes all on the table; then they are drawn
    anew.
    """
    settings = InferenceSettings(phase1="none", particles=2, epsilon=0.0)
    _, empty, _, before = asked([3, 0, 2], [])
    _, records, seat, views = asked([3, 0, 2], LINES[3])
    assert seat == 0
    for seed in range(30):
        determinizer, rng = determiner(settings), streams(seed, 1)
        determinizer.worlds(ONE, before, empty, rng, 4)
        worlds, _ = determinizer.worlds(ONE, views, records, rng, 4)
        assert not {3, 2} & set(worlds.cards[:, 1].tolist())
