"""Schemathesis against a running API, with the identifiers of a league at play."""
