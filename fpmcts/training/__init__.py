"""The training run: configuration, run folder, bootstrap, and the stages from self-play to
evaluation. Top layer below the scripts.
"""
