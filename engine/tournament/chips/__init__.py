"""Chips that come in after the start: rebuys, add-ons, items, the casino."""
