"""Losses, one number per sample; the caller weights and averages them.

Gradients repeat bit for bit on CPUs (tested on two threads): sums over the legal moves use
``index_select`` and one-dimensional ``index_add`` instead of ``x[index]``, whose gradient may add
atomically from several threads.

Source: Jiang et al., "DeltaDou", IJCAI 2019, section 4.2: l = C1 (z - v)^2 - pi^T log p + C2
||theta||^2. C2 is the weight decay of the optimizer. Deviations: ``win_stakes`` replaces the
squared error by the likelihood of the result and of the stakes won; the hidden loss is ours.
"""

import math
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

LEAST_TARGET = 1e-4
"""Floor of a target's probabilities in ``PolicyLoss.reverse_kl``, which is infinite where a target
is 0.
"""


class PolicyLoss(NamedTuple):
    """Per row ``[B]``, in nats; ``cross_entropy``, ``reverse_kl`` and ``entropy`` carry gradients.

    Attributes:
        cross_entropy: -sum_a target(a) log p(a); its minimum over noisy targets is their arithmetic
            mean.
        reverse_kl: KL(policy || target), sum_a p(a) (log p(a) - log target(a)); its minimum over
            noisy targets is their geometric mean, scaled to sum to one. Targets are raised to at
            least ``LEAST_TARGET``.
        entropy: Entropy of the policy.
        target_entropy: Entropy of the target; cross entropy minus this is KL(target || policy).
        top_mass: Probability of the policy's most likely move.
        match: 1 where the most likely moves of policy and target agree, else 0.
    """

    cross_entropy: Tensor
    reverse_kl: Tensor
    entropy: Tensor
    target_entropy: Tensor
    top_mass: Tensor
    match: Tensor


def scores(policy: Tensor, decoder: Tensor, rows: Tensor, actions: Tensor) -> Tensor:
    """Returns the score of each action, the sum of the policy outputs that the decoder lists for
    it: float32 ``[M]``.

    Args:
        policy: Policy outputs, float32 ``[B, policy_size]``.
        decoder: Integers ``[num_actions, K]``, -1 = none.
        rows: int64 ``[M]``, whose outputs.
        actions: Integers ``[M]``.
    """
    indices = decoder[actions.long()].long()
    flat = (rows[:, None] * policy.shape[1] + indices.clamp(min=0)).flatten()
    parts = policy.flatten().index_select(0, flat).view_as(indices)
    return parts.masked_fill(indices < 0, 0.0).sum(dim=1)


def policy_loss(
    policy: Tensor, decoder: Tensor, offsets: Tensor, actions: Tensor, targets: Tensor
) -> PolicyLoss:
    """Returns the divergences between targets and the policy over the legal moves, and statistics
    to log.

    Args:
        policy: Policy outputs, float32 ``[B, policy_size]``.
        decoder: Integers ``[num_actions, K]``, -1 = none.
        offsets: int64 ``[B + 1]``: the legal moves of row b are ``actions[offsets[b]:offsets[b +
            1]]``, at least one.
        actions: Integers ``[M]``, all legal moves of all rows.
        targets: float32 ``[M]``, sums to one in every row.
    """
    num_rows = len(policy)
    rows = torch.repeat_interleave(torch.arange(num_rows, device=policy.device), offsets.diff())
    logits = scores(policy, decoder, rows, actions)

    def total(values: Tensor) -> Tensor:
        return policy.new_zeros(num_rows).index_add(0, rows, values)

    def largest(values: Tensor) -> Tensor:
        return policy.new_full((num_rows,), -torch.inf).scatter_reduce(0, rows, values, "amax")

    top = largest(logits.detach())
    log_sum = total((logits - top.index_select(0, rows)).exp()).log() + top
    log_p = logits - log_sum.index_select(0, rows)
    cross_entropy = -total(targets * log_p)
    reverse_kl = total(log_p.exp() * (log_p - targets.clamp(min=LEAST_TARGET).log()))
    entropy = -total(log_p.exp() * log_p)
    with torch.no_grad():
        is_best = (logits == top.index_select(0, rows)) & (
            targets == largest(targets).index_select(0, rows)
        )
        return PolicyLoss(
            cross_entropy,
            reverse_kl,
            entropy=entropy,
            target_entropy=-total(torch.xlogy(targets, targets)),
            top_mass=(top - log_sum).exp(),
            match=(total(is_best.float()) > 0).float(),
        )


def clipped_surrogate(
    log_prob: Tensor, old_log_prob: Tensor, advantage: Tensor, clip: float
) -> tuple[Tensor, Tensor]:
    """Returns the loss of the policy gradient per row ``[B]`` and whether it was clipped (float
    ``[B]``).

    −min(r A, clip(r, 1 − ε, 1 + ε) A) with r = p / p_old. Source: Schulman et al., "Proximal policy
    optimization algorithms", 2017, eq. 7.

    Args:
        log_prob: Log-probability of the moves played under the current policy, ``[B]``; carries the
            gradient.
        old_log_prob: The same under the policy that played them, ``[B]``.
        advantage: A, ``[B]``.
        clip: ε.
    """
    ratio = (log_prob - old_log_prob).exp()
    clamped = ratio.clamp(1.0 - clip, 1.0 + clip)
    with torch.no_grad():
        clipped = (ratio * advantage > clamped * advantage).to(advantage.dtype)
    return -torch.minimum(ratio * advantage, clamped * advantage), clipped


def stake_classes(returns: Tensor, factors: Sequence[float]) -> Tensor:
    """Returns the class of each return (int64 ``[B]``): the factor of the stake that is nearest by
    ratio.

    Args:
        returns: ``[B]``, in units of the stake, of either sign.
        factors: ``GameSpec.stake_factors``, ascending.
    """
    between = [math.sqrt(low * high) for low, high in zip(factors[:-1], factors[1:], strict=True)]
    return torch.bucketize(returns.abs(), returns.new_tensor(between))


def value_loss(
    raw: Tensor, returns: Tensor, objective: str, scale: float, factors: Sequence[float]
) -> Tensor:
    """Returns the value loss per row ``[B]``.

    ``win_stakes`` (``[B, 1 + 2 F]``): negative log likelihood in nats of the result and of the
    class of the return given it. ``scalar`` (``[B, 1]``): (z - v)^2 of the normalised return
    (paper, section 4.2; its C1 is the caller's weight).

    Args:
        raw: Raw outputs of the value head, see ``RawOutputs``.
        returns: float32 ``[B]``, the mover's team's return in units of the stake.
        objective: ``wp``: the scalar head learns the sign of the return, ``adp``: the return.
        scale: ``PolicyValueNet.value_scale``.
        factors: ``PolicyValueNet.stake_factors``, F of them.
    """
    if raw.shape[1] == 1:
        normalised = returns.sign() if objective == "wp" else (returns / scale).clamp(-1, 1)
        return (normalised - raw[:, 0].tanh()).square()
    won = returns > 0
    target = won if objective == "adp" else (returns.sign() + 1) / 2  # wp: a draw is half a win
    result = functional.binary_cross_entropy_with_logits(
        raw[:, 0], target.to(raw.dtype), reduction="none"
    )
    by_result = raw[:, 1:].unflatten(1, (2, len(factors)))
    given = torch.where(won[:, None], by_result[:, 0], by_result[:, 1])
    return result + functional.cross_entropy(
        given, stake_classes(returns, factors), reduction="none"
    )


@cache
def _binomials(num_counts: int) -> Tensor:
    """Returns C(most - fewest, c - fewest), float64 ``[fewest, most, c]``, all below
    ``num_counts``; 0 for c out of bounds.
    """
    table = torch.zeros(num_counts, num_counts, num_counts, dtype=torch.float64)
    for fewest in range(num_counts):
        for most in range(fewest, num_counts):
            for count in range(fewest, most + 1):
                table[fewest, most, count] = math.comb(most - fewest, count - fewest)
    return table


class HiddenLoss(NamedTuple):
    """Per row ``[B]``, in nats; only ``nll`` carries a gradient.

    Attributes:
        nll: -log p(true hand) of the sampler with the network's corrections.
        prior_nll: The same without corrections; ``prior_nll - nll`` is what the network knows about
            the hidden hand.
    """

    nll: Tensor
    prior_nll: Tensor


def hidden_loss(
    hidden: Tensor, fewest: Tensor, most: Tensor, counts: Tensor, size: Tensor
) -> HiddenLoss:
    """Returns the exact negative log likelihood of the next seat's hand.

    p(c) is proportional to prod_r C(most_r - fewest_r, c_r - fewest_r) exp(hidden[c_r, r]) over all
    hands c with sum_r c_r = size and fewest_r <= c_r <= most_r: the hypergeometric prior, tilted
    position by position.

    Args:
        hidden: Log-odds corrections, float32 ``[B, K, L]``.
        fewest: int ``[B, L]``: cards of each position that the next seat is known to hold.
        most: int ``[B, L]``: these and all that it may hold; below K.
        counts: int ``[B, L]``: the true hand, between ``fewest`` and ``most``.
        size: int ``[B]``: cards in that hand, the sum of ``counts``.
    """
    weights = _binomials(hidden.shape[1]).to(hidden.device)[fewest.long(), most.long()]
    corrections = hidden.double().transpose(1, 2)
    true = counts.long().unsqueeze(2)
    log_true = (weights.log() + corrections).gather(2, true).sum(dim=(1, 2))
    # Factors are positive, so linear space loses nothing; the largest of each position is scaled to
    # 1 against overflow.
    top = corrections.detach().masked_fill(weights == 0, -torch.inf).amax(dim=2, keepdim=True)
    factors = weights * torch.exp((corrections - top).clamp(max=0.0))
    log_total = _coefficient(factors, size.long()).log() + top.sum(dim=(1, 2))
    with torch.no_grad():
        log_prior = weights.log().gather(2, true).sum(dim=(1, 2))
        num_free, num_drawn = (
            (most - fewest).sum(dim=1).double(),
            (size - fewest.sum(dim=1)).double(),
        )
        log_worlds = (
            torch.lgamma(num_free + 1)
            - torch.lgamma(num_drawn + 1)
            - torch.lgamma(num_free - num_drawn + 1)
        )
    return HiddenLoss(
        (log_total - log_true).to(hidden.dtype), (log_worlds - log_prior).to(hidden.dtype)
    )


def _coefficient(factors: Tensor, degree: Tensor) -> Tensor:
    """Returns the coefficient of x^degree ``[B]`` in the product of polynomials ``[B, L, K]``
    (lowest power first).

    The polynomials are multiplied in pairs, halving their number each time; of the last product one
    coefficient is enough.
    """
    num_rows, num_factors, _ = factors.shape
    missing = max(2, 1 << (num_factors - 1).bit_length()) - num_factors
    one = torch.eye(1, factors.shape[2], dtype=factors.dtype, device=factors.device)
    product = torch.cat([factors, one.expand(num_rows, missing, -1)], dim=1)
    while product.shape[1] > 2:
        left, right = product[:, 0::2], product[:, 1::2]
        length = product.shape[2]
        # Each row of the outer product is shifted one further: padding to 2 * length and reading
        # with rows of 2 * length - 1.
        outer = functional.pad(left.unsqueeze(3) * right.unsqueeze(2), (0, length))
        skewed = outer.flatten(2)[..., :-length].unflatten(2, (length, 2 * length - 1))
        product = skewed.sum(dim=2)
    rest = degree[:, None] - torch.arange(product.shape[2], device=factors.device)
    paired = product[:, 1].gather(1, rest.clamp(0, product.shape[2] - 1))
    inside = (rest >= 0) & (rest < product.shape[2])
    return (product[:, 0] * paired * inside).sum(dim=1)
