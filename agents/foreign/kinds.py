"""Players of other packages. These are imported when a player is made, and not before: they are an extra."""

from dataclasses import dataclass

from agents.agent import Agent
from agents.kind import Kind, Player, Workshop


@dataclass
class OpenSpielOptions:
    """A bot of OpenSpiel. In Kuhn and Leduc it sits at OpenSpiel's own game, elsewhere at ours in OpenSpiel.

    Attributes:
        bot: Name of one that OpenSpiel registers, such as ``uniform_random``; or ``MODULE:FUNCTION``, called as
            ``function(game, seat, seed)`` for each game and seat, with a ``pyspiel.Game``, and returning a ``pyspiel.Bot``.
    """

    bot: str = ""


@dataclass
class RLCardOptions:
    """An agent of RLCard.

    Attributes:
        agent: Name of a model of RLCard, such as ``doudizhu-rule-v1``; or ``MODULE:FUNCTION``, called as ``function(env, seat)``
            for each seat, with RLCard's environment, and returning an object with ``eval_step(state)`` and ``use_raw``.
    """

    agent: str = ""


def _open_spiel(workshop: Workshop, player: Player) -> Agent:
    options: OpenSpielOptions = player.options
    if not options.bot:
        raise ValueError(f"a bot of OpenSpiel needs {player.label}.bot=NAME or {player.label}.bot=MODULE:FUNCTION")
    try:
        from agents.foreign.open_spiel_bot import OpenSpielAgent
    except ModuleNotFoundError as error:
        raise ValueError(f"{error}: pip install 'fpmcts[interop]'") from error
    return OpenSpielAgent(workshop.game, options.bot, player.name)


def _rlcard(workshop: Workshop, player: Player) -> Agent:
    options: RLCardOptions = player.options
    if not options.agent:
        raise ValueError(f"an agent of RLCard needs {player.label}.agent=NAME or {player.label}.agent=MODULE:FUNCTION")
    try:
        from agents.foreign.rlcard_agent import RLCardAgent
    except ModuleNotFoundError as error:
        raise ValueError(f"{error}: pip install 'fpmcts[interop]'") from error
    return RLCardAgent(workshop.game, options.agent, player.name)


KINDS = {
    "open_spiel": Kind(OpenSpielOptions, _open_spiel, slow=True, family=("poker", "goofspiel", "phantom_tictactoe")),
    "rlcard": Kind(RLCardOptions, _rlcard, slow=True, family=("doudizhu", "poker")),
}
"""By name."""
