"""Neural fictitious self-play, the baseline without search: best responses by Q-learning, and
networks of their average.
"""
