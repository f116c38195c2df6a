"""Routes for the caller's own account."""
