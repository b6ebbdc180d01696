"""The evaluator: takes a batch of observations in any roles; returns policies and values."""

import time
from contextlib import nullcontext
from math import prod

import numpy as np
import torch

from games.base.settings import ConfigError
from games.play.interface import Game
from networks.engine import NetworkEngine
from networks.int8 import Int8Engine, Sample, random_sample
from networks.memory import Memory, fill_in, forget, look_up, make_memory
from networks.precision import check_int8, settled
from networks.resnet import Networks, PolicyValueNet
from networks.resnet import Outputs as Outputs


class Evaluator:
    """Evaluates observations with the networks of their roles, one forward pass per network.

    A row's outputs depend neither on the other rows nor on their number.

    Attributes:
        precision: Precision of the networks, never "auto".
        num_evaluations: Observations evaluated so far.
        seconds: Time spent in ``evaluate`` so far.
    """

    def __init__(
        self,
        networks: Networks,
        precision: str = "auto",
        device: torch.device | str = "cpu",
        remembered: int = 0,
        game: Game | None = None,
    ) -> None:
        """Makes the engines.

        Args:
            networks: The networks.
            precision: One of ``networks.precision.PRECISIONS``.
            device: Device of the forward passes.
            remembered: Size of the cache of outputs, which the next ``refresh`` empties; worthwhile
                in games with few observations.
            game: The game of the networks. int8 takes its ranges from positions of it; unused
                otherwise.

        Raises:
            ConfigError: int8 without a game, or for dense networks, or int8 is unavailable
                (``networks.precision.check_int8``).
        """
        self.device, self._game = torch.device(device), game
        self._sample: Sample | None = None
        self._remembered = remembered
        self._memory: Memory | None = None
        # So that threads with their own evaluators do not wait for each other on the GPU.
        self._stream = torch.cuda.Stream(self.device) if self.device.type == "cuda" else None
        self.num_evaluations = 0
        self.seconds = 0.0
        self.refresh(networks, precision)

    def refresh(self, networks: Networks, precision: str | None = None) -> None:
        """Copies the current weights (milliseconds); without it, later changes of the networks have
        no effect. ``precision``: as at first; None: unchanged.
        """
        if precision is not None:
            self.precision = settled(precision, networks.distinct()[0], self.device)
        if self.precision == "int8" and self._sample is None:
            self._sample = self._positions(networks)
        self._engines = [
            self._make_engine(net, k, networks) for k, net in enumerate(networks.distinct())
        ]
        if self._stream is not None:
            # The copy must finish before another stream reads the weights.
            torch.cuda.synchronize(self.device)
        self._hidden_counts = networks.distinct()[0].num_hidden
        self._net_of_role = np.asarray(networks.net_of_role)
        if self._remembered and self._memory is None:
            net = networks.distinct()[0]
            self._memory = make_memory(
                self._remembered, net.num_planes * net.length + net.num_extra
            )
        elif self._memory is not None:
            forget(self._memory)

    def _positions(self, networks: Networks) -> Sample:
        """Returns the positions that int8 takes its ranges from."""
        check_int8(self.device)
        if networks.distinct()[0].config.dense:
            raise ConfigError("precision=int8: these networks are dense; use precision=auto")
        if self._game is None:
            raise ConfigError(
                "precision=int8: needs a game to take positions from; use another precision"
            )
        return random_sample(self._game)

    def _make_engine(self, net: PolicyValueNet, k: int, networks: Networks) -> NetworkEngine:
        """Returns the engine of network k."""
        if self.precision != "int8":
            return NetworkEngine(net, self.precision, self.device)
        assert self._sample is not None
        return Int8Engine(
            net,
            self._sample.of_roles([role for role, i in enumerate(networks.net_of_role) if i == k]),
        )

    def evaluate(
        self, observations: np.ndarray, roles: np.ndarray, want_hidden: bool = False
    ) -> Outputs[np.ndarray]:
        """Returns float32 outputs; row i comes from the network of ``roles[i]``. N = 0 is allowed.

        Args:
            observations: int8 ``[N, C, L]``.
            roles: int8 ``[N]``, see ``games.kernels.generic.role``.
            want_hidden: Whether to return ``hidden`` (no rows of it otherwise).

        Raises:
            FloatingPointError: An output is not finite.
        """
        start = time.perf_counter()
        if self._memory is None or want_hidden:
            outputs = self._evaluate(observations, roles, want_hidden)
        else:
            outputs = self._recall(self._memory, observations, roles)
        self.num_evaluations += len(roles)
        self.seconds += time.perf_counter() - start
        return outputs

    def _recall(
        self, memory: Memory, observations: np.ndarray, roles: np.ndarray
    ) -> Outputs[np.ndarray]:
        """Returns outputs without ``hidden``, from the cache where it holds the observation."""
        places, new = np.empty((2, len(roles)), np.int64)
        rows = observations.reshape(len(roles), prod(observations.shape[1:]))
        new = new[: look_up(memory, rows, roles, places, new)]
        policy = np.empty((len(roles), memory.policy.shape[1]), np.float32)
        value = np.empty(len(roles), np.float32)
        no_hidden = np.empty((0, self._hidden_counts, observations.shape[2]), np.float32)
        answers = Outputs(policy[:0], value[:0], no_hidden)
        if new.size:
            try:
                answers = self._evaluate(observations[new], roles[new], want_hidden=False)
            except BaseException:
                forget(memory)  # the new observations have places there, but no outputs
                raise
        fill_in(memory, places, new, answers.policy, answers.value, policy, value)
        return Outputs(policy, value, no_hidden)

    def _evaluate(
        self, observations: np.ndarray, roles: np.ndarray, want_hidden: bool
    ) -> Outputs[np.ndarray]:
        """Returns the outputs of the networks."""
        nets = self._net_of_role[roles]
        present = np.flatnonzero(np.bincount(nets, minlength=len(self._engines)))
        if len(present) <= 1:
            outputs = self._run(int(present[0]) if len(present) else 0, observations, want_hidden)
        else:
            groups = [np.flatnonzero(nets == net) for net in present]
            parts = [
                self._run(int(net), observations[rows], want_hidden)
                for net, rows in zip(present, groups, strict=True)
            ]
            outputs = Outputs(
                *(
                    np.empty((len(roles) if len(first) else 0, *first.shape[1:]), np.float32)
                    for first in parts[0]
                )
            )
            for rows, part in zip(groups, parts, strict=True):
                outputs.policy[rows] = part.policy
                outputs.value[rows] = part.value
                if len(outputs.hidden):
                    outputs.hidden[rows] = part.hidden
        return outputs

    def _run(self, net: int, observations: np.ndarray, want_hidden: bool) -> Outputs[np.ndarray]:
        """Returns the outputs of one network."""
        with nullcontext() if self._stream is None else torch.cuda.stream(self._stream):
            return self._checked(
                net,
                self._engines[net](
                    torch.from_numpy(np.ascontiguousarray(observations)), want_hidden
                ),
            )

    def _checked(self, net: int, outputs: Outputs[torch.Tensor]) -> Outputs[np.ndarray]:
        """Returns outputs of a network as arrays, if all are finite."""
        # A sum of finite float32 is finite here and takes a fortieth of the time of
        # isfinite().all().
        for name, values in zip(outputs._fields, outputs, strict=True):
            if not bool(torch.isfinite(values.sum())):
                raise FloatingPointError(
                    f"network {net}: {name} is not finite; weights or observations are damaged"
                )
        # One memory layout: kernels are compiled for each.
        return Outputs(*(values.cpu().contiguous().numpy() for values in outputs))
