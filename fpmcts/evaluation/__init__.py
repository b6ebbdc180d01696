"""Duplicate matches between players, with scores and their uncertainty."""
