"""Players: functions of a seat's view. ``load_player`` makes one by its name."""

from operator import index
from typing import TYPE_CHECKING

from games import is_known, make
from games.play.interface import Game

if TYPE_CHECKING:
    from games.play.agent import Agent


def load_player(
    name: str,
    game: Game | str,
    checkpoint: str | None = None,
    *,
    seed: int = 0,
    device: str = "cpu",
    **options: object,
) -> "Agent":
    """Returns a player, ready for ``decide``.

    Args:
        name: Name of a player, such as ``fpmcts``, ``policy``, ``rhcp``, ``random``; an unknown
            name raises an error that lists those of the game.
        game: The game it is to play, or its name.
        checkpoint: For players with networks, a checkpoint or run folder; None: the weights that
            come with the project.
        seed: Seed of its random choices.
        device: Device of its networks: "cpu", "cuda", or "auto", cuda where available.
        options: As on the command line of ``evaluate.py``: ``playouts=256``.

    Raises:
        ValueError: The name or an option is unknown, a value is out of range, or the weights cannot
            be used.
    """
    from fpmcts.players.lookup import Host, entrants_of
    from fpmcts.players.warmup import compile_players

    game = make(game)
    if checkpoint is not None:
        options["checkpoint"] = str(checkpoint)
    entrants = entrants_of(name, game, options)
    for entrant in entrants.values():  # report unusable files before minutes of compiling
        entrant.options.file(game)
    if device != "cpu":
        from networks.device import choose_device  # imports torch

        device = str(choose_device(device))
    if is_known(game.spec.name):
        compile_players(game, (entrant.options for entrant in entrants.values()))
    agent = Host(game, entrants, device, lanes=16).make(name)
    agent.seed = index(seed)
    return agent
