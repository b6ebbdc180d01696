"""Methods for no-limit Hold'em only: opponent models, a search that uses them, and the player
``mcts``.
"""
