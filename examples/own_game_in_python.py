"""A game of your own with options: train FPMCTS and an algorithm on tables, then let them meet.

``python -m examples.own_game_in_python [MINUTES]``. The game is ``examples/sealed_bids.py``, played
with four cards.
"""

import sys

from examples.sealed_bids import SealedBids
from fpmcts import Run, make, match, nash_conv

minutes = float(sys.argv[1]) if sys.argv[1:] else 2.0
game = make(SealedBids, values=4)

tables = Run("runs/bids-tables", game=game, algorithm="cfr_plus", budget={"episodes": 1000})
for report in tables:
    print(report)

networks = Run("runs/bids-networks", game=game, budget={"minutes": minutes})
for report in networks:
    print(report)

learned, equilibrium = networks.player("policy"), tables.player()
print(f"NashConv of uniform play: {nash_conv(game, 'random'):.4f} chips")
print(f"NashConv of FPMCTS: {nash_conv(game, learned):.4f} chips")
print(f"NashConv of CFR+: {nash_conv(game, equilibrium):.4f} chips")
print(match(game, learned, equilibrium, decks=2000))
