"""Exports: tables as CSV, and a league's data as one archive."""
