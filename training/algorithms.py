"""What ``algorithm=NAME`` may be, and how the command line of a training run becomes a checked configuration.

Algorithms come in kinds: one that learns networks by search (``training.config``), and those on tables (``training.tabular``).
A kind is the schema of its configuration and the trainer of its runs; a new one is a row in ``kind_of`` and a file in
``conf/algorithm``. Kinds import what they need when they are asked for, so that runs on tables do without torch.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any, NamedTuple

from runtime.configuration import choices, load, pairs, read_file
from runtime.settings import ConfigError, did_you_mean, leaf_keys
from tabular import algorithms

TEXTS = ("run_dir", "init_from", "hands")
"""Keys that are paths."""
SEARCH, NFSP, OPPONENTS = "fpmcts", "nfsp", "opponent_model"


class Kind(NamedTuple):
    """A kind of algorithm.

    Attributes:
        schema: The dataclass of the configuration of its runs.
        parse: Makes one of keys and values.
        check: Checks that a run finds its device.
        prepare: Compiles ahead what a run needs, given its configuration and what shows a line.
        trainer: Makes the trainer of a run from its configuration and its checkpoint, None for a new one.
    """

    schema: type
    parse: Callable[[Mapping[str, Any]], Any]
    check: Callable[[Any], None]
    prepare: Callable[[Any, Callable[[str], None]], None]
    trainer: Callable[[Any, Any], Any]


def kind_of(name: str) -> Kind:
    """Returns the kind of an algorithm. Raises ConfigError where there is none of that name."""
    if name in algorithms.ALGORITHMS:
        from training.tabular import TabularConfig, TabularTrainer, parse_tabular

        return Kind(TabularConfig, parse_tabular, lambda config: None, lambda config, say: None, TabularTrainer)
    if name == NFSP:
        from training import nfsp

        return Kind(nfsp.NFSPConfig, nfsp.parse_nfsp, _check_device, lambda config, say: None, nfsp.NFSPTrainer)
    if name == OPPONENTS:
        from training import opponent_model as opponents

        return Kind(
            opponents.OpponentModelConfig, opponents.parse_opponent_model, opponents.check_hands, lambda config, say: None,
            opponents.OpponentModelTrainer,
        )  # fmt: skip
    if name != SEARCH:
        names = [SEARCH, NFSP, OPPONENTS, *algorithms.ALGORITHMS]
        raise ConfigError(f"algorithm={name}: expected one of {', '.join(names)}{did_you_mean(name, names)}")
    # Torch is needed from here on: runs on tables start faster and in less memory without it.
    from agents.warmup import compile_players
    from training.config import TrainConfig, parse_config
    from training.trainer import Trainer

    def prepare(config: TrainConfig, say: Callable[[str], None]) -> None:
        heuristic_first = config.bootstrap.kind == "heuristic" and not config.init_from
        compile_players(config.game.name, say, wait=not heuristic_first)

    return Kind(TrainConfig, parse_config, _check_device, prepare, Trainer)


def _check_device(config: Any) -> None:
    from runtime.device import choose_device  # needs torch

    choose_device(config.device)


def read_run(overrides: Sequence[str]) -> tuple[Any, Kind]:
    """Returns the checked configuration of a command line such as ``["game=leduc", "algorithm=uct"]``, and its kind.

    Raises:
        ConfigError: One line that names the key, what was given and what is expected.
    """
    given = dict(pairs(overrides))
    _check_experiment(given.get("experiment", "null"))
    values = load("train", given, TEXTS)
    name = str(values["algorithm"].get("name"))
    kind = kind_of(name)
    return kind.parse(_part(values, given, name, kind.schema)), kind


def _check_experiment(name: str) -> None:
    """Raises ConfigError where a figure is asked for as if it were the settings of a run."""
    if name in choices("reproduce"):
        raise ConfigError(f"experiment={name}: is a figure of several runs; draw it with: python -m reproduce {name}")


def _part(values: Mapping[str, Any], given: Mapping[str, str], name: str, schema: type) -> dict[str, Any]:
    """Returns the keys that an algorithm has, of all that ``conf/train.yaml`` holds.

    Raises:
        ConfigError: The command line or its experiment set a key that the algorithm does not have.
    """
    known = {f.name for f in fields(schema)}
    for key, text in given.items():
        top = key.partition(".")[0]
        if top == "algorithm" and "." in key and top not in known:
            raise ConfigError(
                f"{key}={text}: algorithm={name} has no options of its own; its groups of keys are those of conf/train.yaml"
            )
        if top not in known | {"experiment", "algorithm"}:
            foreign = f"; algorithm={name} has no such key" if top in values and name != SEARCH else ""
            near = did_you_mean(key, [*known, *leaf_keys(schema), "experiment", "algorithm"])
            names = "" if near or foreign else f"; expected one of {', '.join(sorted(known | {'experiment', 'algorithm'}))}"
            raise ConfigError(f"{key}={text}: unknown key{foreign or near}{names}")
    if (experiment := given.get("experiment", "null")) != "null":
        for top in read_file("experiment", experiment):
            if top not in known | {"defaults", "algorithm"}:
                raise ConfigError(f"experiment={experiment}: sets {top}, which algorithm={name} does not have")
    return {key: value for key, value in values.items() if key in known}
