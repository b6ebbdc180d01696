"""Our games and players in OpenSpiel: how far tables of ours are from equilibrium by its measure,
and one of its algorithms.

python examples/open_spiel_measure.py
"""

import sys

import pyspiel
from open_spiel.python.algorithms import cfr, exploitability

from fpmcts.adapters.open_spiel_games import load_game
from fpmcts.adapters.open_spiel_players import Policy
from fpmcts.players import load_player
from games import make

ours, theirs = load_game("kuhn"), pyspiel.load_game("kuhn_poker")
tables = load_player("tabular", make("kuhn"))
for name, game in (("our Kuhn", ours), ("OpenSpiel's Kuhn", theirs)):
    sys.stdout.write(
        f"our tables in {name}: NashConv "
        f"{exploitability.nash_conv(game, Policy(game, tables)):.4f}\n"
    )

solver = cfr.CFRSolver(load_game("goofspiel", cards=3))
for _ in range(20):
    solver.evaluate_and_update_policy()
measured = exploitability.nash_conv(load_game("goofspiel", cards=3), solver.average_policy())
sys.stdout.write(
    f"OpenSpiel's CFR after 20 iterations on our Goofspiel with 3 cards: NashConv {measured:.4f}\n"
)
