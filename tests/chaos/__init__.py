"""A whole installation under faults while bots play, and the checks that follow."""
