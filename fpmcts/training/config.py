"""The schema of a training run of FPMCTS: every key with its unit, range and source.

Each part is the dataclass of its consumer, whose fields carry their ranges
(``games.base.settings.setting``); this file joins them and checks them against each other.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

from fpmcts.cluster.settings import ClusterSettings
from fpmcts.players.lookup import PLAYERS, Host, entrants_of
from fpmcts.players.trained import NetworkOptions
from fpmcts.players.warmup import compile_searches
from fpmcts.search.search import SearchSettings
from fpmcts.training.algorithms import read_run
from fpmcts.training.departures import changed_keys
from fpmcts.training.heuristic_games import teachers
from fpmcts.training.interface import MinutesBudget, RunConfig
from fpmcts.training.learner_settings import GradientSettings, LearnerSettings
from fpmcts.training.selfplay import SEARCHES, SelfPlaySettings
from games import Choice
from games.base.settings import ConfigError, setting
from games.play.interface import Game, GameSpec
from inference.determinizer import InferenceSettings
from networks.resnet import OBJECTIVES, NetworkConfig

MANY = 1_000_000_000
"""Maximum games, decks or iterations of a key; those that exceed memory are refused on
allocation.
"""


@dataclass(frozen=True)
class BootstrapSettings:
    """The supervised start.

    Attributes:
        kind: "heuristic" learns from games of the heuristic player, "none" starts from random
            networks.
        teacher: "rhcp", the paper's; or "team_play": RHCP with rules for playing as a team, the
            stronger player.
        games: Number of games, >= 0. The paper: 200,000 (5.1).
        games_per_step: Games generated, then learned from once, per step; of fewer games, all.
        lr: Highest learning rate; it falls to a twentieth of it by a cosine over the bootstrap.
        epsilon: Chance that a move in the games is replaced by a random one (the target stays the
            heuristic's), for coverage.
        kept: Decisions per seat put into the reservoir at the end, so that its first policies are
            not forgotten at once.
        shared: Whether one network learns from all seats and is then copied to each: the teacher
            plays every seat alike, so each network sees three times the decisions in the same time.
            Needs an encoding that contains the seat. The paper: no.
    """

    depends: ClassVar[dict[str, str]] = {"": "kind=heuristic and .init_from=null"}
    kind: str = setting("heuristic", choices=("heuristic", "none"))
    teacher: str = setting("team_play", choices=teachers())
    games: int = setting(40_000, least=0, most=MANY)
    games_per_step: int = setting(5_000, least=1, most=MANY)
    lr: float = setting(2e-3, least=1e-12, most=10)
    epsilon: float = setting(0.02, least=0, most=1)
    kept: int = setting(5_000, least=0, most=MANY)
    shared: bool = True


@dataclass(frozen=True)
class EpisodeSettings:
    """What an iteration plays.

    Attributes:
        games: Self-play games per iteration (the paper's episode: 8,000).
        games_per_step: Games between checkpoints; of an iteration of fewer, all.
        value_games: Games per iteration that the policies play without searching; their results
            train only the value. They cost a seventieth of a searched game, and a game gives a
            value only one result to learn from. The paper: 0. Needs ``train.value_window``.
    """

    depends: ClassVar[dict[str, str]] = {"": SEARCHES}
    games: int = setting(512, least=1, most=MANY)
    games_per_step: int = setting(512, least=1, most=MANY)
    value_games: int = setting(4096, least=0, most=MANY)


@dataclass(frozen=True)
class EvaluationSettings:
    """Evaluation during training, by duplicate matches on decks that are never trained on.

    Attributes:
        baseline: The fixed opponent: any player of the game, with its default options, that does
            not play by the networks of the run: "random"; in Doudizhu "rhcp" or "pimc"; in no-limit
            Hold'em "best_hand" or "mcts".
        decks: Decks for evaluating the policy without search, every iteration; 0 = never.
        search_decks: Decks for evaluating the search, every ``search_every`` iterations; 0 = never.
        search_every: Iterations between evaluations of the search, >= 1.
        search_playouts: Playouts of the search in evaluation.
        exact_every: Iterations between computations of the policy's NashConv, where possible (Kuhn,
            Leduc); 0 = never.
    """

    depends: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("search_every", "search_playouts"), "search_decks>0"),
        "baseline": "decks>0, search_decks>0",
    }
    baseline: str = "rhcp"
    decks: int = setting(200, least=0, most=MANY)
    search_decks: int = setting(50, least=0, most=MANY)
    search_every: int = setting(50, least=1, most=MANY)
    search_playouts: int = setting(64, least=1, most=100_000)
    exact_every: int = setting(0, least=0, most=MANY)


@dataclass(frozen=True)
class RunClusterSettings(ClusterSettings):
    """The workers that play the games of a run; no result depends on them but for the lag.

    Attributes:
        lag: Iteration t is played by the weights that have learned from the iterations before t -
            lag; the filter network learns after every step. 0: players and learners wait for each
            other. 1: they work at the same time. A run keeps the lag that it was begun with.
    """

    lag: int = setting(0, least=0, most=1)


@dataclass(frozen=True)
class IterationBudget(MinutesBudget):
    """When to stop.

    Attributes:
        iterations: Iterations of self-play and policy gradient; None = no limit.
    """

    iterations: int | None = setting(None, least=0, most=MANY)


@dataclass(frozen=True)
class NetworksConfig(RunConfig):
    """A run that learns networks.

    Attributes:
        device: "auto", "cpu" or "cuda".
        precision: Of the networks in play: "float32", "bfloat16", "int8" (CPUs with AVX2);
            "auto": float32 or bfloat16, by the processor and the size of the networks
            (``networks/precision.py``); while searching int8 where bfloat16 is slow.
        remembered: Size of each worker's cache of network outputs (128 MB at most), which is
            emptied when the networks change; worthwhile in small games.
    """

    device: str = setting("auto", choices=("auto", "cpu", "cuda"))
    precision: str = setting("auto", choices=("auto", "float32", "bfloat16", "int8"))
    remembered: int = setting(0, least=0, most=100_000_000)
    network: NetworkConfig = field(default_factory=NetworkConfig)


@dataclass(frozen=True)
class TrainConfig(NetworksConfig):
    """A run of FPMCTS.

    Attributes:
        threads: Threads for self-play, 0 = all cores. On CPUs, more than 1 let each network learn
            in a thread of its own. Changes the speed and nothing else.
        init_from: Checkpoint whose networks the run starts from, instead of the bootstrap.
        objective: "wp" (chance to win) or "adp" (points): what the search maximises.
    """

    learned_by = "fpmcts.training.fpmcts:FPMCTS"
    threads: int = setting(0, least=0, most=4096)
    init_from: str | None = None
    objective: str = setting("wp", choices=OBJECTIVES)
    network: NetworkConfig = field(default_factory=lambda: NetworkConfig(objective="wp"))
    search: SearchSettings = field(default_factory=SearchSettings)
    inference: InferenceSettings = field(default_factory=InferenceSettings)
    selfplay: SelfPlaySettings = field(default_factory=SelfPlaySettings)
    episode: EpisodeSettings = field(default_factory=EpisodeSettings)
    train: LearnerSettings = field(default_factory=LearnerSettings)
    bootstrap: BootstrapSettings = field(default_factory=BootstrapSettings)
    gradient: GradientSettings = field(default_factory=GradientSettings)
    evaluation: EvaluationSettings = field(default_factory=EvaluationSettings)
    budget: IterationBudget = field(default_factory=IterationBudget)
    cluster: RunClusterSettings = field(default_factory=RunClusterSettings)

    def make_game(self) -> Game:
        """Returns the game."""
        return self.game.make()

    def departures(self) -> str:
        """Returns how many keys of a Doudizhu run differ from the paper, in a line; "" for other
        games.
        """
        if self.game.name != "doudizhu":
            return ""
        changed = changed_keys(self, read_run(["game=doudizhu", "experiment=paper"]))
        if not changed:
            return "settings of the paper; --departures lists what no setting changes"
        return f"{len(changed)} keys differ from experiment=paper; --departures lists them"

    def is_gradient(self, iteration: int) -> bool:
        """Returns whether an iteration learns by policy gradient."""
        return self.gradient.start is not None and iteration >= self.gradient.start

    def prepare(self, say: Callable[[str], None]) -> None:
        """Compiles the kernels of searches, in parallel with the games of the heuristic player if
        the run starts with them.
        """
        wait = self.bootstrap.kind == "none" or bool(self.init_from)
        compile_searches(self.game.make(), self.search.root, say, wait)

    def check(self) -> None:
        """Raises ConfigError if values contradict each other."""
        if self.network.objective != self.objective:
            raise ConfigError(
                f"network.objective={self.network.objective}: set only objective, which is "
                f"{self.objective}"
            )
        spec = check_game(self.game, self.network)
        if self.episode.value_games and not self.train.value_window:
            given = f"episode.value_games={self.episode.value_games}"
            raise ConfigError(f"{given}: needs train.value_window > 0, which stores them")
        if self.train.lead and not self.train.averaging:
            raise ConfigError(
                f"train.lead={self.train.lead}: needs train.averaging > 0, or set train.lead=0"
            )
        game, name, baseline = self.game.make(), spec.name, self.evaluation.baseline
        try:
            options = entrants_of(baseline, game, {})[baseline].options
            if isinstance(options, NetworkOptions):
                raise ValueError("would be the networks of the run; expected another player")
            options.make(Host(game, {}))
        except ValueError as error:
            raise ConfigError(f"evaluation.baseline={baseline}: {error}") from error
        self._check_bootstrap(spec)
        settings = self.inference
        if settings.phase1 != "none" and not spec.hidden_counts:
            raise ConfigError(
                f"inference.phase1={settings.phase1}: game={name} has no hidden cards that "
                "networks count; set inference=enumeration"
            )
        if settings.phase1 == "marginal" and not self.network.hidden_head:
            raise ConfigError(
                "inference.phase1=marginal: needs network.hidden_head=true; expected "
                "inference=filter or none"
            )
        if settings.phase1 == "filter" and settings.candidates < settings.particles:
            raise ConfigError(
                f"inference.candidates={settings.candidates}: expected at least "
                f"inference.particles={settings.particles}"
            )
        if (
            spec.hidden_counts
            and settings.active_below == 0
            and (settings.phase1 != "none" or settings.phase2)
        ):
            raise ConfigError(
                f"inference.active_below=0: inference would never be used in {name} "
                "(inference=enumeration is for poker); "
                "expected inference=marginal, filter or none"
            )
        if self.gradient.games % self.gradient.replays:
            raise ConfigError(
                f"gradient.games={self.gradient.games}: expected a multiple of "
                f"gradient.replays={self.gradient.replays}"
            )
        frozen, thaw = self.gradient.frozen, self.gradient.thaw
        if thaw is not None and not frozen:
            raise ConfigError(f"gradient.thaw={thaw}: needs gradient.frozen, such as [1]")
        if frozen and (self.network.shared or not set(frozen) < set(range(spec.num_roles))):
            raise ConfigError(
                f"gradient.frozen={frozen}: expected some but not all of the roles 0 to "
                f"{spec.num_roles - 1}, each with a "
                f"network of its own (network.shared={str(self.network.shared).lower()})"
            )

    def _check_bootstrap(self, spec: GameSpec) -> None:
        """Raises ConfigError if the bootstrap does not fit the game."""
        config = self.bootstrap
        if config.kind != "heuristic":
            return
        if config.teacher not in teachers(spec.name):
            games = " or ".join(PLAYERS[config.teacher].games())
            raise ConfigError(f"bootstrap.kind=heuristic: is for game={games}; set bootstrap=none")
        differ = self.network.value_head == "win_stakes" and spec.factors_of_roles
        if config.shared and differ and not self.init_from:
            raise ConfigError(
                f"bootstrap.shared=true: game={spec.name} has networks of several shapes with "
                "these options; set bootstrap.shared=false, or init_from"
            )


def check_game(choice: Choice, network: NetworkConfig) -> GameSpec:
    """Returns the spec of a game; raises ConfigError if networks cannot learn it, or not with this
    head.
    """
    try:
        game = choice.make()
        game.check_for_networks()
    except ValueError as error:
        raise ConfigError(f"game={choice.name}: {error}") from error
    if network.value_head == "win_stakes" and not game.spec.stake_factors:
        name = game.spec.name
        raise ConfigError(
            f"network.value_head=win_stakes: game={name} has no classes of stakes; set "
            "network.value_head=scalar"
        )
    if network.value_head == "win_stakes" and network.shared and game.spec.factors_of_roles:
        raise ConfigError(
            f"network.shared=true: game={game.spec.name} has other stakes in some decisions with "
            "these options; set network.shared=false or network.value_head=scalar"
        )
    if network.dense and network.hidden_head and game.spec.hidden_counts:
        raise ConfigError(
            "network.dense=true: dense networks have no head for hidden cards; set "
            "network.hidden_head=false"
        )
    return game.spec
