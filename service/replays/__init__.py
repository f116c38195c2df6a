"""Hands played over again, and the forms in which they are written."""
