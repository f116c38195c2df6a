"""The schedule of a season: its recurrences, their fixtures and its planned end."""
