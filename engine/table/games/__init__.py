"""The course of a hand, game by game."""
