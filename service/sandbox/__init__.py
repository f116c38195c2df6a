"""Invented leagues: the demo and its bots, and generated seasons."""
