"""The keys of ``python evaluate.py``, and the parser from a command line to a checked
configuration.

    python evaluate.py a=fpmcts a.playouts=600 b=rhcp decks=100
    python evaluate.py agents=[rhcp,small,large] small=fpmcts large=fpmcts large.playouts=600

A word that is neither a key of ``EvaluateConfig`` nor an option of the game is the label of a
player: ``LABEL=KIND`` sets its kind, ``LABEL.OPTION=VALUE`` an option. The name of a kind in
``fpmcts.players`` serves as a label too. ``experiment=NAME`` first takes the keys of
``conf/evaluate/NAME.yaml``, which gives players as ``player: {LABEL: {kind: KIND, OPTION:
VALUE}}``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar

from fpmcts.cluster.settings import ClusterSettings
from fpmcts.configuration import load, pairs, read_file
from fpmcts.players.lookup import PLAYERS, Entrant
from games import Choice
from games.base.settings import ConfigError, build, check_used, did_you_mean, setting
from games.play.choice import games_with, option_names

TEXTS = ("checkpoint", "command", "run", "decks", "save", "report", "unfinished")
"""Keys whose values are taken literally."""
MOST_DECKS = 10_000_000
FILES = ("checkpoint", "command", "run")
"""Options of players that are left out of their names."""


@dataclass
class EvaluateConfig:
    """A match or a tournament.

    Attributes:
        game: Name of the game, or the module of a game of your own; OPTION=VALUE or
            game.OPTION=VALUE sets its options.
        agents: Labels of two or more players that meet in all pairs, instead of a and b.
        table: One label per seat, for matches at one table in every order of seats.
        decks: Number of decks of a match, each played once with the player in each team; or a file
            of decks or saved games.
        sprt: Two shares of games won, such as [0.5,0.51]: the match ends as soon as it is clear
            which of the two holds.
        slow_decks: Decks of a match with a searching player; null: same as decks.
        seed: Seed of the decks and of the players' random choices.
        processes: Processes at work; 0: one per core; no result depends on it, but for players
            with a limit of time.
        device: Device of the networks.
        aivat: Whether to also report results with the luck of the cards removed, in poker.
        calibration: Whether to also report how often ``a`` won beside the chances to win that its
            networks stated at its first decision in the first role (in Doudizhu as landlord).
        save: File for a record of every game; hand histories if it ends in .phh or .phhs.
        report: Folder for a report in Markdown and JSON, with plots.
        resume: Whether to continue an interrupted evaluation.
        unfinished: Folder that holds the finished games of interrupted evaluations.
        cluster: Where the games are played: by processes on this machine, or by actors of a Ray
            cluster.
    """

    depends: ClassVar[dict[str, str]] = {
        "processes": "cluster.kind=none",
        **dict.fromkeys(("sprt", "calibration"), "agents=[] and table=[]"),
        **dict.fromkeys(("aivat", "save", "report"), "table=[]"),
    }
    game: Choice = field(default_factory=lambda: Choice("doudizhu"))
    agents: list[str] = field(default_factory=list)
    table: list[str] = field(default_factory=list)
    decks: str = "100"
    sprt: list[float] = field(default_factory=list)
    slow_decks: int | None = setting(None, least=1, most=1_000_000_000)
    seed: int = setting(0, least=0, most=2**31)
    processes: int = setting(0, least=0, most=4096)
    device: str = setting("auto", choices=("auto", "cpu", "cuda"))
    aivat: bool = False
    calibration: bool = False
    save: str | None = None
    report: str | None = None
    resume: bool = True
    unfinished: str = "runs/evaluations"
    cluster: ClusterSettings = field(default_factory=ClusterSettings)


KEYS = tuple(f.name for f in fields(EvaluateConfig))


@dataclass(frozen=True)
class Tournament:
    """A checked configuration.

    Attributes:
        config: The keys.
        players: All players by label, including those that others need.
        labels: The players that meet each other, in order.
    """

    config: EvaluateConfig
    players: dict[str, Entrant]
    labels: tuple[str, ...]


def parse_command_line(arguments: Sequence[str]) -> Tournament:
    """Returns the configuration of a command line such as ``["a=fpmcts", "b=rhcp"]``.

    Raises:
        ConfigError: One line that names the key, what was given and what is expected.
    """
    given = dict(pairs(arguments))
    preset = given.get("experiment", "null")
    values = {} if preset == "null" else read_file("evaluate", preset, "experiment")
    game = given.get("game") or values.get("game", {}).get("name", "doudizhu")
    options, overrides = option_names(game), {}
    for key, text in given.items():
        label, dot, option = key.partition(".")
        if key in ("experiment", "game"):
            full = {"experiment": "evaluate", "game": "game.name"}[key]
        elif key in KEYS or label in ("game", "cluster"):
            full = key
        elif label in KEYS:
            raise ConfigError(f"{key}={text}: {label} is a key of its own, not a player")
        elif key in options:
            full = f"game.{key}"
        elif not dot and text not in PLAYERS and (able := games_with(key)):
            raise ConfigError(f"{key}={text}: is an option of {', '.join(able)}, not of {game}")
        else:
            full = f"player.{label}.{option or 'kind'}"
        overrides[full] = text
    values = load("evaluate", overrides, TEXTS)
    values["decks"] = str(EvaluateConfig.decks if values.get("decks") is None else values["decks"])
    players = {str(label): dict(options) for label, options in values.pop("player", {}).items()}
    config = build(EvaluateConfig, values)
    check_used(config, overrides)
    if (key := "cluster.unit_games") in overrides:
        raise ConfigError(f"{key}={overrides[key]}: has no effect on the tasks of a match")
    tournament = _checked(config, players)
    searching = [kind for kind, row in PLAYERS.items() if row.slow]
    if "slow_decks" in overrides and not any(
        p.kind in searching for p in tournament.players.values()
    ):
        raise ConfigError(
            f"slow_decks={config.slow_decks}: has no effect without one of {', '.join(searching)}"
        )
    for key, text in overrides.items():
        group, _, name = key.partition(".")
        label, _, option = name.partition(".")
        if group == "player" and label not in tournament.players:
            typed = label if option == "kind" else name
            met = f"a player of the match ({', '.join(tournament.players)})"
            near = did_you_mean(label, [*KEYS, *tournament.players])
            raise ConfigError(f"{typed}={text}: {label} is neither a key nor {met}{near}")
    return tournament


def _checked(config: EvaluateConfig, given: Mapping[str, Mapping[str, Any]]) -> Tournament:
    """Returns the tournament for keys and players, each with ``kind`` and options."""
    labels = _labels(config, given)
    players: dict[str, Entrant] = {}
    for label in labels:
        _add_player(label, given, players, config.game.name)
    _add_opponents(players, labels)
    if config.decks.isdecimal() and not 1 <= int(config.decks) <= MOST_DECKS:
        expected = f"expected a number from 1 to {MOST_DECKS:,}, or a file of decks"
        raise ConfigError(f"decks={config.decks}: {expected}")
    if config.sprt:
        if len(config.sprt) != 2 or not 0.0 < config.sprt[0] < config.sprt[1] < 1.0:
            expected = "expected two shares of games won, 0 < p0 < p1 < 1, such as sprt=[0.5,0.51]"
            raise ConfigError(f"sprt={config.sprt}: {expected}")
    names = [player.name for player in players.values()]
    players = {
        label: replace(p, name=f"{p.name} [{label}]" if names.count(p.name) > 1 else p.name)
        for label, p in players.items()
    }
    return Tournament(config, players, labels)


def _labels(config: EvaluateConfig, given: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...]:
    """Returns the labels of the players that meet each other."""
    pair = [label for label in ("a", "b") if "kind" in given.get(label, {})]
    listed = config.agents or config.table or pair
    if (config.agents and config.table) or not set(pair) <= set(listed):
        raise ConfigError("expected one of the three: a and b, agents, or table")
    if listed is pair and len(pair) < 2:
        raise ConfigError(
            "expected two players: a=KIND b=KIND, or agents=[KIND,…]; the kinds are "
            f"{', '.join(PLAYERS)}"
        )
    if len(listed) < 2 or len(set(listed)) < len(listed):
        key = "agents" if config.agents else "table"
        raise ConfigError(f"{key}={listed}: expected two or more different players")
    return tuple(listed)


def _add_player(
    label: str,
    given: Mapping[str, Mapping[str, Any]],
    players: dict[str, Entrant],
    game: str,
    above: tuple[str, ...] = (),
) -> None:
    """Adds a player, and those that it names, to ``players``.

    Args:
        label: Of the player.
        given: The options of each label, as typed.
        players: By label; changed.
        game: Name of the game.
        above: The players that need it.
    """
    if label in players:
        return
    values = {key: value for key, value in given.get(label, {}).items() if key != "kind"}
    kind = str(given.get(label, {}).get("kind", label))
    if kind not in PLAYERS:
        what = f"{label}={kind}" if kind != label else label
        near = did_you_mean(label, KEYS) or did_you_mean(kind, PLAYERS)
        known = f"expected one of {', '.join(PLAYERS)}, or a label that LABEL=KIND defines"
        raise ConfigError(f"{what}: unknown player; {known}{near}")
    row = PLAYERS[kind]
    if not row.plays(game):
        able = ", ".join(name for name, other in PLAYERS.items() if other.plays(game))
        raise ConfigError(
            f"{label}={kind}: plays {', '.join(row.games())}, not {game}, which is played by {able}"
        )
    options = row.parse(values, f"{label}.")
    if kind == "mix" and not options.needs():
        example = f"such as {label}.seats=[fpmcts,rhcp,rhcp]"
        raise ConfigError(f"{label}.seats: a mix needs the players of all seats, {example}")
    for part in options.needs() if kind != "lbr" else []:  # its opponent is in the match
        if part == label or part in above:
            raise ConfigError(f"{label}={kind}: needs {part}; a player cannot play in itself")
        _add_player(part, given, players, game, (*above, label))
    shown = ", ".join(f"{key}={value}" for key, value in values.items() if key not in FILES)
    name = kind if label in ("a", "b") else label
    if shown and label in ("a", "b", kind):
        name += f" ({shown})"
    players[label] = Entrant(options, name)


def _add_opponents(players: dict[str, Entrant], labels: tuple[str, ...]) -> None:
    """Fills in the policy that a local best response may read: that of its only opponent, which
    must state it.
    """
    for label, player in players.items():
        if player.kind != "lbr":
            continue
        options: Any = player.options
        against, others = options.against, [other for other in labels if other != label]
        if label not in labels or len(others) != 1 or against not in (None, *others):
            other = against if against in players and against != label else "another player"
            expected = f"expected a match of {label} and {other}, not of {', '.join(labels)}"
            raise ConfigError(f"{label}=lbr: reads the policy of its only opponent; {expected}")
        met = players[others[0]]
        if not met.options.states_policy:
            able = ", ".join(name for name, row in PLAYERS.items() if row.states_policy)
            expected = f"{met.kind} cannot state its policy; expected one of {able}"
            raise ConfigError(f"{label}=lbr against {others[0]}={met.kind}: {expected}")
        players[label] = replace(player, options=replace(options, against=others[0]))
