"""The learner: turns samples into minibatches and steps the network of each seat.

Loss (DeltaDou, 4.2): l = C1 · (z − v)² − πᵀ log p + C2 · ||θ||², with C1 = ``value_weight`` and C2
= ``weight_decay``; the default value head replaces the square by the log-likelihood of the result,
and the hidden-hand head adds its own. With ``divergence`` "reverse", KL(p || π) replaces the cross
entropy.
"""

import copy
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch

from fpmcts.training.learner_settings import GradientSettings, LearnerSettings
from fpmcts.training.policy_games import PolicyDecisions
from fpmcts.training.samples import Samples
from games.kernels import kernel
from games.kernels.generic import current_seat, legal, observe
from games.kernels.rows import Rules, States, num_rows, take
from games.play.interface import Game, observed_by_movers, seats_to_move
from networks import losses
from networks.precision import has_bfloat16
from networks.resnet import PolicyValueNet, RawOutputs

DEPARTS = (("4.2", "Gradients are clipped to a norm of 5."),)
CLIP = 5.0
"""Maximum norm of a gradient."""
REPLICAS = 2
"""Parts of a minibatch if only one network learns at a time; see ``Learner``."""

# Constants of policy gradient (Schulman et al. 2017). Only SURROGATE_CLIP is theirs; the others are
# ours (docs/experiments.md).
CERTAIN = 0.97
"""Decisions whose most likely move has at least this probability teach the policy almost nothing,
and train only the value.
"""
LEARNED = 0.4
"""Share of the decisions that teach the policy from which it is learned, see ``choose_rows``."""
LEAST_CHANCE = 0.1
"""Least chance of a decision to be learned from."""
SURROGATE_CLIP = 0.2
GRADIENT_VALUE_WEIGHT = 0.5
GRADIENT_CLIP = 1.0
"""Maximum norm of a gradient."""


def teaches_policy(rows: PolicyDecisions) -> np.ndarray:
    """Returns which decisions teach the policy (bool ``[N]``): those that it made itself, without
    being certain.
    """
    return np.asarray((rows.certainty < CERTAIN) & ~rows.explored)


def choose_rows(rows: PolicyDecisions, draws: np.ndarray) -> PolicyDecisions:
    """Returns the decisions of one network that it learns from, with a ``policy_weight``, and with
    advantages scaled to mean 0 and deviation 1.

    A decision that teaches the policy is chosen with a probability in proportion to |A| (1 − p),
    about the norm of its gradient, where A is its advantage and p the chance of the move; at least
    ``LEAST_CHANCE``, on average about ``LEARNED``. It weighs as much as the inverse, so the
    gradient has the same expectation as that of all. *Measured* in 4,096 games of the default run
    after 98 iterations: 42 % of the rows raise the variance of the gradient by 7 to 9 %. Others
    train the value alone, each with ``LEAST_CHANCE``. Source: Katharopoulos & Fleuret, "Not all
    samples are created equal: deep learning with importance sampling", ICML 2018.

    Args:
        rows: ``[N]``; weights are changed in place.
        draws: float64 ``[N]``, uniform in [0, 1).
    """
    teaches = teaches_policy(rows)
    taught = rows.advantage[teaches]
    mean, deviation = (
        (float(taught.mean()), float(taught.std()) + 1e-6) if taught.size else (0.0, 1.0)
    )
    scaled = (rows.advantage - np.float32(mean)) / np.float32(deviation)
    sizes = np.abs(scaled) * -np.expm1(rows.log_prob)
    chances = np.full(len(sizes), LEAST_CHANCE)
    chances[teaches] = np.maximum(chances[teaches], inclusion(sizes[teaches], LEARNED))
    rows.samples.policy_weight[:] = teaches / chances
    return take(rows._replace(advantage=scaled), np.flatnonzero(draws < chances))


def inclusion(sizes: np.ndarray, share: float) -> np.ndarray:
    """Returns min(1, c · size) (float64 ``[N]``) with the c for which the mean is ``share`` < 1; 1
    for all positive sizes if these are too few.
    """
    descending = np.sort(sizes.astype(np.float64))[::-1]
    rest = np.cumsum(descending[::-1])[::-1]  # the sum from each size on
    left = share * len(sizes) - np.arange(len(sizes))  # to be shared by those from each on
    fits = descending * left <= rest  # none of them would exceed 1
    if not fits.any() or rest[fits.argmax()] <= 0.0:
        return (sizes > 0.0).astype(np.float64)
    first = fits.argmax()
    return np.minimum(1.0, sizes * (left[first] / rest[first]))


class LossNotFiniteError(FloatingPointError):
    """A loss or gradient that is not finite."""


@kernel
def _encode(
    rules: Rules,
    states: States,
    actions: np.ndarray,
    target: np.ndarray,
    observations: np.ndarray,
    offsets: np.ndarray,
    legal_actions: np.ndarray,
    legal_target: np.ndarray,
    scratch: np.ndarray,
) -> int:
    """Writes observations and ragged legal lists of a minibatch; returns the total number of legal
    actions, -1 if they do not fit.

    Args:
        actions, target: ``[B, W]``, sparse.
        offsets: int64 ``[B + 1]``.
        legal_actions: int64 ``[M]``.
        legal_target: float32 ``[M]``.
    """
    used = 0
    offsets[0] = 0
    for i in range(offsets.size - 1):
        observe(rules, states, i, current_seat(rules, states, i), observations[i])
        n = legal(rules, states, i, scratch)
        if used + n > legal_actions.size:
            return -1
        for k in range(n):
            legal_actions[used + k] = scratch[k]
            legal_target[used + k] = 0.0
        for j in range(actions.shape[1]):
            if target[i, j] > 0.0:
                legal_target[used + np.searchsorted(scratch[:n], actions[i, j])] += target[i, j]
        used += n
        offsets[i + 1] = used
    return used


def encode(
    game: Game,
    states: States,
    actions: np.ndarray | None = None,
    target: np.ndarray | None = None,
) -> tuple[np.ndarray, ...]:
    """Returns a minibatch encoded for networks and losses.

    Args:
        game: The game.
        states: ``[B]``, running.
        actions, target: ``[B, K]``: probabilities of some legal actions, padded with -1 and 0.
            None: no targets.

    Returns:
        Observations of the movers, int8 ``[B, C, L]``; and ragged lists of the legal actions, as in
        ``losses.policy_loss``: offsets int64 ``[B + 1]``, actions int64 ``[M]``, targets float32
        ``[M]``.
    """
    spec, n, room = game.spec, num_rows(states), 64
    if actions is None or target is None:
        actions, target = np.empty((n, 0), np.int16), np.empty((n, 0), np.float32)
    observations = np.empty((n, *spec.observation_shape), np.int8)
    offsets, scratch = np.empty(n + 1, np.int64), np.empty(spec.max_legal, np.int16)
    while True:
        listed, wanted = np.empty(n * room, np.int64), np.empty(n * room, np.float32)
        used = _encode(
            game.rules, states, actions, target, observations, offsets, listed, wanted, scratch
        )
        if used >= 0:
            return observations, offsets, listed[:used], wanted[:used]
        room *= 2


class Learner:
    """Steps the network of one seat.

    On CPUs a minibatch can be split into equal parts, whose gradients are computed on replicas of
    the network, on one core each, and averaged in a fixed order. Weights depend on the parts,
    through rounding and the statistics of batch normalisation, but not on the number of threads.
    Two cores that share every small convolution instead are not faster than one (*measured* on two
    cores: 13 steps/s against 14, 48 channels x 6 blocks, 512 rows). Networks that learn in
    parallel, a thread each, need no parts and are faster still.

    In float32 on a CPU, wide networks learn with the convolutions of ``networks.winograd``.
    *Measured* on one thread of an AMD EPYC with AVX2 alone, 64 channels x 8 blocks, before and
    after, medians of the processor time of 12 steps: policy gradient on 1,024 rows 0.427 and
    0.290 s, a step on 256 rows for the policy and 256 for the value 0.218 and 0.153 s.

    Args:
        game: The game.
        net: The network; changed in place.
        settings: See LearnerSettings.
        device: Device of the network.
        threads: Parts of a minibatch computed in parallel, >= 1; does not change the weights.
        replicas: Maximum parts of a minibatch; a GPU does not split it.
    """

    def __init__(
        self,
        game: Game,
        net: PolicyValueNet,
        settings: LearnerSettings,
        device: torch.device,
        threads: int = 1,
        replicas: int = REPLICAS,
    ) -> None:
        self.game, self.net, self.settings, self.device = game, net, settings, device
        self.optimizer = self._make_optimizer()
        replicas = replicas if device.type == "cpu" else 1
        self._replicas = [net] + [copy.deepcopy(net) for _ in range(replicas - 1)]
        self._pool = (
            ThreadPoolExecutor(min(threads, replicas)) if min(threads, replicas) > 1 else None
        )
        self._decoder = torch.from_numpy(game.decoder.astype(np.int64)).to(device)
        # Small layers are no faster in half precision: a step took 10.4 ms, in float32 8.6.
        self._half = has_bfloat16(device) and not net.config.dense

    def _make_optimizer(self) -> torch.optim.Optimizer:
        settings, parameters = self.settings, list(self.net.parameters())
        if settings.optimizer == "adamw":
            return torch.optim.AdamW(
                parameters, lr=settings.lr, weight_decay=settings.weight_decay, fused=True
            )
        return torch.optim.SGD(
            parameters, lr=settings.lr, momentum=0.9, weight_decay=settings.weight_decay
        )

    def forget(self) -> None:
        """Resets the moments of the optimizer, as after the weights were set from outside."""
        self.optimizer = self._make_optimizer()

    def step(
        self, policy_rows: Samples, value_rows: Samples, lr: float, parts: int = 0
    ) -> dict[str, float]:
        """Returns the parts of the loss after one step.

        Args:
            policy_rows: Samples for the policy.
            value_rows: Samples for the value and the hidden hands; if they are the same rows, these
                are evaluated once.
            lr: Learning rate of this step.
            parts: Parts of the minibatch, 0 = one per replica; never more than it has pairs of
                rows.

        Raises:
            LossNotFiniteError: The loss or gradient is not finite; no weight was changed.
        """
        fewest = min(num_rows(value_rows), num_rows(policy_rows))
        count = max(1, min(parts or len(self._replicas), len(self._replicas), fewest // 2))

        def part(rows: Samples, k: int) -> Samples:
            # A copy: kernels would be compiled once more for strided rows.
            return take(rows, np.arange(k, num_rows(rows), count))

        def gradient(k: int) -> dict[str, float]:
            own = values = part(policy_rows, k)
            if value_rows is not policy_rows:
                values = part(value_rows, k)
            return self._gradient(self._replicas[k], own, values)

        self._spread_weights(count)
        all_parts = list(
            map(gradient, range(count))
            if self._pool is None
            else self._pool.map(gradient, range(count))
        )
        self._gather_gradients(count)
        norm = self._descend(lr, CLIP)
        means = {name: float(np.mean([part[name] for part in all_parts])) for name in all_parts[0]}
        return means | {"gradient_norm": norm}

    def _descend(self, lr: float, clip: float) -> float:
        """Takes a step along the gradient, clipped to a norm; returns the norm before clipping."""
        for group in self.optimizer.param_groups:
            group["lr"] = lr
        norm = torch.nn.utils.clip_grad_norm_(self.net.parameters(), clip)
        if not torch.isfinite(norm):
            raise LossNotFiniteError(f"the norm of the gradient is {norm.item()}")
        self.optimizer.step()
        return norm.item()

    def gradient_step(
        self, rows: PolicyDecisions, settings: GradientSettings, lr: float
    ) -> dict[str, float]:
        """Returns the parts of the loss after one step of policy gradient; the statistics of batch
        normalisation are not changed.

        Args:
            rows: ``[B]``, of ``choose_rows``. Those with a policy weight teach the policy, all of
                them the value and the hidden hands. Log-probabilities are those of the draw, in the
                precision of play: ratios to them start near 1.
            settings: See GradientSettings.
            lr: Learning rate of this step.

        Raises:
            LossNotFiniteError: The loss or gradient is not finite; no weight was changed.
        """
        net = self.net.eval()
        raw, on_policy = self._outputs(net, rows.samples)
        log_prob, old = -on_policy.cross_entropy, self._on_device(rows.log_prob)
        weight = self._on_device(rows.samples.policy_weight)
        count = weight.sum().clamp(min=1.0)
        surrogate, clipped = losses.clipped_surrogate(
            log_prob, old, self._on_device(rows.advantage), SURROGATE_CLIP
        )
        policy = (surrogate * weight).sum() / count
        result = self._on_device(rows.samples.result)
        value = losses.value_loss(
            raw.value.float(), result, net.config.objective, net.value_scale, net.stake_factors
        )
        # All decisions that teach the policy count alike for the value, whatever their chance.
        counts = weight.clamp(min=1.0)
        value = (value * counts).sum() / counts.sum()
        entropy = (on_policy.entropy * weight).sum() / count
        total = policy + GRADIENT_VALUE_WEIGHT * value
        if settings.entropy:
            total = total - settings.entropy * entropy
        parts = {
            "surrogate": policy,
            "value": value,
            "clipped": (clipped * weight).sum() / count,
            "step_kl": (((log_prob - old).exp() - 1.0 - (log_prob - old)) * weight).sum() / count,
            "entropy": entropy,
        }
        numbers = self._backward(net, total, parts, raw.hidden.float(), rows.samples)
        return numbers | {"gradient_norm": self._descend(lr, GRADIENT_CLIP)}

    def _on_device(self, array: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(array).to(self.device)

    def _outputs(
        self, net: PolicyValueNet, rows: Samples, more: Samples | None = None
    ) -> tuple[RawOutputs, losses.PolicyLoss]:
        """Returns the outputs of ``net`` for ``rows``, then for ``more``, and the policy losses on
        ``rows``.
        """
        observations, *targets = encode(self.game, rows.states, rows.actions, rows.target)
        if more is not None:
            others, _ = observed_by_movers(self.game, more.states, np.arange(num_rows(more)))
            observations = np.concatenate([observations, others])
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self._half):
            raw = net(self._on_device(observations))
        policy = raw.policy[: num_rows(rows)].float()
        return raw, losses.policy_loss(policy, self._decoder, *map(self._on_device, targets))

    @torch.no_grad()
    def _spread_weights(self, count: int) -> None:
        """Copies parameters and buffers of the network to its replicas, the first ``count``."""
        for replica in self._replicas[1:count]:
            torch._foreach_copy_(list(replica.parameters()), list(self.net.parameters()))
            torch._foreach_copy_(list(replica.buffers()), list(self.net.buffers()))

    @torch.no_grad()
    def _gather_gradients(self, count: int) -> None:
        """Averages the gradients and the running statistics of the first ``count`` replicas into
        the network.
        """
        if count == 1:
            return
        replicas = self._replicas[:count]
        for parameter, *others in zip(*(replica.parameters() for replica in replicas), strict=True):
            assert parameter.grad is not None
            for other in others:
                assert other.grad is not None
                parameter.grad += other.grad
            parameter.grad /= count
        for buffer, *others in zip(*(replica.buffers() for replica in replicas), strict=True):
            if buffer.is_floating_point():
                for other in others:
                    buffer += other
                buffer /= count

    def _gradient(
        self, net: PolicyValueNet, rows: Samples, value_rows: Samples
    ) -> dict[str, float]:
        """Returns the parts of the loss on rows that teach the policy and rows that teach the
        value; leaves its gradient in the parameters of ``net``.
        """
        shared = rows is value_rows
        raw, on_policy = self._outputs(net.train(), rows, None if shared else value_rows)
        per_row = on_policy.cross_entropy
        if self.settings.divergence == "reverse":
            searched = self._on_device(np.isfinite(rows.root_value))
            per_row = torch.where(searched, on_policy.reverse_kl, per_row)
        policy = per_row.mean()
        first = 0 if shared else num_rows(rows)
        known = np.flatnonzero(np.isfinite(value_rows.result))
        outputs = raw.value[first:]
        if len(known) < len(value_rows.result):
            outputs = outputs[self._on_device(known)]
        result = self._on_device(value_rows.result[known])
        value_losses = losses.value_loss(
            outputs, result, net.config.objective, net.value_scale, net.stake_factors
        )
        value = value_losses.sum() / max(1, len(known))  # 0 if no row teaches a value
        total = policy + self.settings.value_weight * value
        parts = {
            "policy": policy,
            "value": value,
            "entropy": on_policy.entropy.mean(),
            "kl": (on_policy.cross_entropy.detach() - on_policy.target_entropy).mean(),
            "top_mass": on_policy.top_mass.mean(),
            "match": on_policy.match.mean(),
        }
        return self._backward(net, total, parts, raw.hidden[first:], value_rows)

    def _backward(
        self,
        net: PolicyValueNet,
        total: torch.Tensor,
        parts: dict[str, torch.Tensor],
        hidden: torch.Tensor,
        rows: Samples,
    ) -> dict[str, float]:
        """Adds the loss of the hidden hands to the total, leaves its gradient in ``net``, and
        returns the parts as numbers.

        Args:
            total: Loss so far.
            parts: Its parts, by name.
            hidden: Outputs of the head, for ``rows``.
        """
        if hidden.shape[1] and self.settings.hidden_weight > 0:
            on_hidden = self._hidden_loss(hidden, rows)
            nll = on_hidden.nll.mean()
            total = total + self.settings.hidden_weight * nll
            parts = parts | {"hidden": nll, "hidden_gain": on_hidden.prior_nll.mean() - nll}
        numbers = {name: part.item() for name, part in parts.items()} | {"total": total.item()}
        if not torch.isfinite(total):
            raise LossNotFiniteError(
                "the loss is not finite: " + ", ".join(f"{k} {v:g}" for k, v in numbers.items())
            )
        net.zero_grad(set_to_none=True)
        total.backward()
        return numbers

    def _hidden_loss(self, logits: torch.Tensor, rows: Samples) -> losses.HiddenLoss:
        """Returns the negative log-likelihoods (nats) of the true hidden hands: the network's and
        the prior's.
        """
        targets = self.game.hidden_targets(rows.states, seats_to_move(self.game, rows.states))
        _, fewest, most, counts, size = (
            self._on_device(np.ascontiguousarray(array)) for array in targets
        )
        return losses.hidden_loss(logits, fewest, most, counts, size)
