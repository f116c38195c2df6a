"""A result that waits for a dispute."""
