"""Checks of bytes, chains and the tree."""
