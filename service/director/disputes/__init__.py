"""Disputes on the way to the engine: what speaks for and against, and what a ruling does."""
