"""What every process needs and knows nothing of a league."""
