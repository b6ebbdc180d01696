"""The values of ``algorithm=NAME``, and the checked configuration of a training run from its
command line.

A new algorithm is a dataclass for the keys of its runs (``fpmcts.training.interface.RunConfig``), a
class with three methods (``fpmcts.training.interface.Algorithm``), a row in ``SCHEMAS`` and a file
in ``conf/algorithm``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from fpmcts.configuration import choices, load, pairs, read_file
from fpmcts.tabular import algorithms
from fpmcts.training.interface import RunConfig
from fpmcts.training.run_folder import keys_of, may_change, other_run
from games.base.settings import ConfigError, check_used, did_you_mean, leaf_keys

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
    return resolve_name(SCHEMAS[name])


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
    stored = _stored(given)
    names = {key: stored[key]["name"] for key in ("game", "algorithm") if key in stored}
    values = load("train", names | given, TEXTS)
    name = str(values["algorithm"].get("name"))
    schema = schema_of(name)
    _take(values, stored, given, schema.may_change)
    network = values.pop("network", {})
    values["network"] = {"objective": values.get("objective", "wp"), **network}
    config = schema.parse(_part(values, given, name, schema))
    check_used(config, given)
    return config


def _stored(given: Mapping[str, str]) -> dict[str, Any]:
    """Returns the keys of the existing run that a command line names by ``run_dir``, {} if there is
    none; only the seed if an experiment sets the others. Raises RunFolderError for another game or
    algorithm.
    """
    stored = keys_of(Path(given["run_dir"])) if "run_dir" in given else {}
    for key, default in (("game", None), ("algorithm", SEARCH)):
        name = stored.get(key, {}).get("name", default)
        if stored and given.get(key, name) != name:
            raise other_run(given["run_dir"], key, name, given[key])
    stored.get("network", {}).pop("objective", None)  # follows ``objective``
    return {k: v for k, v in stored.items() if "experiment" not in given or k == "seed"}


def _take(
    values: dict[str, Any],
    stored: Mapping[str, Any],
    given: Mapping[str, str],
    free: tuple[str, ...],
    prefix: str = "",
) -> None:
    """Replaces values by those of an existing run, except what is given, alone or by its group, and
    what may change.
    """
    for name, value in stored.items():
        key = f"{prefix}{name}"
        if key in given and key not in ("game", "algorithm"):
            continue
        if isinstance(value, dict):
            values[name] = own if isinstance(own := values.get(name), dict) else {}
            _take(values[name], value, given, free, f"{key}.")
        elif not may_change(key, free):
            values[name] = value


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
