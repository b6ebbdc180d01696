"""Playing a game: its interface, tables, records, decisions and players; many games at once."""
