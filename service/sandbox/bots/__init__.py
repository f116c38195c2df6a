"""Example players; they know the public API and nothing else."""
