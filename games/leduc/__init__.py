"""Leduc Hold'em."""
