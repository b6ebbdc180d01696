"""Wins that can be proven: for certain against every hidden hand, or with all hands open."""
