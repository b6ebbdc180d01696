"""Changes to a trained search for matches and tables: ``conf/match``, then the player's own
options.

``conf/match/default.yaml`` is for every game, ``conf/match/GAME.yaml`` comes after it;
``conf/match/paper.yaml`` replaces both with ``match=paper``. Their keys are those of
``fpmcts.search.search.SearchSettings``.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import yaml

from fpmcts.search.search import SearchSettings
from games.base.files import shipped
from games.base.settings import ConfigError, build
from inference.determinizer import InferenceSettings

FOLDER = shipped("conf") / "match"
MOST_WORLDS, MOST_PARTICLES = 256, 1024
"""Worlds and particles are as many as playouts, up to these limits; with few particles, more
playouts would see the same few deals.
"""
PARTICLES_PER_PLAYOUT, ESS_FLOOR = 10, 0.03
"""The same where particles are drawn from a network's marginal (Doudizhu), of which a few percent
carry the weight (docs/experiments.md).
"""


def match_changes(game: str, match: str = "default") -> dict[str, Any]:
    """Returns the changes of ``conf/match`` for a game. Raises ConfigError, which names file and
    key.
    """
    changes: dict[str, Any] = {}
    names = ("default", game) if match == "default" else (match,)
    for path in (FOLDER / f"{name}.yaml" for name in names):
        values = (yaml.safe_load(path.read_text(encoding="utf-8")) or {}) if path.exists() else {}
        if not isinstance(values, dict):
            raise ConfigError(f"{path}: expected keys of the search, such as playouts: 64")
        build(SearchSettings, values, f"{path.name}: ")
        changes |= values
    return changes


def match_search(
    trained: SearchSettings, game: str, given: Mapping[str, Any], match: str = "default"
) -> SearchSettings:
    """Returns the search of a match: that of training, changed by ``conf/match``, then by
    ``given``.
    """
    changes = {**match_changes(game, match), **given}
    changes.setdefault("worlds", min(changes.get("playouts", trained.playouts), MOST_WORLDS))
    return replace(trained, **changes)


def match_inference(
    trained: InferenceSettings, playouts: int, given: Mapping[str, Any]
) -> InferenceSettings:
    """Returns the inference of a match: that of training, with more particles for more playouts,
    changed by ``given``.
    """
    changes: dict[str, Any] = {}
    if given.get("phase1", trained.phase1) == "marginal":
        changes["ess_floor"] = min(trained.ess_floor, ESS_FLOOR)
        playouts *= PARTICLES_PER_PLAYOUT
    changes["particles"] = max(trained.particles, min(playouts, MOST_PARTICLES))
    settings = replace(trained, **{**changes, **given})
    return replace(settings, candidates=max(settings.candidates, settings.particles))
