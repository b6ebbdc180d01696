"""Things to copy: a player as a program of its own, and a game."""
