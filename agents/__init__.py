"""Players: functions of what a seat can see. ``load_player`` makes one by its name."""

from typing import TYPE_CHECKING, Any

from games import is_known
from games.interface import Game

if TYPE_CHECKING:
    from agents.agent import Agent


def load_player(
    name: str,
    game: Game,
    checkpoint: str | None = None,
    *,
    seed: int = 0,
    device: str = "cpu",
    **options: Any,
) -> "Agent":
    """Returns a player, ready for ``decide``.

    Args:
        name: Such as ``fpmcts``, ``policy``, ``rhcp``, ``random``; another name raises an error
            that lists those of the game.
        game: What it is to play.
        checkpoint: Of players with networks: a checkpoint or the folder of a run; None: the weights
            that come with the project.
        seed: Of its random choices.
        device: Of its networks.
        options: As on the command line of ``evaluate.py``: ``playouts=256``.

    Raises:
        ValueError: An unknown name, an option that there is not or that is out of range, or weights
            that cannot be used.
    """
    from agents.players import (
        PLAYERS,
        load,
    )  # brings torch along, which not everybody who imports a player needs
    from agents.warmup import compile_players

    if name in PLAYERS and PLAYERS[name].compiles and is_known(game.spec.name):
        compile_players(game.spec.name)
    if checkpoint is not None:
        options["checkpoint"] = str(checkpoint)
    return load(name, game, seed=seed, device=device, **options)
