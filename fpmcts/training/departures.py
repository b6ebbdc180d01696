"""How a run of Doudizhu departs from DeltaDou: keys that differ from ``experiment=paper``, and what
every run does otherwise.

    python train.py game=doudizhu [key=value …] --departures

A key is explained by its docstring. What no key changes is declared as ``DEPARTS`` in the module
that departs.
"""

from collections.abc import Iterator
from importlib import import_module
from typing import Any, NamedTuple

from fpmcts.training.run_folder import MAY_CHANGE
from games.base.help import attribute_texts
from games.base.settings import leaves, typed

MODULES = (
    "fpmcts.search.tree",
    "fpmcts.search.simulate",
    "games.doudizhu.action_decoder",
    "games.doudizhu.observe",
    "networks.resnet",
    "inference.filter",
    "fpmcts.training.samples",
    "fpmcts.training.learner",
)
"""Those with ``DEPARTS``: pairs of a section of the paper and a sentence."""
REPEATED = ("seed", "game", "init_from", "network.objective")
"""Keys that say no more of the method than another does; those that may change when a run is
resumed say nothing of it.
"""


class Departure(NamedTuple):
    """A difference from the paper.

    Attributes:
        what: The key, or the section of the paper.
        ours, paper: Values of the key; "" where no key changes it.
        why: What the key means, or how we differ.
    """

    what: str
    ours: str
    paper: str
    why: str


def _values(config: Any) -> Iterator[tuple[str, object, str]]:
    """Yields the keys of a run that affect what it learns, their values and descriptions."""
    for key, f, value, owner in [*leaves(config), *leaves(config.make_game().options, "game.")]:
        if key not in REPEATED and not key.startswith(MAY_CHANGE):
            yield key, value, attribute_texts(owner).get(f.name, "")


def changed_keys(config: Any, paper: Any) -> list[Departure]:
    """Returns the keys of a run of Doudizhu that differ from those of ``experiment=paper``."""
    theirs = {key: value for key, value, _ in _values(paper)}
    return [
        Departure(key, typed(value), typed(theirs[key]), text)
        for key, value, text in _values(config)
        if value != theirs[key]
    ]


def structural() -> list[Departure]:
    """Returns what every run does otherwise than the paper, ``experiment=paper`` included."""
    return [
        Departure(section, "", "", sentence)
        for module in MODULES
        for section, sentence in import_module(module).DEPARTS
    ]


def text_of(config: Any, paper: Any) -> str:
    """Returns both lists, for the terminal."""
    lines = [
        f"  {d.what}={d.ours} (paper: {d.paper})\n      {d.why}"
        for d in changed_keys(config, paper)
    ]
    rest = [f"  {d.what}: {d.why}" for d in structural()]
    return "\n".join(
        [
            f"{len(lines)} keys differ from experiment=paper:",
            *lines,
            f"{len(rest)} departures that no key changes, by section of the paper:",
            *rest,
        ]
    )
