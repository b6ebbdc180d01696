"""The options of the players, which stand beside them."""

from agents.doudizhu.pimc import PIMCOptions
from agents.general.external import ExternalOptions
from agents.general.mix import MixOptions
from agents.general.policy import PolicyOptions
from agents.general.search_agent import FPMCTSOptions
from agents.kind import NoOptions
from agents.poker.local_best_response import LocalBestResponseOptions
from agents.poker.tabular import TabularOptions

__all__ = [
    "ExternalOptions", "FPMCTSOptions", "LocalBestResponseOptions", "MixOptions", "NoOptions", "PIMCOptions", "PolicyOptions",
    "TabularOptions",
]  # fmt: skip
