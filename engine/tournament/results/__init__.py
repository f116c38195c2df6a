"""The results of a tournament: eliminations, places, and the end."""
