"""Plays games of the shipped network against random moves, through PettingZoo: ``python
examples/pettingzoo_game.py``.
"""

import sys

import numpy as np

from fpmcts.adapters.pettingzoo_env import env
from fpmcts.players import load_player

GAMES = 20

table = env("doudizhu")
player, generator = load_player("policy", table.game), np.random.default_rng(0)
won = 0
for number in range(GAMES):
    table.reset(seed=number)
    landlord, total = table.possible_agents[0], 0.0
    for seat in table.agent_iter():
        observation, reward, ended, truncated, info = table.last()
        total += reward if seat == landlord else 0.0
        if ended or truncated:
            action = None
        elif seat == landlord:
            action = player.decide(table.table).action
        else:
            action = generator.choice(np.flatnonzero(observation["action_mask"]))
        table.step(action)
    won += total > 0
sys.stdout.write(f"the network as landlord won {won} of {GAMES} games against random peasants\n")
