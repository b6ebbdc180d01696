"""The search: FPMCTS, its trees, and the rules at the root."""
