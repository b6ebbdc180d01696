"""Fitted Q-learning: the best response in one role to the average policies of the others.

The network has the architecture of the average policy; the value of a move is the sum of its policy
outputs (``Game.decoder``), in units of ``spec.max_return``. Its batch normalisation keeps its
initial statistics, so it is an affine map: targets must not depend on the other rows of a
minibatch.

Source: Mnih et al., "Human-level control through deep reinforcement learning", 2015, algorithm 1,
without discount, as in Heinrich & Silver 2016.
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional

from fpmcts.nfsp.games import Transitions
from fpmcts.training.learner import LossNotFiniteError, encode
from games.interface import Game, roles_to_move
from games.rows import States, num_rows, take
from games.settings import setting
from networks import losses
from networks.resnet import PolicyValueNet

CLIP = 10.0
"""Maximum norm of a gradient."""


@dataclass(frozen=True)
class NFSPSettings:
    """Neural fictitious self-play.

    Source: Heinrich & Silver 2016, 4.1 and 5.1; "the paper" below is its value for Leduc.

    Attributes:
        name: ``nfsp``.
        anticipatory: η, the probability that a seat plays its best response in a game, in [0, 1].
            The paper: 0.1.
        epsilon: Initial probability of a random move of a best response; it falls with the inverse
            square root of the iterations. The paper: 0.06.
        games: Games per iteration, >= 1.
        lanes: Games that advance together, >= 1.
        batch_size: Rows per step. The paper: 128.
        reuse: Average number of uses of a new decision by each of the two networks: steps = reuse ·
            decisions / batch_size. The paper: 2.
        lr: Learning rate of Q-learning.
        average_lr: Learning rate of the average policies.
        memory: Capacity of Q-learning's memory, in transitions per role. The paper: 200,000.
        reservoir: Decisions of best responses kept, per role. The paper: 2,000,000.
        target_steps: Steps between two refits of the target network. The paper: 300.
    """

    name: str = setting("nfsp", choices=("nfsp",))
    anticipatory: float = setting(0.1, least=0, most=1)
    epsilon: float = setting(0.06, least=0, most=1)
    games: int = setting(128, least=1, most=1_000_000)
    lanes: int = setting(128, least=1, most=1_000_000)
    batch_size: int = setting(128, least=1, most=1_000_000)
    reuse: float = setting(2.0, least=1e-9, most=1_000_000)
    lr: float = setting(1e-3, least=1e-12, most=10)
    average_lr: float = setting(1e-3, least=1e-12, most=10)
    memory: int = setting(200_000, least=1, most=1_000_000_000)
    reservoir: int = setting(500_000, least=1, most=1_000_000_000)
    target_steps: int = setting(300, least=1, most=1_000_000_000)

    def exploration(self, iteration: int) -> float:
        """Returns ε at an iteration, counted from 0."""
        return float(self.epsilon / np.sqrt(1.0 + iteration))


class QLearner:
    """Steps the Q network of one role.

    Attributes:
        net: Q.
        target: Q as it was at the last refit.
        targets_of: The targets of all roles: a seat may decide next in another role, as after an
            auction.
        steps: Number of steps taken.
    """

    targets_of: Sequence[PolicyValueNet]

    def __init__(
        self, game: Game, net: PolicyValueNet, settings: NFSPSettings, device: torch.device
    ) -> None:
        self.game, self.net, self.settings, self.device = game, net, settings, device
        self.target = copy.deepcopy(net).eval()
        self.optimizer = torch.optim.Adam(net.parameters(), lr=settings.lr, fused=True)
        self.steps = 0
        self._decoder = torch.from_numpy(game.decoder.astype(np.int64)).to(device)

    def step(self, rows: Transitions) -> dict[str, float]:
        """Returns the parts of the loss after one step.

        Raises:
            LossNotFiniteError: The loss is not finite; no weight was changed.
        """
        wanted = self.targets(rows)
        observations = encode(self.game, rows.states)[0]
        raw = self.net.eval()(self._on_device(observations))
        played = losses.scores(
            raw.policy.float(),
            self._decoder,
            self._on_device(np.arange(num_rows(rows))),
            self._on_device(rows.actions.astype(np.int64)),
        )
        loss = functional.mse_loss(played, wanted)
        if not torch.isfinite(loss):
            raise LossNotFiniteError(f"the loss of Q-learning is {loss.item()}")
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), CLIP)
        self.optimizer.step()
        self.steps += 1
        if self.steps % self.settings.target_steps == 0:
            self.target.load_state_dict(self.net.state_dict())
        return {"q": loss.item(), "q_mean": played.mean().item()}

    @torch.no_grad()
    def targets(self, rows: Transitions) -> torch.Tensor:
        """Returns the targets of Q, float32 ``[B]``: the result at the last decision, else the
        largest value at the next.
        """
        best = self._on_device(np.empty_like(rows.result))
        roles = roles_to_move(self.game, rows.following)
        for role in np.unique(roles):
            chosen = np.flatnonzero(roles == role)
            states = take(rows.following, chosen)
            best[self._on_device(chosen)] = self._largest(self.targets_of[role], states)
        return torch.where(self._on_device(rows.is_last), self._on_device(rows.result), best)

    def _largest(self, target: PolicyValueNet, states: States) -> torch.Tensor:
        """Returns the largest value of a legal move in each state, float32 ``[B]``."""
        observations, offsets, actions, _ = encode(self.game, states)
        policy = target(self._on_device(observations)).policy.float()
        owner = torch.repeat_interleave(
            torch.arange(len(policy), device=self.device), self._on_device(np.diff(offsets))
        )
        values = losses.scores(policy, self._decoder, owner, self._on_device(actions))
        lowest = policy.new_full((len(policy),), -torch.inf)
        return lowest.scatter_reduce(0, owner, values, "amax")

    def _on_device(self, array: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(array).to(self.device)
