"""Settings of learning: from searched games, and by policy gradient."""

from dataclasses import dataclass, field
from typing import ClassVar

from games.base.settings import setting

DIVERGENCES = ("forward", "reverse")
"""Values of ``LearnerSettings.divergence``."""


def falling(initial: float, iterations: int, halving: float) -> float:
    """Returns initial / (1 + iterations / halving), or ``initial`` where halving is 0."""
    return initial / (1.0 + iterations / halving) if halving > 0 else initial


class Decaying:
    """A learning rate that falls."""

    lr: float
    lr_halving: float

    def rate(self, iterations: int) -> float:
        """Returns the learning rate after a number of iterations of its kind."""
        return falling(self.lr, iterations, self.lr_halving)


@dataclass(frozen=True)
class LearnerSettings(Decaying):
    """Settings of learning.

    Attributes:
        batch_size: Rows per step; with a value window, half train the policy and half the value.
        optimizer: "adamw" or "sgd" (momentum 0.9).
        lr: Initial learning rate, > 0.
        lr_halving: Iterations of self-play after which the rate has halved: lr / (1 + iteration /
            lr_halving). 0 = constant.
        weight_decay: C2 of the paper, >= 0.
        divergence: Loss between policy and search. "forward" (the paper): cross entropy; the policy
            becomes the mean of its targets, as fictitious play requires. "reverse": KL(policy ||
            target); it becomes their geometric mean, in which the noise of the advantages cancels
            before the softmax. Heuristic moves always use cross entropy.
        value_weight: C1 of the paper, >= 0. It can undo the normalisation of the value:
            ``network.value_scale``² counts the errors of a ``scalar`` value in units of the stake.
        hidden_weight: Weight of the hidden-hand loss (nats), >= 0.
        reuse: How often a new sample is used on average: steps per iteration = reuse · new samples
            / batch_size.
        least_steps: Minimum steps of a network per iteration, >= 0; with few samples, the first
            policies would otherwise persist.
        reservoir: Capacity per seat of the reservoir that the policy learns from, a uniform sample
            of all decisions ever seen.
        recency: The policy learns from a sample in proportion to (iteration + 1) ^ recency, >= 0.
            0, the paper: all decisions ever seen count alike. 1: linear averaging, as in CFR+
            (Tammelin 2014), in which the first answers fade sooner.
        recency_halving: Iterations after which the recency has halved: recency / (1 + iteration /
            recency_halving). The first answers fade early on, and late averages swing less. 0 =
            constant.
        value_window: Capacity per seat of the window of recent samples the value learns from; 0 =
            from the reservoir (the paper).
        averaging: Steps over which the weights that play, are measured and saved are averaged
            (exponentially); 0 = the latest weights (the paper).
        lead: If > 0, self-play uses w + lead · (w - average) instead of the average of the weights
            w. Networks lag behind the average policy, so that play swings around the equilibrium;
            answering the policy to which they are moving damps this (Shamma & Arslan, "Dynamic
            fictitious play", 2005).
    """

    depends: ClassVar[dict[str, str]] = {
        "recency_halving": "recency>0",
        "hidden_weight": ".network.hidden_head=true",
    }
    batch_size: int = setting(512, least=2, most=1_000_000)
    optimizer: str = setting("adamw", choices=("adamw", "sgd"))
    lr: float = setting(5e-4, least=1e-12, most=10)
    lr_halving: float = setting(150.0, least=0)
    weight_decay: float = setting(1e-4, least=0, most=10)
    divergence: str = setting("reverse", choices=DIVERGENCES)
    value_weight: float = setting(1.0, least=0)
    hidden_weight: float = setting(0.05, least=0)
    reuse: float = setting(4.0, least=1e-9, most=1_000_000)
    least_steps: int = setting(0, least=0, most=1_000_000_000)
    reservoir: int = setting(200_000, least=1, most=1_000_000_000)
    recency: float = setting(8.0, least=0, most=100)
    recency_halving: float = setting(0.0, least=0)
    value_window: int = setting(150_000, least=0, most=1_000_000_000)
    averaging: int = setting(60, least=0, most=1_000_000_000)
    lead: float = setting(0.0, least=0, most=100)

    def recency_at(self, iteration: int) -> float:
        """Returns the recency in an iteration."""
        return falling(self.recency, iteration, self.recency_halving)


@dataclass(frozen=True)
class GradientSettings(Decaying):
    """Settings of the iterations that learn by policy gradient, from games played without search.

    The games cost a seventieth of searched ones and their results are unbiased, but noisy: it still
    improves policies when searches with the network's own values no longer do
    (docs/experiments.md). Source: proximal policy optimisation (Schulman et al. 2017) with
    generalised advantages, every game used once.

    Attributes:
        start: Iteration at which policy gradient starts; 0: right after the bootstrap, or from
            ``init_from``. None: never (the paper).
        frozen: Roles with frozen networks, counted from 0; the others learn to exploit them. In
            Doudizhu, [1, 2] trains an exploiter of the peasants, whose gain is a lower bound on
            their exploitability.
        thaw: Iterations of policy gradient after which the frozen roles learn, too. None: never.
        games: Games per iteration, a multiple of ``replays``.
        replays: Games of each deal, >= 1. What the others of a deal show of its luck is subtracted
            from the advantages (``policy_games.subtract_luck``).
        lr: Learning rate of the first of these iterations, > 0.
        lr_halving: Iterations after which the rate has halved: lr / (1 + iterations since the first
            / lr_halving). 0 = constant.
        entropy: Weight of the policy's entropy in nats, >= 0, relative to advantages of deviation
            1. With hidden hands it keeps self-play from cycling (Sokota et al., "A unified approach
            to reinforcement learning, quantal response equilibria, and two-player zero-sum games",
            2023), at the cost of some probability for weak moves.
        exploration: Probability, in [0, 1], that a random legal move replaces the policy's; it
            teaches only the value. The other seats thus learn to answer rare moves, made with any
            hand.
        averaging: Steps of the exponential average of the weights that are evaluated and saved, >=
            0, at first fewer: a quarter of those taken. The latest weights play the games. 0: no
            averaging.
    """

    depends: ClassVar[dict[str, str]] = {"": "start"}
    start: int | None = setting(20, least=0, most=1_000_000_000)
    frozen: list[int] = field(default_factory=list)
    thaw: int | None = setting(None, least=0, most=1_000_000_000)
    games: int = setting(16_384, least=1, most=1_000_000_000)
    replays: int = setting(4, least=1, most=1_000_000)
    lr: float = setting(1e-4, least=1e-12, most=10)
    lr_halving: float = setting(40.0, least=0)
    entropy: float = setting(0.0, least=0)
    exploration: float = setting(0.0, least=0, most=1)
    averaging: int = setting(600, least=0, most=1_000_000_000)
