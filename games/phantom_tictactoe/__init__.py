"""Phantom Tic-Tac-Toe."""
