"""Screens of a league: its people, its calendar, its seasons, its records."""
