"""The values of ``algorithm=NAME``, and the checked configuration of a training run from its
command line.

A new algorithm is a dataclass for the keys of its runs (``fpmcts.training.interface.RunConfig``), a
class with three methods (``fpmcts.training.interface.Algorithm``), a row in ``SCHEMAS`` and a file
in ``conf/algorithm``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pkgutil import resolve_name
from typing import Any

from fpmcts.configuration import choices, load, pairs, read_file
from fpmcts.tabular import algorithms
from fpmcts.training.interface import RunConfig
from games.settings import ConfigError, check_used, did_you_mean, leaf_keys

TEXTS = ("run_dir", "init_from", "hands")
"""Keys that are paths."""
SEARCH = "fpmcts"
SCHEMAS = {
    SEARCH: "fpmcts.training.config:TrainConfig",
    "nfsp": "fpmcts.nfsp.trainer:NFSPConfig",
    "opponent_model": "fpmcts.training.opponent_model:OpponentModelConfig",
    **dict.fromkeys(algorithms.ALGORITHMS, "fpmcts.training.tabular:TabularConfig"),
}
"""The configuration of runs of each algorithm, as MODULE:CLASS, so that tabular runs do not import
torch (130 MB).
"""


def schema_of(name: str) -> type[RunConfig]:
    """Returns the configuration of the runs of an algorithm. Raises ConfigError if there is none of
    that name.
    """
    if name not in SCHEMAS:
        raise ConfigError(
            f"algorithm={name}: expected one of {', '.join(SCHEMAS)}{did_you_mean(name, SCHEMAS)}"
        )
    schema: type[RunConfig] = resolve_name(SCHEMAS[name])
    return schema


def read_run(overrides: Sequence[str]) -> Any:
    """Returns the checked configuration of a command line such as ``["game=leduc",
    "algorithm=uct"]``.

    Raises:
        ConfigError: One line that names the key, what was given and what is expected.
    """
    given = dict(pairs(overrides))
    figure = given.get("experiment", "null")
    if figure in choices("papers"):
        raise ConfigError(
            f"experiment={figure}: a figure of several runs; draw it with: python -m "
            f"fpmcts.papers {figure}"
        )
    values = load("train", given, TEXTS)
    name = str(values["algorithm"].get("name"))
    schema = schema_of(name)
    network = values.pop("network", {})
    values["network"] = {"objective": values.get("objective", "wp"), **network}
    config = schema.parse(_part(values, given, name, schema))
    check_used(config, given)
    return config


def _part(
    values: Mapping[str, Any], given: Mapping[str, str], name: str, schema: type[RunConfig]
) -> dict[str, Any]:
    """Returns the keys in the files of ``conf`` that an algorithm has.

    Raises:
        ConfigError: The command line or its experiment set a key that the algorithm does not have.
    """
    known = {f.name for f in fields(schema)}
    common = {"experiment", "algorithm"}
    for key, text in given.items():
        top = key.partition(".")[0]
        if top == "algorithm" and "." in key and top not in known:
            raise ConfigError(
                f"{key}={text}: algorithm={name} has no options of its own; its groups of keys "
                "are those of conf/train.yaml"
            )
        if top in known | common and key not in schema.ignored:
            continue
        if name != SEARCH and top in values:
            why = f"; algorithm={name} has no such key"
        else:
            why = did_you_mean(key, [*known, *leaf_keys(schema), *common])
        why = why or f"; expected one of {', '.join(sorted(known | common))}"
        raise ConfigError(f"{key}={text}: unknown key{why}")
    if (experiment := given.get("experiment", "null")) != "null":
        for top in read_file("experiment", experiment):
            if top not in known | {"defaults", "algorithm"}:
                raise ConfigError(
                    f"experiment={experiment}: sets {top}, which algorithm={name} does not have"
                )
    return {key: value for key, value in values.items() if key in known}
