"""Workers for the units of a run: threads, or actors of a Ray cluster."""
