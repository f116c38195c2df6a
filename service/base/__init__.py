"""Parts that every process needs. They know nothing of a league."""
