"""The configuration of every script: ``conf/`` and a command line, composed by Hydra.

    arguments ─▶ split ─▶ overrides ─▶ compose (conf/SCRIPT.yaml, its groups, the overrides) ─▶
    nested keys and values

``conf/SCRIPT.yaml`` lists the groups of a script; a group is a folder of files to choose from, and
``group=NAME`` on the command line chooses one. A NAME with a dot is a module outside ``conf/``,
with its file beside it. Every other ``key=value`` sets one key. The schema that takes the values
(``games.base.settings``) defines the meaning and range of keys. All errors are ConfigError: one
line that quotes the input.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from hydra import compose as hydra_compose
from hydra import initialize_config_dir
from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import InterpolationToMissingValueError, OmegaConfBaseException

from games.base.files import shipped
from games.base.settings import ConfigError, did_you_mean, typed

CONF = shipped("conf")
OPTIONAL = ("experiment", "evaluate")
"""Groups without a mandatory choice."""
KEY = re.compile(r"[\w-]+(\.[\w-]+)*")


@dataclass(frozen=True)
class CommandLine:
    """The arguments of a script.

    Attributes:
        overrides: Arguments of the form ``key=value``.
        help: Topic of the requested help: "" in general, else the words after ``--help``; None: no
            help.
        shows: Whether to print the configuration instead of running (``--cfg job``).
    """

    overrides: tuple[str, ...]
    help: str | None = None
    shows: bool = False


def split(arguments: Sequence[str]) -> CommandLine:
    """Returns the arguments of a script, sorted by kind.

    Raises:
        ConfigError: An option is unknown.
    """
    overrides, shows, left = list[str](), False, iter(arguments)
    for argument in left:
        if argument in ("-h", "--help"):
            return CommandLine((), " ".join(left))
        if argument in ("-c", "--cfg"):
            if next(left, "") != "job":
                expected = f"expected {argument} job, which prints the configuration"
                raise ConfigError(f"{argument}: {expected}")
            shows = True
        elif argument.startswith("-"):
            expected = "expected key=value, --cfg job or --help"
            raise ConfigError(f"{argument}: unknown option; {expected}")
        else:
            overrides.append(argument)
    return CommandLine(tuple(overrides), shows=shows)


def pairs(overrides: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yields the key and the text of every override.

    Raises:
        ConfigError: It is not ``key=value``, has no value, or a key is given twice.
    """
    seen = set()
    for override in overrides:
        if override.startswith("~"):
            raise ConfigError(f"{override}: a key cannot be removed; give it another value")
        key, equals, text = override.partition("=")
        key = key.lstrip("+")
        if not equals or not KEY.fullmatch(key):
            raise ConfigError(f"{override}: expected key=value, such as seed=1")
        if not text.strip():
            raise ConfigError(
                f"{key}=: the value is missing; leave the key out, or give {key}=null for none"
            )
        if key in seen:
            raise ConfigError(f"{override}: {key} is given twice")
        seen.add(key)
        yield key, text


def groups_of(script: str) -> list[str]:
    """Returns the groups that ``conf/SCRIPT.yaml`` chooses from."""
    listed = _read(CONF / f"{script}.yaml").get("defaults", [])
    return [name for item in listed if isinstance(item, dict) for name in item]


def choices(group: str) -> list[str]:
    """Returns the files of a group."""
    return sorted(path.stem for path in (CONF / group).glob("*.yaml"))


def read_file(group: str, name: str, key: str = "") -> dict[str, Any]:
    """Returns the keys of one file of a group, unresolved. Raises ConfigError if there is no such
    file; its message names the key.
    """
    _check_choice(key or group, group, name)
    return _read(CONF / group / f"{name}.yaml")


def load(script: str, overrides: Mapping[str, str], texts: Sequence[str] = ()) -> dict[str, Any]:
    """Returns the keys of a configuration, nested, with their final values.

    Args:
        script: ``conf/SCRIPT.yaml`` is what it starts from.
        overrides: Text by key: ``{"search": "puct", "search.playouts": "8"}``.
        texts: Keys (their last parts) whose values are taken literally, such as paths and commands.

    Raises:
        ConfigError: A group does not have the choice, a value cannot be parsed, or a reference has
            no target.
    """
    known = groups_of(script)
    chosen = {key: text for key, text in overrides.items() if key in known}
    for key, text in chosen.items():
        if "." in text:
            _add_choice(key, text)
        else:
            _check_choice(key, key, text)
    try:
        with initialize_config_dir(str(CONF), version_base="1.3"):
            # To choose nothing, omit the group: Hydra has no value for it.
            groups = [f"{key}={text}" for key, text in chosen.items() if text != "null"]
            composed = hydra_compose(script, groups)
        OmegaConf.set_struct(composed, False)
        for key, text in overrides.items():
            if key not in chosen:
                is_text = key.rpartition(".")[2] in texts and text != "null"
                _set(composed, key, _literal(text) if is_text else _value(key, text))
        values = OmegaConf.to_container(composed, resolve=True)
    except (HydraException, OmegaConfBaseException) as error:
        raise ConfigError(_one_line(error, overrides)) from error
    assert isinstance(values, dict)
    return {str(key): value for key, value in values.items()}


def overrides_of(keys: Mapping[str, Any], prefix: str = "") -> list[str]:
    """Returns keys given in Python as the texts of a command line.

    >>> overrides_of({"game": {"name": "goofspiel", "cards": 4}, "budget": {"minutes": None}})
    ['game=goofspiel', 'game.cards=4', 'budget.minutes=null']
    """
    found = []
    for key, value in keys.items():
        if isinstance(value, Mapping):
            if "name" in value:
                found.append(f"{prefix}{key}={value['name']}")
            rest = {name: own for name, own in value.items() if name != "name"}
            found += overrides_of(rest, f"{prefix}{key}.")
        else:
            found.append(f"{prefix}{key}={typed(value)}")
    return found


def shown(values: Mapping[str, Any]) -> str:
    """Returns a configuration as YAML."""
    return OmegaConf.to_yaml(OmegaConf.create(dict(values)))


def _check_choice(key: str, group: str, name: str) -> None:
    """Raises ConfigError unless a group has a file with that name."""
    names = choices(group)
    if name not in names and not (name == "null" and group in OPTIONAL):
        raise ConfigError(
            f"{key}={name}: expected one of {', '.join(names)}{did_you_mean(name, names)}"
        )


def _add_choice(group: str, module: str) -> None:
    """Makes the YAML file with a module's name, beside it, a choice of a group. A game without one
    uses ``conf/game/defaults/general.yaml``.

    Raises:
        ConfigError: There is no such module, or no such file.
    """
    from games.play.choice import module_file  # imports numba

    path = module_file(module, group).parent / f"{module.rpartition('.')[2]}.yaml"
    values = _read(path) if path.exists() else {}
    if group == "game":
        values = {"defaults": ["defaults/general", "_self_"], "game": {"name": module}} | values
    elif not values:
        raise ConfigError(
            f"{group}={module}: {path} is missing, which holds its settings as files of "
            f"conf/{group} do"
        )
    ConfigStore.instance().store(module, OmegaConf.create(values), group=group, package="_global_")


def _value(key: str, text: str) -> Any:
    """Returns the value of a text in Hydra's grammar. Raises ConfigError if it is invalid."""
    try:
        parsed = OverridesParser.create().parse_override(f"key={text}")
    except (HydraException, ValueError) as error:  # Python reads no thousands of digits
        raise ConfigError(
            f"{key}={text}: the value cannot be read; put it in quotes: \"{key}='…'\""
        ) from error
    if parsed.is_sweep_override():
        raise ConfigError(f"{key}={text}: expected one value; a list is written [1,2]")
    return parsed.value()


def _literal(text: str) -> str:
    """Returns a text, without enclosing quotes, escaped for OmegaConf so that ``${`` is not a
    reference.
    """
    quoted = re.fullmatch(r"(['\"])((?:(?!\1).)*)\1", text, re.DOTALL)
    return re.sub(r"(\\*)\$\{", r"\1\1\\${", quoted[2] if quoted else text)


def _set(composed: DictConfig, key: str, value: Any) -> None:
    """Sets a key of a configuration, new or old. Raises ConfigError if the part before its dot is
    not a group of keys.
    """
    group, dot, _ = key.rpartition(".")
    if dot and not OmegaConf.is_dict(OmegaConf.select(composed, group, default=DictConfig({}))):
        raise ConfigError(f"{key}={value}: {group} is a key of its own, not a group of keys")
    OmegaConf.update(composed, key, value, merge=True, force_add=True)


def _read(path: Path) -> dict[str, Any]:
    """Returns the keys of a YAML file, references unresolved. Raises ConfigError if it is not
    YAML.
    """
    try:
        values = OmegaConf.to_container(OmegaConf.load(path))
    except (OSError, OmegaConfBaseException, yaml.YAMLError) as error:
        raise ConfigError(f"{path} cannot be read: {' '.join(str(error).split())}") from error
    return {str(key): value for key, value in values.items()} if isinstance(values, dict) else {}


def _one_line(error: Exception, overrides: Mapping[str, str]) -> str:
    """Returns an error in one line, starting with the key if known."""
    message = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    key = getattr(error, "full_key", None)
    if isinstance(error, OmegaConfBaseException) and key:
        given = f"{key}={overrides[key]}" if key in overrides else str(key)
        missing = isinstance(error, InterpolationToMissingValueError)
        return f"{given}: {'refers to a key without a value' if missing else message}"
    for name, text in overrides.items():  # Hydra names the override that it could not merge
        if f"{name}=" in message:
            return f"{name}={text}: {message}"
    return message
