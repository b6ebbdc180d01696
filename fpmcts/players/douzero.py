"""Networks trained with DouZero as a player (``fpmcts/adapters/douzero.py``)."""

from dataclasses import dataclass
from pathlib import Path

from fpmcts.adapters.douzero import DouZeroAgent, load_nets
from games.agent import Agent
from games.registry import Host, PlayerOptions, player

FILES = ("landlord", "landlord_down", "landlord_up")


@player("douzero", games=["doudizhu"])
@dataclass
class DouZeroOptions(PlayerOptions):
    """Networks trained with DouZero (``landlord.ckpt``, ``landlord_down.ckpt``,
    ``landlord_up.ckpt``), which you bring: none come with this project.

    Attributes:
        weights: The folder of the three files.
    """

    weights: str | None = None

    def sources(self) -> list[Path]:
        """Returns the three files. Raises ValueError if one is missing."""
        if self.weights is None:
            raise ValueError(
                "weights is missing; give weights=FOLDER with landlord.ckpt, landlord_down.ckpt "
                "and landlord_up.ckpt of a DouZero run"
            )
        paths = [Path(self.weights) / f"{name}.ckpt" for name in FILES]
        for path in paths:
            if not path.is_file():
                raise ValueError(
                    f"there is no {path}; weights={self.weights}: expected a folder with "
                    "landlord.ckpt, landlord_down.ckpt and landlord_up.ckpt"
                )
        return paths

    def make(self, host: Host) -> Agent:
        """Returns the player."""
        paths = self.sources()
        nets = host.once(
            ("douzero", self.weights),
            lambda: load_nets(paths),
        )
        return DouZeroAgent(host.game, nets)
