"""Players by name, with options: what ``a=fpmcts a.playouts=600`` means.

A kind of player is a row of ``KINDS``: its options (``agents/player_options.py``), their ranges, and how it is made.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from agents.agent import Agent
from agents.doudizhu.pimc import PIMCAgent
from agents.doudizhu.rhcp import RHCPAgent
from agents.doudizhu.rlcard_rule import RLCardRuleAgent
from agents.general.external import ExternalAgent
from agents.general.mix import MixAgent
from agents.general.policy import PolicyAgent
from agents.general.random_agent import RandomAgent
from agents.general.search_agent import SearchAgent
from agents.player_options import (
    ExternalOptions,
    FPMCTSOptions,
    LocalBestResponseOptions,
    MixOptions,
    NoOptions,
    PIMCOptions,
    PolicyOptions,
    TabularOptions,
)
from agents.poker.always_call import AlwaysCallAgent
from agents.poker.local_best_response import LocalBestResponseAgent
from agents.poker.tabular import POLICIES, TabularAgent, TabularPolicy, load_tabular, run_file
from agents.trained import Trained, checkpoint_file, load_trained
from games import poker
from games.interface import Game
from games.kernels import ROOT
from games.poker.game import LimitPoker
from networks.checkpoint import CheckpointError

INF = float("inf")
MOST_WORLDS, MOST_PARTICLES = 256, 1024
"""Worlds per move and particles of a search that was not told how many."""
IN_MATCHES: dict[str, dict[str, Any]] = {"doudizhu": {"prior_floor": 2e-3, "rollout": 0.9}}
"""Settings of searches that are not those of training, by game."""
POKER = tuple(poker.GAMES)


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
        rules: Name of its rule set, which networks must have learned; "" where it has none.
        players: By label.
        device: Of the networks.
        lanes: Positions that a search holds at once.
        networks: Those of players without a checkpoint, as in the matches of a run that is training; None: the weights that
            come with the project.
    """

    def __init__(
        self, game: Game, rules: str, players: Mapping[str, Player], device: str = "cpu", lanes: int = 128,
        networks: Trained | None = None,
    ) -> None:  # fmt: skip
        self.game, self.rules, self.players, self.device, self.lanes = game, rules, players, device, lanes
        self.networks = networks
        self._trained: dict[tuple[Path, str | None], Trained] = {}
        self._tables: dict[tuple[Path, str], TabularPolicy] = {}

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
        """Returns the networks of a checkpoint; if it is None, those given, or those that come with the project."""
        if checkpoint is None and self.networks is not None:
            return self.networks
        path = checkpoint_of(self.game.spec.name, checkpoint)
        if (path, objective) not in self._trained:
            trained = load_trained(path, self.game.spec.name, device=self.device, objective=objective)
            learned = getattr(trained.game, "rules_name", "")  # of games that have rule sets
            if learned != self.rules:
                raise CheckpointError(f"{path} learned the rules {learned!r}; this match plays {self.rules!r}")
            if trained.game.spec.num_seats != (seats := self.game.spec.num_seats):
                raise CheckpointError(f"{path} plays with {trained.game.spec.num_seats} players; this match has {seats}")
            self._trained[path, objective] = trained
        return self._trained[path, objective]

    def tables(self, options: TabularOptions) -> TabularPolicy:
        """Returns the policy of a tabular run. Raises CheckpointError."""
        key = run_file(options.run), options.policy
        if key not in self._tables:
            self._tables[key] = load_tabular(key[0], _poker(self.game), options.policy)
        return self._tables[key]


def _poker(game: Game) -> LimitPoker:
    """Returns a game that is known to be poker."""
    assert isinstance(game, LimitPoker)
    return game


def file_of(game: str, options: Any) -> Path | None:
    """Returns the file that a player with some options reads, None if there is none.

    Raises:
        CheckpointError: It is not there.
    """
    if isinstance(options, TabularOptions):
        if not options.run:
            raise CheckpointError("expected run=FOLDER, the folder of a run of train.py algorithm=…")
        path = run_file(options.run)
        if not path.is_file():
            raise CheckpointError(f"there is no run of a tabular algorithm at {options.run}; give the folder of one")
        return path
    return checkpoint_of(game, options.checkpoint) if hasattr(options, "checkpoint") else None


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
    temperature = float(maker.game.spec.mixes) if options.temperature is None else options.temperature
    return PolicyAgent(trained.game, trained.evaluator.evaluate, temperature, player.name)


def _tabular(maker: Maker, player: Player) -> Agent:
    return TabularAgent(maker.tables(player.options), player.name)


def _local_best_response(maker: Maker, player: Player) -> Agent:
    o: LocalBestResponseOptions = player.options
    assert o.against is not None  # the configuration fills it in
    against: Any = maker.make(o.against)
    return LocalBestResponseAgent(_poker(maker.game), against, o.boards, player.name)


def _given(options: FPMCTSOptions, *keys: str) -> dict[str, Any]:
    """Returns the options of these names that are not None."""
    return {key: value for key in keys if (value := getattr(options, key)) is not None}


def _fpmcts(maker: Maker, player: Player) -> Agent:
    o: FPMCTSOptions = player.options
    trained = maker.trained(o.checkpoint, None if o.objective == "trained" else o.objective)
    inference = trained.inference
    if not o.inference:
        inference = replace(inference, phase1="none", phase2=False)
    elif o.phase1 != "trained":
        inference = replace(inference, phase1=o.phase1)
    particles = o.particles or max(inference.particles, min(o.playouts, MOST_PARTICLES))
    candidates = max(inference.candidates, particles)
    inference = replace(inference, particles=particles, candidates=candidates, **_given(o, "ess_floor"))
    worlds = o.worlds or min(o.playouts, MOST_WORLDS)
    given = IN_MATCHES.get(maker.game.spec.name, {}) | _given(
        o, "c", "strength", "considered", "prior_floor", "rollout", "solve"
    )
    search = replace(trained.search, root=o.root, playouts=o.playouts, worlds=worlds, gumbel_noise=0.0, **given)
    return SearchAgent(
        trained.game, trained.evaluator, trained.determinizer_maker(inference), search,
        win_only=trained.objective == "wp", max_positions=maker.lanes, name=player.name, seconds=o.seconds,
        temperature=o.temperature,
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
        states_policy: Whether it can say with which probabilities it moves (``agents.agent.OpenPolicy``).
        choices: Allowed values of options that are names.
        ranges: Allowed ranges of options that are numbers.
    """

    options: type
    make: Callable[[Maker, Player], Agent]
    slow: bool = False
    games: tuple[str, ...] = ()
    states_policy: bool = False
    choices: dict[str, tuple[str, ...]] = {}
    ranges: dict[str, tuple[float, float]] = {}


KINDS: dict[str, Kind] = {
    "random": Kind(NoOptions, lambda maker, player: RandomAgent(maker.game), states_policy=True),
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
    "always_call": Kind(
        NoOptions, lambda maker, player: AlwaysCallAgent(_poker(maker.game)), games=POKER, states_policy=True
    ),
    "tabular": Kind(TabularOptions, _tabular, games=POKER, states_policy=True, choices={"policy": POLICIES}),
    "lbr": Kind(LocalBestResponseOptions, _local_best_response, slow=True, games=POKER, ranges={"boards": (1, 1_000_000)}),
    "policy": Kind(PolicyOptions, _policy, states_policy=True, ranges={"temperature": (0, 100)}),
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
            "prior_floor": (1e-12, 1),
            "rollout": (0, 1),
            "particles": (0, 65_536),
            "ess_floor": (0, 1),
            "temperature": (0, 100),
        },
    ),
    "external": Kind(ExternalOptions, _external, slow=True, ranges={"seconds": (1e-3, 3600)}),
    "mix": Kind(MixOptions, _mix, slow=True),
}
"""Every kind of player by its name."""
