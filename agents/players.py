"""Players by name, with options: what ``a=fpmcts a.playouts=600`` means.

A kind of player is a row of ``KINDS``: its options (a dataclass whose docstring explains them), their ranges, and how it is made.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from agents.agent import Agent
from agents.external import ExternalAgent
from agents.mix import MixAgent
from agents.pimc import PIMCAgent
from agents.policy import PolicyAgent
from agents.random_agent import RandomAgent
from agents.rhcp import RHCPAgent
from agents.rlcard_rule import RLCardRuleAgent
from agents.search_agent import SearchAgent
from agents.trained import Trained, checkpoint_file, load_trained
from fpmcts.search import SearchSettings
from games.interface import Game
from games.kernels import ROOT
from networks.checkpoint import CheckpointError

INF = float("inf")


@dataclass
class NoOptions:
    """This player has no options."""


@dataclass
class PolicyOptions:
    """The policy network without search.

    Attributes:
        checkpoint: A checkpoint or the folder of a run; none: the weights that come with the project.
        temperature: 0 plays the most likely move, T > 0 draws from softmax(logits / T).
    """

    checkpoint: str | None = None
    temperature: float = 0.0


@dataclass
class FPMCTSOptions:
    """Fictitious-Play MCTS with inference.

    Attributes:
        checkpoint: A checkpoint or the folder of a run; none: the weights that come with the project.
        root: "gumbel" or "puct".
        playouts: Simulations per move; with ``seconds`` the most there may be.
        seconds: Time per move in place of a number of playouts; such a match cannot be repeated exactly. None: playouts alone.
        worlds: Worlds drawn per move; 0: as many as playouts, at most 64.
        inference: false deals the hidden cards from the prior.
        phase1: "filter", "marginal" or "none"; "trained": as in training.
        c: Exploration constant of p-UCT.
        strength: gumbel: logits per unit of advantage.
        considered: gumbel: moves that sequential halving starts from.
        solve: Whether sure wins are looked for.
        objective: "wp" or "adp"; "trained": as in training.
    """

    checkpoint: str | None = None
    root: str = "gumbel"
    playouts: int = 64
    seconds: float | None = None
    worlds: int = 0
    inference: bool = True
    phase1: str = "trained"
    c: float = 2.0
    strength: float = 24.0
    considered: int = 8
    solve: bool = True
    objective: str = "trained"


@dataclass
class PIMCOptions:
    """Perfect-information Monte Carlo with an exact solver of endgames.

    Attributes:
        worlds: Most worlds per move.
        candidates: Most moves that are compared.
        solver_cards: The solver is asked from this many cards in all hands on.
        max_nodes: Nodes of the solver per position.
        objective: "wp", the chance to win, or "adp", points.
        margin: How much better than the play-outs' choice another move must be, in standard errors of the difference.
        playouts: Who plays the worlds out: "rhcp", or "team", RHCP with rules for partners.
    """

    worlds: int = 64
    candidates: int = 16
    solver_cards: int = 9
    max_nodes: int = 3000
    objective: str = "wp"
    margin: float = 0.0
    playouts: str = "team"


@dataclass
class ExternalOptions:
    """Any program that speaks the protocol of ``docs/external-players.md``.

    Attributes:
        command: How it is started, with arguments.
        seconds: Time that it has for a move.
    """

    command: str = ""
    seconds: float = 10.0


@dataclass
class MixOptions:
    """Different players in the seats.

    Attributes:
        seats: The labels of players, in the order of the seats.
    """

    seats: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Player:
    """A player with its options.

    Attributes:
        label: As on the command line.
        kind: A key of KINDS.
        options: Of the kind's dataclass.
        name: For reports.
    """

    label: str
    kind: str
    options: Any
    name: str


class PlayerError(ValueError):
    """A player that cannot be made; the message names it and says why."""


class Maker:
    """Makes players of one game; networks are loaded once per file.

    Args:
        game: The game.
        rules: Name of its rule set, which networks must have learned.
        players: By label.
        device: Of the networks.
        lanes: Positions that a search holds at once.
    """

    def __init__(self, game: Game, rules: str, players: Mapping[str, Player], device: str = "cpu", lanes: int = 128) -> None:
        self.game, self.rules, self.players, self.device, self.lanes = game, rules, players, device, lanes
        self._trained: dict[tuple[Path, str | None], Trained] = {}

    def make(self, label: str) -> Agent:
        """Returns a new player. Raises PlayerError where it cannot be made."""
        player = self.players[label]
        try:
            return KINDS[player.kind].make(self, player)
        except PlayerError:
            raise
        except ValueError as error:
            raise PlayerError(f"{label}={player.kind}: {error}") from error

    def trained(self, checkpoint: str | None, objective: str | None = None) -> Trained:
        """Returns the networks of a checkpoint, those that come with the project if it is None."""
        path = checkpoint_of(self.game.spec.name, checkpoint)
        if (path, objective) not in self._trained:
            trained = load_trained(path, self.game.spec.name, device=self.device, objective=objective)
            if trained.rules != self.rules:
                raise CheckpointError(f"{path} learned the rules {trained.rules!r}; this match plays {self.rules!r}")
            self._trained[path, objective] = trained
        return self._trained[path, objective]


def checkpoint_of(game: str, checkpoint: str | None) -> Path:
    """Returns the file of a checkpoint, None being the weights that come with the project. Raises CheckpointError."""
    if checkpoint is not None:
        path = checkpoint_file(checkpoint)
        if not path.exists():
            raise CheckpointError(f"there is no checkpoint at {path}; give a file or the folder of a run")
        return path
    path = ROOT / "models" / f"{game}.safetensors"
    if not path.exists():
        raise CheckpointError(f"no weights come with the project for {game}; train some and give checkpoint=RUN_DIR")
    return path


def _policy(maker: Maker, player: Player) -> Agent:
    options: PolicyOptions = player.options
    trained = maker.trained(options.checkpoint)
    return PolicyAgent(trained.game, trained.evaluator.evaluate, options.temperature, player.name)


def _fpmcts(maker: Maker, player: Player) -> Agent:
    o: FPMCTSOptions = player.options
    trained = maker.trained(o.checkpoint, None if o.objective == "trained" else o.objective)
    inference = trained.inference
    if not o.inference:
        inference = replace(inference, phase1="none", phase2=False)
    elif o.phase1 != "trained":
        inference = replace(inference, phase1=o.phase1)
    search = SearchSettings(
        root=o.root, playouts=o.playouts, worlds=o.worlds or min(o.playouts, 64), c=o.c, strength=o.strength,
        considered=o.considered, solve=o.solve, gumbel_noise=0.0,
    )  # fmt: skip
    return SearchAgent(
        trained.game, trained.evaluator, trained.determinizer_maker(inference), search,
        win_only=trained.objective == "wp", max_positions=maker.lanes, name=player.name, seconds=o.seconds,
    )  # fmt: skip


def _pimc(maker: Maker, player: Player) -> Agent:
    return PIMCAgent(maker.game, **vars(player.options), name=player.name)


def _external(maker: Maker, player: Player) -> Agent:
    o: ExternalOptions = player.options
    if not o.command.strip():
        raise ValueError(f"an external player needs {player.label}.command='program arguments'")
    return ExternalAgent(maker.game, o.command, o.seconds, name=player.name)


def _mix(maker: Maker, player: Player) -> Agent:
    o: MixOptions = player.options
    made = {label: maker.make(label) for label in dict.fromkeys(o.seats)}
    return MixAgent(maker.game, [made[label] for label in o.seats], name=player.name)


class Kind(NamedTuple):
    """A kind of player.

    Attributes:
        options: The dataclass of its options.
        make: Makes one.
        slow: Whether it searches: it then plays fewer decks at a time, and in a ladder fewer decks.
        games: The games that it can play; empty: all.
        choices: Allowed values of options that are names.
        ranges: Allowed ranges of options that are numbers.
    """

    options: type
    make: Callable[[Maker, Player], Agent]
    slow: bool = False
    games: tuple[str, ...] = ()
    choices: dict[str, tuple[str, ...]] = {}
    ranges: dict[str, tuple[float, float]] = {}


KINDS: dict[str, Kind] = {
    "random": Kind(NoOptions, lambda maker, player: RandomAgent(maker.game)),
    "rlcard_rule": Kind(NoOptions, lambda maker, player: RLCardRuleAgent(maker.game), games=("doudizhu",)),
    "rhcp": Kind(NoOptions, lambda maker, player: RHCPAgent(maker.game), games=("doudizhu",)),
    "pimc": Kind(
        PIMCOptions,
        _pimc,
        slow=True,
        games=("doudizhu",),
        choices={"objective": ("wp", "adp"), "playouts": ("team", "rhcp")},
        ranges={
            "worlds": (1, 65_536),
            "candidates": (2, 1024),
            "solver_cards": (0, 54),
            "max_nodes": (1, 1_000_000_000),
            "margin": (0, 100),
        },
    ),
    "policy": Kind(PolicyOptions, _policy, ranges={"temperature": (0, 100)}),
    "fpmcts": Kind(
        FPMCTSOptions,
        _fpmcts,
        slow=True,
        choices={
            "root": ("gumbel", "puct"),
            "phase1": ("trained", "marginal", "filter", "none"),
            "objective": ("trained", "wp", "adp"),
        },
        ranges={
            "playouts": (1, 100_000),
            "seconds": (1e-3, 3600),
            "worlds": (0, 65_536),
            "c": (1e-9, INF),
            "strength": (1e-9, INF),
            "considered": (1, 1024),
        },
    ),
    "external": Kind(ExternalOptions, _external, slow=True, ranges={"seconds": (1e-3, 3600)}),
    "mix": Kind(MixOptions, _mix, slow=True),
}
"""Every kind of player by its name."""
