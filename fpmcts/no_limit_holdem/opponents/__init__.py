"""Opponent models for no-limit Hold'em: actions, bet sizes and hands at showdown, learned from hand
histories.
"""
