"""Routes of a league and its seasons."""
