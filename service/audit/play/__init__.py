"""Checks of hands: cards, chips, chance, every action decided again."""
