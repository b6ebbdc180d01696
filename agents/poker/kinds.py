"""Players of poker."""

from typing import Any

from agents.agent import Agent
from agents.kind import Kind, NoOptions, Player, Workshop
from agents.poker.always_call import AlwaysCallAgent
from agents.poker.local_best_response import LocalBestResponseAgent, LocalBestResponseOptions
from agents.poker.mcts import MCTSAgent, MCTSOptions
from agents.poker.no_limit_best_response import NoLimitBestResponseAgent
from agents.poker.no_limit_rules import RuleAgent
from agents.poker.tabular import TabularAgent, TabularOptions, load_tabular
from games.interface import Game
from games.no_limit_holdem.game import NoLimitHoldem
from games.poker.game import LimitPoker

FAMILY, NO_LIMIT = "poker", "no_limit_holdem"


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
    if isinstance(workshop.game, NoLimitHoldem):
        return NoLimitBestResponseAgent(workshop.game, against, o.boards, player.name)
    return LocalBestResponseAgent(_poker(workshop.game), against, o.boards, player.name)


def _always_call(workshop: Workshop, player: Player) -> Agent:
    return AlwaysCallAgent(workshop.game, player.name)


def _rule(workshop: Workshop, player: Player) -> Agent:
    return RuleAgent(workshop.game, player.kind, player.name)


def _mcts(workshop: Workshop, player: Player) -> Agent:
    options: MCTSOptions = player.options
    model = workshop.once(("opponent model", options.checkpoint), lambda: options.model(workshop.game.spec.name))
    return MCTSAgent(workshop.game, options, model, player.name)


KINDS = {
    "always_call": Kind(NoOptions, _always_call, family=(FAMILY, NO_LIMIT), states_policy=True),
    "hand_only": Kind(NoOptions, _rule, family=NO_LIMIT),
    "best_hand": Kind(NoOptions, _rule, family=NO_LIMIT),
    "maniac": Kind(NoOptions, _rule, family=NO_LIMIT),
    "mcts": Kind(MCTSOptions, _mcts, slow=True, family=NO_LIMIT),
    "tabular": Kind(TabularOptions, _tabular, family=FAMILY, states_policy=True),
    "lbr": Kind(LocalBestResponseOptions, _local_best_response, slow=True, family=(FAMILY, NO_LIMIT)),
}
"""By name."""
