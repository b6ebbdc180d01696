"""Players of Doudizhu."""

from agents.doudizhu.pimc import PIMCAgent, PIMCOptions
from agents.doudizhu.rhcp import RHCPAgent
from agents.doudizhu.rlcard_rule import RLCardRuleAgent
from agents.kind import Kind, NoOptions

FAMILY = "doudizhu"

KINDS = {
    "rlcard_rule": Kind(NoOptions, lambda workshop, player: RLCardRuleAgent(workshop.game), family=FAMILY),
    "rhcp": Kind(NoOptions, lambda workshop, player: RHCPAgent(workshop.game), family=FAMILY),
    "pimc": Kind(
        PIMCOptions,
        lambda workshop, player: PIMCAgent(workshop.game, **vars(player.options), name=player.name),
        slow=True,
        family=FAMILY,
    ),
}
"""By name."""
