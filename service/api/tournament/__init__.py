"""Routes of one tournament."""
