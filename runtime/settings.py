"""From nested keys and values to checked dataclasses, for the configurations of training and of evaluation.

The schema of a configuration is a dataclass whose fields are annotated with their types and carry their ranges (``setting``);
every error is one line that names the key, what was given and what is allowed.
"""

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, field, fields, is_dataclass, replace
from difflib import get_close_matches
from typing import Any

from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException


class ConfigError(ValueError):
    """A configuration that cannot be used; the message names the key."""


def setting(
    default: Any = MISSING,
    *,
    least: float | None = None,
    most: float | None = None,
    choices: tuple[Any, ...] | None = None,
    or_module: bool = False,
    default_factory: Any = MISSING,
) -> Any:
    """Returns a dataclass field that carries its own bounds, for ``check_ranges``.

    Args:
        default: Of the field. default_factory: In its place for lists.
        least: Smallest allowed value; None = no bound.
        most: Largest allowed value; None = no bound.
        choices: Allowed values, where they are names.
        or_module: Whether the name of a module, with a dot, is allowed besides.
    """
    bounds = {"least": least, "most": most, "choices": choices, "or_module": or_module}
    return field(default=default, default_factory=default_factory, metadata=bounds)


def check_ranges(config: Any, prefix: str = "") -> None:
    """Checks every leaf of a configuration against the bounds of its ``setting``; None is allowed where the type allows it.

    Raises:
        ConfigError: Naming the key, what was given and what is allowed.
    """
    for f in fields(config):
        value, key = getattr(config, f.name), prefix + f.name
        if is_dataclass(value):
            check_ranges(value, f"{key}.")
        else:
            check_value(key, value, f.metadata)


def check_value(key: str, value: Any, bounds: Mapping[str, Any]) -> None:
    """Checks one value against the metadata of its field."""
    least, most, choices = bounds.get("least"), bounds.get("most"), bounds.get("choices")
    is_module = bounds.get("or_module") and "." in str(value)
    if choices is not None and value not in choices and not is_module:
        names = [str(name) for name in choices if name is not None]
        raise ConfigError(f"{key}={value}: expected one of {', '.join(names)}{did_you_mean(str(value), names)}")
    if value is None or (least is None and most is None):
        return
    if (least is not None and not value >= least) or (most is not None and not value <= most):
        raise ConfigError(f"{key}={value}: expected {allowed(bounds)}")


def allowed(bounds: Mapping[str, Any]) -> str:
    """Returns what the metadata of a field allows, in words; "" where it allows everything."""
    if bounds.get("choices") is not None:
        return "one of " + ", ".join(str(name) for name in bounds["choices"] if name is not None)
    ends = (("at least", bounds.get("least")), ("at most", bounds.get("most")))
    return " and ".join(
        f"{side} {bound:,}" if isinstance(bound, int) else f"{side} {bound:g}" for side, bound in ends if bound is not None
    )


def did_you_mean(name: str, names: Iterable[str], prefix: str = "") -> str:
    """Returns "; did you mean PREFIX + NEAREST?", or "" where no name is near."""
    near = get_close_matches(name, list(names), 1, 0.6)
    return f"; did you mean {prefix}{near[0]}?" if near else ""


def leaf_keys(schema: type, prefix: str = "") -> list[str]:
    """Returns the keys of a schema, those in groups with a dot."""
    keys = []
    for f in fields(schema):
        grouped = isinstance(f.type, type) and is_dataclass(f.type)
        keys += leaf_keys(f.type, f"{prefix}{f.name}.") if grouped else [prefix + f.name]  # type: ignore[arg-type]
    return keys


def build(schema: type, values: Mapping[str, Any], prefix: str = "", base: Any = None) -> Any:
    """Returns the dataclass made of a nested mapping, each leaf checked and converted by its annotation and its ``setting``.

    Args:
        schema: A dataclass; fields that are dataclasses are groups of keys.
        values: What was given; the rest has its defaults.
        prefix: What stands before the keys in messages, such as ``"search."``.
        base: What has the values that were not given; None: the defaults of the schema.

    Raises:
        ConfigError: An unknown key, a wrong type, or a value that is not allowed.
    """
    known = {f.name: f for f in fields(schema)}
    for key, value in values.items():
        if key not in known:
            given = prefix + key if isinstance(value, Mapping) else f"{prefix}{key}={value}"
            raise ConfigError(f"{given}: unknown key{_instead(key, schema, prefix)}")
    arguments: dict[str, Any] = {}
    for key, value in values.items():
        kind, full = known[key].type, prefix + key
        if isinstance(kind, type) and is_dataclass(kind):
            if not isinstance(value, Mapping):
                raise ConfigError(f"{full}={value}: expected a group of keys, such as {full}.{fields(kind)[0].name}")
            default = known[key].default_factory
            arguments[key] = build(kind, value, f"{full}.", None if default is MISSING else default())
        else:
            arguments[key] = _convert(schema, key, value, prefix)
            check_value(full, arguments[key], known[key].metadata)
    try:
        return schema(**arguments) if base is None else replace(base, **arguments)
    except ConfigError:
        raise
    except ValueError as error:  # of the dataclass itself
        raise ConfigError(f"{prefix.removesuffix('.') or schema.__name__}: {error}") from error


def _instead(key: str, schema: type, prefix: str) -> str:
    """Returns what may have been meant by an unknown key, or else what there is."""
    names = [f.name for f in fields(schema)]
    near = did_you_mean(key, names, prefix) or did_you_mean(key, leaf_keys(schema), prefix)
    if near:
        return near
    return f"; expected one of {', '.join(prefix + name for name in names)}" if names else "; there are none here"


def _convert(schema: type, key: str, value: Any, prefix: str) -> Any:
    """Returns a leaf converted to the annotated type by OmegaConf."""
    node = OmegaConf.structured(schema)
    kind = next(f.type for f in fields(schema) if f.name == key)
    if kind is bool and not isinstance(value, bool):
        raise ConfigError(f"{prefix}{key}={value}: expected true or false")
    try:
        OmegaConf.set_readonly(node, False)
        node[key] = value
        return OmegaConf.to_container(node)[key]  # type: ignore[index, call-overload]
    except OmegaConfBaseException as error:
        name = getattr(kind, "__name__", str(kind)) if isinstance(kind, type) else str(kind)
        raise ConfigError(f"{prefix}{key}={value}: expected a value of type {name}") from error


def flatten_config(config: Any, prefix: str = "") -> list[tuple[str, Any]]:
    """Returns the leaves of a configuration as ("group.key", value)."""
    pairs: list[tuple[str, Any]] = []
    for f in fields(config):
        value = getattr(config, f.name)
        pairs += flatten_config(value, f"{prefix}{f.name}.") if is_dataclass(value) else [(prefix + f.name, value)]
    return pairs
