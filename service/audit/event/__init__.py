"""Checks of one tournament above its hands."""
