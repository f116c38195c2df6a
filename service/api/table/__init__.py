"""Routes of one table."""
