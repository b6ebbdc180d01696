"""Registers Doudizhu's kernels as the implementations of the generic ones in ``games/interface.py``."""

import inspect
from collections.abc import Callable
from typing import Any

from numba.extending import overload

from games import interface
from games.doudizhu import observe, state, sure_win
from games.doudizhu.moves import Rules
from games.interface import is_type


def register(generic: Callable[..., Any], rules_type: type, implementation: Any) -> None:
    """Makes a compiled kernel the implementation of a generic one for rules of a type.

    Numba wants the function that chooses to have the very signature of the function that it chooses.
    """

    def choose(*arguments: Any) -> Callable[..., Any] | None:
        return implementation.py_func if is_type(arguments[0], rules_type) else None

    choose.__signature__ = inspect.signature(implementation.py_func)  # type: ignore[attr-defined]
    overload(generic)(choose)


register(interface.legal, Rules, state.legal)
register(interface.step, Rules, state.step)
register(interface.current_seat, Rules, state.current_seat)
register(interface.team_return, Rules, state.team_return)
register(interface.stake, Rules, state.stake)
register(interface.observe, Rules, observe.observe)
register(interface.public_key, Rules, state.public_key)
register(interface.sure_win, Rules, sure_win.sure_win)
register(interface.copy_row, Rules, state.copy_row)
