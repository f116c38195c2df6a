"""News of the log for open streams."""
