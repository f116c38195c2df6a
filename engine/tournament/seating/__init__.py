"""Seats of a tournament: draws, moves, balance, and tables that break."""
