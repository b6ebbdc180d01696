"""Players of poker."""
