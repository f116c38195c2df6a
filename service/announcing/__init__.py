"""Announcements: from JSON to the terms of a tournament."""
