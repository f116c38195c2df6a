"""Schedules: instants from rules and local times, and tournaments from occurrences."""
