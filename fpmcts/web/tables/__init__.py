"""The catalogue of games and players, the tables, and their storage."""
