"""Duplicate matches between players, and what they say with which certainty."""
