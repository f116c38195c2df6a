"""Backups of an installation: the database and its keys, copied while it runs, and restored."""
