"""Checks of one tournament apart from its hands."""
