"""No-limit Texas Hold'em for two to ten players."""
