"""What ``--help`` prints: the keys of a schema with their defaults, their ranges and the words of its docstring."""

import inspect
import os
import re
import sys
import textwrap
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any

from runtime.settings import allowed

WIDTH = 110


def say(text: str) -> None:
    """Prints a text; a reader that has seen enough, such as ``head``, is no error."""
    try:
        sys.stdout.write(text.rstrip("\n") + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is still to be flushed at the end goes nowhere


def keys_text(schema: type, prefix: str = "") -> str:
    """Returns a paragraph for every key of a schema, those in groups included."""
    lines = []
    told = attribute_texts(schema)
    for f in fields(schema):
        if isinstance(f.type, type) and is_dataclass(f.type):
            lines.append(keys_text(f.type, f"{prefix}{f.name}."))
            continue
        bounds = f" ({text})" if (text := allowed(f.metadata)) else ""
        lines += textwrap.wrap(
            f"{prefix}{f.name}={_default(f)}{bounds}: {told.get(f.name, '')}", WIDTH, initial_indent="  ", subsequent_indent="      "
        )
    return "\n".join(lines)


def first_line(schema: type) -> str:
    """Returns the first line of a docstring."""
    return (inspect.getdoc(schema) or "").split("\n", 1)[0]


def attribute_texts(schema: type) -> dict[str, str]:
    """Returns what the docstrings of a class and of those it inherits from say of each attribute."""
    told: dict[str, str] = {}
    for kind in reversed(schema.__mro__):
        doc = inspect.cleandoc(kind.__doc__ or "")
        section = re.search(r"^Attributes:\n((?:    .*\n?|\n)+)", doc + "\n", re.MULTILINE)
        if section is None:
            continue
        for name, text in re.findall(r"^    (\w+): (.*(?:\n        .*)*)", section.group(1), re.MULTILINE):
            told[name] = " ".join(text.split())
    return told


def _default(f: Field[Any]) -> str:
    """Returns the default of a field as it is typed."""
    value = f.default if f.default is not MISSING else f.default_factory() if f.default_factory is not MISSING else ""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)
