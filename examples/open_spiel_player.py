"""A bot of OpenSpiel as a player of ours: Information Set Monte Carlo tree search, 200 simulations
a move.

    python evaluate.py game=leduc a=tabular b=open_spiel b.bot=examples.open_spiel_player:make
    decks=100

``python examples/open_spiel_player.py`` plays the same match from Python.
"""

import sys
from typing import Any

import pyspiel

SIMULATIONS = 200


def make(game: Any, seat: int, seed: int) -> Any:
    """Returns the bot of one game and one seat."""
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    return pyspiel.ISMCTSBot(seed, evaluator, uct_c=5.0, max_simulations=SIMULATIONS)


if __name__ == "__main__":
    from fpmcts.evaluation.duplicate import duplicate_match
    from fpmcts.players import load_player
    from games import make as make_game

    leduc = make_game("leduc")
    bot = load_player("open_spiel", leduc, bot="examples.open_spiel_player:make")
    result = duplicate_match(leduc, load_player("tabular", leduc), bot, num_decks=20, seed=0)
    sys.stdout.write(f"{result}\n")
