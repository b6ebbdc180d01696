"""Foreign players: objects and programs that are asked for one move at a time. A fault ends the
match with an error that quotes the question.
"""

import random
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pkgutil import resolve_name

import numpy as np

from games.kernels import random_below
from games.kernels.rows import States
from games.play.agent import Agent
from games.play.interface import Game, Records, seats_to_move

_SEEDS = 2**31 - 1


class ExternalPlayerError(RuntimeError):
    """A foreign player gave a bad answer or none. The message quotes the question and the
    answer.
    """


class ForeignAgent(Agent):
    """Asks a foreign player for one move at a time.

    Args:
        game: The game.
        name: Name in reports.
    """

    def __init__(self, game: Game, name: str) -> None:
        self.game, self.name = game, name

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns its moves (int16 ``[n]``).

        Raises:
            ExternalPlayerError: It failed, or a move is not legal.
        """
        moves, seats = np.empty(len(games), np.int16), seats_to_move(self.game, views)
        for k, number in enumerate(games.tolist()):
            seen = records.moves[number, : records.lengths[number]]
            moves[k] = self.ask(number, int(seats[k]), views, k, seen)
        return moves

    @abstractmethod
    def ask(self, number: int, seat: int, views: States, row: int, seen: np.ndarray) -> int:
        """Returns a legal move.

        Args:
            number: Number of the game.
            seat: The seat to move.
            views: Its view, in row ``row``.
            seen: int16 ``[n]``, the moves so far, as it saw them.

        Raises:
            ExternalPlayerError: It failed, or its move is not legal.
        """

    def seed_of(self, number: int) -> int:
        """Returns a seed for ``calling``, drawn from the stream of a game."""
        return int(random_below(self.rng, number, _SEEDS))


def checked(who: str, answer: object, legal: Sequence[object]) -> None:
    """Raises ExternalPlayerError unless an answer is legal.

    Args:
        who: Name of the player.
        answer: Its answer.
        legal: The allowed answers.
    """
    if answer not in legal:
        expected = ", ".join(map(str, legal))
        raise ExternalPlayerError(f"{who}: answered {answer!r}, expected one of {expected}")


def function_of(text: str, key: str) -> Callable[..., object]:
    """Returns the function named by ``MODULE:FUNCTION``. Raises ValueError, which names the key."""
    try:
        found = resolve_name(text)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(
            f"{key}={text!r}: {error}; expected MODULE:FUNCTION, a module that can be "
            "imported from here"
        ) from error
    if not callable(found):
        raise ValueError(f"{key}={text!r}: not a function")
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
def calling(who: str, seed: int) -> Iterator[None]:
    """Seeds numpy's and Python's global generators for foreign code, and restores them afterwards.

    Args:
        who: Name of the player, for messages.
        seed: A seed below 2**32.

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
        raise ExternalPlayerError(f"{who}: {type(error).__name__}: {error}") from error
    finally:
        np.random.set_state(before[0])
        random.setstate(before[1])
