"""Duties, the ticker that sends them, and the worker. Jobs are stored in PostgreSQL."""
