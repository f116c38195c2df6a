"""Screens of an evening: its plan, its poster, its door, its money, its result."""
