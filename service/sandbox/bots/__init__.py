"""Example players that use only the public API."""
