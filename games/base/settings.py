"""Builds checked dataclasses from nested keys and values, for the configurations of training and
evaluation.

The schema of a configuration is a dataclass whose fields are annotated with their types and carry
their ranges (``setting``); every error is one line that names the key, the given value and the
allowed values.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, Field, field, fields, is_dataclass, replace
from difflib import get_close_matches
from types import UnionType
from typing import Any, Union, get_args, get_origin

LONGEST_WORD, LONGEST = 400, 1000
"""Maximum characters of a word and of a message."""


class InputError(ValueError):
    """Typed input or a file is invalid.

    The message is one line that names it, says what was expected and what to do. Quoted text is
    escaped if unprintable and shortened if long.
    """

    def __init__(self, message: str) -> None:
        super().__init__(brief("".join(c if c.isprintable() else _escaped(c) for c in message)))


def brief(text: str, most: int = LONGEST) -> str:
    """Returns a text with the middle of very long words (such as a typed key) left out, and of the
    whole text if it is very long.
    """
    return _cut(re.sub(r"\S+", lambda word: _cut(word[0], LONGEST_WORD), text), most)


def _cut(text: str, most: int) -> str:
    half = most // 2 - 1
    return text if len(text) <= most else f"{text[:half]}…{text[-half:]}"


def _escaped(character: str) -> str:
    """Returns the escape of an unprintable character."""
    return " " if character == "\n" else ascii(character)[1:-1]


class ConfigError(InputError):
    """An invalid configuration; the message names the key."""


def setting(
    default: Any = MISSING,
    *,
    least: float | None = None,
    most: float | None = None,
    choices: tuple[Any, ...] | None = None,
    or_module: bool = False,
    default_factory: Any = MISSING,
    help: str = "",  # noqa: A002 (the word for it)
) -> Any:
    """Returns a dataclass field that carries its own bounds, for ``check_ranges``.

    Args:
        default: Default of the field.
        default_factory: A function that makes it, for lists.
        least: Smallest allowed value; None = no bound.
        most: Largest allowed value; None = no bound.
        choices: Allowed values, where they are names.
        or_module: Whether the name of a module, with a dot, is allowed as well.
        help: One sentence for ``--help``; "" = that of the docstring.
    """
    bounds = dict(least=least, most=most, choices=choices, or_module=or_module, help=help)
    return field(default=default, default_factory=default_factory, metadata=bounds)


def leaves(config: object, prefix: str = "") -> Iterator[tuple[str, Field[Any], Any, type]]:
    """Yields the keys of a schema or of a configuration, those in groups with a dot: key, field,
    default or value, and the dataclass that declares it.
    """
    is_schema = isinstance(config, type)
    for f in fields(config):  # type: ignore[arg-type]
        value = default_of(f) if is_schema else getattr(config, f.name)
        inner = f.type if is_schema else value
        if is_group(inner if is_schema else type(inner)):
            yield from leaves(inner, f"{prefix}{f.name}.")
        else:
            yield prefix + f.name, f, value, config if is_schema else type(config)  # type: ignore[misc]


def default_of(f: Field[Any]) -> Any:
    """Returns the default of a field; "" if it has none."""
    if f.default is not MISSING:
        return f.default
    return f.default_factory() if f.default_factory is not MISSING else ""


def check_ranges(config: object, prefix: str = "") -> None:
    """Checks every leaf of a configuration against the bounds of its ``setting``; None is allowed
    where the type allows it.

    Raises:
        ConfigError: A value is not allowed; the message names the key, the value and the allowed
            values.
    """
    for key, f, value, _ in leaves(config, prefix):
        check_value(key, value, f.metadata)


def check_used(config: object, given: Mapping[str, Any], prefix: str = "") -> None:
    """Checks that the given keys have an effect with the values of the others.

    A group of keys may declare ``depends``: for the name of a field, or "" for all others, what it
    needs: a key of the group, or after a dot one of the whole, with its values ("kind=ray",
    "tree=a or b", ".init_from=null"); "decks>0" needs a positive number, and "start" alone any
    value but null and []; keys that the whole lacks need nothing. Of conditions separated by ", "
    one suffices; all of those separated by " and " must hold.

    Raises:
        ConfigError: A key has none; the message names what would use it.
    """
    values = {key: value for key, _, value, _ in leaves(config, prefix)}
    for key, f, _, owner in leaves(config, prefix):
        depends: Mapping[str, str] = getattr(owner, "depends", {})
        group, needed = key.removesuffix(f.name), depends.get(f.name, depends.get("", ""))
        for wanted in needed.split(" and ") if key in given else ():
            ways = [
                prefix + way[1:] if way.startswith(".") else group + way
                for way in wanted.split(", ")
            ]
            names = dict.fromkeys(re.split("[=>]", way)[0] for way in ways)
            if wanted and key not in names and not any(_holds(way, values) for way in ways):
                found = " and ".join(f"{name}={typed(values[name])}" for name in names)
                raise ConfigError(
                    f"{key}={typed(given[key])}: has no effect with {found}; "
                    f"set {' or '.join(ways)}"
                )


def _holds(condition: str, values: Mapping[str, Any]) -> bool:
    """Returns whether a condition on one key holds, see ``check_used``."""
    name, sign, wanted = re.split("([=>]|$)", condition, maxsplit=1)
    if name not in values:
        return True
    value = values[name]
    if sign == "=":
        return typed(value) in wanted.split(" or ")
    return value not in (None, []) and (sign != ">" or value > 0)


def typed(value: object) -> str:
    """Returns a value as typed on a command line."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return f"[{','.join(map(typed, value))}]" if isinstance(value, list | tuple) else str(value)


def check_value(key: str, value: Any, bounds: Mapping[str, Any]) -> None:
    """Checks one value against the metadata of its field."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ConfigError(f"{key}={value}: expected a finite number")
    least, most, choices = (bounds.get(name) for name in ("least", "most", "choices"))
    if choices is None:
        fits = (least is None or value is None or value >= least) and (
            most is None or value is None or value <= most
        )
        near = ""
    else:
        fits = value in choices or (bounds.get("or_module") and "." in str(value))
        near = did_you_mean(str(value), [str(name) for name in choices if name is not None])
    if not fits:
        raise ConfigError(f"{key}={value}: expected {allowed(bounds)}{near}")


def allowed(bounds: Mapping[str, Any]) -> str:
    """Describes the values that the metadata of a field allows; "" if all are."""
    if bounds.get("choices") is not None:
        return "one of " + ", ".join(typed(name) for name in bounds["choices"] if name is not None)
    ends = (("at least", bounds.get("least")), ("at most", bounds.get("most")))
    return " and ".join(
        f"{side} {bound:,}" if isinstance(bound, int) else f"{side} {bound:g}"
        for side, bound in ends
        if bound is not None
    )


def did_you_mean(name: str, names: Iterable[str], prefix: str = "") -> str:
    """Returns "; did you mean PREFIX + NEAREST?", or "" where no name is near."""
    near = get_close_matches(name, list(names), 1, 0.6)
    return f"; did you mean {prefix}{near[0]}?" if near else ""


def is_group(kind: object) -> bool:
    """Returns whether a type stands for a group of keys: a dataclass that does not read its keys
    itself (``parse``).
    """
    return isinstance(kind, type) and is_dataclass(kind) and not hasattr(kind, "parse")


def leaf_keys(schema: type) -> list[str]:
    """Returns the keys of a schema, those in groups with a dot."""
    return [key for key, *_ in leaves(schema)]


def build(schema: type, values: Mapping[str, Any], prefix: str = "", base: Any = None) -> Any:
    """Returns a dataclass built from a nested mapping, with each leaf checked and converted by its
    annotation and its ``setting``.

    Args:
        schema: A dataclass; fields that are dataclasses are groups of keys, which a class may read
            itself by ``parse``.
        values: The given values; the rest have their defaults.
        prefix: Prefix of the keys in messages, such as ``"search."``.
        base: Source of the values not given; None: the defaults of the schema.

    Raises:
        ConfigError: An unknown key, a wrong type, or a value that is not allowed.
    """
    known = {f.name: f for f in fields(schema)}
    for key, value in values.items():
        if key not in known:
            given = f"{prefix}{key}" if isinstance(value, Mapping) else f"{prefix}{key}={value}"
            raise ConfigError(f"{given}: unknown key{_instead(str(key), schema, prefix)}")
    arguments: dict[str, Any] = {}
    for key, value in values.items():
        kind, full = known[key].type, prefix + key
        parse = getattr(kind, "parse", None)
        if parse is None and not is_group(kind):
            try:
                arguments[key] = _converted(kind, value)
            except (ValueError, TypeError) as error:
                name = kind.__name__ if isinstance(kind, type) else str(kind)
                expected = "true or false" if kind is bool else f"a value of type {name}"
                raise ConfigError(f"{full}={value}: expected {expected}") from error
            check_value(full, arguments[key], known[key].metadata)
        elif not isinstance(value, Mapping):
            first = "name" if parse else fields(kind)[0].name  # type: ignore[arg-type]
            raise ConfigError(f"{full}={value}: expected a group of keys, such as {full}.{first}")
        else:
            default = known[key].default_factory
            usual = None if default is MISSING else default()
            arguments[key] = parse(value) if parse else build(kind, value, f"{full}.", usual)  # type: ignore[arg-type]
    try:
        return schema(**arguments) if base is None else replace(base, **arguments)
    except ConfigError:
        raise
    except ValueError as error:  # of the dataclass itself
        raise ConfigError(f"{prefix.removesuffix('.') or schema.__name__}: {error}") from error


def _instead(key: str, schema: type, prefix: str) -> str:
    """Returns a suggestion for an unknown key, or else the known keys."""
    names = [f.name for f in fields(schema)]
    near = did_you_mean(key, names, prefix) or did_you_mean(key, leaf_keys(schema), prefix)
    known = f"expected one of {', '.join(prefix + name for name in names)}"
    return near or f"; {known if names else 'there are none here'}"


def _converted(kind: Any, value: Any) -> Any:
    """Returns a value converted to the annotated type. Raises ValueError or TypeError if that is
    impossible.
    """
    parts = get_args(kind)
    origin = get_origin(kind) or kind
    if origin in (Union, UnionType):
        if type(value) in parts:
            return value
        for part in parts:
            try:
                return _converted(part, value)
            except (ValueError, TypeError):
                continue
        raise ValueError
    if kind is Any or (kind is type(None) and value is None):
        return value
    if origin in (list, tuple) and isinstance(value, (list, tuple)):
        return origin(_converted(parts[0], item) for item in value)
    if origin is dict and isinstance(value, Mapping):
        return {
            _converted(parts[0], key): _converted(parts[1], item) for key, item in value.items()
        }
    numbers = {int: (int, str), float: (int, float, str)}.get(kind, ())
    if (isinstance(value, numbers) and not isinstance(value, bool)) or (
        kind is str and value is not None and not isinstance(value, (list, tuple, Mapping))
    ):
        return kind(value)
    if kind is bool and isinstance(value, bool):
        return value
    raise ValueError


def flatten_config(config: object) -> list[tuple[str, Any]]:
    """Returns the leaves of a configuration as ("group.key", value)."""
    return [
        (key, value.as_dict() if hasattr(value, "as_dict") else value)
        for key, _, value, _ in leaves(config)
    ]
