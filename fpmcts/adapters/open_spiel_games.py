"""This project's games in OpenSpiel, for its algorithms and metrics::

    from fpmcts.adapters.open_spiel_games import load_game

    game = load_game("leduc")
    exploitability.nash_conv(game, policy.UniformRandomPolicy(game))

Players for these games: ``fpmcts/adapters/open_spiel_players.py``. Only games whose deals can be
enumerated (``Game.starts``) are available: one chance move deals everything, then the seats move.
They run at the speed of Python and keep every history that was visited.

Source: Lanctot et al., "OpenSpiel: a framework for reinforcement learning in games", 2019.
"""

from functools import cached_property
from typing import Self

import numpy as np
import pyspiel

from games import make
from games.kernels.generic import current_seat, infoset_key, observe, step, team_return
from games.kernels.rows import States, copied, take
from games.play.interface import Game
from games.play.table import Table


class _Node:
    """A history after the deal. All states with that history share it, so the kernels' results are
    computed once and copying a state costs nothing.

    Attributes:
        seat: The seat to move, -1 once the game is over.
        legal: Its legal actions.
    """

    def __init__(self, game: Game, states: States, deal: int, moves: tuple[int, ...]) -> None:
        self.states, self.deal, self.moves = states, deal, moves
        self.seat = int(current_seat(game.rules, states, 0))
        self.legal = [] if self.seat < 0 else game.legal_actions(states, 0).tolist()
        self._game, self._children, self._keys = game, dict[int, _Node](), dict[int, str]()

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def child(self, action: int) -> "_Node":
        """Returns the history after a legal action."""
        if action not in self._children:
            if action not in self.legal:
                raise ValueError(f"action {action}: expected one of {self.legal}")
            states = copied(self.states)
            step(self._game.rules, states, 0, action)
            self._children[action] = _Node(self._game, states, self.deal, (*self.moves, action))
        return self._children[action]

    @cached_property
    def returns(self) -> list[float]:
        """Returns the return of each seat; zeros while the game runs."""
        seats = range(self._game.spec.num_seats)
        if self.seat >= 0:
            return [0.0 for _ in seats]
        return [float(team_return(self._game.rules, self.states, 0, seat)) for seat in seats]

    def key(self, seat: int) -> str:
        """Returns the key of the information set of a seat."""
        if seat not in self._keys:
            key = infoset_key(self._game.rules, self.states, 0, seat)
            self._keys[seat] = f"{seat} {int(key):016x}"
        return self._keys[seat]


class _State(pyspiel.State):  # type: ignore[misc]
    """A game in progress; ``node`` is None before the deal."""

    def __init__(self, game: pyspiel.Game) -> None:
        super().__init__(game)
        self.node: _Node | None = None
        if len(game.chances) == 1:
            self.node = game.root(0)

    @property
    def table(self) -> Table:
        """Returns a table at this history. Raises ValueError before the deal."""
        if self.node is None:
            raise ValueError("the cards are not dealt yet")
        game = self.get_game()
        table = Table(game.ours, deal=take(game.deals, np.array([self.node.deal])))
        for action in self.node.moves:
            table.play(action)
        return table

    def current_player(self) -> int:
        """Returns the player to move."""
        if self.node is None:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self.node.seat < 0 else self.node.seat

    def _legal_actions(self, player: int) -> list[int]:
        return [] if self.node is None else self.node.legal

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Returns the numbers of the deals, and their probabilities."""
        return list(enumerate(self.get_game().chances.tolist()))

    def _apply_action(self, action: int) -> None:
        node = self.node
        self.node = self.get_game().root(action) if node is None else node.child(int(action))

    def _action_to_string(self, player: int, action: int) -> str:
        return (
            f"deal {action}"
            if player == pyspiel.PlayerId.CHANCE
            else self.get_game().ours.action_text(action)
        )

    def is_terminal(self) -> bool:
        """Returns whether the game is over."""
        return self.node is not None and self.node.seat < 0

    def returns(self) -> list[float]:
        """Returns the return of each seat; zeros while the game runs."""
        seats = self.get_game().ours.spec.num_seats
        return [0.0] * seats if self.node is None else self.node.returns

    def __str__(self) -> str:
        if self.node is None:
            return "not dealt"
        deal = self.table.record()
        moves = deal.pop("moves")
        return f"{deal} {' '.join(moves)}"


class _Observer:
    """A player's knowledge: the input planes of the networks, and the key of its information set as
    text.
    """

    def __init__(self, game: pyspiel.Game) -> None:
        self._shape = game.ours.spec.observation_shape
        self.tensor = np.zeros(int(np.prod(self._shape)), np.float32)
        self.dict = {"observation": self.tensor.reshape(self._shape)}

    def set_from(self, state: _State, player: int) -> None:
        """Writes the planes to ``tensor`` and ``dict``; zeros before the deal and after the end."""
        self.tensor.fill(0)
        if state.node is not None and state.node.seat >= 0:
            planes, game = np.zeros(self._shape, np.int8), state.get_game().ours
            observe(game.rules, game.view(state.node.states, np.array([player])), 0, player, planes)
            self.tensor[:] = planes.reshape(-1)

    def string_from(self, state: _State, player: int) -> str:
        """Returns the key of the information set of a player."""
        return "" if state.node is None else state.node.key(player)


def load_game(game: str | Game, **options: object) -> pyspiel.Game:
    """Returns a game as a ``pyspiel.Game``.

    Args:
        game: A game, or a name as in ``game=NAME``, under which OpenSpiel then also knows it.
        options: Options of the game, if a name is given.

    Raises:
        ValueError: The game or an option is unknown, or the deals cannot be enumerated.
    """
    ours = make(game, **options)
    name = ours.spec.name
    deals, chances = ours.starts()
    spec, kinds = ours.spec, pyspiel.GameType
    chance = (
        kinds.ChanceMode.DETERMINISTIC
        if len(chances) == 1
        else kinds.ChanceMode.EXPLICIT_STOCHASTIC
    )
    details = "_".join(f"{key}_{value}" for key, value in sorted(options.items()))
    about = kinds(
        short_name="_".join(part for part in ("fpmcts", name.replace(".", "_"), details) if part),
        long_name=name,
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=chance,
        information=kinds.Information.IMPERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=spec.num_seats,
        min_num_players=spec.num_seats,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=False,
        parameter_specification={},
    )
    size = pyspiel.GameInfo(
        num_distinct_actions=spec.num_actions,
        max_chance_outcomes=0 if len(chances) == 1 else len(chances),
        num_players=spec.num_seats,
        min_utility=-float(spec.max_return),
        max_utility=float(spec.max_return),
        utility_sum=0.0,
        max_game_length=spec.max_moves,
    )

    class Made(pyspiel.Game):  # type: ignore[misc]
        """The game of these options."""

        def __init__(self, params: object = None) -> None:
            super().__init__(about, size, params or {})
            self.ours, self.deals, self.chances = ours, deals, chances
            self._roots = dict[int, _Node]()

        def root(self, deal: int) -> _Node:
            """Returns the history of a deal without moves."""
            if deal not in self._roots:
                self._roots[deal] = _Node(ours, take(deals, np.array([deal])), deal, ())
            return self._roots[deal]

        def new_initial_state(self) -> _State:
            """Returns the state before the deal."""
            return _State(self)

        def make_py_observer(self, iig_obs_type: object = None, params: object = None) -> _Observer:
            """Returns the observer of states."""
            return _Observer(self)

    if not isinstance(game, str):
        return Made()
    if about.short_name not in pyspiel.registered_names():
        pyspiel.register_game(about, Made)
    return pyspiel.load_game(about.short_name)
