"""Limit Hold'em."""
