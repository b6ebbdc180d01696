"""Where the units of a run are worked: threads, or the actors of a Ray cluster."""
