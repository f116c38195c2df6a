"""Routes for seasons: terms, evenings, standings, end."""
