"""Screens of a reader's own: home, signing in, the account."""
