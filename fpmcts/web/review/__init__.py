"""What is asked apart from moves: analyses, reviews of finished games, luck of the cards."""
