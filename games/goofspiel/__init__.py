"""Imperfect-information Goofspiel."""
