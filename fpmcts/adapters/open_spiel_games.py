"""This project's games in OpenSpiel, for its algorithms and metrics::

    from fpmcts.adapters.open_spiel_games import load_game

    game = load_game("leduc")
    exploitability.nash_conv(game, policy.UniformRandomPolicy(game))

Players for these games: ``fpmcts/adapters/open_spiel_players.py``. Only games whose deals can be
enumerated (``Game.starts``) are available: one chance move deals everything, then the seats move.
They run at the speed of Python, not of the kernels, so use them to check results, not to measure
time.

Source: Lanctot et al., "OpenSpiel: a framework for reinforcement learning in games", 2019.
"""

import numpy as np
import pyspiel

from games import make
from games.generic import infoset_key, observe
from games.interface import Game
from games.rows import take
from games.table import Table


class _State(pyspiel.State):  # type: ignore[misc]
    """A game in progress; ``dealt`` is the table, None before the deal."""

    def __init__(self, game: pyspiel.Game) -> None:
        super().__init__(game)
        self.dealt: Table | None = None
        if len(game.chances) == 1:
            self._deal(0)

    def _deal(self, number: int) -> None:
        game = self.get_game()
        self.dealt = Table(game.ours, deal=take(game.deals, np.array([number])))

    @property
    def table(self) -> Table:
        """Returns the table. Raises ValueError before the deal."""
        if self.dealt is None:
            raise ValueError("the cards are not dealt yet")
        return self.dealt

    def current_player(self) -> int:
        """Returns the player to move."""
        if self.dealt is None:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self.table.is_over else self.table.seat

    def _legal_actions(self, player: int) -> list[int]:
        return [move.action for move in self.table.legal()]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Returns the numbers of the deals, and their probabilities."""
        return list(enumerate(self.get_game().chances.tolist()))

    def _apply_action(self, action: int) -> None:
        if self.dealt is None:
            self._deal(action)
        else:
            self.table.play(int(action))

    def _action_to_string(self, player: int, action: int) -> str:
        return (
            f"deal {action}"
            if player == pyspiel.PlayerId.CHANCE
            else self.get_game().ours.action_text(action)
        )

    def is_terminal(self) -> bool:
        """Returns whether the game is over."""
        return self.dealt is not None and self.table.is_over

    def returns(self) -> list[float]:
        """Returns the return of each seat; zeros while the game runs."""
        returns = None if self.dealt is None else self.table.returns
        return [0.0] * self.get_game().ours.spec.num_seats if returns is None else list(returns)

    def __str__(self) -> str:
        if self.dealt is None:
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
        if state.dealt is not None and not state.table.is_over:
            planes = np.zeros(self._shape, np.int8)
            observe(state.table.game.rules, state.table.view(player), 0, player, planes)
            self.tensor[:] = planes.reshape(-1)

    def string_from(self, state: _State, player: int) -> str:
        """Returns the key of the information set of a player."""
        if state.dealt is None:
            return ""
        key = infoset_key(state.table.game.rules, state.table.states, 0, player)
        return f"{player} {int(key):016x}"


def load_game(game: str | Game, **options: object) -> pyspiel.Game:
    """Returns a game as a ``pyspiel.Game``.

    Args:
        game: A game, or a name as in ``game=NAME``, under which OpenSpiel then also knows it.
        options: Options of the game, if a name is given.

    Raises:
        ValueError: The game or an option is unknown, or the deals cannot be enumerated.
    """
    ours: Game = make(game, **options) if isinstance(game, str) else game
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
