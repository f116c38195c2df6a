"""Schedules: from rules and local times to instants, and from occurrences to tournaments."""
