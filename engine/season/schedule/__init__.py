"""When a season's tournaments are played: recurrences, their single fixtures, and its end."""
