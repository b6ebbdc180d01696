"""The policy network without search."""

from collections.abc import Callable

import numpy as np

from fpmcts.selfplay import observe_movers, sample_policy
from games.interface import Game, Records, States
from games.kernels import streams
from networks.evaluator import Outputs


class PolicyAgent:
    """Plays from the policy networks.

    Args:
        game: The game.
        evaluate: (observations int8 ``[N, C, L]``, seats int8 ``[N]``) -> Outputs.
        temperature: 0 plays the most likely move; T > 0 draws from softmax(logits / T).
        name: For reports.
    """

    def __init__(
        self, game: Game, evaluate: Callable[[np.ndarray, np.ndarray], Outputs], temperature: float = 0.0, name: str = "policy"
    ) -> None:
        self.game, self.evaluate, self.temperature, self.name = game, evaluate, temperature, name
        self._rng = np.zeros(0, np.uint64)

    def start(self, num_games: int, seed: int) -> None:
        """Prepares for games 0 .. num_games - 1."""
        self._rng = streams(seed, num_games)

    def act(self, games: np.ndarray, views: States, records: Records) -> np.ndarray:
        """Returns a legal move (int16 ``[n]``) for each view; row k belongs to game ``games[k]``."""
        n, spec = len(games), self.game.spec
        rows = np.arange(n)
        observations = np.empty((n, *spec.observation_shape), np.int8)
        seats = np.empty(n, np.int8)
        observe_movers(self.game.rules, views, rows, observations, seats)
        outputs = self.evaluate(observations, seats)
        actions = np.empty(n, np.int16)
        rng = self._rng[games]
        sample_policy(
            self.game.rules, self.game.decoder, views, rows, outputs.policy, self.temperature, rng, actions,
            np.empty(spec.max_legal, np.int16), np.empty(spec.max_legal),
        )  # fmt: skip
        self._rng[games] = rng
        return actions
