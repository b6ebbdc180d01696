"""What is asked besides moves: analyses, reviews of finished games, and what the cards brought."""
