"""The key of a stored policy tells worlds and information sets apart."""

from typing import Any

import numpy as np

from fpmcts.search.simulate import _policy_key
from games import make
from games.kernels import kernel, streams
from games.rows import take
from tests.games import driver


@kernel
def _policy_keys(rules: Any, states: Any, out: np.ndarray) -> None:
    for i in range(out.size):
        out[i] = _policy_key(rules, states, i, 1, i)


def test_a_move_and_a_world_do_not_cancel_out() -> None:
    """The key after the first move a was the very hash of world a, so that the policies of (a, a)
    and (b, b) were mixed up.
    """
    game = make("doudizhu")
    states = take(game.deal(streams(0, 1)), np.zeros(8, np.int64))
    for action in range(1, 8):
        driver.step(game.rules, states, action, action)
    out = np.zeros(8, np.uint64)
    _policy_keys(game.rules, states, out)
    assert len(set(out.tolist())) == 8
