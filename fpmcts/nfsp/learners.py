"""The learners of one role: Q of its best response to the averages of the others, and its own
average.

Both networks have the same architecture. The value of a move is the sum of its policy outputs
(``Game.decoder``), in units of ``spec.max_return``.

Source: Mnih et al., "Human-level control through deep reinforcement learning", 2015, algorithm 1,
without discount; Heinrich & Silver 2016, algorithm 1.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fpmcts.nfsp.games import Transitions
from fpmcts.nfsp.layers import Layers
from fpmcts.training.learner import encode
from fpmcts.training.samples import Samples
from games.base.settings import setting
from games.kernels.rows import States, take
from games.play.interface import Game, roles_to_move
from networks.resnet import PolicyValueNet


@dataclass(frozen=True)
class NFSPSettings:
    """Neural fictitious self-play.

    Source: Heinrich & Silver 2016, 4.1 and 5.1; "the paper" below is its value for Leduc.

    Attributes:
        name: ``nfsp``.
        anticipatory: η, the probability that a seat plays its best response in a game, in [0, 1].
            The paper: 0.1.
        exploration: Probability that a seat plays a whole game at random, which then teaches Q
            alone. The paper: random moves among those of the best responses, 0.06, falling.
        games: Games per iteration, >= 1.
        lanes: Games that advance together, >= 1.
        batch_size: Rows per step. The paper: 128.
        reuse: Average number of uses of a new decision by each of the two networks: steps = reuse ·
            decisions / batch_size. The paper: 2.
        lr: Learning rate of Q-learning.
        lr_halving: Iterations after which both learning rates have halved: lr / (1 + iteration /
            lr_halving). 0 = constant.
        average_lr: Learning rate of the average policies.
        memory: Capacity of Q-learning's memory, in transitions per role. The paper: 200,000.
        recency: Q learns from a transition in proportion to (iteration + 1) ^ recency, since the
            others change, most of all at first. The paper: 0.
        reservoir: Decisions of best responses kept, per role. The paper: 2,000,000.
        target_steps: Steps between two refits of the target network. The paper: 300.
    """

    name: str = setting("nfsp", choices=("nfsp",))
    anticipatory: float = setting(0.1, least=0, most=1)
    exploration: float = setting(0.15, least=0, most=1)
    games: int = setting(4096, least=1, most=1_000_000)
    lanes: int = setting(4096, least=1, most=1_000_000)
    batch_size: int = setting(256, least=1, most=1_000_000)
    reuse: float = setting(2.0, least=1e-9, most=1_000_000)
    lr: float = setting(1e-3, least=1e-12, most=10)
    lr_halving: float = setting(500.0, least=0)
    average_lr: float = setting(1e-3, least=1e-12, most=10)
    memory: int = setting(100_000, least=1, most=1_000_000_000)
    recency: float = setting(2.0, least=0, most=100)
    reservoir: int = setting(2_000_000, least=1, most=1_000_000_000)
    target_steps: int = setting(300, least=1, most=1_000_000_000)


class RoleLearner:
    """Steps a network of one role.

    Attributes:
        layers: The network.
    """

    def __init__(self, game: Game, net: PolicyValueNet, settings: NFSPSettings) -> None:
        self.game, self.layers, self.settings = game, Layers(net), settings
        self._decoder = game.decoder.astype(np.int64)  # -1: the output that is always 0


class QLearner(RoleLearner):
    """Steps the Q network of one role.

    Attributes:
        target: Its weights at the last refit, as ``Layers.split`` returns them.
    """

    def __init__(self, game: Game, net: PolicyValueNet, settings: NFSPSettings) -> None:
        super().__init__(game, net, settings)
        self._target = self.layers.weights.clone()
        self.layers.register_buffer("target", self._target)
        self.target = self.layers.split(self._target)

    def learn(
        self, rows: Transitions, learners: Sequence["QLearner"], lr: float
    ) -> Iterator[dict[str, float]]:
        """Yields the loss of each step; rows of a step follow one another.

        Args:
            rows: Some transitions for each step.
            learners: Those of all roles: a seat may decide next in another role, as after an
                auction.
            lr: Learning rate.
        """
        size = self.settings.batch_size
        wanted = self.targets(rows, learners)
        inputs = self.layers.inputs(encode(self.game, rows.states)[0])
        moves = self._decoder[rows.actions]
        owner = np.arange(size)[:, None]
        before = int(self.layers.steps)
        for k in range(0, len(wanted), size):
            outputs, hidden = self.layers.forward(inputs[k : k + size])
            played = outputs[owner, moves[k : k + size]].sum(axis=1)
            error = played - wanted[k : k + size]
            gradient = np.zeros_like(outputs)
            gradient[owner, moves[k : k + size]] = error[:, None] * np.float32(2 / size)
            self.layers.step(hidden, gradient, lr)
            yield {"q": float(error @ error) / size, "q_mean": float(played.mean())}
        every = self.settings.target_steps
        if int(self.layers.steps) // every > before // every:
            self._target.copy_(self.layers.weights)

    def targets(self, rows: Transitions, learners: Sequence["QLearner"]) -> np.ndarray:
        """Returns the targets of Q, float32 ``[B]``: the result at the last decision, else the
        largest value at the next.
        """
        found = rows.result.copy()
        after = np.flatnonzero(~rows.is_last)
        roles = roles_to_move(self.game, rows.following)[after]
        for role in np.unique(roles):
            chosen = after[roles == role]
            found[chosen] = learners[role].largest(take(rows.following, chosen))
        return found

    def largest(self, states: States) -> np.ndarray:
        """Returns the largest value of a legal move by the target, float32 ``[B]``."""
        observations, offsets, actions, _ = encode(self.game, states)
        outputs, _ = self.layers.forward(self.layers.inputs(observations), self.target)
        owner = np.repeat(np.arange(len(outputs)), np.diff(offsets))
        values = outputs[owner[:, None], self._decoder[actions]].sum(axis=1)
        return np.maximum.reduceat(values, offsets[:-1])


class AverageLearner(RoleLearner):
    """Steps the average policy of one role, by cross entropy to the moves of its best responses."""

    def learn(self, rows: Samples, lr: float) -> Iterator[dict[str, float]]:
        """Yields the loss of each step; rows of a step follow one another."""
        size = self.settings.batch_size
        observations, offsets, actions, wanted = encode(
            self.game, rows.states, rows.actions, rows.target
        )
        inputs = self.layers.inputs(observations)
        for k in range(0, len(inputs), size):
            starts = offsets[k : k + size + 1] - offsets[k]
            legal = slice(offsets[k], offsets[k + size])
            owner = np.repeat(np.arange(size), np.diff(starts))
            outputs, hidden = self.layers.forward(inputs[k : k + size])
            places = owner[:, None], self._decoder[actions[legal]]
            logits = outputs[places].sum(axis=1)
            logits -= np.maximum.reduceat(logits, starts[:-1])[owner]
            total = np.add.reduceat(np.exp(logits), starts[:-1])
            logits -= np.log(total)[owner]
            gradient = np.zeros_like(outputs)
            np.add.at(
                gradient, places, ((np.exp(logits) - wanted[legal]) / np.float32(size))[:, None]
            )
            self.layers.step(hidden, gradient, lr)
            yield {"policy": -float(wanted[legal] @ logits) / size}
