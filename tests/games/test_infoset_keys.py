"""Keys of information sets: equal exactly when a seat cannot tell two states apart."""

from typing import Any

import numpy as np
import pytest

from games import make
from games.batches import concatenate, take
from games.generic import infoset_key
from games.interface import Game
from games.kernels import kernel, streams
from tests.games import driver


@kernel
def _keys(rules: Any, states: Any, seat: int, out: np.ndarray) -> None:
    for i in range(out.size):
        out[i] = infoset_key(rules, states, i, seat)


def keys(game: Game, states: Any, seat: int) -> np.ndarray:
    out = np.zeros(len(states[0]), np.uint64)
    _keys(game.rules, states, seat, out)
    return out


def same_partition(first: list[Any], second: list[Any]) -> bool:
    """Returns whether two lists of labels put the same elements together."""
    return len(set(first)) == len(set(second)) == len(set(zip(first, second, strict=True)))


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_every_state_of_a_small_poker_game(name: str) -> None:
    """All deals and all bets, until the game is over: what a seat knows is its view and the
    moves."""
    game = make(name)
    deals = game.deal(np.arange(2000 if name == "leduc" else 60, dtype=np.uint64))
    deals = take(deals, np.unique(deals.cards, axis=0, return_index=True)[1])
    assert len(deals.node) == (120 if name == "leduc" else 6)
    layers, batches, histories = [(deals, ())], [], []
    while layers:
        states, history = layers.pop()
        if states.node[0] < 0:
            continue
        batches.append(states)
        histories += [history] * len(states.node)
        for action in driver.legal_actions(game, states, 0).tolist():  # the same in every deal
            after = take(states, np.arange(len(states.node)))
            for i in range(len(after.node)):
                driver.step(game.rules, after, i, action)
            layers.append((after, (*history, action)))
    states = concatenate(batches)
    for seat in range(2):
        view = game.view(states, np.full(len(histories), seat))
        known = [
            (cards.tobytes(), history) for cards, history in zip(view.cards, histories, strict=True)
        ]
        of_state = keys(game, states, seat)
        np.testing.assert_array_equal(keys(game, view, seat), of_state)
        assert same_partition(known, of_state.tolist())
        assert len(set(known)) < len(known)


def test_doudizhu_by_random_games() -> None:
    """Positions of random games, and each of them with the cards that a seat does not see dealt
    anew."""
    game, rng = make("doudizhu"), np.random.default_rng(0)
    row, batches, histories = game.deal(streams(3, 12)), [], []
    for i in range(12):
        state, history = take(row, np.array([i])), ()
        for _ in range(20):
            if driver.current_seat(game.rules, state, 0) < 0:
                break
            batches.append(take(state, np.array([0])))
            histories.append(history)
            action = int(rng.choice(driver.legal_actions(game, state, 0)))
            driver.step(game.rules, state, 0, action)
            history = (*history, action)
    states = concatenate(batches)
    for seat in range(3):
        swapped = take(states, np.arange(len(histories)))
        one, two = (s for s in range(3) if s != seat)
        swapped.hands[:, [one, two]] = states.hands[:, [two, one]]  # it does not see them
        of_state = keys(game, states, seat)
        np.testing.assert_array_equal(keys(game, swapped, seat), of_state)
        np.testing.assert_array_equal(
            keys(game, game.view(states, np.full(len(histories), seat)), seat), of_state
        )
        seen = zip(states.hands[:, seat].tolist(), states.bottom.tolist(), histories, strict=True)
        assert same_partition(list(seen), of_state.tolist())
        assert (keys(game, swapped, one) != keys(game, states, one)).all()


def test_bottom_cards_are_seen() -> None:
    """The landlord sees which three of its cards lay open."""
    game = make("doudizhu")
    row = game.deal(streams(0, 1))
    other = take(row, np.array([0]))
    other.bottom[0] = game.deal(streams(1, 1)).bottom[0]
    for seat in range(3):
        assert keys(game, row, seat) != keys(game, other, seat)
