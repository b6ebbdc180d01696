"""Players of poker."""

from typing import Any

from agents.agent import Agent
from agents.kind import Kind, NoOptions, Player, Workshop
from agents.poker.always_call import AlwaysCallAgent
from agents.poker.local_best_response import LocalBestResponseAgent, LocalBestResponseOptions
from agents.poker.tabular import TabularAgent, TabularOptions, load_tabular
from games.interface import Game
from games.poker.game import LimitPoker

FAMILY = "poker"


def _poker(game: Game) -> LimitPoker:
    """Returns a game that is known to be poker."""
    assert isinstance(game, LimitPoker)
    return game


def _tabular(workshop: Workshop, player: Player) -> Agent:
    options: TabularOptions = player.options
    path = options.file(workshop.game.spec.name)
    policy = workshop.once((path, options.policy), lambda: load_tabular(path, _poker(workshop.game), options.policy))
    return TabularAgent(policy, player.name, options.playouts)


def _local_best_response(workshop: Workshop, player: Player) -> Agent:
    o: LocalBestResponseOptions = player.options
    if o.against is None:  # in matches the configuration fills it in
        raise ValueError("expected against=LABEL, the player whose policy it is told")
    against: Any = workshop.make(o.against)
    return LocalBestResponseAgent(_poker(workshop.game), against, o.boards, player.name)


KINDS = {
    "always_call": Kind(
        NoOptions, lambda workshop, player: AlwaysCallAgent(_poker(workshop.game)), family=FAMILY, states_policy=True
    ),
    "tabular": Kind(TabularOptions, _tabular, family=FAMILY, states_policy=True),
    "lbr": Kind(LocalBestResponseOptions, _local_best_response, slow=True, family=FAMILY),
}
"""By name."""
