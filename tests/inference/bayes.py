"""Bayes' rule over every world of any game, one after the other: what inference is held against.
Lists of worlds, priors and replays are tested by ``tests.games.hidden_cards``."""

from collections.abc import Callable, Sequence

import numpy as np

from games.kernels.rows import States
from games.play.interface import Game
from networks.resnet import Outputs
from tests.games import driver, hidden_cards

Evaluate = Callable[[np.ndarray, np.ndarray], Outputs]


def posterior(
    game: Game,
    evaluate: Evaluate,
    view: States,
    seat: int,
    moves: Sequence[int],
    stands_for: Sequence[int] | None = None,
    temperature: float = 1.0,
    epsilon: float = 0.0,
) -> dict[tuple[int, ...], float]:
    """Returns the probability of each world that a seat cannot rule out, by its words.

    The others play a share of uniform play and by their policies at a temperature otherwise, and
    four in five sure wins.

    Args:
        view: One row. moves: From the deal on. stands_for: The listed actions that they count as.
    """
    every = hidden_cards.listed(game, view, seat)
    assert every is not None
    starts, row, log_weights = game.empty(1), game.empty(1), np.zeros(len(every))
    driver.start_view(game.rules, view, 0, seat, starts, 0)
    for k, words in enumerate(every):
        dealt, seen, seats, chosen = words.copy(), list[np.ndarray](), list[int](), list[tuple]()
        driver.start_hidden(game.rules, view, 0, seat, dealt)
        assert driver.fill_world(game.rules, starts, 0, seat, dealt, row, 0)
        log_weights[k] = driver.log_prior_hidden(game.rules, starts, 0, seat, dealt)
        for move, listed in zip(moves, stands_for or moves, strict=True):
            mover, actions = (
                driver.current_seat(game.rules, row, 0),
                driver.legal_actions(game, row, 0),
            )
            if mover != seat and len(actions) > 1:
                sure = driver.sure_win(game.rules, row, 0)
                if sure >= 0:
                    log_weights[k] += np.log(0.8 * (move == sure) + 0.2 / len(actions))
                else:
                    seen.append(driver.observation(game, row, 0, mover))
                    seats.append(mover)
                    chosen.append((actions, actions.tolist().index(listed)))
            driver.step(game.rules, row, 0, int(move))
        policies = evaluate(np.array(seen), np.array(seats, np.int8)).policy if seen else []
        for policy, (actions, at) in zip(policies, chosen, strict=True):
            outputs = game.decoder[actions]
            logits = np.where(outputs >= 0, policy[outputs], 0.0).sum(axis=1) / temperature
            probability = np.exp(logits - np.logaddexp.reduce(logits))[at]
            log_weights[k] += np.log((1 - epsilon) * probability + epsilon / len(actions))
    weights = np.exp(log_weights - np.logaddexp.reduce(log_weights))
    return dict(zip(map(tuple, every.tolist()), weights.tolist(), strict=True))


def by_kind(
    game: Game, view: States, seat: int, worlds: dict[tuple[int, ...], float]
) -> np.ndarray:
    """Returns the probability of each hand of the only other player, in the order of
    ``GameSpec.hidden_kinds``."""
    counts = np.zeros((1, len(game.spec.hidden_kinds)), np.int8)
    found = np.zeros(counts.size)
    for words, chance in worlds.items():
        driver.count_hidden(game.rules, view, 0, seat, np.array(words, np.uint64), counts)
        found[counts[0].argmax()] = chance
    return found
