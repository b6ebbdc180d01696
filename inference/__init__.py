"""Inference of what is hidden: worlds for the player who searches, weighed by what the others have played.

Source: Jiang et al., "DeltaDou: Expert-level Doudizhu AI through Self-play", IJCAI 2019, section 4.3.
"""
