"""Rule players of no-limit Hold'em."""
