"""A whole installation under faults while bots play, and what must hold afterwards."""
