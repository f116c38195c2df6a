"""Disputes on their way to the engine: evidence, time limits, rulings, and opened values."""
