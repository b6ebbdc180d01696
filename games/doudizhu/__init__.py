"""Doudizhu: cards, moves, states, observations and sure wins."""
