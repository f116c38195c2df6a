"""Copies of an installation: the database and its keys, taken while it runs, and restored."""
