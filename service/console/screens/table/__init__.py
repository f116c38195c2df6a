"""The playing table."""
