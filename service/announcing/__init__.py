"""Announcements: the terms of a tournament, made from JSON."""
