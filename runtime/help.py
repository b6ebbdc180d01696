"""What ``--help`` prints: the keys of a schema with their defaults, their ranges and the words of
its docstring.
"""

import inspect
import os
import re
import sys
import textwrap
from dataclasses import MISSING, Field, fields
from typing import Any

from runtime.settings import allowed, is_group

WIDTH = 110


def say(text: str) -> None:
    """Prints a text; a reader that has seen enough, such as ``head``, is no error."""
    try:
        sys.stdout.write(text.rstrip("\n") + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(
            os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno()
        )  # what is still to be flushed at the end goes nowhere


def keys_text(schema: Any, prefix: str = "", topic: str = "") -> str:
    """Returns a paragraph for every key of a schema, groups included; with a topic for that key or
    group alone, "" if none.

    Args:
        schema: A dataclass, told with its defaults; or a configuration, told with its values.
        prefix: What stands before the keys.
        topic: A key or a group of keys; "" = all.
    """
    told = paragraphs(schema, prefix)
    return "\n".join(
        text
        for key, text in told.items()
        if not topic or key == topic or key.startswith(f"{topic}.")
    )


def paragraphs(schema: Any, prefix: str = "") -> dict[str, str]:
    """Returns a paragraph for every key of a schema, those in groups with a dot."""
    texts: dict[str, str] = {}
    told = attribute_texts(schema if isinstance(schema, type) else type(schema))
    for f in fields(schema):
        key = prefix + f.name
        if is_group(f.type):
            texts |= paragraphs(
                f.type if isinstance(schema, type) else getattr(schema, f.name), f"{key}."
            )
        else:
            bounds = f" ({text})" if (text := allowed(f.metadata)) else ""
            value = _default(f) if isinstance(schema, type) else getattr(schema, f.name)
            words = f"{key}={typed(value)}{bounds}: {told.get(f.name, '')}"
            texts[key] = textwrap.fill(
                words, WIDTH, initial_indent="  ", subsequent_indent="      "
            )
    return texts


def first_line(schema: type) -> str:
    """Returns the first line of a docstring."""
    return (inspect.getdoc(schema) or "").split("\n", 1)[0]


def attribute_texts(schema: type) -> dict[str, str]:
    """Returns what ``setting(help=)`` says of each field of a dataclass, or else its docstring and
    those that it inherits.
    """
    told: dict[str, str] = {}
    for kind in reversed(schema.__mro__):
        doc = inspect.cleandoc(kind.__doc__ or "")
        section = re.search(r"^Attributes:\n((?:    .*\n?|\n)+)", doc + "\n", re.MULTILINE)
        if section is None:
            continue
        for name, text in re.findall(
            r"^    (\w+): (.*(?:\n        .*)*)", section.group(1), re.MULTILINE
        ):
            told[name] = " ".join(text.split())
    return told | {f.name: f.metadata["help"] for f in fields(schema) if f.metadata.get("help")}


def _default(f: Field[Any]) -> Any:
    """Returns the default of a field."""
    if f.default is not MISSING:
        return f.default
    return f.default_factory() if f.default_factory is not MISSING else ""


def typed(value: Any) -> str:
    """Returns a value as it is typed."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return f"[{','.join(map(typed, value))}]" if isinstance(value, list) else str(value)


def shortened(text: str, width: int) -> str:
    """Returns the beginning of a text, cut between words."""
    return textwrap.shorten(text, width, placeholder=" …")
