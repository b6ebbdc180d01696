"""How searches differ in matches and at tables from those of training: ``conf/match/GAME.yaml``, by the root rule."""

from dataclasses import dataclass
from pathlib import Path

import yaml

from fpmcts.root import RootRule
from games.kernels import ROOT
from runtime.settings import ConfigError, build, check_ranges, setting

FOLDER = ROOT / "conf" / "match"


@dataclass(frozen=True)
class MatchSettings:
    """What a search does that was not told otherwise; None: as in training.

    The root rule, c, the moves considered, inference and objective are those of training and do not stand here.

    Attributes:
        playouts: Simulations per move.
        most_worlds: As many worlds as playouts are drawn per move, at most these.
        most_particles: As many particles as playouts are kept, at most these and at least as in training.
        strength: See ``fpmcts.search.SearchSettings``; of the gumbel rule.
        prior_floor: Ibid.
        rollout: Ibid.
        slots: Ibid., in matches, where many games are searched together.
        table_slots: The same for one move of one game (``decide``), where more make larger batches.
    """

    playouts: int = setting(least=1, most=100_000)
    most_worlds: int = setting(least=1, most=65_536)
    most_particles: int = setting(least=1, most=65_536)
    prior_floor: float | None = setting(least=1e-12, most=1)
    rollout: float | None = setting(least=0, most=1)
    slots: int | None = setting(least=1, most=4096)
    table_slots: int | None = setting(least=1, most=4096)
    strength: float | None = setting(None, least=1e-9)


def file_of(game: str) -> Path:
    """Returns the file of a game's settings, or that of all games that have none."""
    own = FOLDER / f"{game}.yaml"
    return own if own.exists() else FOLDER / "default.yaml"


def match_settings(game: str, root: str) -> MatchSettings:
    """Returns the settings of a game for a root rule.

    Raises:
        ConfigError: The file has none for it, or settings that cannot be used.
    """
    path = file_of(game)
    rules = [rule.name.lower() for rule in RootRule]
    values = yaml.safe_load(path.read_text(encoding="utf-8"))
    if not isinstance(values, dict) or set(values) != set(rules) or root not in rules:
        raise ConfigError(f"{path}: root={root}: expected settings for each of {', '.join(rules)}")
    settings: MatchSettings = build(MatchSettings, values[root], f"{path.name}: {root}.")
    check_ranges(settings, f"{path.name}: {root}.")
    return settings
