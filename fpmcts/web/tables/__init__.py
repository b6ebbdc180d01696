"""What can be played and with whom, one table, all tables, and what is kept of them."""
