"""Checks of hands: cards, chips, randomness, every action decided again."""
