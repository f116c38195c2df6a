"""Leagues that are made up: the demo, its bots, whole seasons."""
