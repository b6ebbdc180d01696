"""The texts of ``--help``: the keys of a schema with defaults, ranges and descriptions from its
docstring.
"""

import inspect
import os
import re
import sys
import textwrap
from dataclasses import fields
from functools import cache

from games.base.settings import LONGEST, allowed, brief, leaves, typed

WIDTH = 110


def say(text: str) -> None:
    """Prints a text; a reader that closes the pipe early, such as ``head``, is not an error."""
    try:
        sys.stdout.write(text.rstrip("\n") + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        # Discards unflushed output at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def say_on_stderr(text: str) -> None:
    """Writes a line to the standard error stream."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def error_text(error: Exception, most: int = LONGEST) -> str:
    """Returns the message of an error for the terminal, with the file for errors of the system."""
    if isinstance(error, OSError) and error.filename is not None:
        return brief(f"{error.filename}: {error.strerror}", most)
    return brief(str(error), most)


def keys_text(schema: object, prefix: str = "", topic: str = "") -> str:
    """Returns a paragraph for every key of a schema, groups included; with a topic for that key or
    group alone, "" if none.

    Args:
        schema: A dataclass, shown with its defaults; or a configuration, shown with its values.
        prefix: Prefix of the keys.
        topic: A key or a group of keys; "" = all.
    """
    texts = paragraphs(schema, prefix)
    return "\n".join(
        text
        for key, text in texts.items()
        if not topic or key == topic or key.startswith(f"{topic}.")
    )


def paragraphs(schema: object, prefix: str = "") -> dict[str, str]:
    """Returns a paragraph for every key of a schema, those in groups with a dot."""
    texts: dict[str, str] = {}
    for key, f, value, owner in leaves(schema, prefix):
        bounds = f" ({text})" if (text := allowed(f.metadata)) else ""
        words = f"{key}={typed(value)}{bounds}: {attribute_texts(owner).get(f.name, '')}"
        texts[key] = textwrap.fill(words, WIDTH, initial_indent="  ", subsequent_indent="      ")
    return texts


def first_line(schema: type) -> str:
    """Returns the first line of a docstring."""
    return (inspect.getdoc(schema) or "").split("\n", 1)[0]


@cache
def attribute_texts(schema: type) -> dict[str, str]:
    """Returns the description of each field of a dataclass: from ``setting(help=)``, else from its
    docstring and inherited ones.
    """
    texts: dict[str, str] = {}
    for kind in reversed(schema.__mro__):
        doc = inspect.cleandoc(kind.__doc__ or "")
        section = re.search(r"^Attributes:\n((?:    .*\n?|\n)+)", doc + "\n", re.MULTILINE)
        if section is None:
            continue
        for name, text in re.findall(
            r"^    (\w+): (.*(?:\n        .*)*)", section.group(1), re.MULTILINE
        ):
            texts[name] = " ".join(text.split())
    return texts | {f.name: f.metadata["help"] for f in fields(schema) if f.metadata.get("help")}
