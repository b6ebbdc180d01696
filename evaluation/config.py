"""The keys of ``python evaluate.py``: what they mean, and how a command line becomes a checked configuration.

    python evaluate.py a=fpmcts a.playouts=600 b=rhcp decks=100
    python evaluate.py agents=[rhcp,small,large] small=fpmcts large=fpmcts large.playouts=600

A word that is no key of ``EvaluateConfig`` is the label of a player: ``LABEL=KIND`` says what it is, ``LABEL.OPTION=VALUE`` gives
it an option. In ``agents`` the name of a kind serves as a label too. ``experiment=NAME`` takes the keys of
``conf/evaluate/NAME.yaml`` first.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import yaml
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from agents.player_options import LocalBestResponseOptions, MixOptions
from agents.players import KINDS, Player
from games import GAMES, make
from games.doudizhu.moves import RULE_SETS
from games.interface import Game
from games.kernels import ROOT
from runtime.settings import ConfigError, build, check, check_ranges

PRESETS = ROOT / "conf" / "evaluate"


@dataclass
class EvaluateConfig:
    """A tournament.

    Attributes:
        game: Name of the game.
        rules: Rule set of Doudizhu: "standard" or "douzero".
        players: Number of players of limit_holdem, 2 or 3; None: the game's own default.
        a: Label of the player whose score is told, with ``b``.
        b: Its opponent.
        agents: Labels of two or more players, in place of ``a`` and ``b``: all pairs.
        decks: Decks of a match, each played once with the player in each team (``evaluation/duplicate.py``); or a file of decks:
            for Doudizhu see ``games/doudizhu/deck_files.py``, for poker JSON lines with ``hands`` and ``public`` cards, such as
            the saved games.
        slow_decks: Decks of a match in which a player searches; None: as many as ``decks``.
        seed: Of the decks and of the players' random choices.
        processes: Processes at work; 0: one per core. No result depends on it.
        device: Of the networks: "auto", "cpu" or "cuda".
        save: File that every game is written to, one JSON record per line.
        report: Folder for a report in Markdown and JSON, with plots.
        resume: Whether an interrupted evaluation is continued.
        unfinished: Folder that holds the finished games of interrupted evaluations.
    """

    game: str = "doudizhu"
    rules: str = "standard"
    players: int | None = None
    a: str | None = None
    b: str | None = None
    agents: list[str] = field(default_factory=list)
    decks: str = "100"
    slow_decks: int | None = None
    seed: int = 0
    processes: int = 0
    device: str = "auto"
    save: str | None = None
    report: str | None = None
    resume: bool = True
    unfinished: str = "runs/evaluations"

    def game_options(self) -> dict[str, Any]:
        """Returns the options of the game that were given or have a default here."""
        values = {key: getattr(self, key) for key, names in GAME_KEYS.items() if self.game in names}
        return {key: value for key, value in values.items() if value is not None}


GAME_KEYS = {"rules": ("doudizhu",), "players": ("limit_holdem",)}
"""The keys that are options of a game, and the games that have them."""

CHOICES = {"game": tuple(GAMES), "rules": RULE_SETS, "device": ("auto", "cpu", "cuda")}
RANGES = {"seed": (0.0, 2.0**31), "players": (2.0, 3.0), "slow_decks": (1.0, 1e9), "processes": (0.0, 4096.0)}
MOST_DECKS = 10_000_000
FILES = ("checkpoint", "command", "run")
"""Options of players that their names do not show."""


@dataclass(frozen=True)
class Tournament:
    """A checked configuration.

    Attributes:
        config: The keys.
        players: All players by label, those that only a mix names included.
        labels: The players that meet each other, in order.
    """

    config: EvaluateConfig
    players: dict[str, Player]
    labels: tuple[str, ...]

    def num_decks(self) -> int | None:
        """Returns the number of decks that was asked for; None where they come from a file."""
        return int(self.config.decks) if self.config.decks.isdecimal() else None


def make_game(config: EvaluateConfig) -> Game:
    """Returns the game of a configuration. Raises ConfigError where it does not take its options."""
    try:
        return make(config.game, **config.game_options())
    except ValueError as error:
        raise ConfigError(f"game={config.game}: {error}") from error


def parse_command_line(arguments: Sequence[str]) -> Tournament:
    """Returns the configuration of a command line such as ``["a=fpmcts", "b=rhcp"]``.

    Raises:
        ConfigError: One line that names the key, what was given and what is expected.
    """
    given: dict[str, Any] = {}
    own_keys = {f.name for f in fields(EvaluateConfig)}
    for argument in arguments:
        key, equals, text = argument.partition("=")
        if not equals or not key:
            raise ConfigError(f"{argument}: expected key=value, such as decks=100")
        try:
            value = yaml.safe_load(text) if not key.endswith((".command", ".run", "decks", "save", "report")) else text
        except yaml.YAMLError as error:
            raise ConfigError(f"{argument}: the value is no YAML") from error
        label, dot, option = key.partition(".")
        if key == "experiment":
            given = _preset(str(value)) | given
        elif dot and label not in own_keys - {"a", "b"}:
            given.setdefault(f"{label}.", {})[option] = value
        else:
            given[key] = value
    return parse(given)


def _preset(name: str) -> dict[str, Any]:
    """Returns the keys of a file in ``conf/evaluate``, the options of label x under ``x.``."""
    path = PRESETS / f"{name}.yaml"
    if not path.exists():
        raise ConfigError(f"experiment={name}: expected one of {', '.join(sorted(p.stem for p in PRESETS.glob('*.yaml')))}")
    try:
        values = OmegaConf.to_container(OmegaConf.load(path))
    except (OmegaConfBaseException, yaml.YAMLError) as error:
        raise ConfigError(f"experiment={name}: {path} cannot be read: {error}") from error
    assert isinstance(values, dict)
    keys: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, dict):
            keys[str(key) + "."] = {option: v for option, v in value.items() if option != "player"}
            if "player" in value:
                keys[str(key)] = value["player"]
        else:
            keys[str(key)] = value
    return keys


def parse(given: Mapping[str, Any]) -> Tournament:
    """Returns the checked configuration of keys and values; the options of the player ``x`` are a mapping under ``x.``."""
    own_keys = {f.name for f in fields(EvaluateConfig)}
    kinds = {key: value for key, value in given.items() if key not in own_keys and not key.endswith(".")}
    options = {key.removesuffix("."): value for key, value in given.items() if key.endswith(".")}
    config: EvaluateConfig = build(EvaluateConfig, _with_text({key: given[key] for key in own_keys if key in given}))
    check(config, CHOICES, RANGES)
    for key, games in GAME_KEYS.items():
        if key in given and config.game not in games:
            raise ConfigError(f"{key}={given[key]}: no option of {config.game}; {', '.join(games)} has it")
    labels = _labels(config)
    for label in ("a", "b"):
        if getattr(config, label) is not None:
            kinds[label] = getattr(config, label)
    players: dict[str, Player] = {}
    for label in [*labels, *kinds]:
        _add_player(label, kinds, options, players, config.game, ())
    _tell_policies(players, labels)
    for label in options:
        if label not in players:
            raise ConfigError(f"{label}.{next(iter(options[label]))}: no player {label!r}; there are {', '.join(players)}")
    if config.decks.isdecimal() and not 1 <= int(config.decks) <= MOST_DECKS:
        raise ConfigError(f"decks={config.decks}: expected a number from 1 to {MOST_DECKS:,}, or a file of decks")
    return Tournament(config, _with_names(players), labels)


def _with_text(values: dict[str, Any]) -> dict[str, Any]:
    """Returns the keys with ``decks`` as text, since it is a number or a file."""
    return {key: str(value) if key == "decks" else value for key, value in values.items()}


def _labels(config: EvaluateConfig) -> tuple[str, ...]:
    """Returns the labels of the players that meet each other."""
    pair = (config.a, config.b)
    if config.agents:
        if pair != (None, None):
            raise ConfigError("agents: give either a and b, or agents")
        if len(config.agents) < 2 or len(set(config.agents)) < len(config.agents):
            raise ConfigError(f"agents={config.agents}: expected two or more different players")
        return tuple(config.agents)
    if None in pair:
        raise ConfigError(f"expected two players: a=KIND b=KIND, or agents=[KIND,…]; the kinds are {', '.join(KINDS)}")
    return ("a", "b")


def _add_player(
    label: str,
    kinds: Mapping[str, Any],
    options: Mapping[str, Any],
    players: dict[str, Player],
    game: str,
    above: tuple[str, ...],
) -> None:
    """Adds a player, and those that it names, to ``players``."""
    if label in players:
        return
    kind = str(kinds.get(label, label))
    if kind not in KINDS:
        where = f"{label}={kind}" if label in kinds else label
        raise ConfigError(f"{where}: unknown player; expected one of {', '.join(KINDS)}, or a label that LABEL=KIND defines")
    row = KINDS[kind]
    if row.games and game not in row.games:
        able = ", ".join(name for name, other in KINDS.items() if not other.games or game in other.games)
        raise ConfigError(f"{label}={kind}: plays {', '.join(row.games)}, not {game}, which is played by {able}")
    values = build(row.options, options.get(label, {}), f"{label}.")
    check_ranges(values, f"{label}.")
    if isinstance(values, MixOptions):
        if len(values.seats) == 0:
            raise ConfigError(f"{label}.seats: a mix needs the players of all seats, such as {label}.seats=[fpmcts,rhcp,rhcp]")
        for part in values.seats:
            if part == label or part in above:
                raise ConfigError(f"{label}.seats={values.seats}: a mix cannot play in itself")
            _add_player(part, kinds, options, players, game, (*above, label))
    given = ", ".join(f"{key}={value}" for key, value in options.get(label, {}).items() if key not in FILES)
    name = label if label not in ("a", "b") else kind
    players[label] = Player(label, kind, values, f"{name} ({given})" if given and label in ("a", "b", kind) else name)


def _tell_policies(players: dict[str, Player], labels: tuple[str, ...]) -> None:
    """Fills in whose policy a local best response is told, in place: that of the one player it meets, which must have one."""
    for label, player in players.items():
        if not isinstance(player.options, LocalBestResponseOptions):
            continue
        against, others = player.options.against, [other for other in labels if other != label]
        if label not in labels or len(others) != 1 or against not in (None, *others):
            raise ConfigError(
                f"{label}=lbr: is told the policy of the one player that it meets; expected a match of {label} and "
                f"{against if against in players and against != label else 'another player'}, not of {', '.join(labels)}"
            )
        kind = players[others[0]].kind
        if not KINDS[kind].states_policy:
            able = ", ".join(name for name, row in KINDS.items() if row.states_policy)
            raise ConfigError(f"{label}=lbr against {others[0]}={kind}: {kind} cannot state its policy; expected one of {able}")
        players[label] = replace(player, options=replace(player.options, against=others[0]))


def _with_names(players: dict[str, Player]) -> dict[str, Player]:
    """Returns the players with names that differ."""
    names = [player.name for player in players.values()]
    return {
        label: Player(label, p.kind, p.options, f"{p.name} [{label}]" if names.count(p.name) > 1 else p.name)
        for label, p in players.items()
    }
