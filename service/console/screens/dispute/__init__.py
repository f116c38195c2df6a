"""Disputes and their rulings."""
