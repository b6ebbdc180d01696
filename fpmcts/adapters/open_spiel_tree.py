"""OpenSpiel's games in this project: learned, measured and played like our own::

    python train.py game=fpmcts.adapters.open_spiel_tree 'game.load="blotto(coins=4)"'

A game must be small and zero-sum, with chance only before the first move (``games/tree.py``);
simultaneous moves are made in turn. Networks read OpenSpiel's information state tensor, or else its
observation tensor with those of the seat's earlier decisions and their actions, or else the number
of the information set.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pyspiel

from games.base.settings import ConfigError, setting
from games.tree import TreeGame


class State(NamedTuple):
    """A state of OpenSpiel, and what its observations lack of each seat's earlier decisions, the
    latest first.
    """

    now: pyspiel.State
    past: tuple[tuple[float, ...], ...]


NAMES: defaultdict[str, dict[int, str]] = defaultdict(dict)
"""The texts of the moves of each game, found while it is enumerated."""


class OpenSpielTree(TreeGame):
    """A game of OpenSpiel as a tree."""

    @dataclass(frozen=True)
    class Options:
        """Which game."""

        load: str = setting("kuhn_poker", help="The text that pyspiel.load_game takes.")

    def __init__(self, options: Options = Options()) -> None:  # noqa: B008 (frozen)
        try:
            self._game = pyspiel.load_game(options.load)
            about = self._game.get_type()
            if about.dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
                self._game = pyspiel.convert_to_turn_based(self._game)
            if about.utility != pyspiel.GameType.Utility.ZERO_SUM:
                raise ValueError("it is not zero-sum")
            kind = self._game.get_type()
            self._whole = kind.provides_information_state_tensor
            self._partial = not self._whole and kind.provides_observation_tensor
            self.num_seats, size = self._game.num_players(), self._game.num_distinct_actions()
            self.action_names = tuple(map(str, range(size)))
            super().__init__(options)
        except (pyspiel.SpielError, ValueError, IndexError, RecursionError) as error:
            raise ConfigError(
                f"game.load={options.load}: {' '.join(str(error).split())}; expected a small "
                "zero-sum game of OpenSpiel, with chance before the first move only"
            ) from error
        del self._game  # it may not be pickled
        names = [NAMES[options.load].get(action, str(action)) for action in range(size)]
        self.action_names = tuple(
            name if names.count(name) == 1 else f"{name} ({k})" for k, name in enumerate(names)
        )

    def deals(self) -> Iterator[tuple[State, float]]:
        """Yields the states after all chance outcomes."""
        yield from self._dealt(self._game.new_initial_state(), 1.0)

    def _dealt(self, state: pyspiel.State, chance: float) -> Iterator[tuple[State, float]]:
        if not state.is_chance_node():
            yield State(state, ((),) * self.num_seats), chance
            return
        for action, share in state.chance_outcomes():
            if share > 0:
                yield from self._dealt(state.child(action), chance * share)

    def mover(self, state: State) -> int:
        """Returns the seat to move, -1 when the game is over."""
        if state.now.is_chance_node():
            raise ValueError("chance moves after a player")
        return -1 if state.now.is_terminal() else int(state.now.current_player())

    def legal(self, state: State) -> Sequence[int]:
        """Returns the legal moves."""
        actions, names = sorted(state.now.legal_actions()), NAMES[self.options.load]
        for action in actions:
            if action not in names:
                names[action] = state.now.action_to_string(state.now.current_player(), action)
        return actions

    def step(self, state: State, action: int) -> State:
        """Returns the state after a move."""
        past, seat = state.past, state.now.current_player()
        if self._partial:
            taken = tuple(float(k == action) for k in range(len(self.action_names)))
            own = taken + tuple(self.observation(state, seat))
            past = (*past[:seat], own, *past[seat + 1 :])
        return State(state.now.child(action), past)

    def returns(self, state: State) -> Sequence[float]:
        """Returns what each seat wins."""
        return state.now.returns()

    def seen(self, state: State, seat: int) -> str:
        """Returns the text of what a seat knows."""
        return str(state.now.information_state_string(seat))

    def observation(self, state: State, seat: int) -> Sequence[float]:
        """Returns the input of networks."""
        if self._whole:
            return state.now.information_state_tensor(seat)
        return [*state.now.observation_tensor(seat), *state.past[seat]] if self._partial else ()


GAME = OpenSpielTree
