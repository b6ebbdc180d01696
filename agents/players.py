"""Players by name, with options: what ``a=fpmcts a.playouts=600`` means, and ``load_player("fpmcts", game, playouts=600)``.

Each room declares its kinds (``kinds.py`` in ``agents/general``, ``agents/doudizhu``, ``agents/poker``,
``agents/foreign``); they are joined here.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agents.agent import Agent
from agents.doudizhu.kinds import KINDS as DOUDIZHU
from agents.foreign.kinds import KINDS as FOREIGN
from agents.general.kinds import KINDS as GENERAL
from agents.general.mix import MixOptions
from agents.kind import Kind, Player, PlayerError, Workshop
from agents.poker.kinds import KINDS as POKER
from agents.poker.local_best_response import LocalBestResponseOptions
from games.interface import Game
from runtime.settings import build, check_ranges

__all__ = [
    "KINDS", "Kind", "LocalBestResponseOptions", "Maker", "MixOptions", "Player", "PlayerError", "file_of", "load", "names",
]  # fmt: skip

KINDS: dict[str, Kind] = {**GENERAL, **DOUDIZHU, **POKER, **FOREIGN}
"""Every kind of player by its name."""


class Maker(Workshop):
    """A workshop for all kinds; the arguments are those of ``Workshop``."""

    def __init__(
        self, game: Game, rules: str, players: Mapping[str, Player], device: str = "cpu", lanes: int = 128,
        networks: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(game, rules, players, KINDS, device, lanes, networks)


def names(game: str) -> tuple[str, ...]:
    """Returns the kinds that can play a game."""
    return tuple(name for name, kind in KINDS.items() if kind.plays(game))


def file_of(game: str, options: Any) -> Path | None:
    """Returns the file that a player with some options reads, None if there is none. Raises CheckpointError if it is missing."""
    return options.file(game) if hasattr(options, "file") else None


def load(name: str, game: Game, *, seed: int, device: str, **options: Any) -> Agent:
    """Returns a player; see ``agents.load_player``."""
    players: dict[str, Player] = {}

    def add(kind: str, given: Mapping[str, Any]) -> None:
        if kind not in (able := names(game.spec.name)):
            raise ValueError(f"player {kind!r}: expected one of {', '.join(able)}, which play {game.spec.name}")
        values = build(KINDS[kind].options, given, f"{kind}.")
        check_ranges(values, f"{kind}.")
        players[kind] = Player(kind, kind, values, kind)
        named = values.seats if isinstance(values, MixOptions) else []
        if isinstance(values, LocalBestResponseOptions) and values.against is not None:
            if not KINDS[values.against].states_policy if values.against in KINDS else False:
                raise ValueError(f"{kind}.against={values.against}: it cannot state its policy")
            named = [values.against]
        for other in named:
            if other == name:
                raise ValueError(f"{name} cannot play in itself")
            if other not in players:
                add(other, {})

    add(name, options)
    agent = Maker(game, getattr(game, "rules_name", ""), players, device, lanes=16).make(name)
    agent.seed = seed
    return agent
