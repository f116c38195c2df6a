"""Queries of the read models, and the structs of their rows."""
