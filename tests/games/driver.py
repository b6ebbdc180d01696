"""The generic kernels, callable from Python, for any game."""

from typing import Any

import numpy as np

from games import generic, interface
from games.kernels import kernel


@kernel
def legal(rules: Any, states: Any, i: int, actions: np.ndarray) -> int:
    return generic.legal(rules, states, i, actions)


@kernel
def step(rules: Any, states: Any, i: int, action: int) -> None:
    generic.step(rules, states, i, action)


@kernel
def current_seat(rules: Any, states: Any, i: int) -> int:
    return generic.current_seat(rules, states, i)


@kernel
def team_return(rules: Any, states: Any, i: int, seat: int) -> float:
    return generic.team_return(rules, states, i, seat)


@kernel
def stake(rules: Any, states: Any, i: int) -> float:
    return generic.stake(rules, states, i)


@kernel
def observe(rules: Any, states: Any, i: int, seat: int, out: np.ndarray) -> None:
    generic.observe(rules, states, i, seat, out)


@kernel
def infoset_key(rules: Any, states: Any, i: int, seat: int) -> np.uint64:
    return generic.infoset_key(rules, states, i, seat)


@kernel
def sure_win(rules: Any, states: Any, i: int) -> int:
    return generic.sure_win(rules, states, i)


@kernel
def forced_win(rules: Any, states: Any, i: int) -> int:
    return generic.forced_win(rules, states, i)


@kernel
def copy_row(rules: Any, source: Any, i: int, target: Any, j: int) -> None:
    generic.copy_row(rules, source, i, target, j)


@kernel
def seen_move(rules: Any, states: Any, i: int, action: int, seat: int) -> int:
    return generic.seen_move(rules, states, i, action, seat)


@kernel
def list_hidden(rules: Any, views: Any, i: int, seat: int, hidden: np.ndarray) -> int:
    return generic.list_hidden(rules, views, i, seat, hidden)


@kernel
def draw_hidden(
    rules: Any, views: Any, i: int, seat: int, rng: np.ndarray, lane: int, hidden: np.ndarray
) -> None:
    generic.draw_hidden(rules, views, i, seat, rng, lane, hidden)


@kernel
def log_prior_hidden(rules: Any, views: Any, i: int, seat: int, hidden: np.ndarray) -> float:
    return generic.log_prior_hidden(rules, views, i, seat, hidden)


@kernel
def fill_world(
    rules: Any, views: Any, i: int, seat: int, hidden: np.ndarray, worlds: Any, j: int
) -> bool:
    return generic.fill_world(rules, views, i, seat, hidden, worlds, j)


@kernel
def hidden_of(rules: Any, states: Any, i: int, seat: int, hidden: np.ndarray) -> None:
    generic.hidden_of(rules, states, i, seat, hidden)


@kernel
def start_view(rules: Any, views: Any, i: int, seat: int, starts: Any, j: int) -> None:
    generic.start_view(rules, views, i, seat, starts, j)


@kernel
def start_hidden(rules: Any, views: Any, i: int, seat: int, hidden: np.ndarray) -> None:
    generic.start_hidden(rules, views, i, seat, hidden)


@kernel
def played_move(rules: Any, worlds: Any, i: int, seat: int, seen: int, hidden: np.ndarray) -> int:
    return generic.played_move(rules, worlds, i, seat, seen, hidden)


@kernel
def deal_rest(rules: Any, worlds: Any, first: int, count: int, rng: np.ndarray, lane: int) -> None:
    generic.deal_rest(rules, worlds, first, count, rng, lane)


@kernel
def count_hidden(
    rules: Any, views: Any, i: int, seat: int, hidden: np.ndarray, counts: np.ndarray
) -> None:
    generic.count_hidden(rules, views, i, seat, hidden, counts)


def legal_actions(game: interface.Game, states: Any, i: int) -> np.ndarray:
    """Returns the legal actions of lane ``i`` (int16 ``[n]``)."""
    actions = np.full(game.spec.max_legal, -1, dtype=np.int16)
    return actions[: legal(game.rules, states, i, actions)]


def observation(game: interface.Game, states: Any, i: int, seat: int, fill: int = 0) -> np.ndarray:
    """Returns the observation of a seat, written over planes full of ``fill``."""
    out = np.full(game.spec.observation_shape, fill, dtype=np.int8)
    observe(game.rules, states, i, seat, out)
    return out
