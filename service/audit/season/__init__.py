"""Checks of points and standings."""
