"""Calling objects of other packages: found by name, with random numbers of their own, their faults
told with what was asked.
"""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import numpy as np

from agents.general.external import ExternalPlayerError
from games.kernels import random_below

_SEEDS = 2**31 - 1


def function_of(text: str, key: str) -> Callable[..., Any]:
    """Returns the function that ``MODULE:FUNCTION`` names. Raises ValueError naming the key."""
    module, _, name = text.partition(":")
    if not module or not name:
        raise ValueError(
            f"{key}={text!r}: expected MODULE:FUNCTION, such as examples.open_spiel_player:make"
        )
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ValueError(
            f"{key}={text!r}: {error}; expected MODULE:FUNCTION, a module that can be "
            "imported from here"
        ) from error
    if not callable(found):
        raise ValueError(f"{key}={text!r}: {name} is no function")
    return found  # type: ignore[no-any-return]


@contextmanager
def the_extra() -> Iterator[None]:
    """Turns a missing package of the extra ``interop`` into a ValueError that says how to install
    it.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise ValueError(f"{error}: pip install 'fpmcts[interop]'") from error


@contextmanager
def calling(told: str, seed: int) -> Iterator[None]:
    """Lets foreign code draw from numpy's and Python's global generators as seeded here, and puts
    them back afterwards.

    Args:
        told: Who is asked, for messages. seed: Below 2**32.

    Raises:
        ExternalPlayerError: The code raised an error.
    """
    before = np.random.get_state(), random.getstate()
    np.random.seed(seed)
    random.seed(seed)
    try:
        yield
    except ExternalPlayerError:
        raise
    except Exception as error:
        raise ExternalPlayerError(f"{told}: {type(error).__name__}: {error}") from error
    finally:
        np.random.set_state(before[0])
        random.setstate(before[1])


def drawn_seed(rng: np.ndarray, i: int) -> int:
    """Returns a seed for ``calling`` from stream ``i`` of uint64 ``[N]``, which goes on."""
    return int(random_below(rng, i, _SEEDS))
