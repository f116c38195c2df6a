"""Routes of one's own account."""
