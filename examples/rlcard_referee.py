"""Games of ours in RLCard's Doudizhu at the same time, compared after every move: ``python
examples/rlcard_referee.py``.
"""

import sys

from fpmcts.adapters.rlcard_referee import KNOWN, Referee
from fpmcts.players import load_player
from games import make
from games.play.table import Table

referee = Referee(make("doudizhu"))
player = load_player("rhcp", referee.game)
for seed in range(20):
    referee.judge(Table(referee.game, seed=seed), lambda table: player.decide(table).move)
sys.stdout.write(f"{referee.games} games, {referee.plies} moves: both say the same, but for\n")
for name, rule in KNOWN.items():
    sys.stdout.write(f"  {name} ({referee.differences[name]} times): {rule}\n")
