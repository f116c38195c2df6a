"""The course of a hand in each game."""
