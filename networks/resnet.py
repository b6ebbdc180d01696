"""The policy-value network: residual 1D convolutions over the positions of an observation (the
ranks of the cards).

One class serves all seats and games; what differs is read from ``GameSpec`` and ``NetworkConfig``:
the number of policy outputs, the classes of the value head (``stake_factors``) and the counts of
the hidden head (``hidden_counts``).

Shapes: N observations, C planes, L positions, P = ``policy_size // L`` policy planes, E =
``policy_size % L`` further outputs (in Doudizhu: pass and rocket), F classes of stakes, K counts of
hidden cards. Policy output ``plane * L + position`` comes first, the E others last.

A 1D convolution is written as a 2D one of height 1 in channels-last layout: *measured* on two
cores, a training step of the trunk takes 0.7 of the time of ``Conv1d`` in float32, 0.5 to 0.8 in
bfloat16.

Source: Jiang et al., "DeltaDou", IJCAI 2019, section 4.2 (1D residual network, batch normalization,
one network per position). Deviations: the value head of ``win_stakes`` and the hidden head are
ours; the number of blocks is free (paper: 10).
"""

from dataclasses import dataclass
from typing import ClassVar, Generic, NamedTuple, TypeVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils import convert_conv2d_weight_memory_format

from games.base.settings import check_ranges, setting
from games.play.interface import GameSpec
from networks.winograd import convolution, pays, swap

DEPARTS = (
    (
        "4.2",
        "With `value_head=scalar`: results beyond `value_scale` are clipped to it, in "
        "`experiment=paper` to four stakes. The paper does not say by what it normalises values.",
    ),
)
VALUE_HEADS = ("win_stakes", "scalar")
OBJECTIVES = ("wp", "adp")

Array = TypeVar("Array", Tensor, np.ndarray)


@dataclass
class NetworkConfig:
    """The size and the heads of a network.

    Attributes:
        channels: Channels of the trunk, >= 1.
        blocks: Residual blocks of two convolutions each, >= 0. Paper: 10.
        head_channels: Channels that the global head (value, pass, rocket) keeps of each position,
            >= 1.
        head_units: Units of the fully connected layer of the global head, >= 1.
        value_head: ``win_stakes``: chance to win, and how many stakes are won or lost given the
            result; needs a game that lists the possible stakes (``GameSpec.stake_factors``).
            ``scalar``: one tanh (paper).
        hidden_head: Whether to predict the hidden cards, in a game that has them
            (``GameSpec.hidden_counts``); not if ``dense``.
        objective: ``adp``: the value is the expected return in units of the stake; ``wp``: 2 P(win)
            - 1.
        value_scale: Largest return, in units of the stake, that the ``scalar`` head can express
            under ``adp``; larger ones are clipped to it. 0 = ``GameSpec.max_return``. Where large
            returns are rare, a smaller value wastes less of the tanh's range. The paper normalises
            the value but does not say by what.
        dense: Whether the observation is read as one position of C · L planes, so that the layers
            are fully connected. For games of which nothing is known: where neighbouring positions
            have nothing in common, an output does not see what lies further away than the
            convolutions reach. (In liar's dice, two blocks that learned from the equilibrium itself
            reached NashConv 0.92, dense ones 0.04.) Its normalization is that of layers, without
            the noise of batch statistics. Paper: no.
        shared: One network for all seats (the observation must contain the seat) instead of one per
            seat. Paper: per seat.
    """

    depends: ClassVar[dict[str, str]] = {"value_scale": "value_head=scalar and .objective=adp"}
    channels: int = setting(64, least=1, most=4096)
    blocks: int = setting(4, least=0, most=100)
    head_channels: int = setting(8, least=1, most=1024)
    head_units: int = setting(64, least=1, most=65_536)
    value_head: str = setting("win_stakes", choices=VALUE_HEADS)
    hidden_head: bool = True
    objective: str = setting("adp", choices=OBJECTIVES)
    value_scale: float = setting(0.0, least=0)
    dense: bool = False
    shared: bool = False

    def __post_init__(self) -> None:
        check_ranges(self, "network.")


class RawOutputs(NamedTuple):
    """Raw outputs, the input of the losses.

    Attributes:
        policy: ``[N, policy_size]``.
        value: ``[N, 1 + 2 F]`` for ``win_stakes``: logit of winning, then logits of the class of
            the return given a win (F) and given a loss (F). ``[N, 1]`` for ``scalar``, before the
            tanh.
        hidden: ``[N, K, L]``, or ``[N, 0, L]`` without that head.
    """

    policy: Tensor
    value: Tensor
    hidden: Tensor


class Outputs(NamedTuple, Generic[Array]):
    """Outputs for search and inference, float32.

    Attributes:
        policy: ``[N, policy_size]``: summed to logits of legal moves by ``networks/decode.py``.
        value: ``[N]``: expected return of the mover's team in units of the stake (``adp``), or 2
            P(win) - 1 (``wp``).
        hidden: ``[N, K, L]``: log-odds correction to the hypergeometric prior for "the next seat
            holds c of the unseen cards of position r"; ``[0, K, L]`` where it was not asked for, K
            = 0 without that head.
    """

    policy: Array
    value: Array
    hidden: Array


def expected_value(raw: Tensor, objective: str, scale: float, factors: Tensor) -> Tensor:
    """Returns the value ``[N]`` of raw outputs of a value head.

    ``win_stakes``, ``adp``: p E[f | win] - (1 - p) E[f | loss], f the factor of the stake.

    Args:
        raw: ``[N, 1 + 2 F]`` or ``[N, 1]``, see ``RawOutputs``.
        objective: "wp" or "adp".
        scale: ``PolicyValueNet.value_scale``.
        factors: ``GameSpec.stake_factors``, ``[F]``; not read with one output.
    """
    if raw.shape[1] == 1:
        return raw[:, 0].tanh() * scale
    win = raw[:, 0].sigmoid()
    if objective == "wp":
        return 2 * win - 1
    classes = raw[:, 1:].unflatten(1, (2, len(factors))).softmax(dim=2)
    stakes = (classes * factors).sum(dim=2)
    return win * stakes[:, 0] - (1 - win) * stakes[:, 1]


class ConvNorm(nn.Module):
    """A convolution over positions followed by batch normalization: ``[N, I, 1, L]`` to ``[N, O, 1,
    L]``. In a dense network: a fully connected layer followed by layer normalization, L = 1.

    Attributes:
        repeated: (R, K): the last R · K inputs are R values, each K times in a row, which are
            passed once. Only in dense networks; (0, 1): none.
    """

    def __init__(
        self,
        inputs: int,
        outputs: int,
        width: int,
        dense: bool = False,
        repeated: tuple[int, int] = (0, 1),
    ) -> None:
        super().__init__()
        self.repeated = repeated
        self.conv = nn.Conv2d(inputs, outputs, (1, width), padding=(0, width // 2), bias=False)
        self.norm = nn.LayerNorm(outputs) if dense else nn.BatchNorm2d(outputs)
        nn.init.kaiming_normal_(self.conv.weight, nonlinearity="relu")

    def forward(self, x: Tensor, swapped: bool = False) -> Tensor:
        """Returns the normalised outputs; ``swapped``: they and x are ``[L, C, 1, N]``."""
        if isinstance(self.norm, nn.BatchNorm2d):
            return self.norm(convolution(x, self.conv.weight) if swapped else self.conv(x))
        # The same as the convolution, with a faster gradient.
        outputs = functional.linear(x.flatten(1), self._dense_weight())
        return self.norm(outputs)[:, :, None, None]

    def _dense_weight(self) -> Tensor:
        """Returns the weight ``[O, I]`` of the inputs passed: that of a repeated value is the sum
        of its weights.
        """
        weight, values = self.conv.weight.flatten(1), self.repeated[0]
        if not values:
            return weight
        single = weight.shape[1] - values * self.repeated[1]
        summed = weight[:, single:].unflatten(1, self.repeated).sum(2)
        return torch.cat([weight[:, :single], summed], dim=1)

    def folded(self) -> tuple[Tensor, Tensor]:
        """Returns weight ``[O, I, 1, width]`` and bias ``[O]`` of the one convolution that equals
        both in evaluation mode; without layer normalization, which no convolution can express.
        """
        if isinstance(self.norm, nn.LayerNorm):
            weight = self._dense_weight().detach()[:, :, None, None]
            return weight, weight.new_zeros(len(weight))
        running_mean, running_var = self.norm.running_mean, self.norm.running_var
        assert running_mean is not None and running_var is not None
        gain = self.norm.weight.detach() / torch.sqrt(running_var + self.norm.eps)
        return self.conv.weight.detach() * gain[
            :, None, None, None
        ], self.norm.bias.detach() - running_mean * gain


class ResidualBlock(nn.Module):
    """relu(x + second(relu(first(x)))), the identity at first: the gain of the second normalization
    starts at 0.
    """

    def __init__(self, channels: int, width: int, dense: bool = False) -> None:
        super().__init__()
        self.first = ConvNorm(channels, channels, width, dense)
        self.second = ConvNorm(channels, channels, width, dense)
        nn.init.zeros_(self.second.norm.weight)

    def forward(self, x: Tensor, swapped: bool = False) -> Tensor:
        """Returns the block's output, of the shape of ``x``; ``swapped`` as in ``ConvNorm``."""
        change = self.second(functional.relu_(self.first(x, swapped)), swapped)
        return functional.relu_(change.add_(x))


def inputs_of(observations: Tensor, length: int, scalars: int) -> Tensor:
    """Returns the inputs ``[N, I, length]`` of a network for observations ``[N, C, L]``.

    Args:
        observations: int8.
        length: L, or 1 in a dense network, where the values of all positions become planes.
        scalars: How many of the last planes have one value at all positions, which is read once.
    """
    if length == observations.shape[2]:
        return observations
    first = observations.shape[1] - scalars
    values = observations[:, :first].flatten(1), observations[:, first:, 0]
    return torch.cat(values, dim=1).unsqueeze(2)


def scaled_planes(planes: Tensor, scale: Tensor) -> Tensor:
    """Returns int8 planes ``[N, C, L]`` times ``scale`` (float32 ``[C]``) as ``[N, C, 1, L]`` in
    channels-last layout.
    """
    x = planes.to(scale.dtype) * scale[:, None]
    return x.unsqueeze(2).contiguous(memory_format=torch.channels_last)


class PolicyValueNet(nn.Module):
    """The network of one seat, or of all seats.

    Attributes:
        config: Size and heads.
        length: L of the module docstring; 1 if dense.
        num_scalars: ``GameSpec.scalar_planes`` if dense, else 0.
        num_planes, num_extra: P and E of the module docstring.
        num_hidden: K of the module docstring with a hidden head, else 0.
        value_scale: Unit of the ``scalar`` head: its tanh is multiplied by it.
        stake_factors: Stakes of the classes of the ``win_stakes`` head; () with another head.
    """

    scale: Tensor

    def __init__(self, spec: GameSpec, config: NetworkConfig, role: int = 0) -> None:
        """Makes the layers.

        Args:
            spec: The game's.
            config: Size and heads.
            role: Of the decisions that it answers, or one of them.

        Raises:
            ValueError: ``win_stakes`` for a game without classes of stakes, or a dense network with
                a hidden head.
        """
        super().__init__()
        if config.value_head == "win_stakes" and not spec.stake_factors:
            raise ValueError(
                f"value_head is 'win_stakes', but {spec.name} has no stake_factors; "
                "expected 'scalar'"
            )
        if config.dense and config.hidden_head and spec.hidden_counts:  # K outputs of one position
            raise ValueError("hidden_head is True in a dense network; expected False")
        num_inputs, length = spec.observation_shape
        scale = torch.as_tensor(np.asarray(spec.observation_scale, np.float32))
        self.num_scalars, repeated = 0, (0, 1)
        if config.dense:
            self.num_scalars = spec.scalar_planes if length > 1 else 0
            repeated, first = (self.num_scalars, length), num_inputs - self.num_scalars
            scale = torch.cat([scale[:first].repeat_interleave(length), scale[first:]])
            num_inputs, length = num_inputs * length, 1
        self.config = config
        self.length = length
        self.num_planes, self.num_extra = divmod(spec.policy_size, length)
        self.num_hidden = spec.hidden_counts if config.hidden_head else 0
        factors = spec.factors_of_roles.get(role, spec.stake_factors)
        self.stake_factors = factors if config.value_head == "win_stakes" else ()
        self.num_values = 1 + 2 * len(self.stake_factors)
        self.value_scale = (
            (config.value_scale or spec.max_return) if config.objective == "adp" else 1.0
        )
        self.register_buffer("scale", scale, persistent=False)

        width = min(length, 3)
        self.stem = ConvNorm(num_inputs, config.channels, width, config.dense, repeated)
        self.blocks = nn.ModuleList(
            ResidualBlock(config.channels, width, config.dense) for _ in range(config.blocks)
        )
        # A convolution needs an output: one stays unused where all policy outputs are further ones
        # and nothing is hidden.
        self.planes = nn.Conv2d(config.channels, max(1, self.num_planes + self.num_hidden), 1)
        self.squeeze = ConvNorm(config.channels, config.head_channels, 1, config.dense)
        self.units = nn.Linear(config.head_channels * length, config.head_units)
        self.globals = nn.Linear(config.head_units, self.num_extra + self.num_values)

        # Close to uniform over the legal moves and to an even game at first, and exactly the prior
        # over the hidden cards.
        for head in (self.planes, self.globals):
            assert head.bias is not None
            nn.init.normal_(head.weight, std=0.01)
            nn.init.zeros_(head.bias)
        nn.init.zeros_(self.planes.weight[self.num_planes :])
        convert_conv2d_weight_memory_format(self, torch.channels_last)

    def forward(self, observations: Tensor) -> RawOutputs:
        """Returns the raw outputs for observations int8 ``[N, C, L]``."""
        inputs = inputs_of(observations, self.length, self.num_scalars)
        x = functional.relu_(self.stem(scaled_planes(inputs, self.scale)))
        swapped = pays(x, min(self.length, 3))
        x = swap(x) if swapped else x
        for block in self.blocks:
            x = block(x, swapped)
        x = swap(x) if swapped else x
        planes = self.planes(x).float()
        squeezed = functional.relu(self.squeeze(x)).flatten(1)
        rest = self.globals(functional.relu(self.units(squeezed))).float()
        policy = torch.cat(
            [planes[:, : self.num_planes].flatten(1), rest[:, : self.num_extra]], dim=1
        )
        return RawOutputs(
            policy,
            rest[:, self.num_extra :],
            planes[:, self.num_planes : self.num_planes + self.num_hidden, 0],
        )

    def outputs(self, raw: RawOutputs) -> Outputs[Tensor]:
        """Returns policy, value and hidden logits of raw outputs."""
        factors = raw.value.new_tensor(self.stake_factors)
        return Outputs(
            raw.policy,
            expected_value(raw.value, self.config.objective, self.value_scale, factors),
            raw.hidden,
        )


class Networks(nn.Module):
    """The networks of all roles: of the seats, in most games (``games.kernels.generic.role``).

    Attributes:
        nets: The distinct networks.
        net_of_role: Index into ``nets`` for every role.
    """

    def __init__(self, nets: list[PolicyValueNet], net_of_role: tuple[int, ...]) -> None:
        super().__init__()
        self.nets = nn.ModuleList(nets)
        self.net_of_role = net_of_role

    def distinct(self) -> list[PolicyValueNet]:
        """Returns the distinct networks."""
        return [net for net in self.nets if isinstance(net, PolicyValueNet)]

    def role(self, role: int) -> PolicyValueNet:
        """Returns the network of a role."""
        return self.distinct()[self.net_of_role[role]]


def build_networks(spec: GameSpec, config: NetworkConfig, seed: int) -> Networks:
    """Returns freshly initialised networks: one per role, or one for all (``config.shared``). The
    global random stream is not changed.
    """
    num_nets = 1 if config.shared else spec.num_roles
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        nets = [PolicyValueNet(spec, config, role) for role in range(num_nets)]
    return Networks(nets, tuple(role % num_nets for role in range(spec.num_roles)))
