"""The keys of ``python evaluate.py``: what they mean, and how a command line becomes a checked configuration.

    python evaluate.py a=fpmcts a.playouts=600 b=rhcp decks=100
    python evaluate.py agents=[rhcp,small,large] small=fpmcts large=fpmcts large.playouts=600

A word that is no key of ``EvaluateConfig`` is the label of a player: ``LABEL=KIND`` says what it is, ``LABEL.OPTION=VALUE`` gives
it an option. In ``agents`` the name of a kind serves as a label too. ``experiment=NAME`` takes the keys of
``conf/evaluate/NAME.yaml`` first, in which players stand as ``player: {LABEL: {kind: KIND, OPTION: VALUE}}``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from agents.players import PLAYERS, Entrant
from evaluation.sequential import SequentialTest
from evaluation.variate import FEWEST
from games import Choice
from games.choice import games_with, option_names
from runtime.cluster import ClusterSettings
from runtime.configuration import CONF, load, pairs, read_file
from runtime.settings import ConfigError, build, did_you_mean, setting

PRESETS = CONF / "evaluate"
TEXTS = ("checkpoint", "command", "run", "decks", "save", "report", "unfinished")
"""Keys whose values are taken as they are typed."""


@dataclass
class EvaluateConfig:
    """A tournament.

    Attributes:
        game: Name of the game, or the module of a game of your own; its options are ``game.cards`` or ``cards`` alone, and so
            on.
        a: Label of the player whose score is told, with ``b``.
        b: Its opponent.
        agents: Labels of two or more players, in place of ``a`` and ``b``: all pairs.
        table: In place of both: labels of as many different players as there are seats, at one table. Each deck is played with
            them in every order of seats (``evaluation/table_match.py``), in one process; an interrupted one begins anew.
        decks: Decks of a match, each played once with the player in each team (``evaluation/duplicate.py``); or a file of decks:
            for Doudizhu see ``games/doudizhu/deck_files.py``, for poker JSON lines with ``hands`` and ``public`` cards, such as
            the saved games.
        sprt: Two shares of games won, p0 < p1: the match of ``a`` and ``b`` ends after fewer decks where it is clear which of
            them explains the results better, by a sequential test with errors of 5 % (``evaluation/sequential.py``).
        variate: Two players of a cheap match, such as [policy,rhcp]. It is played on the decks of ``a`` and ``b`` and on others,
            and the score of ``a`` is told also with the luck of the decks taken out that it shows (``evaluation/variate.py``).
            For games of two teams.
        variate_decks: Other decks, on which the mean of that match is measured.
        slow_decks: Decks of a match in which a player searches; None: as many as ``decks``.
        seed: Of the decks and of the players' random choices.
        processes: Processes at work; 0: one per core. No result depends on it.
        device: Of the networks: "auto", "cpu" or "cuda".
        aivat: Whether to tell results with the luck of the cards and of the players' own mixing taken out, too
            (``evaluation/aivat.py``); in poker.
        save: File that every game is written to, one JSON record per line; of no-limit Hold'em also hand histories, where it
            ends in .phh or .phhs.
        report: Folder for a report in Markdown and JSON, with plots.
        cluster: Who plays: processes of this machine, or actors of a Ray cluster (``runtime/cluster.py``).
        resume: Whether an interrupted evaluation is continued.
        unfinished: Folder that holds the finished games of interrupted evaluations.
    """

    game: Choice = field(default_factory=lambda: Choice("doudizhu"))
    a: str | None = None
    b: str | None = None
    agents: list[str] = field(default_factory=list)
    table: list[str] = field(default_factory=list)
    decks: str = "100"
    sprt: list[float] = field(default_factory=list)
    variate: list[str] = field(default_factory=list)
    variate_decks: int = setting(20_000, least=100, most=1_000_000)
    slow_decks: int | None = setting(None, least=1, most=1_000_000_000)
    seed: int = setting(0, least=0, most=2**31)
    processes: int = setting(0, least=0, most=4096)
    device: str = setting("auto", choices=("auto", "cpu", "cuda"))
    aivat: bool = False
    save: str | None = None
    report: str | None = None
    resume: bool = True
    unfinished: str = "runs/evaluations"
    cluster: ClusterSettings = field(default_factory=ClusterSettings)


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
    players: dict[str, Entrant]
    labels: tuple[str, ...]

    def sequential_test(self) -> SequentialTest | None:
        """Returns the test that may end the match early; None where there is none."""
        return SequentialTest(*self.config.sprt) if self.config.sprt else None

    def variate(self) -> "Tournament | None":
        """Returns the cheap match that tells the luck of the decks, the same decks first; None where there is none."""
        count = self.num_decks()
        if not self.config.variate or count is None:
            return None
        decks = str(count + self.config.variate_decks)
        config = replace(self.config, decks=decks, variate=[], slow_decks=None, aivat=False, save=None, report=None)
        return replace(self, config=config, labels=(self.config.variate[0], self.config.variate[1]))

    def num_decks(self) -> int | None:
        """Returns the number of decks that was asked for; None where they come from a file."""
        return int(self.config.decks) if self.config.decks.isdecimal() else None


def parse_command_line(arguments: Sequence[str]) -> Tournament:
    """Returns the configuration of a command line such as ``["a=fpmcts", "b=rhcp"]``.

    Raises:
        ConfigError: One line that names the key, what was given and what is expected.
    """
    own_keys = {f.name for f in fields(EvaluateConfig)}
    overrides, set_keys, given = {}, set(), dict(pairs(arguments))
    preset = _preset(given.get("experiment", "null"))
    options = option_names(given.get("game", preset.get("game", {}).get("name", "doudizhu")))
    for key, text in given.items():
        label, dot, option = key.partition(".")
        if dot and label in own_keys - {"a", "b", "cluster", "game"}:
            raise ConfigError(f"{key}={text}: {label} is a key of its own, no player")
        set_keys.add(key)
        if key == "experiment":
            overrides["evaluate"] = text
            set_keys |= set(preset)
        elif key == "game":
            overrides["game.name"] = text
        elif key in own_keys or label in ("cluster", "game"):
            overrides[key] = text
        elif key in options or (not dot and text not in PLAYERS and games_with(key)):
            overrides[f"game.{key}"] = text
        else:
            overrides[f"player.{label}.{option or 'kind'}"] = text
    values = load("evaluate", overrides, TEXTS)
    pair = {"a": values.pop("a", None), "b": values.pop("b", None)}
    players = {str(label): dict(options) for label, options in values.pop("player", {}).items()}
    for label, kind in pair.items():
        if kind is not None:
            players.setdefault(label, {})["kind"] = kind
    return parse(values | pair, players, set_keys)


def _preset(name: str) -> dict[str, Any]:
    """Returns the keys of a file in ``conf/evaluate``. Raises ConfigError where there is none of that name."""
    try:
        return {} if name == "null" else read_file("evaluate", name)
    except ConfigError as error:
        raise ConfigError(str(error).replace("evaluate=", "experiment=", 1)) from error


def parse(values: Mapping[str, Any], players_given: Mapping[str, Mapping[str, Any]], set_keys: set[str]) -> Tournament:
    """Returns the checked configuration.

    Args:
        values: Keys of ``EvaluateConfig``.
        players_given: By label: ``kind``, and options.
        set_keys: The keys that were asked for and did not come from ``conf/evaluate.yaml``.
    """
    kinds = {label: options["kind"] for label, options in players_given.items() if "kind" in options}
    options = {label: {k: v for k, v in given.items() if k != "kind"} for label, given in players_given.items()}
    options = {label: given for label, given in options.items() if given}
    config: EvaluateConfig = build(EvaluateConfig, _with_text(values))
    labels = _labels(config)
    players: dict[str, Entrant] = {}
    _check_variate(config, set_keys)
    for label in [*labels, *kinds, *config.variate]:
        _add_player(label, kinds, options, players, config.game.name, ())
    _tell_policies(players, labels)
    for label in options:
        if label not in players:
            raise ConfigError(f"{label}.{next(iter(options[label]))}: no player {label!r}; there are {', '.join(players)}")
    if config.decks.isdecimal() and not 1 <= int(config.decks) <= MOST_DECKS:
        raise ConfigError(f"decks={config.decks}: expected a number from 1 to {MOST_DECKS:,}, or a file of decks")
    _check_sprt(config)
    return Tournament(config, _with_names(players), labels)


def _check_sprt(config: EvaluateConfig) -> None:
    """Raises ConfigError where a sequential test cannot be made."""
    given = f"sprt={config.sprt}"
    if config.sprt and not (len(config.sprt) == 2 and 0.0 < config.sprt[0] < config.sprt[1] < 1.0):
        raise ConfigError(f"{given}: expected two shares of games won, 0 < p0 < p1 < 1, such as sprt=[0.5,0.51]")
    if config.sprt and (config.agents or config.table):
        raise ConfigError(f"{given}: is of the match of two players; expected a=KIND b=KIND, not agents or table")


def _check_variate(config: EvaluateConfig, set_keys: set[str]) -> None:
    """Raises ConfigError where luck cannot be told by a cheap match."""
    given = f"variate={config.variate}"
    if not config.variate:
        if "variate_decks" in set_keys:
            raise ConfigError(f"variate_decks={config.variate_decks}: of what match? expected variate=[KIND,KIND], too")
        return
    if len(config.variate) != 2 or config.variate[0] == config.variate[1]:
        raise ConfigError(f"{given}: expected two different players, such as variate=[policy,rhcp]")
    if config.agents or config.table:
        raise ConfigError(f"{given}: is for the match of two players; expected a=KIND b=KIND, not agents or table")
    if config.sprt:
        raise ConfigError(f"{given}: with sprt the match ends by its results, and scores are biased; expected one of the two")
    if not config.decks.isdecimal():
        raise ConfigError(f"{given}: expected decks=NUMBER, drawn at random, not the chosen ones of decks={config.decks}")
    fewest = min(int(config.decks), config.slow_decks or MOST_DECKS)
    if fewest < FEWEST:
        raise ConfigError(f"{given}: {fewest} decks are too few to fit a weight; expected at least {FEWEST}")


def _with_text(values: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the keys with ``decks`` as text, since it is a number or a file."""
    return {key: str(value) if key == "decks" else value for key, value in values.items()}


def _labels(config: EvaluateConfig) -> tuple[str, ...]:
    """Returns the labels of the players that meet each other."""
    pair = (config.a, config.b)
    if config.table:
        if config.agents or pair != (None, None):
            raise ConfigError("table: give either table, or agents, or a and b")
        if len(config.table) < 2 or len(set(config.table)) < len(config.table):
            raise ConfigError(f"table={config.table}: expected two or more different labels; LABEL=KIND defines one")
        return tuple(config.table)
    if config.agents:
        if pair != (None, None):
            raise ConfigError("agents: give either a and b, or agents")
        if len(config.agents) < 2 or len(set(config.agents)) < len(config.agents):
            raise ConfigError(f"agents={config.agents}: expected two or more different players")
        return tuple(config.agents)
    if None in pair:
        raise ConfigError(f"expected two players: a=KIND b=KIND, or agents=[KIND,…]; the kinds are {', '.join(PLAYERS)}")
    return ("a", "b")


def _add_player(
    label: str,
    kinds: Mapping[str, Any],
    options: Mapping[str, Any],
    players: dict[str, Entrant],
    game: str,
    above: tuple[str, ...],
) -> None:
    """Adds a player, and those that it names, to ``players``."""
    if label in players:
        return
    kind = str(kinds.get(label, label))
    if kind not in PLAYERS:
        where = f"{label}={kind}" if label in kinds else label
        near = did_you_mean(label, [f.name for f in fields(EvaluateConfig) if len(f.name) > 1]) or did_you_mean(kind, PLAYERS)
        names = ", ".join(PLAYERS)
        raise ConfigError(f"{where}: unknown player; expected one of {names}, or a label that LABEL=KIND defines{near}")
    row = PLAYERS[kind]
    if not row.plays(game):
        able = ", ".join(name for name, other in PLAYERS.items() if other.plays(game))
        raise ConfigError(f"{label}={kind}: plays {', '.join(row.games())}, not {game}, which is played by {able}")
    values = row.parse(options.get(label, {}), f"{label}.")
    if kind == "mix":
        seats = values.needs()
        if len(seats) == 0:
            raise ConfigError(f"{label}.seats: a mix needs the players of all seats, such as {label}.seats=[fpmcts,rhcp,rhcp]")
        for part in seats:
            if part == label or part in above:
                raise ConfigError(f"{label}.seats={seats}: a mix cannot play in itself")
            _add_player(part, kinds, options, players, game, (*above, label))
    given = ", ".join(f"{key}={value}" for key, value in options.get(label, {}).items() if key not in FILES)
    name = label if label not in ("a", "b") else kind
    players[label] = Entrant(values, f"{name} ({given})" if given and label in ("a", "b", kind) else name)


def _tell_policies(players: dict[str, Entrant], labels: tuple[str, ...]) -> None:
    """Fills in whose policy a local best response is told, in place: that of the one player it meets, which must have one."""
    for label, player in players.items():
        if player.kind != "lbr":
            continue
        options: Any = player.options
        against, others = options.against, [other for other in labels if other != label]
        if label not in labels or len(others) != 1 or against not in (None, *others):
            raise ConfigError(
                f"{label}=lbr: is told the policy of the one player that it meets; expected a match of {label} and "
                f"{against if against in players and against != label else 'another player'}, not of {', '.join(labels)}"
            )
        kind = players[others[0]].kind
        if not PLAYERS[kind].states_policy:
            able = ", ".join(name for name, row in PLAYERS.items() if row.states_policy)
            raise ConfigError(f"{label}=lbr against {others[0]}={kind}: {kind} cannot state its policy; expected one of {able}")
        players[label] = replace(player, options=replace(options, against=others[0]))


def _with_names(players: dict[str, Entrant]) -> dict[str, Entrant]:
    """Returns the players with names that differ."""
    names = [player.name for player in players.values()]
    return {
        label: Entrant(p.options, f"{p.name} [{label}]" if names.count(p.name) > 1 else p.name)
        for label, p in players.items()
    }
