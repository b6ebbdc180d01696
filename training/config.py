"""The schema of ``conf/``: every key of a training run with its unit, range and source.

Each part is the dataclass of its consumer; this file joins them, checks a Hydra configuration against them (an unknown key, a
wrong type or a value out of range is an error that names the key) and keeps the checks in one table.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from omegaconf import DictConfig, OmegaConf

from agents.doudizhu.heuristic_games import TEACHERS
from fpmcts.learner import DIVERGENCES, GradientSettings, LearnerSettings
from fpmcts.search import SearchSettings
from fpmcts.selfplay import SelfPlaySettings
from games import GAMES, make
from inference.determinizer import InferenceSettings
from networks.resnet import OBJECTIVES, VALUE_HEADS, NetworkConfig
from runtime.settings import Choices, ConfigError, Ranges, build, check, flatten_config


@dataclass(frozen=True)
class GameSettings:
    """The game and its options; None where it has no such option.

    Attributes:
        name: A key of ``games.GAMES``.
        rules: doudizhu: named rule set.
        encoding: doudizhu: of the observations, "default" or "paper".
        suits: leduc: whether tables tell suits apart; networks never do.
        players: limit_holdem: number of players.
        abstraction: limit_holdem: of tables; networks see the cards.
    """

    name: str = "doudizhu"
    rules: str | None = None
    encoding: str | None = None
    suits: bool | None = None
    players: int | None = None
    abstraction: str | None = None

    def options(self) -> dict[str, Any]:
        """Returns the options that are given."""
        return {key: value for key, value in asdict(self).items() if key != "name" and value is not None}


@dataclass(frozen=True)
class BootstrapSettings:
    """The supervised start.

    Attributes:
        kind: "heuristic" learns from games of the heuristic player, "none" starts from random networks.
        teacher: "rhcp", the paper's; or "team_play": RHCP with rules for playing as a team, the stronger player.
        games: Number of games, >= 0. The paper: 200,000 (5.1).
        games_per_step: Games generated, then learned from once, per step.
        lr: Highest learning rate; it falls to a twentieth of it by a cosine over the bootstrap.
        epsilon: Chance that a move in the games is replaced by a random one (the target stays the heuristic's), for coverage.
        kept: Decisions per seat put into the reservoir at the end, so that its first policies are not forgotten at once.
        shared: Whether one network learns from all seats and is then copied to each: the teacher plays every seat alike, so each
            network sees three times the decisions in the same time. Needs an encoding that tells the seat. The paper: no.
    """

    kind: str = "heuristic"
    teacher: str = "team_play"
    games: int = 60_000
    games_per_step: int = 5_000
    lr: float = 2e-3
    epsilon: float = 0.02
    kept: int = 5_000
    shared: bool = True


@dataclass(frozen=True)
class EpisodeSettings:
    """What an iteration plays.

    Attributes:
        games: Self-play games per iteration (the paper's episode: 8,000).
        games_per_step: Games between checkpoints.
        value_games: Games per iteration that the policies play without searching; their results teach the value alone. They
            cost a seventieth of a searched game and a value learns from results, of which each game has one. The paper: 0.
            Needs ``train.value_window``.
    """

    games: int = 512
    games_per_step: int = 512
    value_games: int = 4096


@dataclass(frozen=True)
class EvaluationSettings:
    """Evaluation during training, by duplicate matches on decks that are never trained on.

    Attributes:
        baseline: The fixed opponent: "random"; in Doudizhu "rhcp" or "rlcard_rule"; in poker "always_call".
        decks: Decks for the policy without search, every iteration; 0 = never.
        search_decks: Decks for the search, every ``search_every`` iterations; 0 = never.
        search_every: See above, >= 1.
        search_playouts: Playouts of the search in evaluation.
        exact_every: NashConv of the policy every so many iterations, where it can be computed (Kuhn, Leduc); 0 = never.
    """

    baseline: str = "rhcp"
    decks: int = 500
    search_decks: int = 50
    search_every: int = 10
    search_playouts: int = 64
    exact_every: int = 0


@dataclass(frozen=True)
class BudgetSettings:
    """When to stop. Attributes: minutes: wall clock over all sessions of the run; iterations: self-play iterations. None = no
    bound.
    """

    minutes: float | None = None
    iterations: int | None = None


@dataclass(frozen=True)
class TrainConfig:
    """A training run.

    Attributes:
        run_dir: Folder of the run; None makes ``runs/<game>-<seed>``.
        seed: Of everything random in the run, >= 0.
        device: "auto", "cpu" or "cuda".
        threads: Threads for self-play and, on CPUs, for learning; 0 = all cores. Changes the speed and nothing else.
        precision: Of the networks in play: "auto", "float32" or "bfloat16".
        remembered: Observations whose answers each worker keeps until the networks change, >= 0; pays in small games.
        resume: Whether an existing run is continued; if not, it is an error to meet one.
        init_from: Checkpoint whose networks the run starts from, in place of the bootstrap.
        objective: "wp" (chance to win) or "adp" (points): what the search maximises.
    """

    run_dir: str | None = None
    seed: int = 0
    device: str = "auto"
    threads: int = 0
    precision: str = "auto"
    remembered: int = 0
    resume: bool = True
    init_from: str | None = None
    objective: str = "wp"
    game: GameSettings = field(default_factory=lambda: GameSettings(rules="standard", encoding="default"))
    network: NetworkConfig = field(default_factory=lambda: NetworkConfig(objective="wp"))
    search: SearchSettings = field(default_factory=lambda: SearchSettings(root="gumbel", playouts=16, worlds=16, slots=4))
    inference: InferenceSettings = field(default_factory=InferenceSettings)
    selfplay: SelfPlaySettings = field(default_factory=SelfPlaySettings)
    episode: EpisodeSettings = field(default_factory=EpisodeSettings)
    train: LearnerSettings = field(default_factory=LearnerSettings)
    bootstrap: BootstrapSettings = field(default_factory=BootstrapSettings)
    gradient: GradientSettings = field(default_factory=GradientSettings)
    evaluation: EvaluationSettings = field(default_factory=EvaluationSettings)
    budget: BudgetSettings = field(default_factory=BudgetSettings)

    def run_name(self) -> str:
        """Returns the name of the folder of a run that was given none."""
        return f"{self.game.name}-{self.seed}"

    def as_dict(self) -> dict[str, Any]:
        """Returns the configuration as plain nested dictionaries."""
        return asdict(self)


CHOICES: Choices = {
    "device": ("auto", "cpu", "cuda"),
    "precision": ("auto", "float32", "bfloat16"),
    "objective": OBJECTIVES,
    "network.objective": OBJECTIVES,
    "game.name": tuple(GAMES),
    "game.rules": (None, "standard", "douzero"),
    "game.encoding": (None, "default", "paper"),
    "network.value_head": VALUE_HEADS,
    "search.root": ("puct", "gumbel"),
    "inference.phase1": ("marginal", "filter", "none"),
    "selfplay.searching": ("all", "one"),
    "train.optimizer": ("adamw", "sgd"),
    "train.divergence": DIVERGENCES,
    "train.store": ("reservoir", "window"),
    "bootstrap.kind": ("heuristic", "none"),
    "bootstrap.teacher": TEACHERS,
    "evaluation.baseline": ("rhcp", "rlcard_rule", "random", "always_call"),
}
"""Allowed values of the keys that are names; None = not given."""

DOUDIZHU_BASELINES = ("rhcp", "rlcard_rule")

_INF = math.inf
RANGES: Ranges = {
    "seed": (0, 2**31),
    "threads": (0, 4096),
    "remembered": (0, 100_000_000),
    "network.channels": (1, 4096),
    "network.blocks": (0, 100),
    "network.head_channels": (1, 1024),
    "network.head_units": (1, 65_536),
    "search.playouts": (1, 100_000),
    "search.prior_floor": (1e-12, 1),
    "search.rollout": (0, 1),
    "search.c": (1e-9, _INF),
    "search.worlds": (1, 65_536),
    "search.slots": (1, 1024),
    "search.considered": (1, 1024),
    "search.strength": (1e-9, _INF),
    "search.signal": (1e-9, _INF),
    "search.gumbel_noise": (0, 1),
    "selfplay.lanes": (1, 1_000_000),
    "selfplay.unit_games": (0, 1_000_000),
    "selfplay.exploration": (0, 1),
    "selfplay.full_share": (1e-9, 1),
    "selfplay.temperature_start": (1e-9, 100),
    "selfplay.temperature_end": (0, 100),
    "selfplay.temperature_iterations": (1, _INF),
    "selfplay.opening_moves": (0, _INF),
    "selfplay.late_temperature": (0, 1),
    "episode.games": (1, _INF),
    "episode.games_per_step": (1, _INF),
    "episode.value_games": (0, _INF),
    "train.batch_size": (2, 1_000_000),
    "train.lr": (1e-12, 10),
    "train.lr_halving": (0, _INF),
    "train.weight_decay": (0, 10),
    "train.value_weight": (0, _INF),
    "train.hidden_weight": (0, _INF),
    "train.reuse": (1e-9, _INF),
    "train.least_steps": (0, _INF),
    "train.reservoir": (1, _INF),
    "train.recency": (0, 100),
    "train.value_window": (0, _INF),
    "train.clip": (1e-9, _INF),
    "train.averaging": (0, _INF),
    "bootstrap.games": (0, _INF),
    "bootstrap.games_per_step": (1, _INF),
    "bootstrap.lr": (1e-12, 10),
    "bootstrap.epsilon": (0, 1),
    "bootstrap.kept": (0, _INF),
    "gradient.start": (0, _INF),
    "gradient.games": (1, _INF),
    "gradient.certain": (1e-9, 2),
    "gradient.certain_share": (0, 1),
    "gradient.decay": (0, 1),
    "gradient.clip": (1e-9, _INF),
    "gradient.batch_size": (1, 1_000_000),
    "gradient.lr": (1e-12, 10),
    "gradient.value_weight": (0, _INF),
    "gradient.averaging": (0, _INF),
    "evaluation.decks": (0, _INF),
    "evaluation.search_decks": (0, _INF),
    "evaluation.search_every": (1, _INF),
    "evaluation.search_playouts": (1, 100_000),
    "evaluation.exact_every": (0, _INF),
    "budget.minutes": (0, _INF),
    "budget.iterations": (0, _INF),
    "inference.candidates": (1, 1_000_000),
    "inference.temperature": (1e-9, _INF),
    "inference.epsilon": (0, 1),
    "inference.ess_floor": (0, 1),
    "inference.active_below": (0, 100),
    "inference.history": (0, _INF),
    "inference.particles": (1, 65_536),
}
"""Allowed ranges, ends included."""


def parse_config(raw: DictConfig | Mapping[str, Any]) -> TrainConfig:
    """Returns the checked configuration.

    Raises:
        ConfigError: An unknown key, a wrong type, or a value out of its range; one line naming the key and what is allowed.
    """
    values = OmegaConf.to_container(raw, resolve=True) if isinstance(raw, DictConfig) else dict(raw)
    assert isinstance(values, dict)
    config: TrainConfig = build(TrainConfig, {str(key): value for key, value in values.items()})
    check(config, CHOICES, RANGES)
    if config.network.objective != config.objective:
        raise ConfigError(f"network.objective={config.network.objective}: set objective alone, which is {config.objective}")
    try:
        game = make(config.game.name, **config.game.options())
    except ValueError as error:
        raise ConfigError(f"game={config.game.name}: {error}") from error
    if config.episode.value_games and not config.train.value_window:
        raise ConfigError(f"episode.value_games={config.episode.value_games}: needs train.value_window > 0, where they are kept")
    if config.game.name != "doudizhu":
        for key, value in (
            ("bootstrap.kind", config.bootstrap.kind == "heuristic"),
            ("network.value_head", config.network.value_head == "win_bombs"),
            ("inference.phase1", config.inference.phase1 == "filter"),
            ("evaluation.baseline", config.evaluation.baseline in DOUDIZHU_BASELINES),
        ):
            if value:
                given = dict(flatten_config(config))[key]
                raise ConfigError(f"{key}={given}: is for game=doudizhu; conf/poker.yaml has what game={game.spec.name} needs")
    elif config.evaluation.baseline == "always_call":
        raise ConfigError("evaluation.baseline=always_call: is for poker; expected one of rhcp, rlcard_rule, random")
    return config
