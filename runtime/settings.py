"""From nested keys and values to checked dataclasses, for the configurations of training and of evaluation.

The schema of a configuration is a dataclass whose fields are annotated with their types; every error names the key, what was
given and what is allowed.
"""

from collections.abc import Mapping
from dataclasses import MISSING, field, fields, is_dataclass
from typing import Any

from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

Choices = Mapping[str, tuple[str | None, ...]]
"""Allowed values of the keys that are names."""
Ranges = Mapping[str, tuple[float, float]]
"""Allowed ranges of the keys that are numbers, ends included; None is always allowed where the type allows it."""


class ConfigError(ValueError):
    """A configuration that cannot be used; the message names the key."""


def setting(
    default: Any = MISSING,
    *,
    least: float | None = None,
    most: float | None = None,
    choices: tuple[Any, ...] | None = None,
    default_factory: Any = MISSING,
) -> Any:
    """Returns a dataclass field that carries its own bounds, for ``check_ranges``.

    Args:
        default: Of the field. default_factory: In its place for lists.
        least: Smallest allowed value; None = no bound.
        most: Largest allowed value; None = no bound.
        choices: Allowed values, where they are names.
    """
    return field(default=default, default_factory=default_factory, metadata={"least": least, "most": most, "choices": choices})


def check_ranges(config: Any, prefix: str = "") -> None:
    """Checks every leaf of a configuration against the bounds of its ``setting``; None is allowed where the type allows it.

    Raises:
        ConfigError: Naming the key, what was given and what is allowed.
    """
    for f in fields(config):
        value, bounds, key = getattr(config, f.name), f.metadata, prefix + f.name
        if is_dataclass(value):
            check_ranges(value, f"{key}.")
            continue
        least, most, choices = bounds.get("least"), bounds.get("most"), bounds.get("choices")
        if choices is not None and value not in choices:
            raise ConfigError(f"{key}={value}: expected one of {', '.join(str(name) for name in choices if name is not None)}")
        if value is None or (least is None and most is None):
            continue
        if (least is not None and not value >= least) or (most is not None and not value <= most):
            allowed = " and ".join(
                f"at {side} {bound:g}" for side, bound in (("least", least), ("most", most)) if bound is not None
            )
            raise ConfigError(f"{key}={value}: expected {allowed}")


def build(schema: type, values: Mapping[str, Any], prefix: str = "") -> Any:
    """Returns the dataclass made of a nested mapping, each leaf checked and converted by its annotation.

    Args:
        schema: A dataclass; fields that are dataclasses are groups of keys.
        values: What was given; the rest has its defaults.
        prefix: What stands before the keys in messages, such as ``"search."``.

    Raises:
        ConfigError: An unknown key or a wrong type.
    """
    known = {f.name: f for f in fields(schema)}
    for key in values:
        if key not in known:
            raise ConfigError(f"{prefix}{key}: unknown key; expected {_one_of([prefix + name for name in known])}")
    arguments: dict[str, Any] = {}
    plain: dict[str, Any] = {}
    for key, value in values.items():
        kind = known[key].type
        if isinstance(kind, type) and is_dataclass(kind):
            if not isinstance(value, Mapping):
                raise ConfigError(f"{prefix}{key}={value}: expected a group of keys")
            arguments[key] = build(kind, value, f"{prefix}{key}.")
        else:
            plain[key] = value
    for key, value in plain.items():
        arguments[key] = _convert(schema, key, value, prefix)
    return schema(**arguments)


def _one_of(names: list[str]) -> str:
    return f"one of {', '.join(names)}" if names else "none here"


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


def check(config: Any, choices: Choices, ranges: Ranges, prefix: str = "") -> None:
    """Checks the leaves of a configuration.

    Raises:
        ConfigError: A value is not among the choices or out of its range.
    """
    flat = dict(flatten_config(config))
    for key, allowed in choices.items():
        if flat[key] not in allowed:
            raise ConfigError(f"{prefix}{key}={flat[key]}: expected one of {', '.join(name for name in allowed if name)}")
    for key, (low, high) in ranges.items():
        if flat[key] is not None and not low <= flat[key] <= high:
            raise ConfigError(f"{prefix}{key}={flat[key]}: expected a value from {low:g} to {high:g}")


def flatten_config(config: Any, prefix: str = "") -> list[tuple[str, Any]]:
    """Returns the leaves of a configuration as ("group.key", value)."""
    pairs: list[tuple[str, Any]] = []
    for f in fields(config):
        value = getattr(config, f.name)
        pairs += flatten_config(value, f"{prefix}{f.name}.") if is_dataclass(value) else [(prefix + f.name, value)]
    return pairs
