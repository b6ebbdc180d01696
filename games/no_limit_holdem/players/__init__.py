"""Players of no-limit Hold'em that go by its rules."""
