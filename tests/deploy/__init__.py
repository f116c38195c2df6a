"""Checks of the files in `deploy/`, by the programs that read them."""
