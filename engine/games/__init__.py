"""The games: the order of their phases, and what a hand counts for."""
