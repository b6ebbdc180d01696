"""Inference of hidden cards: worlds for the searching player, weighted by the others' moves.

Source: Jiang et al., "DeltaDou: Expert-level Doudizhu AI through Self-play", IJCAI 2019, section
4.3.
"""
