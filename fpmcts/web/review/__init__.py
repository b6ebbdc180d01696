"""Analyses, reviews of finished games, and the luck of the cards."""
